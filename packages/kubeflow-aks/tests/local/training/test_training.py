"""Training jobs that `ckf_spot` placed, and what the real training operator does when their pods go."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import pytest

from ckf_spot import Pools
from kubeflow_aks.local_aks.control_plane.controllers.training_operator import TrainingOperator
from kubeflow_aks.local_aks.simulation.market import ALL, MarketEvent, Reclaim
from tests.local.demo_stack import REQUEST_SECONDS, DemoStack, Object, Play
from tests.local.ports import listening
from tests.local.training.jobs import (
    KINDS,
    PYTORCH,
    TENSORFLOW,
    Shape,
    Training,
    training_job,
)

_ELASTIC: Final = {
    "PET_NNODES": "1:3",
    "PET_RDZV_BACKEND": "c10d",
    "PET_RDZV_ENDPOINT": "train-master-0:23456",
    "PET_MAX_RESTARTS": "100",
    "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
}
"""What torchrun reads in each pod of an elastic job with a master and two workers."""


@pytest.fixture(params=[PYTORCH, TENSORFLOW], ids=lambda shape: shape.kind)
def shape(request: pytest.FixtureRequest) -> Shape:
    return request.param


@contextmanager
def _training(
    demo: DemoStack, pools: Pools, shape: Shape, namespace: str, *, elastic: bool = False
) -> Generator[tuple[Play, Training]]:
    """A job whose chief and both workers run."""
    with demo.playing(step=4) as play:
        yield play, _started(demo, play, pools, shape, namespace, elastic=elastic)


def _started(
    demo: DemoStack, play: Play, pools: Pools, shape: Shape, namespace: str, *, elastic: bool = False
) -> Training:
    job = pools[shape.workload].place(training_job(shape, namespace), prefer="spot", elastic=elastic)
    training = Training(demo, job)
    worker = job["spec"][shape.replicas]["Worker"]
    worker["restartPolicy"] = "ExitCode"  # not every kind's own, and placing leaves one that survives
    demo.apply(job)
    play.until("the chief runs", lambda: training.pods(shape.chief))
    play.until("both workers run", lambda: len(training.pods("Worker")) == 2)
    play.until("the job runs", lambda: "Running" in training.conditions(), every=REQUEST_SECONDS)
    return training


def _nodes(pods: Mapping[int, Object]) -> set[str]:
    return {pod["spec"]["nodeName"] for pod in pods.values()}


def _uids(pods: Mapping[int, Object]) -> set[str]:
    return {pod["metadata"]["uid"] for pod in pods.values()}


def _variables(pod: Object) -> dict[str, str]:
    [container] = pod["spec"]["containers"]
    return {variable["name"]: variable["value"] for variable in container["env"]}


def _goes_on(training: Training) -> bool:
    return not training.conditions().keys() & {"Failed", "Succeeded"}


def test_workers_run_on_spot_and_the_chief_on_nodes_that_stay(
    demo: DemoStack, pools: Pools, shape: Shape, namespace: str
) -> None:
    with _training(demo, pools, shape, namespace) as (_, training):
        workers = [demo.pool_of(pod) for pod in training.pods("Worker").values()]
        [chief] = training.pods(shape.chief).values()
    assert workers == [f"{shape.workload}spot"] * 2
    assert demo.pool_of(chief) == "general"


def test_a_worker_that_vanishes_is_made_again_on_another_spot_node_and_the_job_goes_on_to_its_end(
    demo: DemoStack, pools: Pools
) -> None:
    """Both kinds at once: each waits a minute for the real garbage collector."""
    with (
        demo.namespace(*KINDS) as first,
        demo.namespace(*KINDS) as second,
        demo.playing(step=4) as play,
    ):
        losses = [
            _lose_a_worker(play, _started(demo, play, pools, shape, namespace), shape)
            for shape, namespace in ((PYTORCH, first), (TENSORFLOW, second))
        ]
        for loss in losses:
            loss.recovers(play)


@dataclass(frozen=True)
class Loss:
    """A training that lost a worker with its node.

    Attributes:
        before: the workers' pods before, by index.
        gone: the node.
        lost: index of the worker.
    """

    training: Training
    shape: Shape
    before: Mapping[int, Object]
    gone: str
    lost: int

    def recovers(self, play: Play) -> None:
        """The worker runs again on another spot node, the other one has not moved, and the job succeeds."""
        training, demo = self.training, self.training.demo

        def made_again() -> bool:
            assert _goes_on(training)
            now = training.pods("Worker").get(self.lost)
            return now is not None and now["metadata"]["uid"] != self.before[self.lost]["metadata"]["uid"]

        play.until("the worker runs again", made_again, every=REQUEST_SECONDS)
        after = training.pods("Worker")
        assert after[self.lost]["spec"]["nodeName"] != self.gone
        assert demo.pool_of(after[self.lost]) == f"{self.shape.workload}spot"
        other = 1 - self.lost
        assert after[other]["metadata"]["uid"] == self.before[other]["metadata"]["uid"]
        for pod in (*training.pods(self.shape.chief).values(), *after.values()):
            training.end(pod, 0)
        play.until("the job succeeds", lambda: "Succeeded" in training.conditions())


def _lose_a_worker(play: Play, training: Training, shape: Shape) -> Loss:
    """Takes a node of a training without notice."""
    spot = f"{shape.workload}spot"
    before = training.pods("Worker")
    play.market.add(MarketEvent(play.clock.now(), Reclaim.VANISH, spot))
    [gone] = play.until("a node is gone", lambda: _nodes(before) - set(training.demo.nodes(spot)))
    [lost] = [index for index, pod in before.items() if pod["spec"]["nodeName"] == gone]
    return Loss(training, shape, before, gone, lost)


def test_workers_that_are_drained_are_made_again_on_other_spot_nodes_and_the_master_they_meet_at_stays(
    demo: DemoStack, pools: Pools, namespace: str
) -> None:
    """An elastic job, of which all spot nodes go at once."""
    spot = "gpuspot"
    with _training(demo, pools, PYTORCH, namespace, elastic=True) as (play, training):
        before = training.pods("Worker")
        [master] = training.pods("Master").values()
        play.market.add(MarketEvent(play.clock.now(), Reclaim.EVICT, spot, ALL))

        def made_again() -> bool:
            assert _goes_on(training)
            return len(training.pods("Worker")) == 2 and not _uids(training.pods("Worker")) & _uids(before)

        play.until("the workers run again", made_again, every=REQUEST_SECONDS)
        after = training.pods("Worker")
        assert _uids(training.pods("Master")) == {master["metadata"]["uid"]}
    assert [demo.pool_of(pod) for pod in after.values()] == [spot] * 2
    assert not _nodes(after) & _nodes(before)
    for pod in (master, *after.values()):
        assert _variables(pod).items() >= _ELASTIC.items()


def test_the_operator_has_no_port(demo: DemoStack) -> None:
    pid = TrainingOperator(demo.aks.run, demo.aks.tools).controller.pid_file.running()
    assert pid is not None
    assert listening([pid]) == set()


def test_a_worker_that_ends_by_sigterm_is_made_again(
    demo: DemoStack, pools: Pools, shape: Shape, namespace: str
) -> None:
    with _training(demo, pools, shape, namespace) as (play, training):
        first = training.pods("Worker")[0]
        training.end(first, 143)

        def made_again() -> bool:
            assert _goes_on(training)
            now = training.pods("Worker").get(0)
            return now is not None and now["metadata"]["uid"] != first["metadata"]["uid"]

        play.until("the worker runs again", made_again, every=REQUEST_SECONDS)


def test_a_worker_that_ends_with_1_fails_the_job(
    demo: DemoStack, pools: Pools, shape: Shape, namespace: str
) -> None:
    with _training(demo, pools, shape, namespace) as (play, training):
        training.end(training.pods("Worker")[0], 1)
        play.until("the job fails", lambda: "Failed" in training.conditions())
    assert len(training.pods("Worker", "Failed")) == 1
