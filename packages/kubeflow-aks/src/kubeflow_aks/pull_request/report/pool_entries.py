"""The agent pools before and after, for the document, and as a mermaid picture, which GitHub draws.

The picture contains only names of letters, digits, hyphens and underscores; any other name becomes a question mark.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypedDict

from kubeflow_aks.json_values import at, text
from kubeflow_aks.pull_request.observed import Observed
from kubeflow_aks.pull_request.report.impacts.pools import Pair, Pool, pairs
from kubeflow_aks.pull_request.report.impacts.sides import GOING, Sides, sides_of

_MOST = 40
"""Pools in one picture."""
_NAME = re.compile("[A-Za-z0-9_-]{1,40}")
_STYLES = {
    "added": "fill:#dcfce7,stroke:#15803d,color:#111827",
    "removed": "fill:#fee2e2,stroke:#b91c1c,color:#111827,stroke-dasharray:6 3",
    "replaced": "fill:#f3e8ff,stroke:#7e22ce,color:#111827",
    "updated": "fill:#fef9c3,stroke:#a16207,color:#111827",
    "unchanged": "fill:#ffffff,stroke:#6b7280,color:#111827",
}

"""None is a colour of `text/palette.py`, where they say what a pool is."""

PoolChange = Literal["added", "removed", "replaced", "updated", "unchanged"]


class PoolState(TypedDict):
    """One pool on one side; `fallback` is empty for none."""

    vmSize: str
    spot: bool
    minCount: int | None
    maxCount: int | None
    fallback: str


class PoolEntry(TypedDict):
    """One pool before and after; None if that side lacks the pool.

    `pool` is the name that pools of several VM sizes share, and that `fallback` has.
    """

    name: str
    pool: str
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
            "pool": pair.either.pool,
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


def picture(pools: Sequence[PoolEntry]) -> list[str]:
    """The lines of a flowchart: a box for each pool, an arrow to its fallback; empty if no pool changes."""
    if len(pools) > _MOST or all(pool["change"] == "unchanged" for pool in pools):
        return []
    return ["flowchart LR", *_lines(pools)]


def _lines(pools: Sequence[PoolEntry]) -> Iterator[str]:
    first = {pool["pool"]: number for number, pool in reversed([*enumerate(pools)])}
    for number, pool in enumerate(pools):
        sides = [_facts(side) for side in (pool["before"], pool["after"]) if side]
        facts = "<br/>".join(" → ".join(dict.fromkeys(values)) for values in zip(*sides, strict=True))
        yield f'  pool{number}["{_safe(pool["name"])}: {pool["change"]}<br/>{facts}"]:::{pool["change"]}'
    for number, pool in enumerate(pools):
        fallback = (pool["after"] or pool["before"] or {}).get("fallback")
        if fallback in first:
            yield f'  pool{number} -. "sold out" .-> pool{first[fallback]}'
    yield from (f"  classDef {name} {style}" for name, style in _STYLES.items())


def _facts(state: PoolState) -> tuple[str, str, str]:
    fewest, most = ("?" if count is None else count for count in (state["minCount"], state["maxCount"]))
    return _safe(state["vmSize"]), "spot" if state["spot"] else "on demand", f"{fewest}–{most} nodes"


def _safe(name: str) -> str:
    return name if _NAME.fullmatch(name) else "?"
