"""Nodes that placeholders keep warm: the real scheduler pushes one aside for work, and the real API server scales them.

The objects are those that the component registers, and the script runs as its pod runs it. VMs, nodes and containers
are simulated, and the autoscaler, as it was recorded.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from components.kubeflow.prerequisites import KubeflowPrerequisites
from kubeflow_aks.clients.kubernetes.objects import Kind
from kubeflow_aks.local_aks.control_plane.controllers.eviction_handler import prepare
from kubeflow_aks.recorder.run import record
from tests.local.demo.eviction.work import SPOT, SPOT_ONLY, job
from tests.local.demo_stack import DemoStack, Object

THERE: Final = "kubeflow-aks-headroom"
HOURS: Final = {"time_zone": "Europe/London", "opens": "08:30"}
SPECS: Final = [
    {"pool": "cpuspot", "nodes": 2, "images": ["python:3.11-slim"], "hours": HOURS},
    {"pool": "gpuspot"},
]
KINDS: Final = (Kind("apps", "v1", "Deployment"), Kind("batch", "v1", "CronJob"))


@dataclass(frozen=True)
class Played:
    """What became of placeholders.

    Attributes:
        warm: the node of the first one on the CPU pool.
        gpu: the pool of the one with GPUs.
        work: the node that work took.
        after: the nodes of placeholders on the CPU pool once there is one again.
        opened, closed: how many there are after each run of the script.
    """

    warm: str
    gpu: str
    work: str
    after: list[str]
    opened: int
    closed: int


@pytest.fixture(scope="module")
def played(demo: DemoStack, tmp_path_factory: pytest.TempPathFactory) -> Generator[Played]:
    objects = registered(demo)
    priority_class = next(obj for obj in objects if obj["kind"] == "PriorityClass")
    with demo.namespace() as work, demo.namespace(*KINDS, name=THERE):
        try:
            yield _played(demo, objects, work, tmp_path_factory.mktemp("headroom"))
        finally:
            demo.api.delete(priority_class, "Background")


def registered(demo: DemoStack) -> list[Object]:
    """What the component adds for headroom on the pools of the demo stack."""
    contract = demo.api.get(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "agent-pools", "namespace": "kubeflow-aks"},
        }
    )
    pools = json.loads(contract["data"]["pools.json"])

    def program() -> None:
        arguments: Any = {"pools": pools, "headroom": SPECS}
        KubeflowPrerequisites("kubeflow", arguments)

    resources = record("dev", program=program).resources.values()
    inputs = [it.inputs for it in resources if it.type.startswith("kubernetes:") and "-headroom" in it.name]
    return sorted(json.loads(json.dumps(inputs)), key=lambda obj: obj["kind"] != "Namespace")


def _played(demo: DemoStack, objects: list[Object], work: str, folder: Path) -> Played:
    demo.apply(*objects)
    with demo.playing(step=10) as play:
        warm = play.until("a placeholder has a node", lambda: _running(demo, "cpuspot"))[0]
        gpu = play.until("a placeholder has a GPU", lambda: _running(demo, "gpuspot"))[0]
        demo.apply(job("work", work, seconds=600, selector=SPOT_ONLY, tolerations=[SPOT], cpu="7"))
        took = play.until(
            "work has a node",
            lambda: [
                pod["spec"]["nodeName"] for pod in demo.pods(work) if pod["status"]["phase"] == "Running"
            ],
        )
        after = play.until("there is a placeholder again", lambda: _running(demo, "cpuspot"))
        counts: list[int] = []
        for turn, number in (("open", 2), ("close", 0)):
            _scale(demo, objects, f"headroom-cpuspot-{turn}", folder)
            play.until(f"headroom is {turn}", lambda: len(_placeholders(demo, "cpuspot")) == number)  # noqa: B023
            counts.append(len(_placeholders(demo, "cpuspot")))
    return Played(warm, demo.pool_of({"spec": {"nodeName": gpu}}), took[0], after, *counts)


def _placeholders(demo: DemoStack, pool: str) -> list[Object]:
    app = f"headroom-{pool}"
    pods = demo.pods(THERE)
    return [
        pod
        for pod in pods
        if pod["metadata"]["labels"].get("app.kubernetes.io/name") == app
        and "deletionTimestamp" not in pod["metadata"]
    ]


def _running(demo: DemoStack, pool: str) -> list[str]:
    """The nodes of placeholders that run."""
    pods = _placeholders(demo, pool)
    return [pod["spec"]["nodeName"] for pod in pods if pod["status"].get("phase") == "Running"]


def _scale(demo: DemoStack, objects: list[Object], name: str, folder: Path) -> None:
    """Runs a CronJob's container once, with a token of its own service account."""
    by_name = {(obj["kind"], obj["metadata"]["name"]): obj for obj in objects}
    spec = by_name["CronJob", name]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    [container] = spec["containers"]
    prepared = prepare(demo.kubectl.kubeconfig, folder, "eviction-handler")
    assert prepared is not None
    for file, text in by_name["ConfigMap", "headroom"]["data"].items():
        (folder / "scripts" / file).write_text(text, encoding="utf-8")
    (folder / "token").write_text(
        demo.api.token(THERE, spec["serviceAccountName"], seconds=3600), encoding="utf-8"
    )
    environment = {**prepared.environment, **{entry["name"]: entry["value"] for entry in container["env"]}}
    command = [prepared.command[0], *container["command"][1:], folder]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, timeout=60)


def test_work_starts_on_the_node_that_a_placeholder_held(played: Played) -> None:
    assert played.work == played.warm


def test_a_placeholder_that_was_pushed_aside_holds_another_node(played: Played) -> None:
    assert len(played.after) == 1
    assert played.after != [played.warm]


def test_a_placeholder_holds_a_node_with_gpus(played: Played) -> None:
    assert played.gpu == "gpuspot"


def test_the_hours_scale_placeholders_with_their_own_rights(played: Played) -> None:
    assert (played.opened, played.closed) == (2, 0)
