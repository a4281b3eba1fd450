"""What becomes of pipeline steps whose pods vanish or fail: as the charm sets Argo up, and with the program's setting.

The real workflow controller answers. `set_retry` compiles to a strategy without a policy, which Argo reads as
OnFailure: a pod that is gone is an Error and no Failure, so it is not tried again
(docs/facts/placement.md#retries-of-vanished-pods).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pytest

from ckf_spot import Pools
from local_aks.control_plane.controllers.argo import Argo
from local_aks.demo.workloads.pipelines import (
    Attempt,
    Object,
    PipelineTask,
    Retries,
    attempts,
    ended,
    phase,
    workflow,
)
from local_aks.simulation.market import ALL, MarketEvent, Reclaim
from tests.local.argo.profile import WORKFLOW, profile
from tests.local.argo.setting import argo_retries
from tests.local.demo_stack import DemoStack
from tests.local.ports import listening

FIVE: Final = Retries(5)
"""The number in Canonical's blog of retries."""
_RUN_SECONDS: Final = 12
"""Longer than it takes to see both run and take their node away."""


@dataclass(frozen=True)
class Aftermath:
    """Workflows of one step each, by name, when all were over."""

    workflows: dict[str, Object]

    def phase(self, name: str) -> str:
        """How a workflow ended."""
        return phase(self.workflows[name])

    def attempts(self, name: str) -> list[Attempt]:
        """The attempts at its step."""
        return attempts(self.workflows[name])["work"]


def _aftermath(demo: DemoStack, pools: Pools) -> Aftermath:
    """Steps on spot lose their nodes without notice, steps on demand end with code 1; with and without retries."""
    spot, stays = pools["cpu"].placement(prefer="spot"), pools["cpu"].placement(require="on-demand")
    steps = {
        "vanishes-retried": PipelineTask("work", spot, _RUN_SECONDS, retries=FIVE),
        "vanishes": PipelineTask("work", spot, _RUN_SECONDS),
        "fails-once-retried": PipelineTask("work", stays, 1, first_exit_code=1, retries=FIVE),
        "fails-retried": PipelineTask("work", stays, 1, exit_code=1, retries=Retries(2)),
        "fails": PipelineTask("work", stays, 1, exit_code=1),
    }
    with profile(demo) as namespace, demo.playing(step=4) as play:
        demo.apply(*(workflow(name, namespace, [step]) for name, step in steps.items()))
        play.until("work runs on spot", lambda: _running(demo, namespace) == ["cpuspot"] * 2)
        play.market.add(MarketEvent(play.clock.now(), Reclaim.VANISH, "cpuspot", ALL))
        play.until(
            "the workflows end", lambda: all(ended(live) for live in demo.api.list(WORKFLOW, namespace))
        )
        found = {live["metadata"]["name"]: live for live in demo.api.list(WORKFLOW, namespace)}
    return Aftermath(found)


def _running(demo: DemoStack, namespace: str) -> list[str]:
    """The spot pools on which pods run now, one entry for each pod."""
    pools = [demo.pool_of(pod) for pod in demo.pods(namespace) if pod["status"].get("phase") == "Running"]
    return [pool for pool in pools if pool == "cpuspot"]


@pytest.fixture(scope="module")
def as_the_charm_has_it(demo: DemoStack, pools: Pools) -> Aftermath:
    return _aftermath(demo, pools)


@pytest.fixture(scope="module")
def with_the_setting(demo: DemoStack, argo: Argo, pools: Pools) -> Aftermath:
    with argo_retries(demo, argo):
        return _aftermath(demo, pools)


@pytest.mark.usefixtures("demo")
def test_the_controller_has_no_port(argo: Argo) -> None:
    pid = argo.controller.pid_file.running()
    assert pid is not None
    assert listening([pid]) == set()


def test_the_charms_settings_lose_a_step_whose_pod_vanished_however_many_retries_it_has(
    as_the_charm_has_it: Aftermath,
) -> None:
    assert as_the_charm_has_it.phase("vanishes-retried") == "Error"
    assert as_the_charm_has_it.attempts("vanishes-retried") == [Attempt(0, "Error", "pod deleted")]


def test_with_the_setting_the_same_step_is_tried_again_and_succeeds(with_the_setting: Aftermath) -> None:
    assert with_the_setting.phase("vanishes-retried") == "Succeeded"
    assert with_the_setting.attempts("vanishes-retried") == [
        Attempt(0, "Error", "pod deleted"),
        Attempt(1, "Succeeded", ""),
    ]


@pytest.mark.parametrize("settings", ["as_the_charm_has_it", "with_the_setting"])
@pytest.mark.parametrize("how", ["vanishes", "fails"])
def test_a_step_without_retries_is_never_tried_again(
    settings: str, how: str, request: pytest.FixtureRequest
) -> None:
    aftermath: Aftermath = request.getfixturevalue(settings)
    assert aftermath.phase(how) in {"Error", "Failed"}
    assert len(aftermath.attempts(how)) == 1


@pytest.mark.parametrize("settings", ["as_the_charm_has_it", "with_the_setting"])
def test_a_step_that_fails_is_tried_again(settings: str, request: pytest.FixtureRequest) -> None:
    aftermath: Aftermath = request.getfixturevalue(settings)
    assert aftermath.phase("fails-once-retried") == "Succeeded"
    assert [each.phase for each in aftermath.attempts("fails-once-retried")] == ["Failed", "Succeeded"]


@pytest.mark.parametrize("settings", ["as_the_charm_has_it", "with_the_setting"])
def test_a_step_that_keeps_failing_uses_up_its_retries(settings: str, request: pytest.FixtureRequest) -> None:
    aftermath: Aftermath = request.getfixturevalue(settings)
    assert aftermath.phase("fails-retried") == "Failed"
    assert [each.phase for each in aftermath.attempts("fails-retried")] == ["Failed"] * 3
