"""What the real training operator does about a lost worker: the table in packages/ckf-spot/docs/training.md.

The jobs are as somebody wrote them, with no placement: each has one worker, and loses it in one way.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Generator, Iterator, Set
from dataclasses import dataclass
from typing import Final

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from tests.local.demo_stack import DemoStack, Object
from tests.local.kubectl import Kubectl
from tests.local.training.jobs import KINDS, PYTORCH, SHAPES, Shape, light_work, training_job

_PAGE: Final = PROJECT_ROOT / "packages/ckf-spot" / "docs" / "training.md"
_ROLE: Final = "training.kubeflow.org/replica-type"
_JOB: Final = "training.kubeflow.org/job-name"
_LOSS: Final = "test/loss"
_LABELS: Final = {"role": _ROLE, "job": _JOB, "loss": _LOSS}
_LONGEST_SECONDS: Final = 600.0
_POLL_SECONDS: Final = 0.5
_SOME_SECONDS: Final = 2
"""For how long a pod ends, and for how long it stays ended afterwards, so that a busy operator notices both."""
_LOSSES: Final = {
    "is drained": "drained",
    "ends with 137": "137",
    "ends with 1": "1",
    "disappears with its node": "vanished",
}
"""The table's columns."""
_FATES: Final = {
    "made again": {"made again"},
    "made again, rarely the job fails": {"made again", "fails"},
    "the job fails": {"fails"},
    "the job may fail": {"fails"},
    "stays dead": {"stays dead"},
}
"""The table's outcomes. A job may fail when the operator sees a pod in the moment between the garbage collector's two
steps: the first marks it as failed, the second removes it (Kubernetes, pkg/controller/podgc/gc_controller.go). A TFJob
rarely fails, observed once on a busy machine: when the operator looks again at a dead pod, and its note that the job
restarts has given way to the note that the chief runs (pkg/controller.v1/tensorflow/tfjob_controller.go)."""
_IN_ITS_POD: Final = "restarted in its pod"
"""That is the kubelet's work; the operator sees a pod that runs."""


@dataclass(frozen=True)
class Cell:
    """One job, how it loses its worker, and its possible outcomes on the page."""

    shape: Shape
    policy: str
    loss: str
    fates: Set[str]

    def __str__(self) -> str:
        """A name for the job and for the test."""
        return f"{self.shape.kind}-{self.policy}-{self.loss}".lower()


