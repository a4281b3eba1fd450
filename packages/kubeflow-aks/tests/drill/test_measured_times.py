"""What a drill measured follows from what it observed, and is written in the form that its schema says."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest

from kubeflow_aks import drill
from kubeflow_aks.cost.files import load
from kubeflow_aks.cost.measured import Measured, PoolTimes
from kubeflow_aks.drill.measured import measured, to_json
from kubeflow_aks.events import Kind
from kubeflow_aks.scenario.observations import NodeRecord, Observations, PodRecord, from_json

SCHEMA: Final[Any] = json.loads(
    (Path(drill.__file__).parent / "measured.schema.json").read_text(encoding="utf-8")
)
RECORDED: Final = (Path(__file__).parents[1] / "scenario/data/observations.json").read_text(encoding="utf-8")
DAY = date(2026, 11, 22)
Raw = dict[str, Any]


def recorded(*changes: Callable[[Raw], object]) -> Observations:
    """The recorded demo after some changes to its JSON form."""
    raw = json.loads(RECORDED)
    for change in changes:
        change(raw)
    return from_json(json.dumps(raw))


def batch(raw: Raw) -> list[Raw]:
    return [pod for pod in raw["pods"] if pod["part"] == "batch"]


def of(seen: Observations) -> Measured:
    return measured(seen, where="azure", day=DAY, location="westeurope")


def cpuspot(*changes: Callable[[Raw], object]) -> PoolTimes:
    return of(recorded(*changes)).pools["cpuspot"]


def test_the_recorded_story_gives_the_times_of_each_pool_that_nodes_came_to() -> None:
    measured = of(recorded())
    assert set(measured.pools) == {"cpuspot", "cpuod", "gpuspot"}, "home pools had their nodes before"
    cpu = measured.pools["cpuspot"]
    assert cpu.vm_size == "Standard_D8ds_v5"
    # aks-cpuspot-…000001 was requested at 53.9 s and Ready at 157.0 s; its first task ran at 160.1 s.
    assert (cpu.boot_seconds[0], cpu.start_seconds[0]) == (103.1, 3.1)
    assert len(cpu.boot_seconds) == len(cpu.start_seconds) == 6
    # Its notice came at 191.2 s, and went at 228.3 s; by then both of its tasks were evicted.
    assert (cpu.notice_seconds[0], cpu.drained) == (37.1, (True, True))
    # Task 0 was evicted at 206.3 s; spot was sold out, so it ran again at 890.9 s.
    assert (cpu.again_seconds[0], len(cpu.again_seconds)) == (684.6, 4)
    assert measured.pools["cpuod"] == PoolTimes(
        vm_size="Standard_D8ds_v5", boot_seconds=(100.0,), start_seconds=(12.2,)
    )


def test_boot_times_agree_with_what_the_simulated_scale_set_itself_noted() -> None:
    seen = recorded()
    requested = {line["node"]: line["time"] for line in seen.lines(Kind.NODE_CREATING)}
    for name, times in of(seen).pools.items():
        nodes = sorted((node for node in seen.nodes if node.pool == name), key=lambda node: node.appeared)
        noted = [(node.ready or 0.0) - requested[node.name] for node in nodes]
        assert times.boot_seconds == pytest.approx(noted, abs=0.2)


def test_work_that_nobody_evicted_before_its_node_was_gone_was_not_drained() -> None:
    def late(raw: Raw) -> None:
        batch(raw)[0]["ended"] = 240.0  # the node was gone at 228.3 s

    assert cpuspot(late).drained == (False, True)


def test_an_eviction_without_notice_has_no_notice_time_but_still_met_work() -> None:
    def unannounced(raw: Raw) -> None:
        raw["journal"] = [line for line in raw["journal"] if line["kind"] != "eviction-notice"]
        for pod in raw["pods"]:
            if pod["disruption"]:
                pod["ended"] = 5000.0

    times = cpuspot(unannounced)
    assert (times.notice_seconds, times.drained) == ((), (False, False))


def test_work_that_was_done_before_the_notice_met_no_eviction() -> None:
    def done(raw: Raw) -> None:
        for pod in batch(raw):
            if pod["node"].endswith("cpuspot-40503401-vmss000001"):
                pod.update(ended=180.0)

    assert cpuspot(done).drained == (True,), "of the second eviction alone"
    assert len(cpuspot(done).again_seconds) == 2


def test_a_node_that_nobody_waited_for_was_not_measured() -> None:
    def later(raw: Raw) -> None:
        for pod in raw["pods"]:
            if pod["pool"] == "cpuod":
                pod["created"] = 380.0  # its node was there at 378.5 s

    assert "cpuod" not in of(recorded(later)).pools


NODE = NodeRecord(name="n", pool="cpuspot", appeared=1200.0, ready=1210.0, gone=None)
POD = PodRecord(
    namespace="drill",
    name="p",
    part="batch",
    owner="Job",
    task="t",
    pool="cpuspot",
    node="n",
    created=10.0,
    running=1215.0,
    ended=None,
    phase="Running",
    disruption="",
)


@pytest.mark.parametrize(
    ("lines", "boot"),
    [
        ([], (1200.0,)),
        ([("scale-up", 30.0)], (1180.0,)),
        ([("scale-up", 30.0), ("scale-up", 60.0)], (1180.0,)),
        ([("scale-up", 30.0), ("back-off", 60.0), ("scale-up", 1100.0)], (110.0,)),
        ([("scale-up", 30.0), ("sold-out", 60.0)], ()),
        ([("back-off", 5.0)], (1200.0,)),
        ([("scale-up", 1300.0)], (1200.0,)),
    ],
)
def test_a_boot_begins_at_the_request_that_brought_the_node(
    lines: list[tuple[str, float]], boot: tuple[float, ...]
) -> None:
    seen = replace(
        recorded(),
        nodes=(NODE,),
        pods=(POD,),
        journal=tuple({"kind": kind, "time": time, "pool": "cpuspot"} for kind, time in lines),
    )
    pools = of(seen).pools
    assert (pools["cpuspot"].boot_seconds if pools else ()) == boot


def test_the_file_has_the_form_of_its_schema_and_is_read_as_it_was_written(tmp_path: Path) -> None:
    measured = of(recorded())
    file = tmp_path / "measured.json"
    file.write_text(to_json(measured), encoding="utf-8")
    jsonschema.validate(json.loads(to_json(measured)), SCHEMA, format_checker=jsonschema.FormatChecker())
    assert load(file, Measured, "what a drill wrote") == measured


def test_nothing_observed_is_a_file_without_pools() -> None:
    empty = replace(recorded(), nodes=(), pods=(), journal=())
    jsonschema.validate(json.loads(to_json(of(empty))), SCHEMA)
    assert of(empty).pools == {}
