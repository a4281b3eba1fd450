"""What was seen of one stack: the base brought up, the head previewed on its state. Plain data; secrets are masked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from revisions.repository import Revision

Action = Literal["create", "update", "replace", "delete"]
Kind = Literal["add", "delete", "update"]


@dataclass(frozen=True)
class Resource:
    """One resource of one of the two trees.

    Attributes:
        inputs: wire names to plain values; `SECRET` and `UNKNOWN` stand for what is not shown.
        protect: whether the engine refuses to delete it.
        ignore_changes: paths of inputs whose later changes the engine leaves alone.
    """

    urn: str
    type: str
    name: str
    inputs: Mapping[str, Any]
    protect: bool = False
    ignore_changes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Difference:
    """One property that changes; `before` is None for one that is added, `after` for one that goes."""

    path: str
    kind: Kind
    before: Any = None
    after: Any = None


@dataclass(frozen=True)
class Change:
    """One resource that changes.

    Attributes:
        forced_by: properties that force the replacement; empty unless `action` is replace.
        simulated: False where no stand-in knows the type, so that the plan says all there is to know.
    """

    urn: str
    type: str
    name: str
    action: Action
    differences: tuple[Difference, ...] = ()
    forced_by: tuple[str, ...] = ()
    simulated: bool = True


@dataclass(frozen=True)
class Run:
    """One program, run for one stack.

    Attributes:
        resources: by URN, in the order of registration; empty where the program did not run.
        outputs: the stack's outputs, secrets masked, unknown ones `UNKNOWN`.
        warnings: what the program warned of.
        failure: why it did not run, one line for the user; empty where it did.
    """

    resources: Mapping[str, Resource] = field(default_factory=dict[str, Resource])
    outputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    warnings: tuple[str, ...] = ()
    failure: str = ""


@dataclass(frozen=True)
class Observed:
    """One stack under both trees.

    Attributes:
        base: None where the base has no file for this stack.
        head: None where the head has none.
        changes: what `pulumi up` of the head would do; role assignments that only look replaced are left out.
        looks_replaced: names of those role assignments.
        refused: names of what is protected and would be replaced or deleted, so that `pulumi up` refuses the change;
            `changes` is what it would do without the protection.
        notes: what the reader must know to judge this, one sentence each: encrypted values that were stood in for,
            types that no stand-in knows, a control plane that was not there.
    """

    stack: str
    base_revision: Revision
    head_revision: Revision
    base: Run | None
    head: Run | None
    changes: tuple[Change, ...] = ()
    looks_replaced: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def shown(value: Any, instead: Any) -> Any:
    """A value of a run with something else in place of all that is secret or known by an `up` only."""
    if isinstance(value, dict):
        return {key: shown(item, instead) for key, item in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [shown(item, instead) for item in cast(list[Any], value)]
    return instead if value in (SECRET, UNKNOWN) else value


SECRET = "[secret]"  # noqa: S105 - what stands in place of a secret
UNKNOWN = "[known after up]"
