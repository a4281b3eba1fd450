"""What becomes of pipeline steps whose pods vanish or fail: as the charm sets Argo up, and with the program's setting.

The real workflow controller answers, to pipelines of one step and to the package's examples as Kubeflow's own compiler
wrote them. `set_retry` compiles to a strategy without a policy, which Argo reads as OnFailure: a pod that is gone is an
Error and no Failure, so it is not tried again (docs/facts/placement.md#retries-of-lost-pods).
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pytest

from ckf_spot import Pools
from kubeflow_aks.local_aks.control_plane.controllers.argo import Argo
from kubeflow_aks.local_aks.simulation.market import ALL, MarketEvent, Reclaim
from kubeflow_aks.scenario.workloads.kfp_compiler import Retries, Task
from kubeflow_aks.scenario.workloads.pipelines import Object, Work, simulated, workflow
from tests.argo_runs import Attempt, attempts, ended, phase
from tests.kfp_recording import EXAMPLES, RECORDED
from tests.local.argo.profile import WORKFLOW, profile
from tests.local.argo.setting import ArgoRetries
from tests.local.demo_stack import REQUEST_SECONDS, DemoStack
from tests.local.ports import listening

FIVE: Final = Retries(5, backoff=4)
"""The number in Canonical's blog of retries; its five minutes are four seconds here: a busy machine sees them, too."""
GPU: Final = "nvidia.com/gpu"
_AT_ONCE: Final = Work(1)
_UNTIL_LOST: Final = Work(3600)
_LOST_ONCE: Final = Work(1, first=_UNTIL_LOST)
_FIRST_STEP: Final = {
    "01-base-workload": _AT_ONCE,
    "02-spot-workload": _UNTIL_LOST,
    "03-spot-retries-workload": _LOST_ONCE,
    "04-gpu-spot-workload": _LOST_ONCE,
}
"""What the first step of each example does: on spot it works until its node is taken."""


@dataclass(frozen=True)
class Aftermath:
    """What became of workflows when all were over.

    Attributes:
        workflows: by name.
        pods: of their steps and drivers, by the name of the workflow's node.
        pools: on which those pods ran.
        messages: Argo's messages about each of their nodes meanwhile, in order.
    """

    workflows: dict[str, Object]
    pods: dict[str, Object]
    pools: dict[str, str]
    messages: Mapping[str, list[str]]

    def phase(self, name: str) -> str:
        """How a workflow ended."""
        return phase(self.workflows[name])

    def attempts(self, name: str, step: str = "work") -> list[Attempt]:
        """The attempts at a step."""
        return attempts(self.workflows[name]).get(step, [])


def _aftermath(demo: DemoStack, pools: Pools) -> Aftermath:
    """Steps on spot lose their nodes without notice, steps on demand end with code 1; with and without retries."""
    spot, stays = pools["cpu"].placement(prefer="spot"), pools["cpu"].placement(require="on-demand")
    gpu = pools["gpu"].placement(prefer="spot")
    on_spot = {
        "vanishes-retried": (Task("work", spot, FIVE), _LOST_ONCE),
        "vanishes-gpu-retried": (Task("work", gpu, FIVE, gpus=1), _LOST_ONCE),
        "vanishes": (Task("work", spot), _UNTIL_LOST),
    }
    on_demand = {
        "fails-once-retried": (Task("work", stays, FIVE), Work(1, first=Work(1, exit_code=1))),
        "fails-retried": (Task("work", stays, Retries(2)), Work(1, exit_code=1)),
        "fails": (Task("work", stays), Work(1, exit_code=1)),
    }
    messages: dict[str, list[str]] = defaultdict(list)
    last_pods: dict[str, Object] = {}
    ran_on: dict[str, str] = {}
    with profile(demo) as namespace, demo.playing(step=4) as play:
        demo.apply(*(workflow(name, namespace, [step]) for name, step in on_spot.items()))
        demo.apply(*(_example(name, namespace) for name in EXAMPLES))

        def look() -> list[Object]:
            for pod in demo.pods(namespace):
                node = pod["metadata"]["annotations"]["workflows.argoproj.io/node-name"]
                last_pods[node] = pod
                ran_on[node] = demo.pool_of(pod) or ran_on.get(node, "")
            workflows = demo.api.list(WORKFLOW, namespace)
            for live in workflows:
                for node in live.get("status", {}).get("nodes", {}).values():
                    message = node.get("message", "")
                    if message not in messages[node["name"]][-1:]:
                        messages[node["name"]].append(message)
            return workflows

        play.until(
            "work runs on spot",
            lambda: look() and _running(demo, namespace) == _ON_SPOT,
            every=REQUEST_SECONDS,
        )
        # Not before: work that prefers spot takes a free node on demand, if that is there first.
        demo.apply(*(workflow(name, namespace, [step]) for name, step in on_demand.items()))
        for pool in ("cpuspot", "gpuspot"):
            play.market.add(MarketEvent(play.clock.now(), Reclaim.VANISH, pool, ALL))
        play.until("the workflows end", lambda: all(map(ended, look())), every=REQUEST_SECONDS)
        by_name = {live["metadata"]["name"]: live for live in look()}
    return Aftermath(by_name, last_pods, ran_on, messages)


