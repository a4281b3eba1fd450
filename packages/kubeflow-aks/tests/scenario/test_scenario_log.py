"""What the demo prints: the simulation's doings, an `up` in few lines, tables."""

from __future__ import annotations

from typing import Any

import pytest

from kubeflow_aks.demo.progress import Planned, Progress
from kubeflow_aks.scenario.log import sentences
from kubeflow_aks.scenario.report import table
from tests.scenario.recorded import recorded

SCALE_SET, MARKET, AUTOSCALER = "simulated scale set", "simulated spot market", "simulated autoscaler"


def _line(kind: str, source: str, pool: str = "cpuspot", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "source": source, "pool": pool, **more}


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([_line("supply", MARKET, supply="soldout")], "is sold out: Azure returns an allocation error"),
        ([_line("supply", MARKET, supply="available")], "cpuspot is available again"),
        (
            [_line("eviction-notice", MARKET, seconds=30.0)] * 2,
            "2 nodes of cpuspot will be evicted in 30 simulated s",
        ),
        ([_line("eviction", MARKET, pods=0)], "1 node of cpuspot evicted, drained in time"),
        ([_line("eviction", MARKET, pods=2), _line("eviction", MARKET, pods=1)], "with 3 pods still running"),
        ([_line("sold-out", MARKET, error="E.F")], "no capacity for 1 node of cpuspot (E.F)"),
        ([_line("node-ready", "control plane", seconds=90.0)], "ready 90 simulated s after the request"),
        ([_line("node-ready", "control plane")], "control plane: 1 node of cpuspot ready"),
        ([_line("node-gone", SCALE_SET, cause="removed")] * 3, "3 nodes of cpuspot without work removed"),
        (
            [_line("scale-up", AUTOSCALER, detail="cpuspot 0 → 2", pods=["a", "b"])],
            "cpuspot 0 → 2 for 2 pods",
        ),
        ([_line("fallback", AUTOSCALER, detail="cpuod instead of cpuspot")], "cpuod instead of cpuspot"),
        ([_line("error", "simulation", pool="", detail="no such size")], "simulation: no such size"),
    ],
)
def test_a_doing_of_the_simulation_becomes_one_line(lines: list[dict[str, Any]], text: str) -> None:
    [line] = sentences(lines)
    assert text in line
    assert line.startswith(lines[0]["source"])


def test_several_scale_ups_are_all_printed() -> None:
    lines = [_line("scale-up", AUTOSCALER, detail=f"cpuspot {n} → {n + 1}", pods=["a"]) for n in range(2)]
    assert list(sentences(lines)) == [f"{AUTOSCALER}: cpuspot 0 → 1 for 1 pod, cpuspot 1 → 2 for 1 pod"]


@pytest.mark.parametrize("cause", ["evicted", "OutOfResources.AllocationFailed"])
def test_the_end_of_a_node_that_had_a_line_before_is_not_printed(cause: str) -> None:
    assert list(sentences([_line("node-gone", SCALE_SET, cause=cause)])) == []


def test_what_pods_do_is_not_printed() -> None:
    assert list(sentences([_line("pod-running", "control plane", pod="a/b")])) == []


URN = "urn:pulumi:demo::kubeflow-aks::"


def _planned(chain: str, name: str) -> Planned:
    return Planned(f"{URN}{chain}::{name}", chain.rpartition("$")[2], name)


PLAN = [
    _planned("kubeflow-aks:index:Network", "net"),
    _planned("kubeflow-aks:index:Network$azure-native:network:VirtualNetwork", "vnet"),
    _planned("kubeflow-aks:index:Network$azure-native:network:PublicIPAddress", "ip"),
    _planned("kubeflow-aks:index:AgentPools$azure-native:containerservice:AgentPool", "cpuspot"),
    _planned("azure-native:resources:ResourceGroup", "group"),
]


def test_an_up_is_a_line_for_each_component_and_each_pool() -> None:
    lines: list[str] = []
    progress = Progress(PLAN, lines.append)
    for line in (
        "Updating (demo):",
        " +  kubeflow-aks:index:Network net creating (0s)",
        " +  azure-native:resources:ResourceGroup group created (0.09s)",
        " +  azure-native:network:VirtualNetwork vnet creating (0s)",
        " +  azure-native:network:VirtualNetwork vnet created (0.09s)",
        " +  azure-native:network:PublicIPAddress ip created (0.23s)",
        " +  azure-native:containerservice:AgentPool cpuspot created (2s)",
        " +  pulumi:pulumi:Stack kubeflow-aks-demo created (18s)",
    ):
        progress(line)
    assert lines == [
        "ResourceGroup: 1 resource",
        "Network: 2 resources",
        "agent pool cpuspot",
        "AgentPools: 1 resource",
    ]


def test_updates_and_replacements_count_too() -> None:
    lines: list[str] = []
    progress = Progress(PLAN, lines.append)
    progress(" ~  azure-native:network:VirtualNetwork vnet updated (1s) [diff: ~tags]")
    progress(" +- azure-native:network:PublicIPAddress ip replaced (1s) [diff: ~sku]")
    assert lines == ["Network: 2 resources"]


def test_an_evicted_task_lists_every_pool_it_ran_on() -> None:
    rows = {row[0]: row for row in table.work_rows(recorded())}
    assert rows["prepare-features, task 0"][1:3] == ("cpuspot → cpuspot", "spot")
    assert rows["prepare-features, task 0"][4] == "1"
    assert rows["score, task 0"][1:3] == ("cpuod", "on-demand")
    assert rows["notebook-0"][1:] == ("general", "on-demand", rows["notebook-0"][3], "0")


def test_the_rows_have_as_many_cells_as_their_headers() -> None:
    observed = recorded()
    assert {len(row) for row in table.work_rows(observed)} == {len(table.WORK_HEADER)}
    assert {len(row) for row in table.step_rows(observed)} == {len(table.step_header(observed))}


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59, "59 s"), (60, "1 min 00 s"), (754, "12 min 34 s")]
)
def test_a_duration_reads_as_people_say_it(seconds: float, text: str) -> None:
    assert table.duration(seconds) == text
