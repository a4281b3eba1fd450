"""Turns the engine's steps into plain values: the resources of a run, and one change for each resource."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from kubeflow_aks.local_aks.engine import Result, Step
from kubeflow_aks.local_aks.engine.language_host import IMPORTED
from kubeflow_aks.policy.rule import STACK
from kubeflow_aks.pull_request.differences import at, differences
from kubeflow_aks.pull_request.observed import (
    SECRET,
    UNKNOWN,
    Action,
    Change,
    Difference,
    Kind,
    Resource,
    Run,
)
from kubeflow_aks.recorder.marks import SECRET as SECRET_MARK
from kubeflow_aks.recorder.marks import SIGNATURE, UNKNOWNS
from kubeflow_aks.recorder.stack_files import ENCRYPTED

_ROLE_ASSIGNMENT: Final = "azure-native:authorization:RoleAssignment"
_HAVE_PRINCIPALS: Final = frozenset(
    {"azure-native:containerservice:ManagedCluster", "azure-native:managedidentity:UserAssignedIdentity"}
)
"""Types whose principal role assignments name."""
_ACTIONS: Final[Mapping[str, Action]] = {
    "create": "create",
    "import": "create",
    "update": "update",
    "replace": "replace",
    "create-replacement": "replace",
    "delete-replaced": "replace",
    "import-replacement": "replace",
    "delete": "delete",
}
_GOING: Final = frozenset(
    {"delete", "delete-replaced", "discard", "discard-replaced", "read-discard", "remove-pending-replace"}
)
"""Operations after which a resource no longer exists, unless another step makes it (`pkg/resource/deploy/step.go`)."""
_READ: Final = frozenset({"read", "read-replacement"})
"""Operations on what others made: the stack does not have it, and the engine puts no policy to it."""


def run_of(result: Result, ignored: Mapping[str, Sequence[str]], assumed: tuple[str, ...] = ()) -> Run:
    """The resources (by URN), outputs and warnings of a program in one operation, without what it only reads."""
    resources: dict[str, Resource] = {}
    outputs: Mapping[str, Any] = {}
    for step in result.steps:
        if step.type == STACK:
            outputs = plain(step.outputs) or outputs
        elif step.op not in _GOING | _READ:
            resources[step.urn] = Resource(
                urn=step.urn,
                type=step.type,
                name=step.name,
                inputs=plain(step.inputs),
                protect=step.protect,
                ignore_changes=tuple(ignored.get(step.urn, ())),
            )
    warnings = (
        message.text
        for message in result.messages
        if message.severity == "warning" and not message.text.startswith(IMPORTED)
    )
    return Run(dict(sorted(resources.items())), outputs, tuple(dict.fromkeys(warnings)), assumed)


def changes_of(steps: Sequence[Step], not_simulated: Collection[str]) -> tuple[Change, ...]:
    """One change for each resource that a preview would change, by URN: the engine's order differs from run to run."""
    by_urn: dict[str, list[Step]] = {}
    for step in steps:
        if step.op in _ACTIONS and step.type != STACK:
            by_urn.setdefault(step.urn, []).append(step)
    return tuple(_change(by_urn[urn], not_simulated) for urn in sorted(by_urn))


def without_apparent_replacements(changes: Sequence[Change]) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """The changes without role assignments that only seem to be replaced, and the names of those.

    A preview that updates a cluster or an identity does not know that its principal stays, and the principal of a role
    assignment can't be changed in place. If a cluster or an identity is replaced, its principal does change.
    """
    if any(change.type in _HAVE_PRINCIPALS and change.action == "replace" for change in changes):
        return tuple(changes), ()
    apparent = [change for change in changes if _seems_replaced(change)]
    return tuple(change for change in changes if change not in apparent), tuple(c.name for c in apparent)


def plain(value: Any) -> Any:
    """A value of the engine's events, with `SECRET` and `UNKNOWN` for hidden and unknown values."""
    if isinstance(value, dict):
        items = cast(dict[str, Any], value)
        if items.get(SIGNATURE) == SECRET_MARK:
            return SECRET
        return {key: plain(item) for key, item in items.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in cast(list[Any], value)]
    if isinstance(value, str):
        return UNKNOWN if value in UNKNOWNS else SECRET if ENCRYPTED in value else value
    return value


def _seems_replaced(change: Change) -> bool:
    return (
        change.type == _ROLE_ASSIGNMENT
        and change.action == "replace"
        and [difference.path for difference in change.differences] == ["principalId"]
        and change.differences[0].after == UNKNOWN
    )


def _change(steps: Sequence[Step], not_simulated: Collection[str]) -> Change:
    """The change that the steps on one resource make; a replacement has several steps, one of which has the reason."""
    main = next(
        (step for step in steps if step.differences),
        next((step for step in steps if step.op not in _GOING), steps[0]),
    )
    actions: set[Action] = {_ACTIONS[step.op] for step in steps}
    action: Action = "replace" if len(actions) > 1 else next(iter(actions))
    if all(step.op in _GOING for step in steps):
        action = "delete"  # together with a replaced resource, and not made again
    forcing = [path for path, kind in main.differences.items() if kind.endswith("-replace")]
    keys = forcing or [key for step in steps for key in step.replace_keys]
    return Change(
        urn=main.urn,
        type=main.type,
        name=main.name,
        action=action,
        differences=tuple(_differences(main)) if action in {"update", "replace"} else (),
        forced_by=tuple(sorted(set(keys))) if action == "replace" else (),
        simulated=main.type not in not_simulated,
    )


def _differences(step: Step) -> Iterator[Difference]:
    before, after = plain(step.old_inputs), plain(step.inputs)
    if not step.differences:
        yield from differences("", before, after)
    for path, kind in sorted(step.differences.items()):
        yield Difference(path, _kind(kind), at(before, path), at(after, path))


def _kind(kind: str) -> Kind:
    plain_kind = kind.removesuffix("-replace")
    return cast(Kind, plain_kind) if plain_kind in {"add", "delete"} else "update"
