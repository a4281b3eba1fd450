"""The answer to Diff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from pulumi.runtime.proto import provider_pb2


class Change(Enum):
    """What happened to a property."""

    ADD = "add"
    DELETE = "delete"
    UPDATE = "update"


@dataclass(frozen=True)
class PropertyChange:
    """One changed property.

    Attributes:
        change: what happened to it.
        replaces: whether the resource must be replaced for it.
        of_inputs: whether new inputs were compared with old inputs; otherwise with the resource's state.
    """

    change: Change
    replaces: bool
    of_inputs: bool = True


_Kind = provider_pb2.PropertyDiff.Kind
_KINDS: Final = {
    (Change.ADD, False): _Kind.ADD,
    (Change.ADD, True): _Kind.ADD_REPLACE,
    (Change.DELETE, False): _Kind.DELETE,
    (Change.DELETE, True): _Kind.DELETE_REPLACE,
    (Change.UPDATE, False): _Kind.UPDATE,
    (Change.UPDATE, True): _Kind.UPDATE_REPLACE,
}


def diff_response(
    changes: Mapping[str, PropertyChange],
    *,
    replaces: Sequence[str],
    delete_first: bool,
    diffs: Sequence[str] = (),
) -> provider_pb2.DiffResponse:
    """The answer to Diff.

    Args:
        changes: changed properties by path; none for a resource that stays as it is.
        replaces: paths whose change replaces the resource.
        delete_first: whether a replacement deletes the old resource before it creates the new one.
        diffs: names of the top-level properties that differ, where the provider gives them.
    """
    some, none = provider_pb2.DiffResponse.DIFF_SOME, provider_pb2.DiffResponse.DIFF_NONE
    return provider_pb2.DiffResponse(
        changes=some if changes else none,
        replaces=replaces,
        deleteBeforeReplace=delete_first,
        diffs=diffs,
        detailedDiff={
            path: provider_pb2.PropertyDiff(
                kind=_KINDS[change.change, change.replaces], inputDiff=change.of_inputs
            )
            for path, change in changes.items()
        },
        hasDetailedDiff=True,
    )
