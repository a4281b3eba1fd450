"""What a node of each pool is taken to cost, for the pod that returns work to spot."""

from typing import Any

from program.planning.node_prices import node_prices
from tests.program.planning.small_stack import GENERAL, GPU_SPOT, SPOT, planned

D8DS, T4 = 0.544, 0.658
"""List prices in westeurope, USD an hour (aks_facts/ondemand_prices.csv)."""


def prices(**keys: Any) -> dict[str, float]:
    plan = planned(
        **{"pools": {"general": GENERAL, "cpuspot": {**SPOT, "fallback": {"maxCount": 5}}}, **keys}
    )
    return node_prices(plan.settings, plan.user_pools)


def negotiated(**price: float) -> dict[str, Any]:
    return {"prices": {"Standard_D8ds_v5": {"asOf": "2026-11-01", **price}}}


def test_spot_is_an_assumed_share_of_the_list_price() -> None:
    assert prices()["cpuspot"] == round(0.21 * D8DS, 5)
    assert prices()["cpuod"] == D8DS
    gpus = prices(pools={"general": GENERAL, "gpuspot": GPU_SPOT})
    assert gpus["gpuspot"] == round(0.34 * T4, 5)


def test_prices_of_the_stack_come_first() -> None:
    assert prices(cost=negotiated(spot=0.2))["cpuspot"] == 0.2
    assert prices(cost=negotiated(onDemand=0.4))["cpuspot"] == round(0.21 * 0.4, 5)
    assert prices(cost=negotiated(onDemand=0.4))["cpuod"] == 0.4


def test_prices_in_another_currency_are_not_compared_with_the_list() -> None:
    assert prices(cost=negotiated(spot=0.2) | {"currency": "EUR"}) == prices()


def test_a_pool_without_a_price_is_left_out() -> None:
    described = {"Standard_Own": {"vcpus": 8, "memoryGib": 32}}
    pools = {"general": GENERAL, "own": {"vmSize": "Standard_Own", "priority": "Spot", "maxCount": 3}}
    assert prices(pools=pools, vmSizes=described).keys() == {"general"}
