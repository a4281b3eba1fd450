"""The observations of one stack: base brought up, head previewed on its state. Plain data; secrets are masked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from kubeflow_aks.revisions.repository import Revision

Action = Literal["create", "update", "replace", "delete"]
Kind = Literal["add", "delete", "update"]


@dataclass(frozen=True)
class Resource:
    """One resource of one of the two trees.

    Attributes:
        inputs: wire names to plain values; `SECRET` and `UNKNOWN` replace hidden and unknown ones.
        protect: whether the engine refuses to delete it.
        ignore_changes: paths of inputs whose later changes the engine ignores.
    """

    urn: str
    type: str
    name: str
    inputs: Mapping[str, Any]
    protect: bool = False
    ignore_changes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Difference:
    """One property that changes; `before` is None for an added one, `after` for a removed one."""

    path: str
    kind: Kind
    before: Any = None
    after: Any = None


@dataclass(frozen=True)
class Change:
    """One resource that changes.

    Attributes:
        forced_by: properties that force the replacement; empty unless `action` is replace.
        simulated: False if no stand-in knows the type, so that the change is shown from the plan.
    """

    urn: str
    type: str
    name: str
    action: Action
    differences: tuple[Difference, ...] = ()
    forced_by: tuple[str, ...] = ()
    simulated: bool = True


@dataclass(frozen=True)
class Refusal:
    """One request of the next `up` that Azure refuses.

    Attributes:
        code: Azure's error code; empty if azure-native sends no request.
        message: Azure's, or azure-native's.
    """

    urn: str
    type: str
    name: str
    code: str
    message: str


@dataclass(frozen=True)
class Trial:
    """The requests of one `up`, put to the simulated Azure.

    Attributes:
        refused: the requests that it refuses, in the engine's order; empty if it accepts all that were tried.
        tried: number of requests that were tried.
        untried: names of resources whose requests were not, because of a value or a resource that only `up` has.
    """

    refused: tuple[Refusal, ...] = ()
    tried: int = 0
    untried: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """One program, run for one stack.

    Attributes:
        resources: by URN, in the order of registration; empty if the program did not run.
        outputs: the stack's outputs, secrets masked, unknown ones `UNKNOWN`.
        assumed: what the program reads or imports and is not known here, one sentence each.
        failure: why it did not run, for the user; empty if it did.
    """

    resources: Mapping[str, Resource] = field(default_factory=dict[str, Resource])
    outputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    warnings: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    failure: str = ""


@dataclass(frozen=True)
class Observed:
    """One stack under both trees.

    Attributes:
        base: None if the base has no file for this stack.
        head: None if the head has none.
        changes: what `pulumi up` of the head would do, without role assignments that only seem to be replaced.
        looks_replaced: names of those role assignments.
        refused: names of protected resources that would be replaced or deleted, so that `pulumi up` refuses the change;
            `changes` is what it would do without the protection.
        azure: the requests of the next `up`.
        other_name: name of a stack that only the other tree has, with the same settings: this one may be renamed.
        former_project: the project's name in the base if the head has another one, so that all is made anew.
        not_judged: what decides about the next `up` and is not known here, one sentence each.
        notes: limits of the preview, one sentence each: encrypted values that were replaced, types that are not
            simulated, a missing control plane.
    """

    stack: str
    base_revision: Revision
    head_revision: Revision
    base: Run | None
    head: Run | None
    changes: tuple[Change, ...] = ()
    looks_replaced: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    azure: Trial = Trial()
    other_name: str = ""
    former_project: str = ""
    not_judged: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def shown(value: Any, instead: Any) -> Any:
    """A value of a run with secret and unknown values replaced by `instead`."""
    if isinstance(value, dict):
        return {key: shown(item, instead) for key, item in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [shown(item, instead) for item in cast(list[Any], value)]
    return instead if value in (SECRET, UNKNOWN) else value


SECRET = "[secret]"  # noqa: S105 - replaces a secret
UNKNOWN = "[known after up]"
