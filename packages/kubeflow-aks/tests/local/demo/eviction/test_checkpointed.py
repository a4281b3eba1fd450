"""The checkpoint example is evicted, and ends with the result of a run that nobody disturbed.

The Job of the example is placed by ckf_spot; the real scheduler, Job controller and eviction API do the rest, and
train.py is a real process that gets a pod's signals: Azure's notice, SIGTERM, both, or nothing.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from ckf_spot import Pools
from kubeflow_aks.clients.kubernetes.objects import Kind as ObjectKind
from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.market import MarketEvent, Reclaim
from tests.local.demo.eviction.kubelet import LEFT_TO_US, METADATA, Container, Kubelet
from tests.local.demo.eviction.work import ended
from tests.local.demo_stack import REQUEST_SECONDS, DemoStack, Object
from tests.local.pool_contract import pools_of

EXAMPLE: Final = Path(__file__).parents[6] / "packages/ckf-spot/examples/checkpoint"
STEPS: Final = 20_000
RARELY: Final = "1000"
"""Seconds between saves, more than the test takes: whatever is saved, a sign was the reason."""
DEAF: Final = ["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"]
EVICTED: Final = ("drained", "undrained", "deaf")
GRACE_SECONDS: Final = 10
"""The deaf pod's grace period; `ckf_spot` leaves a period that is shorter than its own as it is."""


@dataclass(frozen=True)
class Played:
    """Four Jobs whose VMs were taken.

    Attributes:
        containers: the processes of each Job's pods, by the Job's name.
        jobs: the Jobs afterwards, by name.
        gone: simulated second at which the first VM of each was taken.
        folder: the volume that they share.
    """

    containers: Mapping[str, list[Container]]
    jobs: Mapping[str, Object]
    gone: Mapping[str, float]
    folder: Path

    def pair(self, name: str) -> tuple[Container, Container]:
        """The evicted pod's process and that of the pod which went on."""
        first, second = self.containers[name]
        return first, second

    def result(self, name: str) -> str:
        """What the training came to."""
        return (self.folder / name / "result.json").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The result of a run on its own."""
    folder = tmp_path_factory.mktemp("undisturbed")
    options = ["--folder", str(folder), "--steps", str(STEPS), "--metadata", ""]
    subprocess.run([sys.executable, EXAMPLE / "train.py", *options], check=True, capture_output=True)
    return (folder / "result.json").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def played(demo: DemoStack, tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("checkpointed")
    volume = tmp_path_factory.mktemp("volume")
    pools = pools_of(demo, folder)
    with demo.namespace(ObjectKind("", "v1", "PersistentVolumeClaim")) as namespace:
        claim, job = yaml.safe_load_all((EXAMPLE / "job.yaml").read_text(encoding="utf-8"))
        claim["metadata"]["namespace"] = namespace
        store = _store(claim, volume)
        demo.apply(store, claim)
        try:
            return _play(demo, job, pools, namespace, folder=folder, volume=volume)
        finally:
            demo.kubectl.run("delete", "persistentvolume", store["metadata"]["name"], "--wait=false")


def _play(
    demo: DemoStack, job: Object, pools: Pools, namespace: str, *, folder: Path, volume: Path
) -> Played:
    def variables(_work: str, earlier: int) -> dict[str, str]:
        return {"PAUSE": "0" if earlier else "0.02"}  # the first is slow enough to be evicted

    jobs = {
        "drained": _job(job, "drained", namespace, pools, _command("drained", every=RARELY)),
        "undrained": _job(job, "undrained", namespace, pools, _command("undrained", every=RARELY)),
        "vanished": _job(job, "vanished", namespace, pools, _command("vanished", every="0.2")),
        "deaf": _job(job, "deaf", namespace, pools, DEAF),
    }
    with demo.playing(step=0.2, boot=5) as play:
        kubelet = Kubelet(demo, play, namespace, folder, variables)
        with kubelet.running():
            demo.apply(*(_budget(name, namespace) for name in ("drained", "undrained")), *jobs.values())
            play.until("all run", lambda: all(map(kubelet.of, jobs)))
            first = {name: kubelet.of(name)[0] for name in jobs}
            assert len({container.node for container in first.values()}) == len(jobs)
            play.until("one has saved", lambda: "saved" in str(first["vanished"].log_lines))
            play.until(
                "the others train", lambda: first["drained"].log_lines and first["undrained"].log_lines
            )
            now = play.clock.now()
            play.market.add(
                *(MarketEvent(now, Reclaim.EVICT, "cpuspot", node=first[name].node) for name in EVICTED),
                MarketEvent(now, Reclaim.VANISH, "cpuspot", node=first["vanished"].node),
            )
            play.until("the notice is read", lambda: "notice" in str(first["drained"].log_lines))
            demo.api.delete(
                _budget("drained", namespace), "Background"
            )  # from here on its node can be drained
            trained = [jobs[name] for name in jobs if name != "deaf"]
            play.until(
                "the trainings end",
                lambda: all(ended(demo.api.get(entry)) for entry in trained),
                every=REQUEST_SECONDS,
            )
            play.until("the deaf one goes on, too", lambda: len(kubelet.of("deaf")) > 1)
            containers = {name: kubelet.of(name) for name in jobs}
            afterwards = {name: demo.api.get(entry) for name, entry in jobs.items()}
        gone = {
            name: next(line["time"] for line in play.journal(Kind.EVICTION) if line["node"] == container.node)
            for name, container in first.items()
        }
    return Played(containers, afterwards, gone, volume)


def _command(name: str, *, every: str) -> list[str]:
    options = {
        "--folder": f"/checkpoints/{name}",
        "--steps": str(STEPS),
        "--every": every,
        "--pause": "$(PAUSE)",
        "--metadata": METADATA,
        "--look": "0.5",
    }
    return ["python", "train.py", *(word for pair in options.items() for word in pair)]


def _job(example: Object, name: str, namespace: str, pools: Pools, command: list[str]) -> Object:
    """The example's Job as ckf_spot places it, on a node of its own."""
    example = deepcopy(example)
    if command is DEAF:
        example["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = GRACE_SECONDS
    job: Any = pools["cpu"].place(example, prefer="spot")
    job["metadata"] = {"name": name, "namespace": namespace}
    template = job["spec"]["template"]
    template["metadata"]["labels"] = {"work": name}
    template["metadata"]["annotations"] |= LEFT_TO_US
    template["spec"]["containers"][0] |= {
        "command": command,
        "workingDir": str(EXAMPLE),
        "resources": {"requests": {"cpu": "5"}},
    }
    return job


def _budget(name: str, namespace: str) -> Object:
    """Keeps the drain from a pod, so that only the notice can be known."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"work": name}}},
    }


def _store(claim: Object, folder: Path) -> Object:
    """The volume that Azure's driver would make for the claim; here a folder that every node reaches."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"checkpoints-{claim['metadata']['namespace']}"},
        "spec": {
            "capacity": claim["spec"]["resources"]["requests"],
            "accessModes": claim["spec"]["accessModes"],
            "storageClassName": claim["spec"]["storageClassName"],
            "persistentVolumeReclaimPolicy": "Retain",
            "claimRef": {"namespace": claim["metadata"]["namespace"], "name": claim["metadata"]["name"]},
            "hostPath": {"path": str(folder)},
        },
    }