_ON_SPOT: Final = ["cpuspot"] * 5 + ["gpuspot"]
"""Where the pods are that are going to vanish: those of three examples, and of three other workflows."""


def _example(name: str, namespace: str) -> Object:
    """An example as it was compiled, but for its backoff."""
    recorded = json.loads(json.dumps(RECORDED[name]["workflow"]))
    [root] = [template for template in recorded["spec"]["templates"] if template["name"] == "root"]
    for task in root["dag"]["tasks"]:
        for parameter in task["arguments"]["parameters"]:
            if parameter["name"] == "retry-backoff-duration":
                parameter["value"] = str(FIVE.backoff)
    work = {"web-downloader": _FIRST_STEP[name], "merge-csv": _AT_ONCE, "train": _AT_ONCE}
    return simulated(recorded, name, namespace, work)


def _running(demo: DemoStack, namespace: str) -> list[str]:
    """The spot pools on which pods run now, one entry for each pod."""
    pools = [demo.pool_of(pod) for pod in demo.pods(namespace) if pod["status"].get("phase") == "Running"]
    return sorted(pool for pool in pools if pool in {"cpuspot", "gpuspot"})


@pytest.fixture(scope="module")
def as_the_charm_has_it(demo: DemoStack, argo_retries: ArgoRetries, pools: Pools) -> Aftermath:
    argo_retries.set(on=False)
    return _aftermath(demo, pools)


@pytest.fixture(scope="module")
def with_the_setting(demo: DemoStack, argo_retries: ArgoRetries, pools: Pools) -> Aftermath:
    argo_retries.set(on=True)
    return _aftermath(demo, pools)


@pytest.mark.usefixtures("demo")
def test_the_controller_has_no_port(argo: Argo) -> None:
    pid = argo.controller.pid_file.running()
    assert pid is not None
    assert listening([pid]) == set()


@pytest.mark.parametrize("name", ["vanishes-retried", "vanishes-gpu-retried"])
def test_the_charms_settings_lose_a_step_whose_pod_vanished_however_many_retries_it_has(
    as_the_charm_has_it: Aftermath, name: str
) -> None:
    assert as_the_charm_has_it.phase(name) == "Error"
    assert as_the_charm_has_it.attempts(name) == [Attempt(0, "Error", "pod deleted")]


def test_a_lost_step_looks_as_if_it_were_tried_again_until_its_backoff_is_over(
    as_the_charm_has_it: Aftermath,
) -> None:
    messages = as_the_charm_has_it.messages["vanishes-retried.root.work.executor"]
    assert messages[-2:] == ["Backoff for 4 seconds", "pod deleted"]


@pytest.mark.parametrize("name", ["vanishes-retried", "vanishes-gpu-retried"])
def test_with_the_setting_the_same_step_is_tried_again_and_succeeds(
    with_the_setting: Aftermath, name: str
) -> None:
    assert with_the_setting.phase(name) == "Succeeded"
    assert with_the_setting.attempts(name) == [
        Attempt(0, "Error", "pod deleted"),
        Attempt(1, "Succeeded", ""),
    ]


