"""The pools before and after as a mermaid picture, which GitHub draws.

It contains only names of letters, digits, hyphens and underscores; any other name becomes a question mark.
"""

import re
from collections.abc import Iterator, Sequence

from kubeflow_aks.pull_request.report.pool_entries import PoolEntry, PoolState

_MOST = 40
"""Pools in one picture."""
_NAME = re.compile("[A-Za-z0-9_-]{1,40}")
_STYLES = {
    "added": "fill:#dcfce7,stroke:#15803d,color:#111827",
    "removed": "fill:#fee2e2,stroke:#b91c1c,color:#111827,stroke-dasharray:6 3",
    "replaced": "fill:#ffedd5,stroke:#c2410c,color:#111827",
    "updated": "fill:#dbeafe,stroke:#1d4ed8,color:#111827",
    "unchanged": "fill:#ffffff,stroke:#6b7280,color:#111827",
}


def picture(pools: Sequence[PoolEntry]) -> list[str]:
    """The lines of a flowchart: a box for each pool, an arrow to its fallback; empty if no pool changes."""
    if len(pools) > _MOST or all(pool["change"] == "unchanged" for pool in pools):
        return []
    return ["flowchart LR", *_lines(pools)]


def _lines(pools: Sequence[PoolEntry]) -> Iterator[str]:
    numbers = {pool["name"]: number for number, pool in enumerate(pools)}
    for number, pool in enumerate(pools):
        sides = [side for side in (pool["before"], pool["after"]) if side]
        facts = "<br/>".join(
            _step(list(map(fact, sides))) for fact in (_size, _kind, _nodes)
        )  # each before → after
        yield f'  pool{number}["{_safe(pool["name"])}: {pool["change"]}<br/>{facts}"]:::{pool["change"]}'
    for number, pool in enumerate(pools):
        fallback = (pool["after"] or pool["before"] or {}).get("fallback")
        if fallback in numbers:
            yield f'  pool{number} -. "sold out" .-> pool{numbers[fallback]}'
    yield from (f"  classDef {name} {style}" for name, style in _STYLES.items())


def _step(values: list[str]) -> str:
    return " → ".join(dict.fromkeys(values))


def _size(state: PoolState) -> str:
    return _safe(state["vmSize"])


def _kind(state: PoolState) -> str:
    return "spot" if state["spot"] else "on demand"


def _nodes(state: PoolState) -> str:
    fewest, most = ("?" if count is None else count for count in (state["minCount"], state["maxCount"]))
    return f"{fewest}–{most} nodes"


def _safe(name: str) -> str:
    return name if _NAME.fullmatch(name) else "?"