def _cells() -> Iterator[Cell]:
    rows = re.findall(r"^\| (?:Kind|\w+Job\b).*\|$", _PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    (_, _, *columns), *table = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    for kinds, policies, *documented in table:
        for kind in kinds.split(", "):
            for policy in policies.replace("`", "").split(", "):
                for column, fate in zip(columns, documented, strict=True):
                    if fate != _IN_ITS_POD:
                        yield Cell(SHAPES[kind], policy, _LOSSES[column], _FATES[fate])


CELLS: Final = tuple(_cells())


@dataclass(frozen=True)
class Work:
    """Training jobs in a namespace of their own, on a node that stays."""

    demo: DemoStack
    kubectl: Kubectl

    def start(self, jobs: list[Object]) -> dict[str, str]:
        """Applies jobs and waits until their pods run; the UIDs of the workers then, by job."""
        for job in jobs:
            job["metadata"]["namespace"] = self.kubectl.namespace
            for role in _roles(job).values():
                role["template"]["spec"]["nodeName"] = self.demo.nodes("general")[0]
            self.demo.apply(job)
        return self.running(*jobs)

    def running(self, *jobs: Object) -> dict[str, str]:
        """The UIDs of jobs' workers, by job, as soon as all pods run."""
        names = {job["metadata"]["name"] for job in jobs}
        expected = sum(len(_roles(job)) for job in jobs)

        def pods() -> list[Object]:
            return [
                pod
                for pod in self.pods()
                if pod["metadata"]["labels"][_JOB] in names and pod["status"].get("phase") == "Running"
            ]

        _until(lambda: len(pods()) == expected)
        return {
            pod["metadata"]["labels"][_JOB]: pod["metadata"]["uid"]
            for pod in pods()
            if pod["metadata"]["labels"][_ROLE] == "worker"
        }

    def pods(self, **labels: str) -> list[Object]:
        """The pods with these of `_LABELS`, as they were a moment ago."""
        expected = {_LABELS[name]: value for name, value in labels.items()}
        return [
            pod
            for pod in self.demo.pods(self.kubectl.namespace)
            if expected.items() <= pod["metadata"]["labels"].items()
        ]

    def ends(self, role: str, loss: str, code: int) -> None:
        """The containers of a role end with an exit code."""
        annotations = (f"local-aks/exit-code={code}", "local-aks/run-seconds=0")
        self.kubectl.run("annotate", "pods", *_of(role, loss), *annotations)

    def drained(self, loss: str) -> None:
        """Workers get SIGTERM and a grace period."""
        self.kubectl.run("delete", "pods", *_of("worker", loss), "--wait=false")

    def vanish(self, loss: str) -> None:
        """What the pod garbage collector does to workers whose node is gone, with time between its two steps."""
        pods = self.kubectl.get("pods", *_of("worker", loss))
        for pod in pods["items"]:
            pod["status"] = {"phase": "Failed"}
        self.kubectl.run("replace", "--subresource=status", "--filename=-", stdin=json.dumps(pods))
        time.sleep(_SOME_SECONDS)
        failed = ("--field-selector", "status.phase=Failed")
        self.kubectl.run("delete", "pods", *_of("worker", loss), *failed, "--force", "--grace-period=0")

    def restarted(self, job: str, role: str, times: int) -> None:
        """The kubelet has started a pod's container again."""
        [pod] = self.pods(job=job, role=role)
        [container] = pod["status"]["containerStatuses"]
        status = {"status": {"containerStatuses": [container | {"restartCount": times}]}}
        patch = ("--subresource=status", "--patch", json.dumps(status))
        self.kubectl.run("patch", "pod", pod["metadata"]["name"], *patch)

    def fates(self, before: dict[str, str]) -> dict[str, str]:
        """What has become of each job: `fails`, `made again`, `stays dead`, or what does not last.

        Args:
            before: what `start` returned.
        """
        workers = self._workers()

        def fate(job: Object) -> str:
            if "Failed" in self.conditions(job):
                return "fails"
            name = job["metadata"]["name"]
            if not (worker := workers.get(name)):
                return "is gone"
            if worker["metadata"]["uid"] != before[name]:
                return "made again"
            return "stays dead" if worker["status"]["phase"] == "Failed" else "lives"

        live_jobs = [job for kind in KINDS for job in self.demo.api.list(kind, self.kubectl.namespace)]
        jobs = {job["metadata"]["name"]: job for job in live_jobs}
        return {name: fate(jobs[name]) for name in before}

    def conditions(self, job: Object) -> set[str]:
        """The conditions that hold for a job."""
        return {
            condition["type"]
            for condition in job["status"].get("conditions", [])
            if condition["status"] == "True"
        }

    def _workers(self) -> dict[str, Object]:
        return {pod["metadata"]["labels"][_JOB]: pod for pod in self.pods(role="worker")}


def _roles(job: Object) -> dict[str, Object]:
    return job["spec"][SHAPES[job["kind"]].replicas]


def _of(role: str, loss: str) -> tuple[str, str]:
    return ("--selector", f"{_ROLE}={role},{_LOSS}={loss}")


def _until(look: Callable[[], bool]) -> None:
    """Waits until something is so, or for as long as makes no sense any more; the caller looks again."""
    deadline = time.monotonic() + _LONGEST_SECONDS
    while not look() and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)


def _job(shape: Shape, name: str, loss: str, **policies: str) -> Object:
    """A job with one worker; the restart policies are by role."""
    job = training_job(shape, "", workers=1)
    job["metadata"]["name"] = name
    for role, replica in _roles(job).items():
        replica["template"]["spec"]["containers"][0].pop("resources")
        replica["template"]["metadata"] = {
            "labels": {_LOSS: loss},
            "annotations": dict.fromkeys(
                ("local-aks/stop-seconds", "local-aks/gone-seconds"), str(_SOME_SECONDS)
            ),
        }
        if role in policies:
            replica["restartPolicy"] = policies[role]
    return job


