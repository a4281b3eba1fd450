"""The answer to Diff."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from pulumi.runtime.proto import provider_pb2 as proto


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


def diff_response(
    changes: Mapping[str, PropertyChange],
    *,
    replaces: Sequence[str],
    delete_first: bool,
    diffs: Sequence[str] = (),
) -> proto.DiffResponse:
    """The answer to Diff.

    Args:
        changes: changed properties by path; none for a resource that stays as it is.
        replaces: paths whose change replaces the resource.
        delete_first: whether a replacement deletes the old resource before it creates the new one.
        diffs: names of the top-level properties that differ, where the provider gives them.
    """
    some, none = proto.DiffResponse.DIFF_SOME, proto.DiffResponse.DIFF_NONE
    return proto.DiffResponse(
        changes=some if changes else none,
        replaces=replaces,
        deleteBeforeReplace=delete_first,
        diffs=diffs,
        detailedDiff={path: _detail(change) for path, change in changes.items()},
        hasDetailedDiff=True,
    )


def _detail(change: PropertyChange) -> proto.PropertyDiff:
    name = f"{change.change.name}_REPLACE" if change.replaces else change.change.name
    return proto.PropertyDiff(kind=proto.PropertyDiff.Kind.Value(name), inputDiff=change.of_inputs)
