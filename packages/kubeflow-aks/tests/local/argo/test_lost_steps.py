"""`ckf-spot where` reports a step that lost its node while Argo shows a backoff, and again when it has given up."""

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

_UNTIL_LOST: Final = Work(3600)
_YOUNG_SECONDS: Final = 11
"""Younger pods that go are made again by the same name, and no attempt is counted (operator.go, recentlyStarted)."""
_BACKOFF_SECONDS: Final = 30


@pytest.fixture(scope="module")
def violations(demo: DemoStack, argo_retries: ArgoRetries, pools: Pools) -> list[dict[str, str]]:
    """The reports on the step during its backoff, and at its end; as the charm sets Argo up."""
    argo_retries.set(on=False)
    spot = pools["cpu"].placement(prefer="spot")
    task = Task("work", spot, Retries(5, backoff=_BACKOFF_SECONDS))
    with profile(demo) as namespace, demo.playing(step=4) as play:
        demo.apply(workflow("lost", namespace, [(task, _UNTIL_LOST)]))
        play.until("it runs on spot", lambda: _running(demo, namespace))
        time.sleep(_YOUNG_SECONDS)
        play.market.add(MarketEvent(play.clock.now(), Reclaim.VANISH, "cpuspot", ALL))
        play.until(
            "Argo waits",
            lambda: "Backoff for " in json.dumps(_live(demo, namespace)),
            every=REQUEST_SECONDS,
        )
        waiting = _lost(demo, namespace)
        play.until("it is over", lambda: ended(_live(demo, namespace)), every=REQUEST_SECONDS)
        return [waiting, _lost(demo, namespace)]


def _running(demo: DemoStack, namespace: str) -> bool:
    return any(
        pod["status"].get("phase") == "Running" and demo.pool_of(pod) == "cpuspot"
        for pod in demo.pods(namespace)
    )


def _live(demo: DemoStack, namespace: str) -> dict[str, Any]:
    [live] = demo.api.list(WORKFLOW, namespace)
    return live


def _lost(demo: DemoStack, namespace: str) -> dict[str, str]:
    ran = ckf_spot(demo.kubectl.kubeconfig, "where", "-n", namespace, "-o", "json")
    assert ran.code == 0, ran.errors
    [violation] = json.loads(ran.output)["violations"]
    return violation


def test_while_argo_waits_the_report_has_that_no_retry_will_come(violations: list[dict[str, str]]) -> None:
    waiting, _ = violations
    assert (waiting["rule"], waiting["name"]) == ("step-lost", "Workflow/lost work")
    assert waiting["message"].startswith("Argo shows 'Backoff for ")
    assert waiting["message"].endswith("after that the step ends with 'pod deleted'")


def test_and_it_does_end_as_reported(violations: list[dict[str, str]]) -> None:
    _, over = violations
    assert (over["rule"], over["name"]) == ("step-lost", "Workflow/lost work")
    assert over["message"].startswith("Argo shows 'pod deleted': its pod on cpuspot was lost")
