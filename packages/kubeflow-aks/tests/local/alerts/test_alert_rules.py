"""Each alert fires in its fault, and none while a cluster evicts, falls back and returns as it should."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from components.kubeflow.eviction_script import Metrics
from components.kubeflow.script_metrics import exposition
from kubeflow_aks.local_aks.simulation.market import Reclaim
from kubeflow_aks.tools import Tools
from tests.local.alerts.played import ALWAYS, HANDLER, QUIET, RULES, Recording, State, node, play, thing
from tests.local.kubectl import Kubectl, eventually
from tests.local.required import required_only
from tests.stepped.month import HOUR, WITH_FALLBACK, Month, Work
from tests.stepped.month import play as play_month
from tests.stepped.work import Kind

_STEP: Final = Kind(pod=WITH_FALLBACK, seconds=HOUR)
_JOB: Final = thing("Job", "train", namespace="ml", version="batch/v1", spec={})


@pytest.fixture(scope="module")
def engine() -> Tools:
    """Prometheus and kube-state-metrics."""
    return required_only("alert-rules")


def recorded(month: Month, seed: int = 1, seconds: float = 30) -> list[State]:
    """The states of a month in memory."""
    recording = Recording(seconds)
    play_month(month, seed, observe=recording.observe)
    return recording.states


def test_a_hundred_hours_of_work_and_evictions_alert_nobody(engine: Tools, tmp_path: Path) -> None:
    states = recorded(Month(work=[Work(_STEP, 150, 3)], hazard=0.05, hours=100, fallback=2), seconds=60)
    names = {entry["metadata"]["name"] for state in states for entry in state.objects}
    assert sum(name.startswith("aks-cpuspot") for name in names) > 20
    assert play(engine, tmp_path, states).alerts == set()


def quiet(hours: float = 2) -> list[State]:
    """A cluster on which nothing runs but Charmed Kubeflow."""
    return [State(30.0 * number, ALWAYS, QUIET) for number in range(int(hours * 120))]


def during(change: Callable[[State], State], since: float = HOUR) -> list[State]:
    """The same with a fault from a time on."""
    changed = change(State(0, ALWAYS, QUIET))
    return [replace(changed, time=state.time) if state.time >= since else state for state in quiet()]


def vanished(*, evicted: bool, failed: bool) -> list[State]:
    """A Job's pod on a node that Azure takes: evicted before or not, and the Job fails for it or does not."""
    owner = {"kind": "Job", "name": "train", "uid": "train", "controller": True, "apiVersion": "batch/v1"}
    pod = thing(
        "Pod",
        "train-0",
        namespace="ml",
        metadata={"ownerReferences": [owner]},
        spec={"nodeName": "taken"},
        status={"phase": "Running"},
    )
    condition = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}
    ended = {**_JOB, "status": {"failed": 1, "conditions": [condition]}} if failed else _JOB
    running = State(0, ALWAYS, QUIET).having(node("taken", "cpuspot"), pod, _JOB)
    without_pod = running.without("Pod", "train-0").without("Job").having(ended)
    without_node = (without_pod if evicted else running).without("Node", "taken")
    gone = without_pod.without("Node", "taken")
    return [
        replace(
            running if number < 120 else without_node if number < 122 else gone,
            time=30.0 * number,
        )
        for number in range(240)
    ]


def late() -> list[State]:
    """The handler saw a pod that had not ended in time."""
    metrics = Metrics()
    metrics.left.observe(-1.0)
    return during(lambda state: replace(state, metrics=exposition(vars(metrics).values())))


def waiting(count: int, pool: str, nodes: int, namespace: str = "ml") -> Callable[[State], State]:
    """Pods that wait while a pool has so many nodes."""
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    status = {"phase": "Pending", "conditions": [condition]}
    pods = [
        thing("Pod", f"step-{number}", namespace=namespace, spec={}, status=status) for number in range(count)
    ]
    return lambda state: state.having(*pods, *(node(f"{pool}-{number}", pool) for number in range(nodes)))


def not_ready(state: State) -> State:
    silent = node("silent", "general", conditions=[{"type": "Ready", "status": "Unknown"}])
    return state.having(silent)


