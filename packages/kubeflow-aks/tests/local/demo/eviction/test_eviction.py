"""What an eviction and a stock-out do to batch work: the real Job controller, scheduler and eviction API answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.autoscaler.profile import Profile
from kubeflow_aks.local_aks.simulation.market import ALL, MarketEvent, Reclaim, Supply
from tests.local.demo.eviction.work import (
    CPU_WORK,
    FALLBACK,
    GPU_WORK,
    SPOT,
    SPOT_ONLY,
    SURVIVES_EVICTION,
    ended,
    job,
)
from tests.local.demo_stack import REQUEST_SECONDS, DemoStack, Object, Play

_WORK_SECONDS = 15
"""Wall time that a pod works: longer than a busy machine takes to see it run and to take its node."""
_PODS = 3
_MANY: Mapping[str, Mapping[str, Any]] = {
    "together": {},
    "indexed": {"completionMode": "Indexed", "backoffLimitPerIndex": 6},
}
_ON_CPU = ("notice-", *_MANY)
_ENDS = (Kind.POD_GONE, Kind.POD_FINISHED)
QUARANTINE_SECONDS = 40
"""Wall time for which the pod garbage collector spares pods of a vanished node (podgc/gc_controller.go)."""


@dataclass(frozen=True)
class Aftermath:
    """Four Jobs after their nodes were evicted, by name, and the journal of it."""

    jobs: dict[str, Object]
    play: Play

    def stood(self, name: str) -> float:
        """Wall seconds from the end of an evicted Job's pods until the first of their successors is there."""
        lines = [
            line
            for line in self.play.journal()
            if line.get("pod", "").partition("/")[2].startswith(f"{name}-")
        ]
        first = [line["pod"] for line in lines if line["kind"] == Kind.POD_PLACED][:_PODS]
        over = [line["wall"] for line in lines if line["pod"] in first and line["kind"] in _ENDS]
        return next(line["wall"] for line in lines if line["pod"] not in first) - max(over)

    def lived_on(self, pool: str, pod_prefix: str) -> float:
        """Wall seconds from the loss of the pool's nodes to the end of the first pod of that name."""
        lost = self.play.journal(Kind.EVICTION, pool=pool)[0]["wall"]
        ends = self.play.journal(*_ENDS)
        return (
            next(line["wall"] for line in ends if line["pod"].partition("/")[2].startswith(pod_prefix)) - lost
        )


@pytest.fixture(scope="module")
def aftermath(demo: DemoStack) -> Aftermath:
    """CPU spot evicted with notice and GPU spot without, each under a Job with and one without the policy."""
    with demo.namespace() as namespace:
        return _aftermath(demo, namespace)


def _aftermath(demo: DemoStack, namespace: str) -> Aftermath:
    jobs = [
        job("notice-ignored", namespace, seconds=_WORK_SECONDS, **SURVIVES_EVICTION),
        job("notice-counted", namespace, seconds=_WORK_SECONDS),
        job(
            "vanish-ignored", namespace, seconds=_WORK_SECONDS, selector=GPU_WORK, gpus=1, **SURVIVES_EVICTION
        ),
        job("vanish-counted", namespace, seconds=_WORK_SECONDS, selector=GPU_WORK, gpus=1),
        *(_many(name, namespace, **more) for name, more in _MANY.items()),
    ]
    with demo.playing(step=4) as play:
        demo.apply(*jobs)
        expected = 2 + len(_MANY) * _PODS
        play.until("work runs on CPU spot", lambda: len(_running(demo, namespace, *_ON_CPU)) == expected)
        play.market.add(MarketEvent(play.clock.now(), Reclaim.EVICT, "cpuspot", ALL))
        play.until("work runs on GPU spot", lambda: len(_running(demo, namespace, "vanish-")) == 2)
        play.market.add(MarketEvent(play.clock.now(), Reclaim.VANISH, "gpuspot", ALL))
        play.until(
            "the Jobs end",
            lambda: all(ended(demo.api.get(entry)) for entry in jobs),
            every=REQUEST_SECONDS,
        )
    afterwards = {entry["metadata"]["name"]: demo.api.get(entry) for entry in jobs}
    return Aftermath(afterwards, play)


