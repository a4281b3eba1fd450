"""What the demo sees of nodes, pods and journal, and what it makes of it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from components.kubeflow.eviction_script import ADVISED, MARK
from kubeflow_aks.scenario.console import Console
from kubeflow_aks.scenario.contract_pools import ContractPool
from kubeflow_aks.scenario.observations import PodRecord
from kubeflow_aks.scenario.step_runner import StepRunner, StepTimeoutError
from kubeflow_aks.scenario.watcher import JournalTail, SimulatedTime, Watcher
from tests.stepped.manual_clock import ManualClock

SPEED = 60.0


class Cluster:
    """The API server's objects, to be changed by a test."""

    def __init__(self) -> None:
        self.objects: dict[str, list[dict[str, Any]]] = {"nodes": [], "pods": []}

    def nodes(self) -> list[dict[str, Any]]:
        """All nodes."""
        return self.objects["nodes"]

    def pods(self) -> list[dict[str, Any]]:
        """All pods."""
        return self.objects["pods"]


def _node(name: str, pool: str = "cpuspot", *, ready: bool = True) -> dict[str, Any]:
    conditions = [{"type": "Ready", "status": str(ready)}]
    labels = {"kubernetes.azure.com/agentpool": pool}
    return {"metadata": {"name": name, "labels": labels}, "status": {"conditions": conditions}}


def _pod(phase: str = "Running", node: str = "a", *, uid: str = "1", **metadata: Any) -> dict[str, Any]:
    labels = {"local-aks.demo/part": "batch", "batch.kubernetes.io/job-completion-index": "0"}
    owner = {"kind": "Job", "name": "work", "controller": True}
    return {
        "metadata": {
            "name": f"work-0-{uid}",
            "namespace": "team-a",
            "uid": uid,
            "labels": labels,
            "ownerReferences": [owner],
            **metadata,
        },
        "spec": {"nodeName": node},
        "status": {"phase": phase},
    }


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


@pytest.fixture
def watcher(cluster: Cluster, journal: Path) -> Watcher:
    clock = SimulatedTime({"time": 1000.0, "wall": time.time()}, SPEED)
    return Watcher(cluster, JournalTail(journal), clock)


def _write(journal: Path, **line: Any) -> None:
    with journal.open("a") as file:
        file.write(json.dumps({"time": 1000.0, "wall": time.time(), "source": "test", **line}) + "\n")


def _only_pod(watcher: Watcher) -> PodRecord:
    [pod] = watcher.pods.values()
    return pod


