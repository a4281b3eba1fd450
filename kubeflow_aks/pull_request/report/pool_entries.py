"""The agent pools before and after, for the picture and the document."""

from collections.abc import Mapping
from typing import Literal, TypedDict

from kubeflow_aks.json_values import at, text
from kubeflow_aks.pull_request.observed import Observed
from kubeflow_aks.pull_request.report.impacts.pools import Pool, pools
from kubeflow_aks.pull_request.report.impacts.sides import Sides, sides_of

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
    before, after = pools(sides.before), pools(sides.after)
    return [
        {
            "name": name,
            "change": _change(name, before, after, sides),
            "before": _state(before.get(name)),
            "after": _state(after.get(name)),
        }
        for name in {**after, **before}
    ]


def _change(name: str, before: Mapping[str, Pool], after: Mapping[str, Pool], sides: Sides) -> PoolChange:
    if name not in after:
        return "removed"
    if name not in before:
        return "added"
    change = sides.changes.get(after[name].urn)
    if change and change.action == "replace":  # also of the cluster, which has its own pools
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