def _many(name: str, namespace: str, **spec: Any) -> Object:
    """A Job whose pods are evicted together."""
    work = job(
        name, namespace, seconds=_WORK_SECONDS, parallelism=_PODS, completions=_PODS, **SURVIVES_EVICTION
    )
    del work["spec"]["backoffLimit"]
    work["spec"] |= spec
    return work


def _running(demo: DemoStack, namespace: str, *prefixes: str) -> list[Object]:
    return [
        pod
        for pod in demo.pods(namespace)
        if pod["metadata"]["name"].startswith(prefixes or "") and pod["status"].get("phase") == "Running"
    ]


@pytest.mark.parametrize("how", ["notice", "vanish"])
def test_a_job_that_ignores_disruptions_completes_and_counts_no_failure(
    aftermath: Aftermath, how: str
) -> None:
    live = aftermath.jobs[f"{how}-ignored"]
    assert ended(live) == "Complete"
    assert (live["status"]["succeeded"], live["status"].get("failed", 0)) == (1, 0)


@pytest.mark.parametrize("how", ["notice", "vanish"])
def test_the_same_job_without_the_policy_fails(aftermath: Aftermath, how: str) -> None:
    live = aftermath.jobs[f"{how}-counted"]
    assert ended(live) == "Failed"
    assert live["status"]["failed"] == 1


def test_with_notice_the_node_is_drained_before_it_goes(aftermath: Aftermath) -> None:
    evictions = aftermath.play.journal(Kind.EVICTION, pool="cpuspot")
    assert [(line["notice"], line["pods"]) for line in evictions] == [(True, 0)] * len(evictions)
    assert aftermath.lived_on("cpuspot", "notice-ignored") < 0


def test_without_notice_pods_are_missed_only_after_the_garbage_collector_s_quarantine(
    aftermath: Aftermath,
) -> None:
    assert aftermath.lived_on("gpuspot", "vanish-ignored") >= QUARANTINE_SECONDS


@pytest.mark.parametrize("name", _MANY)
def test_pods_that_are_evicted_together_are_all_made_again(aftermath: Aftermath, name: str) -> None:
    live = aftermath.jobs[name]
    assert ended(live) == "Complete"
    assert (live["status"]["succeeded"], live["status"].get("failed", 0)) == (_PODS, 0)


def test_they_hold_the_job_up_unless_each_counts_by_its_index(aftermath: Aftermath) -> None:
    """Three pods: 10 s, doubled twice, less the second to which a pod's end is rounded and the time to look."""
    assert aftermath.stood("together") >= 35
    assert 8 <= aftermath.stood("indexed") < aftermath.stood("together")


def test_a_disruption_budget_delays_the_drain_but_does_not_keep_the_node(
    demo: DemoStack, namespace: str
) -> None:
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "keep", "namespace": namespace},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"work": "kept"}}},
    }
    with demo.playing() as play:
        demo.apply(budget, *(job(name, namespace, seconds=600) for name in ("kept", "free")))
        play.until("both run", lambda: len(_running(demo, namespace)) == 2)
        play.until("the budget holds", lambda: demo.api.get(budget)["status"].get("currentHealthy") == 1)
        play.market.add(MarketEvent(play.clock.now(), Reclaim.EVICT, "cpuspot", ALL))
        [notice] = play.until("notice is given", lambda: play.journal(Kind.EVICTION_NOTICE))
        [gone] = play.until("the VM is taken", lambda: play.journal(Kind.EVICTION))
        play.until("its node is gone", lambda: gone["node"] not in demo.nodes("cpuspot"))
    [kept] = _running(demo, namespace, "kept-")
    assert "deletionTimestamp" not in kept["metadata"]
    assert kept["spec"]["nodeName"] == gone["node"]
    assert gone["pods"] == 1
    ends = play.journal(Kind.POD_GONE, Kind.POD_FINISHED)
    assert [
        line["pod"].startswith(f"{namespace}/free-") for line in ends if line["time"] <= gone["time"]
    ] == [True]
    assert gone["time"] - notice["time"] >= 30


