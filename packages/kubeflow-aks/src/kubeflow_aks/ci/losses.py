"""What an `up` deletes and replaces, and whether it was in the preview that the reviewers approved.

Between the preview and the `up` the state may change, and `pulumi up` would do whatever a new preview has
(pulumi/actions#991).
"""

import json
import sys
from pathlib import Path
from typing import Final

from kubeflow_aks.ci.drifts import name_in, type_in
from kubeflow_aks.clients.kubernetes.objects import is_list, is_object
from kubeflow_aks.exit_codes import ExitCode, InconclusiveError

_REPLACED: Final = "replaced"
_LOSSES: Final = {
    "delete": "deleted",
    "replace": _REPLACED,
    "create-replacement": _REPLACED,
    "delete-replaced": _REPLACED,
}
"""Operations of the engine by which a resource, and what is in it, is lost (pulumi v3.274.1, sdk/go/common/apitype)."""


def losses(file: Path) -> dict[str, str]:
    """`deleted` or `replaced` by URN, of resources in the output of `pulumi preview --json`.

    Raises:
        InconclusiveError: it has another form, as after a preview that failed.
    """
    document = _read(file)
    steps = document.get("steps") if is_object(document) else None
    if not is_list(steps):
        raise InconclusiveError(f"{file}: expected the output of `pulumi preview --json`")
    try:
        by_urn = {str(step["urn"]): _LOSSES[step["op"]] for step in steps if step["op"] in _LOSSES}
        for urn in by_urn:
            name_in(urn)
    except (LookupError, TypeError):
        raise InconclusiveError(f"{file}: expected steps with an op and a urn") from None
    return dict(sorted(by_urn.items()))


def run(preview: Path, approved: Path | None) -> ExitCode:
    """Prints the losses of a preview as JSON; or one line for each that the approved ones lack.

    Returns:
        FINDING where one was not approved.

    Raises:
        InconclusiveError: a file has another form.
    """
    planned = losses(preview)
    if approved is None:
        print(json.dumps(planned, indent=2))
        return ExitCode.GOOD
    expected = _read(approved)
    if not is_object(expected) or not all(loss in _LOSSES.values() for loss in expected.values()):
        raise InconclusiveError(f"{approved}: expected what `kubeflow-aks ci losses` printed")
    new = {urn: loss for urn, loss in planned.items() if expected.get(urn) not in {loss, "deleted"}}
    for urn, loss in new.items():
        print(
            f"error: {type_in(urn)} {name_in(urn)} would be {loss}, which the approved preview does not have",
            file=sys.stderr,
        )
    if new:
        print(
            "Run the workflow again: its preview has what is new, for the reviewers to see.", file=sys.stderr
        )
        return ExitCode.FINDING
    print(f"nothing is deleted or replaced beyond the approved preview's {len(expected)}")
    return ExitCode.GOOD


def _read(file: Path) -> object:
    try:
        return json.loads(file.read_bytes())
    except OSError as error:
        raise InconclusiveError(f"{file} can't be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InconclusiveError(f"{file} is not JSON") from None
