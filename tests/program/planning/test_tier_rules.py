"""What a tier carries."""

from typing import Any

import pytest

from program.planning.pools import agent_pools
from program.planning.rules.tiers import tier_problems, tier_warnings
from tests.program.planning.small_stack import GENERAL, SPOT, refused, settings

FREE: dict[str, Any] = {"tier": "Free", "supportPlan": "KubernetesOfficial"}


def stack(spot_nodes: int, **keys: Any) -> Any:
    pools = {"general": GENERAL, "work": {**SPOT, "maxCount": spot_nodes}}  # and 3 + 3 other nodes
    return settings(pools=pools, **{"kubernetes": FREE, **keys})


def refusals(values: Any) -> list[str]:
    return refused(tier_problems(values, agent_pools(values)))


@pytest.mark.parametrize(("nodes", "keys"), [(994, []), (995, ["kubernetes.tier"])])
def test_the_free_tier_carries_1000_nodes(nodes: int, keys: list[str]) -> None:
    assert refusals(stack(nodes)) == keys


@pytest.mark.parametrize("tier", ["Standard", "Premium"])
def test_the_other_tiers_carry_more(tier: str) -> None:
    assert refusals(stack(1000, kubernetes={**FREE, "tier": tier}, production=True)) == []


def test_the_free_tier_is_not_for_production() -> None:
    assert refusals(stack(1, production=True)) == ["kubernetes.tier"]


def test_long_term_support_on_the_free_tier_is_reported_once_and_elsewhere() -> None:
    assert refusals(stack(1000, kubernetes={"tier": "Free"}, production=True)) == []


def warned(values: Any) -> list[str]:
    return list(tier_warnings(values, agent_pools(values)))


def test_ten_nodes_are_many_for_the_free_tier() -> None:
    assert warned(stack(3)) == []
    assert warned(stack(4)) == [
        (
            "kubernetes.tier is Free with up to 10 nodes: AKS recommends it for fewer than 10 and gives no SLA; take "
            "Standard for work that matters"
        )
    ]


def test_premium_is_paid_for_long_term_support() -> None:
    [warning] = warned(stack(3, kubernetes={**FREE, "tier": "Premium"}))
    assert warning.startswith(
        "kubernetes.tier is Premium without supportPlan AKSLongTermSupport: you pay for"
    )
    assert warned(stack(3, kubernetes={})) == []