FAULTS: Final[dict[str, tuple[Callable[[], Sequence[State]], set[str]]]] = {
    "nothing": (quiet, set()),
    "no metrics": (
        lambda: during(lambda state: replace(state, objects=[])),
        {"MetricsMissing", "EvictionHandlerDown"},
    ),
    "no handler": (lambda: during(lambda state: state.without("Deployment")), {"EvictionHandlerDown"}),
    "a handler that is not ready": (
        lambda: during(
            lambda state: state.without("Deployment").having({**HANDLER, "status": {"replicas": 1}})
        ),
        {"EvictionHandlerDown"},
    ),
    "a handler whose metrics nobody can read": (
        lambda: during(lambda state: replace(state, metrics="")),
        {"EvictionHandlerSilent"},
    ),
    "a late eviction": (late, {"EvictionLate"}),
    "an eviction in time": (lambda: vanished(evicted=True, failed=False), set()),
    "a node that takes a pod with it": (
        lambda: vanished(evicted=False, failed=False),
        {"PodsLostWithNode"},
    ),
    "a Job that fails for an eviction": (
        lambda: vanished(evicted=True, failed=True),
        {"JobFailedWithNode"},
    ),
    "a Job that fails by itself": (
        lambda: during(
            lambda state: state.having(
                {**_JOB, "status": {"failed": 1, "conditions": [{"type": "Failed", "status": "True"}]}}
            )
        ),
        set(),
    ),
    "work that waits": (lambda: during(waiting(1, "cpuspot", 0)), {"WorkWaits"}),
    "a full pool": (lambda: during(waiting(1, "cpuspot", 3)), {"PoolAtMaximum", "WorkWaits"}),
    "a full pool that nobody waits for": (lambda: during(waiting(0, "cpuspot", 3)), set()),
    "a full pool that a placeholder waits for": (
        lambda: during(waiting(1, "cpuspot", 3, namespace="kubeflow-aks-headroom")),
        set(),
    ),
    "a full fallback": (lambda: during(waiting(1, "cpuod", 2)), {"FallbackAtMaximum", "WorkWaits"}),
    "a charm that does not start": (
        lambda: during(
            lambda state: state.having(
                thing("Pod", "katib-ui-0", namespace="kubeflow", spec={}, status={"phase": "Pending"})
            )
        ),
        {"PlatformPodPending"},
    ),
    "a silent node": (lambda: during(not_ready), {"NodeNotReady"}),
    "a GPU that nobody announces": (
        lambda: during(lambda state: state.having(node("gpu", "gpuspot"))),
        {"GpuNotAllocatable"},
    ),
    "a GPU": (
        lambda: during(
            lambda state: state.having(node("gpu", "gpuspot", allocatable={"nvidia.com/gpu": "1"}))
        ),
        set(),
    ),
    "evictions without a notice": (
        lambda: recorded(
            Month(work=[Work(_STEP, 9, 3)], hazard=1.0, hours=6, fallback=2, reclaim=Reclaim.VANISH)
        ),
        {"PodsLostWithNode"},
    ),
    "spot that is sold out for a day": (
        lambda: recorded(
            Month(
                work=[Work(_STEP, 40, 40)], hazard=0.0, hours=30, sold_out=0.9, sold_out_hours=24, fallback=2
            ),
            seed=5,
            seconds=60,
        ),
        {"WorkOnFallback", "FallbackAtMaximum", "WorkWaits"},
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_alert_fires_in_its_fault_and_no_other_does(engine: Tools, tmp_path: Path, fault: str) -> None:
    states, expected = FAULTS[fault]
    assert play(engine, tmp_path, states()).alerts == expected


def test_every_alert_has_its_fault() -> None:
    assert {name for _, alerts in FAULTS.values() for name in alerts} == {rule.name for rule in RULES}


def test_an_alert_whose_metric_is_not_collected_is_silent(engine: Tools, tmp_path: Path) -> None:
    states = during(waiting(1, "cpuspot", 0))
    played = play(engine, tmp_path, states, keep=lambda: "kube_node_.+|kube_deployment_.+|kubeflow_aks_.+")
    assert played.alerts == set()


def test_objects_of_a_real_control_plane_alert_as_those_in_memory_do(
    engine: Tools, tmp_path: Path, kubectl: Kubectl
) -> None:
    """The Job's pod is the controller's, and that it has no node is the scheduler's answer."""
    container = {"name": "main", "image": "train", "resources": {"requests": {"cpu": "999"}}}
    spec = {"template": {"spec": {"containers": [container], "restartPolicy": "Never"}}}
    kubectl.apply({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train"}, "spec": spec})
    eventually(
        lambda: [
            pod
            for pod in kubectl.items("pods")
            if {"Unschedulable"} <= {it.get("reason") for it in pod["status"].get("conditions", ())}
        ]
    )
    objects = [*ALWAYS, *kubectl.items("jobs"), *kubectl.items("pods")]
    states = [*quiet(1), *(State(30.0 * number, objects, QUIET) for number in range(120, 180))]
    assert play(engine, tmp_path, states).alerts == {"WorkWaits"}
