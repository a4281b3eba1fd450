"""`python -m delivery.reaper [--destroy]`: ends the demo stacks whose time has passed, and never anything else.

Without `--destroy` it only says what it would do. A stack whose name does not begin with `demo-` is not even read; one
that is protected, has no readable tag `expires`, or at which somebody is at work is named and left.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from delivery import expiry
from delivery.expiry import LeftError
from delivery.pulumi_cli import LockedError, Pulumi, PulumiError
from revisions.repository import is_stack_name


def reap(pulumi: Pulumi, stack: str, now: datetime, *, destroy: bool) -> str:
    """Ends one stack if its time has passed, and says what came of it.

    Raises:
        PulumiError: it is begun, and something is left.
    """
    try:
        moment = expiry.expires(pulumi.state(stack))
    except LeftError as left:
        return f"left: {left}"
    except PulumiError as error:
        return f"left: can't be read ({_line(error)})"
    except (LookupError, TypeError, AttributeError):
        return "left: its state has another form than expected"
    if not expiry.is_over(moment, now):
        return f"runs until {expiry.written(moment)}"
    if not destroy:
        return f"would be destroyed: expired {expiry.written(moment)}"
    try:
        pulumi.destroy(stack)
        pulumi.remove(stack)
    except LockedError:
        return "left: somebody else is at work on it"
    except PulumiError:
        if stack not in pulumi.stacks():
            return "is gone already: another reaper was faster"
        raise
    return f"destroyed: expired {expiry.written(moment)}"


def _line(error: PulumiError) -> str:
    return " | ".join(str(error).splitlines())


def main(
    arguments: Sequence[str] | None = None, pulumi: Pulumi | None = None, now: datetime | None = None
) -> int:
    """Looks at every demo stack of the backend and prints one line for each.

    Returns:
        0; 1 where a stack could not be destroyed as a whole, or the stacks can't be listed.
    """
    parser = argparse.ArgumentParser(prog="python -m delivery.reaper", description="Ends demo stacks.")
    parser.add_argument(
        "--destroy", action="store_true", help="destroy them; else only say what would be done"
    )
    options = parser.parse_args(arguments)
    cli, moment, failed = pulumi or Pulumi(Path.cwd()), now or datetime.now(UTC), False
    try:
        stacks = [name for name in cli.stacks() if name.startswith(expiry.PREFIX) and is_stack_name(name)]
    except (PulumiError, OSError, ValueError) as error:
        print(f"error: the stacks can't be listed: {error}", file=sys.stderr)
        return 1
    if not stacks:
        print("no demo stacks")
    for stack in sorted(stacks):
        try:
            print(f"{stack}: {reap(cli, stack, moment, destroy=options.destroy)}", flush=True)
        except PulumiError as error:
            failed = True
            print(f"error: {stack}: not destroyed as a whole: {_line(error)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