@pytest.mark.parametrize(
    ("settings", "recorded"), [("as_the_charm_has_it", "without"), ("with_the_setting", "with")]
)
def test_the_workflow_goes_through_what_one_that_kubeflow_compiled_went_through(
    settings: str, recorded: str, request: pytest.FixtureRequest
) -> None:
    aftermath: Aftermath = request.getfixturevalue(settings)
    nodes = aftermath.workflows["vanishes-retried"]["status"]["nodes"].values()
    rows = [[node["name"], node["type"], node["phase"], node.get("message", "")] for node in nodes]
    expected: list[list[str]] = RECORDED["a1-prefer"]["runs"][recorded]
    assert sorted(rows) == [
        [name.replace("a1-prefer", "vanishes-retried"), *more] for name, *more in expected
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
    assert [attempt.phase for attempt in aftermath.attempts("fails-once-retried")] == ["Failed", "Succeeded"]


@pytest.mark.parametrize("settings", ["as_the_charm_has_it", "with_the_setting"])
def test_a_step_that_keeps_failing_uses_up_its_retries(settings: str, request: pytest.FixtureRequest) -> None:
    aftermath: Aftermath = request.getfixturevalue(settings)
    assert aftermath.phase("fails-retried") == "Failed"
    assert [attempt.phase for attempt in aftermath.attempts("fails-retried")] == ["Failed"] * 3


@pytest.mark.parametrize("settings", ["as_the_charm_has_it", "with_the_setting"])
def test_of_the_examples_the_one_off_spot_survives_and_the_one_without_retries_does_not(
    settings: str, request: pytest.FixtureRequest
) -> None:
    aftermath: Aftermath = request.getfixturevalue(settings)
    assert aftermath.phase("01-base-workload") == "Succeeded"
    assert aftermath.phase("02-spot-workload") == "Error"
    assert aftermath.attempts("02-spot-workload", "merge-csv") == []


@pytest.mark.parametrize("name", ["03-spot-retries-workload", "04-gpu-spot-workload"])
def test_the_examples_with_retries_are_lost_without_the_setting(
    as_the_charm_has_it: Aftermath, name: str
) -> None:
    assert as_the_charm_has_it.phase(name) == "Error"
    assert as_the_charm_has_it.attempts(name, "web-downloader") == [Attempt(0, "Error", "pod deleted")]
    assert as_the_charm_has_it.attempts(name, "merge-csv") == []


@pytest.mark.parametrize("name", ["03-spot-retries-workload", "04-gpu-spot-workload"])
def test_with_the_setting_the_examples_with_retries_survive(with_the_setting: Aftermath, name: str) -> None:
    assert with_the_setting.phase(name) == "Succeeded"
    assert [attempt.phase for attempt in with_the_setting.attempts(name, "web-downloader")] == [
        "Error",
        "Succeeded",
    ]
    assert [attempt.phase for attempt in with_the_setting.attempts(name, "merge-csv")] == ["Succeeded"]


def test_every_step_of_the_examples_has_the_pod_that_the_real_driver_made(
    with_the_setting: Aftermath,
) -> None:
    placed: dict[tuple[str, str], list[Any]] = {}
    for node, pod in with_the_setting.pods.items():
        parts = re.sub(r"\(\d+\)", "", node).split(".")
        if parts[0] in EXAMPLES and parts[-1] == "executor":
            placed[parts[0], f"root--{parts[-2]}-driver"] = _placed(pod["spec"])
    expected = {
        (name, task): _placed(patch)
        for name in EXAMPLES
        for task, patch in RECORDED[name]["patches"].items()
        if (name, task) != ("02-spot-workload", "root--merge-csv-driver")  # it is lost before
    }
    assert placed == expected


def _placed(spec: Mapping[str, Any]) -> list[Any]:
    """Affinity, GPUs and tolerations of a pod, without what Kubernetes adds to every pod or to one with GPUs."""
    [main] = [container for container in spec["containers"] if container["name"] == "main"]
    tolerations = {
        (toleration["key"], toleration.get("effect", "")) for toleration in spec.get("tolerations", ())
    }
    return [
        spec.get("affinity"),
        main["resources"].get("limits"),
        {toleration for toleration in tolerations if not toleration[0].startswith("node.kubernetes.io/")},
    ]


@pytest.mark.parametrize("settings", ["as_the_charm_has_it", "with_the_setting"])
def test_drivers_stay_off_spot(settings: str, request: pytest.FixtureRequest) -> None:
    aftermath: Aftermath = request.getfixturevalue(settings)
    on = {pool for node, pool in aftermath.pools.items() if "driver" in node}
    assert on == {"general"}
    assert sum("root-driver" in node for node in aftermath.pods) == len(aftermath.workflows)
