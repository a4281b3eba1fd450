"""What a price limit of a spot pool means."""

from typing import Any

import pytest

import aks_facts
from program.planning.pools import agent_pools
from program.planning.rules.prices import price_warnings, saving_warnings
from tests.program.planning.small_stack import GENERAL, GPU_SPOT, SPOT, settings

LISTED = aks_facts.ondemand_prices("Standard_D8ds_v5")["westeurope"]
EVICTED = "nodes are evicted whenever the price rises above it"


def warned(price: float | None, location: str = "westeurope") -> list[str]:
    stack = settings(pools={"general": GENERAL, "work": {**SPOT, "maxPrice": price}})
    return list(price_warnings(location, agent_pools(stack)))


@pytest.mark.parametrize("price", [None, -1])
def test_no_limit_needs_no_warning(price: float | None) -> None:
    assert warned(price) == []


@pytest.mark.parametrize("price", [0.1, LISTED])
def test_a_limit_up_to_the_price_on_demand_evicts(price: float) -> None:
    assert warned(price) == [f"pools.work.maxPrice is {price}: {EVICTED}"]


def test_a_limit_above_the_price_on_demand_limits_nothing() -> None:
    [warning] = warned(1e9)
    assert warning == (
        "pools.work.maxPrice is 1000000000.0: it limits nothing, as spot never costs more than "
        "Standard_D8ds_v5 on demand, about "
        f"{LISTED} USD; leave it out"
    )


def test_a_limit_below_every_spot_price_starts_no_node() -> None:
    [warning] = warned(0.00001)
    assert warning == (
        f"pools.work.maxPrice is 1e-05: spot is at most 90 % cheaper than Standard_D8ds_v5 on demand, about "
        f"{LISTED} USD, so no node "
        "will start; leave it out, or set a higher price"
    )


def test_where_no_price_is_listed_a_limit_is_not_judged() -> None:
    assert warned(1e9, "atlantiscentral") == [f"pools.work.maxPrice is 1000000000.0: {EVICTED}"]


T4 = "Standard_NC4as_T4_v3"


def savings(location: str = "westeurope", **cost: Any) -> list[str]:
    """The warnings about a T4 pool beside one of CPUs."""
    pools = {"general": GENERAL, "work": SPOT, "gpu": {**GPU_SPOT, "fallback": {"maxCount": 1}}}
    stack = settings(location=location, pools=pools, cost=cost)
    return list(saving_warnings(stack, agent_pools(stack)))


def price(**prices: float) -> dict[str, Any]:
    """A price of the T4 size that the stack gives."""
    return {"prices": {T4: {**prices, "asOf": "2026-11-20"}}}


def test_spot_that_saves_little_is_reported_with_the_day_of_its_price() -> None:
    assert savings() == [
        (
            "pools.gpu: on 2026-08-03 Standard_NC4as_T4_v3 cost 0.5714 USD an hour as spot in westeurope, only 13 % "
            "below on demand, though Azure may take it at any time; take another size or region, or priority Regular, "
            "or write today's price as cost.prices.Standard_NC4as_T4_v3.spot"
        )
    ]


@pytest.mark.parametrize(
    ("location", "cost", "expected"),
    [
        ("eastus", {}, None),  # 66 %
        ("northeurope", {}, None),  # no price is known
        ("westeurope", price(spot=0.2), None),
        ("westeurope", price(spot=0.5), "on 2026-11-20 Standard_NC4as_T4_v3 cost 0.5 USD"),
        ("westeurope", price(onDemand=0.9), None),  # 37 % with the stack's own price
        ("westeurope", price(spot=0.5, onDemand=1), None),
        ("westeurope", price(spot=0.5) | {"currency": "EUR"}, None),  # the list price is in dollars
        ("westeurope", price(spot=0.5, onDemand=0.6) | {"currency": "EUR"}, "cost 0.5 EUR an hour"),
        ("westeurope", price(onDemand=5) | {"currency": "EUR"}, "cost 0.5714 USD an hour"),
        ("westeurope", price(spot=5), None),  # another rule's
    ],
)
def test_the_price_of_the_stack_goes_before_a_published_one(
    location: str, cost: dict[str, Any], expected: str | None
) -> None:
    lines = savings(location, **cost)
    assert len(lines) == (expected is not None)
    assert all(str(expected) in line for line in lines)
