"""The simulated spot market plays its schedule, and the same one again for the same seed."""

import pytest

from kubeflow_aks.local_aks.simulation.market import ALL, Market, MarketEvent, Reclaim, Supply
from tests.local_aks.simulation.weather import Weather, seeded

HOUR = 3600.0
ROUGH = Weather(evictions_per_hour=20, shortages_per_hour=5, silent_share=0.5, vanish_share=0.5)


def test_the_same_seed_gives_the_same_schedule() -> None:
    assert seeded(7, ["a", "b"], HOUR, ROUGH) == seeded(7, ["b", "a"], HOUR, ROUGH)
    assert seeded(7, ["a"], HOUR, ROUGH) != seeded(8, ["a"], HOUR, ROUGH)


def test_another_pool_does_not_change_a_pools_events() -> None:
    alone = seeded(7, ["a"], HOUR, ROUGH)
    assert [event for event in seeded(7, ["a", "b"], HOUR, ROUGH) if event.pool == "a"] == list(alone)


def test_evictions_come_at_the_requested_rate() -> None:
    events = seeded(1, ["a"], 200 * HOUR, Weather(evictions_per_hour=3, shortages_per_hour=0))
    assert len(events) == pytest.approx(600, rel=0.15)
    assert {event.what for event in events} == {Reclaim.EVICT}


def test_every_shortage_ends_before_the_next_begins() -> None:
    events = seeded(
        3, ["a"], 100 * HOUR, Weather(evictions_per_hour=0, shortages_per_hour=4, silent_share=0.5)
    )
    supplies = [event.what for event in events]
    assert set(supplies[::2]) == {Supply.SOLD_OUT, Supply.SILENT}
    assert set(supplies[1::2]) == {Supply.AVAILABLE}


def test_a_calm_market_has_no_events() -> None:
    assert seeded(1, ["a"], HOUR, Weather(evictions_per_hour=0, shortages_per_hour=0)) == ()


def test_events_come_due_once_and_in_order() -> None:
    late, early = MarketEvent(20, Reclaim.EVICT, "a"), MarketEvent(10, Reclaim.VANISH, "a")
    market = Market([late, early])
    assert market.due(9) == []
    assert market.due(30) == [early, late]
    assert market.due(100) == []


def test_supply_follows_the_events() -> None:
    market = Market([MarketEvent(10, Supply.SOLD_OUT, "a"), MarketEvent(20, Supply.AVAILABLE, "a")])
    assert market.supply("a") is Supply.AVAILABLE
    market.due(10)
    assert (market.supply("a"), market.supply("b")) == (Supply.SOLD_OUT, Supply.AVAILABLE)
    market.due(20)
    assert market.supply("a") is Supply.AVAILABLE


def test_events_can_be_added_while_it_runs() -> None:
    market = Market([MarketEvent(50, Reclaim.EVICT, "a")])
    market.add(MarketEvent(5, Reclaim.EVICT, "b"))
    assert [event.pool for event in market.due(60)] == ["b", "a"]


def test_the_nodes_taken_repeat_with_the_seed() -> None:
    nodes = [f"n{index}" for index in range(20)]
    assert Market(seed=4).pick(nodes, 3) == Market(seed=4).pick(list(reversed(nodes)), 3)
    assert len(set(Market(seed=4).pick(nodes, 3))) == 3
    assert Market().pick(nodes, ALL) == nodes
    assert Market().pick(nodes, 99) == nodes
