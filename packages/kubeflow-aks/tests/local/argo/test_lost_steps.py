"""`ckf-spot where` reports a step that lost its node while Argo shows a backoff, and again when it has given up.

So it does where Argo's policy leaves out lost pods, and where an expression of the step's own does.
"""

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
_EXPRESSION: Final = "lastRetry.exitCode == '143'"
"""What a drained pod fulfils, and one that vanished does not (`ckf_spot.kinds.argo_retries`)."""


@pytest.fixture(scope="module")
def violations(demo: DemoStack, argo_retries: ArgoRetries, pools: Pools) -> list[dict[str, dict[str, str]]]:
    """The reports on the steps by workflow, during their backoff, and at their end; as the charm sets Argo up."""
    argo_retries.set(on=False)
    spot = pools["cpu"].placement(prefer="spot")
    task = Task("work", spot, Retries(5, backoff=_BACKOFF_SECONDS))
    with profile(demo) as namespace, demo.playing(step=4) as play:
        demo.apply(workflow("lost", namespace, [(task, _UNTIL_LOST)]))
        demo.apply(_with_expression(workflow("expression", namespace, [(task, _UNTIL_LOST)])))
        play.until("they run on spot", lambda: _running(demo, namespace))
        time.sleep(_YOUNG_SECONDS)
        play.market.add(MarketEvent(play.clock.now(), Reclaim.VANISH, "cpuspot", ALL))
        play.until(
            "Argo waits",
            lambda: all("Backoff for " in json.dumps(live) for live in _live(demo, namespace)),
            every=REQUEST_SECONDS,
        )
        waiting = _lost(demo, namespace)
        play.until("it is over", lambda: all(map(ended, _live(demo, namespace))), every=REQUEST_SECONDS)
        return [waiting, _lost(demo, namespace)]


def _with_expression(document: dict[str, Any]) -> dict[str, Any]:
    """The workflow with an expression in the retries of its step, which Argo then evaluates by the policy Always."""
    for template in document["spec"]["templates"]:
        if "retryStrategy" in template:
            template["retryStrategy"]["expression"] = _EXPRESSION
    return document


def _running(demo: DemoStack, namespace: str) -> bool:
    on_spot = [
        pod
        for pod in demo.pods(namespace)
        if pod["status"].get("phase") == "Running" and demo.pool_of(pod) == "cpuspot"
    ]
    return len(on_spot) == 2


def _live(demo: DemoStack, namespace: str) -> list[dict[str, Any]]:
    return demo.api.list(WORKFLOW, namespace)


def _lost(demo: DemoStack, namespace: str) -> dict[str, dict[str, str]]:
    ran = ckf_spot(demo.kubectl.kubeconfig, "where", "-n", namespace, "-o", "json")
    assert ran.code == 0, ran.errors
    violations = json.loads(ran.output)["violations"]
    assert {violation["rule"] for violation in violations} == {"step-lost"}
    return {violation["name"]: violation for violation in violations}


def test_while_argo_waits_the_report_has_that_no_retry_will_come(
    violations: list[dict[str, dict[str, str]]],
) -> None:
    message = violations[0]["Workflow/lost work"]["message"]
    assert message.startswith("Argo shows 'Backoff for ")
    assert message.endswith("after that the step ends with 'pod deleted'")


def test_and_it_does_end_as_reported(violations: list[dict[str, dict[str, str]]]) -> None:
    message = violations[1]["Workflow/lost work"]["message"]
    assert message.startswith("Argo shows 'pod deleted': its pod on cpuspot was lost")


def test_an_expression_that_leaves_out_lost_pods_ends_the_step_as_reported(
    violations: list[dict[str, dict[str, str]]],
) -> None:
    waiting, over = (report["Workflow/expression work"]["message"] for report in violations)
    assert waiting.startswith("Argo shows 'Backoff for ")
    assert "but the expression of its retryStrategy is false for it" in waiting
    assert over.startswith(
        "Argo shows 'retryStrategy.expression evaluated to false': its pod on cpuspot was lost"
    )
