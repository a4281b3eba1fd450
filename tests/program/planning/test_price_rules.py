"""What a price limit of a spot pool means."""

import pytest

import aks_facts
from program.planning.pools import agent_pools
from program.planning.rules.prices import price_warnings
from tests.program.planning.small_stack import GENERAL, SPOT, settings

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
