"""The agent pools before and after, for the picture and for machines."""

from collections.abc import Mapping
from typing import Literal, TypedDict

from pull_request.observed import Observed
from pull_request.telling.reading import at, text
from pull_request.telling.words.pool import Pool, pools
from pull_request.telling.words.sides import Sides, sides

Fate = Literal["added", "removed", "replaced", "updated", "unchanged"]


class PoolState(TypedDict):
    """One pool on one side; `fallback` is empty for none."""

    vmSize: str
    spot: bool
    minCount: int | None
    maxCount: int | None
    fallback: str


class PoolTold(TypedDict):
    """One pool before and after; None where that side has no such pool."""

    name: str
    change: Fate
    before: PoolState | None
    after: PoolState | None


def pools_of(observed: Observed) -> list[PoolTold]:
    """Every pool, those that go last; none where the head does not run."""
    if observed.head is None or observed.head.failure:
        return []
    seen = sides(observed)
    before, after = pools(seen.before), pools(seen.after)
    return [
        {
            "name": name,
            "change": _change(name, before, after, seen),
            "before": _state(before.get(name)),
            "after": _state(after.get(name)),
        }
        for name in {**after, **before}
    ]


def _change(name: str, before: Mapping[str, Pool], after: Mapping[str, Pool], seen: Sides) -> Fate:
    if name not in after:
        return "removed"
    if name not in before:
        return "added"
    change = seen.changes.get(after[name].urn)
    if change and change.action == "replace":  # of the cluster too, whose own pools go with it
        return "replaced"
    return "unchanged" if before[name].inputs == after[name].inputs else "updated"


def _state(pool: Pool | None) -> PoolState | None:
    if pool is None:
        return None
    return {
        "vmSize": text(at(pool.inputs, "vmSize")),
        "spot": pool.spot,
        "minCount": pool.least,
        "maxCount": pool.most,
        "fallback": pool.fallback or "",
    }
