"""A request to the market is answered or refused, and one that is no request disturbs no other."""

import json
import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from kubeflow_aks.local_aks.simulation.market import (
    ALL,
    MarketRefusedError,
    MarketUnansweredError,
    Reclaim,
    Supply,
)
from kubeflow_aks.local_aks.simulation.market_requests import carry_out
from tests.local_aks.simulation.simulated import World, pool

POOLS = {"cpuspot": True, "gpuspot": True, "general": False}


def a_world() -> World:
    """A spot pool of three nodes, one that is empty, and one that is not spot."""
    world = World(
        [
            pool("cpuspot", scaleSetPriority="Spot", enableAutoScaling=False, count=3),
            pool("gpuspot", scaleSetPriority="Spot"),
            pool("general", enableAutoScaling=False, count=1),
        ]
    )
    world.run(10)
    return world


def send(world: World, what: Any, pool: Any, count: Any = 1, *, node: str = "", seconds: float = 20) -> str:
    """What comes of a request whose sender waits for so many seconds."""
    request = {"what": what, "pool": pool, "count": count, "node": node, "until": time.time() + seconds}
    return carry_out(json.dumps(request).encode(), world.market, world.clock, POOLS)


def _simulate(world: World, stop: threading.Event) -> None:
    while not stop.wait(0.01):
        world.run(world.tick)


@pytest.fixture
def world() -> Generator[World]:
    """A world whose time passes."""
    world, stop = a_world(), threading.Event()
    with ThreadPoolExecutor(1) as thread:
        work = thread.submit(_simulate, world, stop)
        try:
            yield world
        finally:
            stop.set()
    work.result()


def refused(world: World, *request: Any) -> str:
    with pytest.raises(MarketRefusedError) as refusal:
        send(world, *request)
    return str(refusal.value)


def test_one_node_can_be_named(world: World) -> None:
    first, second, third = world.nodes_of("cpuspot")
    assert second in send(world, Reclaim.VANISH, "cpuspot", node=second)
    assert world.nodes_of("cpuspot") == [first, third]
    with pytest.raises(MarketRefusedError, match=f"^node: '{second}' is not allowed; .*: {first}, {third}$"):
        send(world, Reclaim.EVICT, "cpuspot", node=second)


def test_the_result_of_a_request_is_returned(world: World) -> None:
    first, *_ = nodes = world.nodes_of("cpuspot")
    assert send(world, Reclaim.VANISH, "cpuspot", ALL) == (
        f"cpuspot: 3 of 3 nodes gone without notice: {', '.join(nodes)}"
    )
    assert send(world, Reclaim.EVICT, "gpuspot") == "gpuspot: there is no node to take"
    assert "allocation error" in send(world, Supply.SOLD_OUT, "cpuspot")
    assert world.market.supply("cpuspot") is Supply.SOLD_OUT
    assert first in {line["node"] for line in world.journal("eviction")}


def test_notice_is_reported(world: World) -> None:
    assert "1 of 3 nodes gone in 30 simulated seconds: aks-cpuspot-" in send(world, Reclaim.EVICT, "cpuspot")


@pytest.mark.parametrize("pool", ["general", "nowhere", "", "../x", 7])
def test_only_spot_pools_have_vms_taken_from_them(world: World, pool: Any) -> None:
    expected = f"pool: {pool!r} is not allowed; expected a spot pool: cpuspot, gpuspot"
    assert refused(world, Reclaim.EVICT, pool) == expected


def test_on_demand_vms_run_out_as_well(world: World) -> None:
    assert "allocation error" in send(world, Supply.SOLD_OUT, "general")
    assert world.market.supply("general") is Supply.SOLD_OUT
    expected = "pool: 'nowhere' is not allowed; expected a pool: cpuspot, gpuspot, general"
    assert refused(world, Supply.SOLD_OUT, "nowhere") == expected


def test_every_mistake_is_reported(world: World) -> None:
    assert refused(world, "melt", "nowhere", -1).splitlines() == [
        "what: 'melt' is not allowed; expected one of evict, vanish, advise, available, soldout, silent",
        "pool: 'nowhere' is not allowed; expected a spot pool: cpuspot, gpuspot",
        "count: -1 is not allowed; expected a whole number from 1, or 0 for all",
    ]
    with pytest.raises(
        MarketRefusedError, match=r"^until: None is not allowed; expected seconds since the epoch$"
    ):
        carry_out(b'{"what": "evict", "pool": "cpuspot", "count": 1}', world.market, world.clock, POOLS)


GARBAGE = {
    "nothing": b"",
    "half a request": b'{"what": "evict", "pool": "cpu',
    "no JSON": b"evict cpuspot please",
    "bytes": bytes(range(256)),
    "nested without end": b"[" * 60_000,
    "a list": b'["evict", "cpuspot", 1]',
    "null": b"null",
    "no pool": b'{"what": "evict", "count": 1}',
    "objects": b'{"what": {}, "pool": [], "count": {}}',
    "a count that is true": b'{"what": "evict", "pool": "cpuspot", "count": true}',
    "a count with a fraction": b'{"what": "evict", "pool": "cpuspot", "count": 1.5}',
}


@pytest.mark.parametrize("text", GARBAGE.values(), ids=GARBAGE)
def test_what_is_no_request_is_refused_and_the_next_one_works(world: World, text: bytes) -> None:
    with pytest.raises(MarketRefusedError, match=" is not allowed; expected "):
        carry_out(text, world.market, world.clock, POOLS)
    assert "1 of 3 nodes" in send(world, Reclaim.VANISH, "cpuspot")


def test_several_at_once_are_all_answered(world: World) -> None:
    with ThreadPoolExecutor(12) as callers:
        good = [callers.submit(send, world, Reclaim.VANISH, "cpuspot") for _ in range(6)]
        bad = [callers.submit(refused, world, Reclaim.EVICT, "general") for _ in range(6)]
    assert all("general" in answer.result() for answer in bad)
    answers = [answer.result() for answer in good]
    assert len(answers) == 6
    assert {line["node"] for line in world.journal("eviction")} == {
        node for answer in answers for node in answer.partition(" notice: ")[2].split(", ") if node
    }


def test_a_request_whose_sender_waits_no_longer_does_nothing() -> None:
    world = a_world()
    with pytest.raises(MarketUnansweredError):
        send(world, Reclaim.EVICT, "cpuspot", seconds=-0.1)
    assert world.market.due(1e9) == []


def test_a_request_that_was_taken_and_not_carried_out_is_distinguished() -> None:
    with pytest.raises(MarketUnansweredError, match="took the request but did not carry it out in 0 s"):
        send(a_world(), Reclaim.EVICT, "cpuspot", seconds=0.1)
