"""The agent pools before and after, for the picture and the document."""

from typing import Literal, TypedDict

from kubeflow_aks.json_values import at, text
from kubeflow_aks.pull_request.observed import Observed
from kubeflow_aks.pull_request.report.impacts.pools import Pair, Pool, pairs
from kubeflow_aks.pull_request.report.impacts.sides import GOING, Sides, sides_of

PoolChange = Literal["added", "removed", "replaced", "updated", "unchanged"]


class PoolState(TypedDict):
    """One pool on one side; `fallback` is empty for none."""

    vmSize: str
    spot: bool
    minCount: int | None
    maxCount: int | None
    fallback: str


class PoolEntry(TypedDict):
    """One pool before and after; None if that side lacks the pool."""

    name: str
    change: PoolChange
    before: PoolState | None
    after: PoolState | None


def pool_entries(observed: Observed) -> list[PoolEntry]:
    """Every pool, removed ones last; empty if the head does not run."""
    if observed.head is None or observed.head.failure:
        return []
    sides = sides_of(observed)
    return [
        {
            "name": pair.either.name,
            "change": _change(pair, sides),
            "before": _state(pair.before),
            "after": _state(pair.after),
        }
        for pair in pairs(sides)
    ]


def _change(pair: Pair, sides: Sides) -> PoolChange:
    if pair.after is None:
        return "removed"
    if pair.before is None:
        return "added"
    change = sides.changes.get(pair.before.urn)
    if change and change.action in GOING:  # also of the cluster, which has its own pools
        return "replaced"
    return "unchanged" if pair.before.inputs == pair.after.inputs else "updated"


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