@pytest.fixture(scope="module")
def fates(demo: DemoStack) -> Generator[dict[str, str]]:
    """What became of every cell's job, some time after nothing else happened: all are played at once."""
    documented = {str(cell): cell.fates for cell in CELLS}
    with light_work(demo, "restart-policies") as kubectl:
        work = Work(demo, kubectl)
        before = work.start([_job(cell.shape, str(cell), cell.loss, Worker=cell.policy) for cell in CELLS])
        work.ends("worker", "137", 137)
        work.ends("worker", "1", 1)
        work.drained("drained")
        work.vanish("vanished")
        _until(lambda: all(fate in documented[name] for name, fate in work.fates(before).items()))
        time.sleep(_SOME_SECONDS)
        yield work.fates(before)


def test_the_page_has_every_kind_and_policy() -> None:
    documented = {(cell.shape.kind, cell.policy) for cell in CELLS}
    assert documented == {
        (kind, policy) for kind in SHAPES for policy in ("Always", "ExitCode", "Never", "OnFailure")
    }


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_a_job_that_loses_its_worker_ends_as_on_the_page(cell: Cell, fates: dict[str, str]) -> None:
    assert fates[str(cell)] in cell.fates


@pytest.fixture(scope="module")
def work(demo: DemoStack) -> Generator[Work]:
    """For one job after the other."""
    with light_work(demo, "limits-and-launchers") as kubectl:
        yield Work(demo, kubectl)


def _limited(name: str, policy: str, limit: int) -> Object:
    job = _job(PYTORCH, name, name, Worker=policy, Master=policy)
    job["spec"]["runPolicy"] = {"backoffLimit": limit}
    return job


def test_a_role_without_a_policy_has_the_default_of_the_page(work: Work) -> None:
    """In the pods: the operator writes its default into the pods."""
    jobs = [_job(shape, f"default-{kind.lower()}", "none") for kind, shape in SHAPES.items()]
    work.start(jobs)
    workers = work.pods(role="worker", loss="none")
    assert {pod["metadata"]["labels"][_JOB]: pod["spec"]["restartPolicy"] for pod in workers} == {
        f"default-{kind.lower()}": "OnFailure" if kind in {"PyTorchJob", "PaddleJob"} else "Never"
        for kind in SHAPES
    }


def test_no_limit_above_0_ends_a_worker_that_is_killed_again_and_again(work: Work) -> None:
    job = _limited("killed", "ExitCode", 1)
    before = work.start([job])
    for _ in range(3):
        work.ends("worker", "killed", 137)
        _until(lambda before=before: work.fates(before)["killed"] == "made again")
        assert work.fates(before)["killed"] == "made again"
        before = work.running(job)


def test_a_limit_of_0_fails_a_job_with_the_first_worker_that_is_killed(work: Work) -> None:
    before = work.start([_limited("none", "ExitCode", 0)])
    work.ends("worker", "none", 137)
    _until(lambda: work.fates(before)["none"] == "fails")
    assert work.fates(before)["none"] == "fails"


def test_a_limit_counts_the_restarts_in_all_pods_together(work: Work) -> None:
    before = work.start([_limited("counted", "OnFailure", 2)])
    work.restarted("counted", "worker", 1)
    time.sleep(_SOME_SECONDS)
    assert work.fates(before)["counted"] == "lives"
    work.restarted("counted", "master", 1)
    _until(lambda: work.fates(before)["counted"] == "fails")
    assert work.fates(before)["counted"] == "fails"


@pytest.mark.parametrize(("policy", "condition"), [("Never", "Failed"), ("ExitCode", "Restarting")])
def test_an_mpijobs_launcher_that_ends_with_1_is_not_made_again(
    policy: str, condition: str, work: Work
) -> None:
    job = _job(SHAPES["MPIJob"], f"launcher-{policy.lower()}", policy, Worker="ExitCode", Launcher=policy)
    work.start([job])
    work.ends("launcher", policy, 1)
    _until(lambda: condition in work.conditions(work.demo.api.get(job)))
    time.sleep(_SOME_SECONDS)
    assert condition in work.conditions(work.demo.api.get(job))
    [launcher] = work.pods(role="launcher", loss=policy)
    assert launcher["status"]["phase"] == "Failed"


def test_an_mpijob_whose_launcher_starts_again_in_its_pod_gets_its_worker_back(work: Work) -> None:
    job = _job(SHAPES["MPIJob"], "elastic", "elastic", Worker="ExitCode", Launcher="OnFailure")
    before = work.start([job])
    work.drained("elastic")
    work.restarted("elastic", "launcher", 1)
    _until(lambda: work.fates(before)["elastic"] == "made again")
    assert work.fates(before)["elastic"] == "made again"
