"""How AKS upgrades the nodes of on-demand pools: what it takes together, and how many nodes that adds. Pure.

Sources: MicrosoftDocs/azure-aks-docs, articles/aks/upgrade-aks-node-pools-rolling.md (2026-05-29), upgrade-cluster.md,
"Optimize for undrainable node behavior".
"""

import math
from collections.abc import Iterator
from typing import Final

from ..arguments.mistakes import Mistake

MAX_SURGE: Final = "1"


def surge(max_surge: str | None, max_unavailable: str | None) -> str:
    """The surge of a pool, `1` or `33%`; where none is given, 0 beside nodes that may be unavailable."""
    return max_surge or ("0" if _some(max_unavailable) else MAX_SURGE)


def surge_nodes(surge: str, nodes: int) -> int:
    """Nodes that an upgrade adds to a pool of so many; a share is rounded up."""
    number = math.ceil(nodes * int(surge[:-1]) / 100) if surge.endswith("%") else int(surge)
    return min(number, nodes)


def together_mistakes(
    max_surge: str | None, max_unavailable: str | None, behavior: str | None, *, system: bool
) -> Iterator[Mistake]:
    """Nodes are added or may be unavailable, not both; a system pool and cordoned nodes need the first."""
    unavailable = _some(max_unavailable)
    if system and unavailable:
        yield Mistake(
            "maxUnavailable", max_unavailable, "no value on a system pool, whose nodes are never unavailable"
        )
    elif unavailable and _some(max_surge):
        expected = (
            f"0 or no value, because maxUnavailable is {max_unavailable}; AKS has both together as a preview"
        )
        yield Mistake("maxSurge", max_surge, expected)
    elif max_surge == "0" and not unavailable:
        yield Mistake(
            "maxSurge", max_surge, "at least 1" if system else "at least 1, or maxUnavailable of at least 1"
        )
    if behavior == "Cordon" and surge(max_surge, max_unavailable) == "0":
        expected = (
            "Schedule unless maxSurge is at least 1, because a surge node takes the place of a cordoned one"
        )
        yield Mistake("undrainableNodeBehavior", behavior, expected)


def _some(nodes: str | None) -> bool:
    return nodes not in (None, "0")
