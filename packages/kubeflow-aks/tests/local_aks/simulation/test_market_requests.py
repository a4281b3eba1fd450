"""A request to the market is answered or refused, and whatever else lies in its folder disturbs no other."""

import json
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.local_aks.simulation.market import (
    ALL,
    MarketRefusedError,
    MarketUnansweredError,
    Reclaim,
    Supply,
)
from kubeflow_aks.local_aks.simulation.market_requests import MarketRequests, send
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "market"


@contextmanager
def serving(folder: Path, world: World) -> Generator[None]:
    """The service's threads: one that reads requests, and the simulation."""
    stop = threading.Event()
    requests = MarketRequests(folder, world.market, world.clock, lambda: POOLS)
    with ThreadPoolExecutor(2) as threads:
        work = [threads.submit(requests.serve, stop), threads.submit(_simulate, world, stop)]
        try:
            yield
        finally:
            stop.set()
    for thread in work:
        thread.result()


def _simulate(world: World, stop: threading.Event) -> None:
    while not stop.wait(0.01):
        world.run(world.tick)


@pytest.fixture
def world(folder: Path) -> Generator[World]:
    world = a_world()
    with serving(folder, world):
        yield world


def refused(folder: Path, *request: Any) -> str:
    with pytest.raises(MarketRefusedError) as refusal:
        send(folder, *request)
    return str(refusal.value)


def test_one_node_can_be_named(world: World, folder: Path) -> None:
    first, second, third = world.nodes_of("cpuspot")
    assert second in send(folder, Reclaim.VANISH, "cpuspot", node=second)
    assert world.nodes_of("cpuspot") == [first, third]
    with pytest.raises(MarketRefusedError, match=f"^node: '{second}' is not allowed; .*: {first}, {third}$"):
        send(folder, Reclaim.EVICT, "cpuspot", node=second)


def written(folder: Path, name: str, text: bytes) -> dict[str, str]:
    """The answer to what another program wrote."""
    draft = folder / f"{name}.draft"
    draft.write_bytes(text)
    draft.rename(folder / f"{name}.request")
    answer = folder / f"{name}.answer"
    for _ in range(1000):
        if answer.exists():
            return json.loads(answer.read_bytes())
        threading.Event().wait(0.01)
    raise AssertionError("no answer")


def test_the_result_of_a_request_is_returned(world: World, folder: Path) -> None:
    first, *_ = nodes = world.nodes_of("cpuspot")
    assert send(folder, Reclaim.VANISH, "cpuspot", ALL) == (
        f"cpuspot: 3 of 3 nodes gone without notice: {', '.join(nodes)}"
    )
    assert send(folder, Reclaim.EVICT, "gpuspot") == "gpuspot: there is no node to take"
    assert "allocation error" in send(folder, Supply.SOLD_OUT, "cpuspot")
    assert world.market.supply("cpuspot") is Supply.SOLD_OUT
    assert first in {line["node"] for line in world.journal("eviction")}
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("world")
def test_notice_is_reported(folder: Path) -> None:
    assert "1 of 3 nodes gone in 30 simulated seconds: aks-cpuspot-" in send(folder, Reclaim.EVICT, "cpuspot")


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("pool", ["general", "nowhere", "", "../x", 7])
def test_only_spot_pools_have_vms_taken_from_them(folder: Path, pool: Any) -> None:
    expected = f"pool: {pool!r} is not allowed; expected a spot pool: cpuspot, gpuspot"
    assert refused(folder, Reclaim.EVICT, pool) == expected


def test_on_demand_vms_run_out_as_well(world: World, folder: Path) -> None:
    assert "allocation error" in send(folder, Supply.SOLD_OUT, "general")
    assert world.market.supply("general") is Supply.SOLD_OUT
    expected = "pool: 'nowhere' is not allowed; expected a pool: cpuspot, gpuspot, general"
    assert refused(folder, Supply.SOLD_OUT, "nowhere") == expected


@pytest.mark.usefixtures("world")
def test_every_mistake_is_reported(folder: Path) -> None:
    assert refused(folder, "melt", "nowhere", -1).splitlines() == [
        "what: 'melt' is not allowed; expected one of evict, vanish, available, soldout, silent",
        "pool: 'nowhere' is not allowed; expected a spot pool: cpuspot, gpuspot",
        "count: -1 is not allowed; expected a whole number from 1, or 0 for all",
    ]


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


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("text", GARBAGE.values(), ids=GARBAGE)
def test_what_is_no_request_is_refused_and_the_next_one_works(folder: Path, text: bytes) -> None:
    assert " is not allowed; expected " in written(folder, "odd", text)["refused"]
    assert "1 of 3 nodes" in send(folder, Reclaim.VANISH, "cpuspot")


def test_what_is_not_a_file_disturbs_nobody(world: World, folder: Path) -> None:
    (folder / "odd.request").mkdir()
    (folder / "dangling.request").symlink_to(folder / "nowhere")
    (folder / "draft.request.part").write_bytes(b'{"what"')
    assert "1 of 3 nodes" in send(folder, Reclaim.VANISH, "cpuspot")
    assert len(world.journal("eviction")) == 1


def test_several_at_once_are_all_answered(world: World, folder: Path) -> None:
    with ThreadPoolExecutor(12) as callers:
        good = [callers.submit(send, folder, Reclaim.VANISH, "cpuspot") for _ in range(6)]
        bad = [callers.submit(refused, folder, Reclaim.EVICT, "general") for _ in range(6)]
    assert all("general" in answer.result() for answer in bad)
    answers = [answer.result() for answer in good]
    assert len(answers) == 6
    assert {line["node"] for line in world.journal("eviction")} == {
        node for answer in answers for node in answer.partition(" notice: ")[2].split(", ") if node
    }


def test_a_service_that_is_not_there_is_reported(folder: Path) -> None:
    with pytest.raises(MarketUnansweredError, match="no service"):
        send(folder, Reclaim.EVICT, "cpuspot")


def test_a_request_that_nobody_takes_is_withdrawn(folder: Path) -> None:
    world = a_world()
    requests = MarketRequests(folder, world.market, world.clock, lambda: POOLS)
    with pytest.raises(MarketUnansweredError, match="did not answer in 0 s; nothing was done"):
        send(folder, Reclaim.EVICT, "cpuspot", patience_seconds=0.01)
    requests.look()
    assert world.market.due(1e9) == []


def test_a_request_that_was_taken_and_not_carried_out_is_distinguished(folder: Path) -> None:
    world = a_world()
    requests = MarketRequests(folder, world.market, world.clock, lambda: POOLS)
    stop = threading.Event()
    with ThreadPoolExecutor(1) as thread:
        thread.submit(requests.serve, stop)
        with pytest.raises(MarketUnansweredError, match="took the request"):
            send(folder, Reclaim.EVICT, "cpuspot", patience_seconds=1)
        stop.set()


def test_requests_to_an_earlier_service_are_dropped(folder: Path) -> None:
    world = a_world()
    folder.mkdir()
    (folder / "old.request").write_text('{"what": "vanish", "pool": "cpuspot", "count": 0}')
    MarketRequests(folder, world.market, world.clock, lambda: POOLS).look()
    assert world.market.due(1e9) == []


def test_nobody_else_may_ask(folder: Path) -> None:
    world = a_world()
    MarketRequests(folder, world.market, world.clock, lambda: POOLS)
    assert folder.stat().st_mode & 0o777 == 0o700
