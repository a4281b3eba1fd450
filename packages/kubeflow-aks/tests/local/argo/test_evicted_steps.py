"""`ckf-spot where` and Argo's real workflow controller: its workflow reports an evicted step when the pod is gone."""

from __future__ import annotations

import json
import time
from typing import Any, Final

import pytest

from ckf_spot import Pools
from kubeflow_aks.local_aks.simulation.market import ALL, MarketEvent, Reclaim
from kubeflow_aks.scenario.workloads.kfp_compiler import Retries, Task
from kubeflow_aks.scenario.workloads.pipelines import Work, workflow
from tests.argo_runs import ended
from tests.local.argo.profile import WORKFLOW, profile
from tests.local.argo.setting import ArgoRetries
from tests.local.ckf_spot_command import ckf_spot
from tests.local.demo_stack import REQUEST_SECONDS, DemoStack

_LOST: Final = Work(3600)
_LOST_ONCE: Final = Work(1, first=_LOST)
_YOUNG_SECONDS: Final = 11
"""Younger pods that go are made again by the same name, and no attempt is counted (operator.go, recentlyStarted)."""


@pytest.fixture(scope="module")
def reports(demo: DemoStack, argo_retries: ArgoRetries, pools: Pools) -> dict[str, dict[str, Any]]:
    """The reports on a step that lost its node, with and without retries, by the workflow's name."""
    argo_retries.set(on=False)
    spot = pools["cpu"].placement(prefer="spot")
    tasks = {
        "evicted-retried": (Task("work", spot, Retries(5)), _LOST_ONCE),
        "evicted": (Task("work", spot), _LOST),
    }
    with profile(demo) as namespace, demo.playing(step=4) as play:
        demo.apply(*(workflow(name, namespace, [task]) for name, task in tasks.items()))
        play.until("both run on spot", lambda: _running(demo, namespace) == 2)
        time.sleep(_YOUNG_SECONDS)
        play.market.add(MarketEvent(play.clock.now(), Reclaim.EVICT, "cpuspot", ALL))
        workflows = lambda: demo.api.list(WORKFLOW, namespace)  # noqa: E731
        play.until("both are over", lambda: all(map(ended, workflows())), every=REQUEST_SECONDS)
        ran = ckf_spot(demo.kubectl.kubeconfig, "where", "-n", namespace, "-o", "json")
    assert ran.code == 0, ran.errors
    work = json.loads(ran.output)["work"]
    return {row["name"]: row for row in work if row["pods"][0]["pool"] == "cpuspot"}  # drivers are elsewhere


def _running(demo: DemoStack, namespace: str) -> int:
    return sum(
        pod["status"].get("phase") == "Running" and demo.pool_of(pod) == "cpuspot"
        for pod in demo.pods(namespace)
    )


@pytest.mark.parametrize("name", ["evicted-retried", "evicted"])
def test_an_evicted_step_counts_one_eviction_whether_it_is_tried_again_or_not(
    reports: dict[str, dict[str, Any]], name: str
) -> None:
    work = reports[name]
    assert (work["kind"], work["role"], work["evictions"]) == ("Workflow", "batch", 1), work
    assert (work["pods"][0]["pool"], work["pods"][0]["state"]) == ("cpuspot", "evicted")


def test_all_attempts_are_the_same_piece_of_work(reports: dict[str, dict[str, Any]]) -> None:
    states = [pod["state"] for pod in reports["evicted-retried"]["pods"]]
    assert states in (
        ["evicted"],
        ["evicted", "succeeded"],
    )  # Argo tries again only what it saw fail before it was gone
