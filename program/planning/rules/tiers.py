"""Rules of the control plane's tier (free-standard-pricing-tiers.md)."""

from collections.abc import Iterator
from typing import Final

from components.arguments.mistakes import Mistake
from program.planning.pools import AgentPool
from program.settings import Settings

_LTS: Final = "AKSLongTermSupport"
_FREE_MOST: Final = 1000
_FREE_FEW: Final = 10
"""AKS recommends the Free tier for fewer nodes than this."""


def tier_problems(settings: Settings, pools: tuple[AgentPool, ...]) -> Iterator[Mistake]:
    """The Free tier has at most 1,000 nodes, and is not for production."""
    if settings.kubernetes.tier != "Free" or settings.kubernetes.support_plan == _LTS:
        return  # long-term support needs Premium: `program.planning.rules.versions` reports it
    nodes = _nodes(pools)
    if settings.production:
        yield Mistake(
            "kubernetes.tier", "Free", "Standard or Premium in production, because the Free tier has no SLA"
        )
    elif nodes > _FREE_MOST:
        yield Mistake(
            "kubernetes.tier",
            "Free",
            f"Standard or Premium for {nodes} nodes, summed over maxCount; the Free tier has at most {_FREE_MOST}",
        )


def tier_warnings(settings: Settings, pools: tuple[AgentPool, ...]) -> Iterator[str]:
    """The Free tier is meant for fewer than ten nodes, Premium for long-term support (long-term-support.md)."""
    if settings.kubernetes.tier == "Free" and (nodes := _nodes(pools)) >= _FREE_FEW:
        yield (
            f"kubernetes.tier is Free with up to {nodes} nodes: AKS recommends it for fewer than {_FREE_FEW} and gives "
            "no SLA; take Standard for work that matters"
        )
    if settings.kubernetes.tier == "Premium" and settings.kubernetes.support_plan != _LTS:
        yield (
            f"kubernetes.tier is Premium without supportPlan {_LTS}: you pay for long-term support and have none; take "
            "both or Standard"
        )


def _nodes(pools: tuple[AgentPool, ...]) -> int:
    return sum(pool.max_count for pool in pools)
