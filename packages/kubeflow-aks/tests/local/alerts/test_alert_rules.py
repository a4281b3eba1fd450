"""Each alert fires in its fault, and none while a cluster evicts, falls back and returns as it should.

The dashboard shows what the simulation counts.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from components.kubeflow.eviction_script import Metrics
from components.kubeflow.script_metrics import exposition
from components.monitoring.alert_rules import METRIC_LABEL as POOL
from kubeflow_aks.local_aks.simulation.market import Reclaim
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools import Tools
from tests.local.alerts.picture import picture
from tests.local.alerts.played import (
    ALWAYS,
    HANDLER,
    PANELS,
    POOLS,
    QUIET,
    RULES,
    Played,
    Recording,
    State,
    node,
    play,
    queries,
    thing,
)
from tests.local.kubectl import Kubectl, eventually
from tests.local.required import required_only
from tests.stepped.month import HOUR, WITH_FALLBACK, Month, MonthResult, Work
from tests.stepped.month import play as play_month
from tests.stepped.work import Kind

PICTURE: Final = PROJECT_ROOT / "docs/pictures/dashboard.svg"
ELSEWHERE: Final = "elsewhere"
PRICES: Final = {pool["name"]: pool["price"] for pool in POOLS if "price" in pool}
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


def waiting(count: int, pool: str, nodes: int) -> Callable[[State], State]:
    """Pods that wait while a pool has so many nodes."""
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    status = {"phase": "Pending", "conditions": [condition]}
    pods = [thing("Pod", f"step-{number}", namespace="ml", spec={}, status=status) for number in range(count)]
    return lambda state: state.having(*pods, *(node(f"{pool}-{number}", pool) for number in range(nodes)))


def not_ready(state: State) -> State:
    silent = node("silent", "general", conditions=[{"type": "Ready", "status": "Unknown"}])
    return state.having(silent)


def without_image(state: State) -> State:
    waiting = [{"name": "main", "state": {"waiting": {"reason": "ImagePullBackOff"}}}]
    status = {"phase": "Pending", "containerStatuses": waiting}
    return state.having(thing("Pod", "step-0", namespace="ml", spec={"nodeName": "system"}, status=status))


@cache
def sold_out() -> tuple[list[State], MonthResult]:
    """A day and a half in which spot, then the fallback is full, and spot is sold out for hours."""
    recording = Recording(60)
    month = Month(
        work=[Work(_STEP, 50, 5)],
        hazard=0.3,
        hours=36,
        sold_out=0.5,
        sold_out_hours=24,
        maximum=3,
        fallback=2,
    )
    return recording.states, play_month(month, 4, observe=recording.observe)


_SOLD_OUT: Final = "spot that is sold out for a day"
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
    "an image that cannot be had": (lambda: during(without_image), set()),
    _SOLD_OUT: (
        lambda: sold_out()[0],
        {"WorkOnFallback", "PoolAtMaximum", "FallbackAtMaximum", "WorkWaits"},
    ),
}


@pytest.fixture(scope="module")
def played_fault(engine: Tools, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Played]:
    """What Prometheus comes to in a fault."""
    both = queries() | {f"{ELSEWHERE} {name}": text for name, text in queries(ELSEWHERE).items()}

    def played(fault: str) -> Played:
        return play(engine, tmp_path_factory.mktemp("fault"), FAULTS[fault][0](), queries=both)

    return cache(played)


@pytest.mark.parametrize("fault", FAULTS)
def test_an_alert_fires_in_its_fault_and_no_other_does(
    played_fault: Callable[[str], Played], fault: str
) -> None:
    assert played_fault(fault).alerts == FAULTS[fault][1]


def test_every_alert_has_its_fault() -> None:
    assert {name for _, alerts in FAULTS.values() for name in alerts} == {rule.name for rule in RULES}


def shown(played: Played, query: str, label: str = POOL) -> dict[tuple[float, str], float]:
    """What a query of the dashboard answers, by time and the value of a label."""
    return {
        (at, series["metric"].get(label, "")): float(value)
        for series in played.answers[query]
        for at, value in series["values"]
    }


def test_the_dashboard_sums_up_what_the_simulation_counts(played_fault: Callable[[str], Played]) -> None:
    played, result = played_fault(_SOLD_OUT), sold_out()[1]

    def total(query: str) -> float:
        return list(shown(played, query).values())[-1]

    spot, fallback = result.node_hours["cpuspot"], result.node_hours["cpuod"]
    assert total("Node hours on spot A") == pytest.approx(spot / (spot + fallback), abs=0.01)
    saving = 1 - (PRICES["cpuspot"] * spot + PRICES["cpuod"] * fallback) / (
        PRICES["cpuod"] * (spot + fallback)
    )
    assert total("Saving by spot (estimate) A") == pytest.approx(saving, abs=0.01)
    assert result.evictions > 5
    assert total("Evictions A") == pytest.approx(result.evictions, abs=0.1)


def test_the_dashboard_shows_each_moment_as_it_was(played_fault: Callable[[str], Played]) -> None:
    played = played_fault(_SOLD_OUT)
    moments = [state for state in sold_out()[0] if state.time % 300 == 0]
    nodes = Counter(
        (state.time, entry["metadata"]["labels"]["kubernetes.azure.com/agentpool"])
        for state in moments
        for entry in state.objects
        if entry["kind"] == "Node"
    )
    waiting = Counter(
        (state.time, entry["metadata"]["namespace"])
        for state in moments
        for entry in state.objects
        if entry["kind"] == "Pod"
        for condition in entry["status"].get("conditions", ())
        if condition.get("reason") == "Unschedulable"
    )
    assert shown(played, "Nodes by pool and price A") == nodes
    assert shown(played, "Price of the nodes by pool (estimate) A") == pytest.approx(
        {(at, pool): count * PRICES[pool] for (at, pool), count in nodes.items() if pool in PRICES}
    )
    assert shown(played, "Pods that wait, and why A", "namespace") == waiting
    assert shown(played, "Nodes that pools may still get A") == {
        (state.time, pool["name"]): pool["max_count"] - nodes[state.time, pool["name"]]
        for state in moments
        for pool in POOLS
    }
    assert {
        (series["metric"][POOL], series["metric"]["price"])
        for series in played.answers["Nodes by pool and price A"]
    } == {("system", "on demand"), ("cpuspot", "spot"), ("cpuod", "on demand")}


def test_the_dashboard_shows_why_a_container_waits(played_fault: Callable[[str], Played]) -> None:
    waiting = shown(played_fault("an image that cannot be had"), "Pods that wait, and why B", "reason")
    assert waiting == {(at, "ImagePullBackOff"): 1 for at, _ in waiting if at >= HOUR}


def test_no_panel_lacks_its_metrics_and_none_shows_another_cluster(
    played_fault: Callable[[str], Played],
) -> None:
    answers = [played_fault(fault).answers for fault in (_SOLD_OUT, "an image that cannot be had")]
    assert [query for query in queries() if not any(answer[query] for answer in answers)] == []
    assert (
        {name for answer in answers for name, series in answer.items() if series} - queries().keys()
        == {
            f"{ELSEWHERE} Nodes that pools may still get A"  # what pools may have, though no node of them is there
        }
    )


def test_the_page_has_the_picture_of_this_dashboard(played_fault: Callable[[str], Played]) -> None:
    """`DASHBOARD_PICTURE=write` draws it anew."""
    titles = ("Node hours", "Saving", "Evictions", "Nodes by", "Price of", "Pods that wait", "Notices")
    chosen = [
        panel for panel in PANELS if panel["title"].startswith(titles) and " early" not in panel["title"]
    ]
    subtitle = (
        "36 hours of a simulated cluster in which spot VMs are evicted and spot is sold out for hours, "
        f"at ${PRICES['cpuspot']:.2f} a node hour on spot and ${PRICES['cpuod']:.2f} on demand"
    )
    drawn = picture(chosen, played_fault(_SOLD_OUT).answers, "Spot on a cluster", subtitle)
    if os.environ.get("DASHBOARD_PICTURE") == "write":
        PICTURE.write_text(drawn, encoding="utf-8")
    assert drawn == PICTURE.read_text(encoding="utf-8")


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
