"""When a demo stack ends: a tag on its resource group, which people see in Azure, too. Pure.

Where the group is not the stack's own, its cluster's tag counts.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

TAG: Final = "expires"
PREFIX: Final = "demo-"
"""Begins the name of every stack that may be ended."""
GRACE: Final = timedelta(minutes=5)
"""After the time in the tag, our choice: clocks of runners differ by less."""
_GROUP: Final = "azure-native:resources:ResourceGroup"
_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"


class LeftError(Exception):
    """A stack is left alone; the text is the reason."""


def written(moment: datetime) -> str:
    """A moment as the tag has it: UTC, to the second, such as `2026-11-22T18:00:00Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def expires(state: Mapping[str, Any]) -> datetime:
    """When a stack ends, by the tag of its resource group, else of its cluster, in its deployment as `up` left it.

    Raises:
        LeftError: the stack is protected, is being changed, or has no time at which it ends.
    """
    resources: list[Mapping[str, Any]] = state.get("resources") or []
    kept = sorted(resource["urn"].split("::")[-1] for resource in resources if resource.get("protect"))
    if kept:
        raise LeftError(f"is protected ({', '.join(kept[:3])}{', …' if kept[3:] else ''})")
    if state.get("pending_operations"):
        raise LeftError("has operations that were interrupted; `pulumi up` or `pulumi refresh` clears them")
    if not resources:
        raise LeftError("is empty; `pulumi stack rm` removes it")
    groups = [resource for resource in resources if resource["type"] == _GROUP] or [
        resource for resource in resources if resource["type"] == _CLUSTER
    ]
    if len(groups) != 1:
        raise LeftError(
            f"has {len(groups)} resource groups in its state; expected one, whose tag has the time at which it ends"
        )
    inputs: Mapping[str, Any] = groups[0].get("inputs") or {}
    tags: Mapping[str, Any] = inputs.get("tags") or {}
    tag = tags.get(TAG)
    if tag is None:
        raise LeftError(f"has no tag {TAG}")
    try:
        moment = datetime.fromisoformat(tag)
        written(moment)  # the first and the last day of the calendar are none in UTC
    except (TypeError, ValueError, OverflowError) as error:
        raise LeftError(f"{TAG} is {tag!a}; expected a moment such as 2026-11-22T18:00:00Z") from error
    if moment.tzinfo is None:
        raise LeftError(f"{TAG} is {tag!a}, without a time zone; expected one such as 2026-11-22T18:00:00Z")
    return moment


def is_over(moment: datetime, now: datetime) -> bool:
    """Whether a stack's time has passed, by a margin for clocks that differ."""
    return now - moment > GRACE