def _steps(container: Container, what: str) -> list[int]:
    """The steps that it logged with these words."""
    return [int(line.removeprefix(what)) for line in container.log_lines if line.startswith(what)]


@pytest.mark.parametrize("name", ["drained", "undrained", "vanished"])
def test_the_result_is_that_of_an_undisturbed_run_to_the_last_digit(
    played: Played, undisturbed: str, name: str
) -> None:
    first, second = played.pair(name)
    assert first.node != second.node
    assert played.result(name) == undisturbed
    assert ended(played.jobs[name]) == "Complete"
    assert played.jobs[name]["status"].get("failed", 0) == 0


def test_notice_then_sigterm_then_checkpoint_then_gone(played: Played) -> None:
    first, second = played.pair("drained")
    [noticed] = _steps(first, "notice, saved step ")
    [evicted] = _steps(first, "evicted at step ")
    assert noticed < evicted
    assert (first.signals, first.process.returncode, first.reported) == ([signal.SIGTERM], 143, True)
    assert first.sigterm_at is not None
    assert first.sigterm_at < played.gone["drained"]
    assert _steps(second, "start at step ") == [evicted]


def test_where_the_drain_fails_the_notice_alone_saves_the_work(played: Played) -> None:
    first, second = played.pair("undrained")
    [noticed] = _steps(first, "notice, saved step ")
    assert (first.signals, first.reported) == ([signal.SIGKILL], False)
    assert _steps(second, "start at step ") == [noticed]
    assert noticed > 0


def test_a_vm_that_vanishes_costs_the_work_since_the_last_checkpoint(played: Played) -> None:
    first, second = played.pair("vanished")
    assert (first.signals, first.reported) == ([signal.SIGKILL], False)
    assert [
        line for line in first.log_lines if "notice" in line
    ] == []  # it got the notice of the others, too
    [begun] = _steps(second, "start at step ")
    # A save right before the kill is done but not logged.
    assert begun >= _steps(first, "saved step ")[-1] > 0


def test_who_ignores_sigterm_is_killed_when_the_grace_period_is_over(played: Played) -> None:
    first, _ = played.containers["deaf"][:2]
    assert (first.signals, first.process.returncode) == ([signal.SIGTERM, signal.SIGKILL], -signal.SIGKILL)
    assert first.reported
    assert first.sigterm_at is not None
    assert first.sigterm_at + GRACE_SECONDS < played.gone["deaf"]


def test_the_volume_holds_checkpoints_and_results_only(played: Played) -> None:
    """And what SIGKILL can leave: the draft of a checkpoint that the killed process was writing."""
    files = {path.relative_to(played.folder) for path in played.folder.glob("*/*")}
    drafts = {
        Path(name, f".checkpoint.json.{container.process.pid}")
        for name, containers in played.containers.items()
        for container in containers
        if signal.SIGKILL in container.signals
    }
    trained = played.jobs.keys() - {"deaf"}
    assert files - drafts == {
        Path(name, file) for name in trained for file in ("checkpoint.json", "result.json")
    }
