"""`kubeflow-aks ci reaper [--destroy]`: ends the demo stacks whose time has passed, and never anything else.

Without `--destroy` it only prints what it would do. A stack whose name does not begin with `demo-` is not even read;
one that is protected, locked, or has no readable tag `expires` is named and left.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

from kubeflow_aks.ci import expiry
from kubeflow_aks.ci.expiry import LeftError
from kubeflow_aks.clients.pulumi import LockedError, Pulumi, PulumiError
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.project import is_stack_name


def reap(pulumi: Pulumi, stack: str, now: datetime, *, destroy: bool) -> str:
    """Ends one stack if its time has passed, and returns the result as a line.

    Raises:
        PulumiError: it is begun, and something is left.
    """
    try:
        moment = expiry.expires(pulumi.state(stack))
    except LeftError as left:
        return f"left: {left}"
    except PulumiError as error:
        return f"left: can't be read ({error})"
    except (LookupError, TypeError, AttributeError):
        return "left: its state has an unexpected form"
    if not expiry.is_over(moment, now):
        return f"runs until {expiry.written(moment)}"
    if not destroy:
        return f"would be destroyed: expired {expiry.written(moment)}"
    try:
        pulumi.destroy(stack)
        pulumi.remove(stack)
    except LockedError:
        return "left: another operation is under way"
    except PulumiError:
        if stack not in pulumi.stacks():
            return "is gone already: another reaper was faster"
        raise
    return f"destroyed: expired {expiry.written(moment)}"


def run(
    root: Path, *, destroy: bool = False, pulumi: Pulumi | None = None, now: datetime | None = None
) -> ExitCode:
    """Ends the expired demo stacks of the backend, and prints one line for each demo stack.

    Returns:
        FINDING where a stack could not be destroyed as a whole.

    Raises:
        PulumiError: the stacks can't be listed.
    """
    cli, moment, failed = pulumi or Pulumi(root), now or datetime.now(UTC), False
    try:
        stacks = [name for name in cli.stacks() if name.startswith(expiry.PREFIX) and is_stack_name(name)]
    except (PulumiError, ValueError) as error:
        raise PulumiError(f"the stacks can't be listed: {error}") from error
    if not stacks:
        print("no demo stacks")
    for stack in sorted(stacks):
        try:
            print(f"{stack}: {reap(cli, stack, moment, destroy=destroy)}", flush=True)
        except PulumiError as error:
            failed = True
            print(f"error: {stack}: not destroyed as a whole: {error}", file=sys.stderr)
    return ExitCode.FINDING if failed else ExitCode.GOOD