def test_a_tail_begins_where_the_file_ends_now(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    file.write_text('{"n": 1}\n')
    tail = JournalTail(file)
    assert tail.read() == []
    with file.open("a") as sink:
        sink.write('{"n": 2}\n{"n": 3}\n{"n"')
    assert [line["n"] for line in tail.read()] == [2, 3]
    with file.open("a") as sink:
        sink.write(": 4}\n")
    assert [line["n"] for line in tail.read()] == [4]


def test_journal_times_count_from_the_scenarios_start() -> None:
    wall = ManualClock()
    wall.advance(8001)
    scenario = SimulatedTime({"time": 500.0, "wall": 8000.0}, SPEED, wall.now)
    wall.advance(0.5)
    assert scenario.now() == 0.5 * SPEED
    assert scenario.of({"time": 500.0 + 3 * SPEED})["time"] == 2 * SPEED


def test_a_pod_is_followed_from_waiting_to_its_end(watcher: Watcher, cluster: Cluster) -> None:
    cluster.objects["nodes"] = [_node("a")]
    cluster.objects["pods"] = [_pod("Pending", "")]
    watcher.look()
    assert (_only_pod(watcher).pool, _only_pod(watcher).running) == ("", None)
    cluster.objects["pods"] = [_pod()]
    watcher.look()
    pod = _only_pod(watcher)
    assert (pod.pool, pod.task, pod.part, pod.owner) == ("cpuspot", "work, task 0", "batch", "Job")
    assert pod.running is not None
    assert watcher.live("batch") == [pod]
    cluster.objects["pods"] = [_pod("Succeeded")]
    watcher.look()
    assert _only_pod(watcher).phase == "Succeeded"
    assert watcher.live("batch") == []


def test_a_pod_being_deleted_has_ended(watcher: Watcher, cluster: Cluster) -> None:
    cluster.objects["pods"] = [_pod(deletionTimestamp="2026-11-21T00:00:00Z")]
    watcher.look()
    assert _only_pod(watcher).ended is not None


def test_a_pod_that_disappears_has_ended(watcher: Watcher, cluster: Cluster) -> None:
    cluster.objects["pods"] = [_pod()]
    watcher.look()
    cluster.objects["pods"] = []
    watcher.look()
    assert _only_pod(watcher).ended is not None


def test_a_pod_keeps_its_pool_when_its_node_is_gone(watcher: Watcher, cluster: Cluster) -> None:
    cluster.objects["nodes"], cluster.objects["pods"] = [_node("a")], [_pod()]
    watcher.look()
    cluster.objects["nodes"], cluster.objects["pods"] = [], [_pod("Failed")]
    watcher.look()
    assert _only_pod(watcher).pool == "cpuspot"
    assert watcher.nodes["a"].gone is not None
    assert watcher.nodes_of("cpuspot") == []


def test_a_node_is_ready_when_its_condition_is(watcher: Watcher, cluster: Cluster) -> None:
    cluster.objects["nodes"] = [_node("a", ready=False)]
    watcher.look()
    assert watcher.nodes["a"].ready is None
    cluster.objects["nodes"] = [_node("a")]
    watcher.look()
    assert watcher.nodes["a"].ready is not None


def test_a_node_was_handled_when_the_mark_of_its_notice_comes_not_of_an_advisory(
    watcher: Watcher, cluster: Cluster
) -> None:
    cluster.objects["nodes"] = [_node("a")]
    watcher.look()
    assert watcher.nodes["a"].handled is None
    marked = _node("a")
    for advised in ({ADVISED: "1774000000 1"}, {ADVISED: "1774000000 1", MARK: "others"}):
        marked["metadata"]["annotations"] = advised
        cluster.objects["nodes"] = [marked]
        watcher.look()
        assert watcher.nodes["a"].handled is None
    marked["metadata"]["annotations"] = {MARK: "others"}
    watcher.look()
    first = watcher.nodes["a"].handled
    assert first is not None
    cluster.objects["nodes"] = []
    watcher.look()
    assert watcher.nodes["a"].handled == first


def test_a_vm_that_boots_is_idle_until_work_runs_on_it(
    watcher: Watcher, cluster: Cluster, journal: Path
) -> None:
    _write(journal, kind="node-creating", pool="cpuspot", node="a")
    watcher.look()
    assert watcher.idle("cpuspot") == ["a"]
    cluster.objects["nodes"], cluster.objects["pods"] = [_node("a")], [_pod()]
    watcher.look()
    assert watcher.idle("cpuspot") == []
    cluster.objects["pods"] = []
    watcher.look()
    assert watcher.idle("cpuspot") == ["a"]
    cluster.objects["nodes"] = []
    _write(journal, kind="node-gone", pool="cpuspot", node="a", cause="removed")
    watcher.look()
    assert watcher.idle("cpuspot") == []


@pytest.fixture
def printed() -> list[str]:
    return []


@pytest.fixture
def steps(watcher: Watcher, printed: list[str]) -> StepRunner:
    return StepRunner(watcher, Console(printed.append), lambda: None, limit_seconds=0.1)


def test_a_wait_ends_when_the_condition_holds(steps: StepRunner) -> None:
    answers = iter([False, True])
    steps.until(lambda: next(answers), lambda: "nothing")


def test_a_wait_that_times_out_shows_the_last_state(steps: StepRunner) -> None:
    with pytest.raises(StepTimeoutError, match="1 of 4 pods run after 0 s"):
        steps.until(lambda: False, lambda: "1 of 4 pods run")


def test_a_wait_does_not_go_on_without_the_service(watcher: Watcher, printed: list[str]) -> None:
    def stopped() -> None:
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        StepRunner(watcher, Console(printed.append), stopped).until(lambda: False, lambda: "")


def test_a_step_that_fails_is_noted_with_its_problem(steps: StepRunner) -> None:
    with pytest.raises(StepTimeoutError), steps.step("eviction", "A node goes"):
        steps.until(lambda: False, lambda: "no node went")
    [step] = steps.steps
    assert (step.key, step.problem) == ("eviction", "no node went after 0 s")


def test_a_pod_on_a_node_that_was_evicted_does_not_run(
    steps: StepRunner, cluster: Cluster, journal: Path
) -> None:
    cluster.objects["nodes"], cluster.objects["pods"] = [_node("a")], [_pod()]
    steps.look()
    assert len(steps.running("batch")) == 1
    _write(journal, kind="node-gone", pool="cpuspot", node="a", cause="evicted")
    steps.look()
    assert steps.running("batch") == []


def test_only_pools_for_batch_work_must_shrink(steps: StepRunner, cluster: Cluster) -> None:
    def pool(name: str, role: str) -> ContractPool:
        sizes: dict[str, Any] = {
            "min_count": 0,
            "max_count": 3,
            "workload": "",
            "fallback_for": (),
            "taints": (),
        }
        return ContractPool(name=name, role=role, spot=False, vm_size="Standard_D8s_v5", **sizes)

    cluster.objects["nodes"] = [_node("g", "general")]
    steps.until_smallest([pool("general", "general"), pool("cpuspot", "cpu")])
    cluster.objects["nodes"] = [_node("g", "general"), _node("a")]
    with pytest.raises(StepTimeoutError, match="cpuspot still with nodes"):
        steps.until_smallest([pool("general", "general"), pool("cpuspot", "cpu")])


def test_what_the_simulation_did_is_printed(steps: StepRunner, journal: Path, printed: list[str]) -> None:
    _write(journal, kind="back-off", pool="cpuspot", seconds=300.0)
    steps.look()
    assert printed[0].endswith("test: back-off: no node of cpuspot is requested for 300 simulated s")