@pytest.fixture
def profile(demo: DemoStack) -> Profile:
    """The autoscaler profile that the program set."""
    return Profile.from_wire(demo.azure.autoscaler_profile(demo.pools()["cpuspot"].cluster_id))


@dataclass(frozen=True)
class Fallback:
    """Simulated seconds after the first request to the spot pool."""

    decided: float
    running: float


def _fall_back(demo: DemoStack, play: Play, work: Object, fallback: str) -> Fallback:
    """Start work whose spot pool is sold out, and wait until it runs on the pool's on-demand fallback."""
    namespace = work["metadata"]["namespace"]
    demo.apply(work)
    [pod] = play.until("the work runs", lambda: _running(demo, namespace, work["metadata"]["name"]))
    assert demo.pool_of(pod) == fallback
    [spot_requested, *_] = play.journal(Kind.SCALE_UP)
    [decision] = play.journal(Kind.FALLBACK, pool=fallback)
    assert decision["insteadOf"] == [spot_requested["pool"]]
    key = f"{namespace}/{pod['metadata']['name']}"
    [started] = play.until("the journal has it", lambda: play.journal(Kind.POD_RUNNING, pod=key))
    return Fallback(decision["time"] - spot_requested["time"], started["time"] - spot_requested["time"])


def test_sold_out_with_an_error_falls_back_in_less_than_the_provision_time(
    demo: DemoStack, namespace: str, profile: Profile
) -> None:
    with demo.playing(MarketEvent(0, Supply.SOLD_OUT, "cpuspot"), step=3) as play:
        fallback = _fall_back(demo, play, job("work", namespace, seconds=600), "cpuod")
    assert fallback.running < profile.max_node_provision_time


def test_sold_out_silently_falls_back_when_the_provision_time_is_over(
    demo: DemoStack, namespace: str, profile: Profile
) -> None:
    with demo.playing(MarketEvent(0, Supply.SILENT, "gpuspot"), step=10) as play:
        work = job("work", namespace, seconds=600, selector=GPU_WORK, gpus=1)
        fallback = _fall_back(demo, play, work, "gpuod")
    least = profile.max_node_provision_time
    assert least <= fallback.decided <= least + 2 * profile.scan_interval


@pytest.mark.parametrize(
    ("selector", "tolerations"),
    [(SPOT_ONLY, (SPOT, FALLBACK)), (CPU_WORK, (SPOT,))],
    ids=["by its selector", "by its tolerations"],
)
def test_work_that_requires_spot_waits_out_the_back_off(
    demo: DemoStack, namespace: str, selector: dict[str, str], tolerations: Sequence[dict[str, str]]
) -> None:
    sold_out = (MarketEvent(0, Supply.SOLD_OUT, "cpuspot"), MarketEvent(60, Supply.AVAILABLE, "cpuspot"))
    with demo.playing(*sold_out, step=10) as play:
        demo.apply(job("work", namespace, seconds=600, selector=selector, tolerations=tolerations))
        [pod] = play.until("the work runs", lambda: _running(demo, namespace))
    assert demo.pool_of(pod) == "cpuspot"
    assert {line["pool"] for line in play.journal(Kind.SCALE_UP)} == {"cpuspot"}
    [back_off] = play.journal(Kind.BACK_OFF)
    [first, second] = play.journal(Kind.SCALE_UP)
    assert second["time"] - first["time"] >= back_off["seconds"]
