"""A seeded storm on the spot market: hundreds of VMs are taken away, and no work is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import pytest

from kubeflow_aks.clients.kubernetes.objects import Kind as ObjectKind
from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.market import MarketEvent
from tests.local.demo.eviction.work import SPOT, SURVIVES_EVICTION, ended, job
from tests.local.demo_stack import REQUEST_SECONDS, DemoStack, Object, Play
from tests.local_aks.simulation.weather import Weather, seeded

SEEDS: Final = (1,)
EVICTIONS: Final = 40
"""The fewest VMs that must be taken; our choice."""
PIECES: Final = 5
"""Pieces of work of a Job, each of which takes most of a node."""

_JOB: Final = ObjectKind("batch", "v1", "Job")
_STORM_SECONDS: Final = 200.0
_ROUGH: Final = Weather(evictions_per_hour=1600, shortages_per_hour=0)
_VANISHING_SECONDS: Final = 200.0
"""Only at first: each costs the real garbage collector's minute, which no clock can shorten."""
_WITHOUT_NOTICE: Final = Weather(evictions_per_hour=200, vanish_share=1, shortages_per_hour=0)
_BOOT_SECONDS: Final = 15.0
"""Quicker than Azure's, so that nodes are there to be taken again."""
_RUNNABLE_PODS: Final = 24
"""Work there always is while the storm lasts: for the twenty nodes of the CPU spot pool and a little more."""


@dataclass(frozen=True)
class Storm:
    """What a storm did, and what became of the work.

    Attributes:
        evictions: the journal's lines about VMs taken.
        disrupted: how many pods were stopped by it.
        jobs: all Jobs when the last one was over.
        done: how often each piece of work succeeded, by Job and index.
    """

    evictions: Sequence[Object]
    disrupted: int
    jobs: Sequence[Object]
    done: Counter[tuple[str, str]]


def _schedule(seed: int) -> list[MarketEvent]:
    return [
        *seeded(seed, ["cpuspot"], _STORM_SECONDS, _ROUGH),
        *seeded(-seed, ["cpuspot"], _VANISHING_SECONDS, _WITHOUT_NOTICE),
    ]


def _work(name: str, namespace: str) -> Object:
    """Pieces of work that must be done once each, on spot nodes only, and none of which may fail."""
    return job(
        name,
        namespace,
        seconds=3,
        tolerations=(SPOT,),
        cpu="5",
        completionMode="Indexed",
        completions=PIECES,
        parallelism=PIECES,
        backoffLimitPerIndex=0,
        **SURVIVES_EVICTION,
    )


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seed: f"seed {seed}")
def storm(demo: DemoStack, request: pytest.FixtureRequest) -> Storm:
    """A storm over Job after Job, and the calm until nothing is left to do."""
    seed: int = request.param
    with demo.namespace() as namespace:
        with demo.playing(*_schedule(seed), step=4, boot=_BOOT_SECONDS, seed=seed) as play:
            play.until("the storm is over", _keep_busy(demo, play, namespace))
            play.until(
                "all Jobs are over",
                lambda: all(map(ended, demo.api.list(_JOB, namespace))),
                every=REQUEST_SECONDS,
            )
        jobs = demo.api.list(_JOB, namespace)
    return Storm(
        evictions=play.journal(Kind.EVICTION),
        disrupted=len(play.journal(Kind.POD_FINISHED, phase="Failed") + play.journal(Kind.POD_GONE)),
        jobs=jobs,
        done=Counter(_piece(line["pod"]) for line in play.journal(Kind.POD_FINISHED, phase="Succeeded")),
    )


def _keep_busy(demo: DemoStack, play: Play, namespace: str) -> Callable[[], bool]:
    """One poll of the storm, which starts another Job when work runs short; whether enough VMs were taken."""
    names: list[str] = []
    over = _STORM_SECONDS

    def look() -> bool:
        nonlocal over
        pods = demo.pods(namespace)
        runnable = sum(pod["status"].get("phase") in {"Pending", "Running"} for pod in pods)
        newest_has_pods = any(pod["metadata"]["labels"]["work"] in names[-1:] for pod in pods)
        if runnable < _RUNNABLE_PODS and (newest_has_pods or not names):
            names.append(f"job-{len(names)}")
            demo.apply(_work(names[-1], namespace))
        if play.clock.now() <= over:
            return False
        if len(play.journal(Kind.EVICTION)) >= EVICTIONS:
            return True
        play.weather(seeded(int(over), ["cpuspot"], _STORM_SECONDS, _ROUGH))
        over += _STORM_SECONDS
        return False

    return look


def _piece(pod: str) -> tuple[str, str]:
    """Job and index of a pod's key `namespace/job-index-suffix`."""
    name, index, _ = pod.partition("/")[2].rsplit("-", 2)
    return name, index


def test_no_work_is_lost(storm: Storm) -> None:
    statuses = [live["status"] for live in storm.jobs]
    ends = {
        (status.get("succeeded"), status.get("failed", 0), status.get("completedIndexes"))
        for status in statuses
    }
    assert ends == {(PIECES, 0, f"0-{PIECES - 1}")}


def test_every_piece_of_work_is_done_exactly_once(storm: Storm) -> None:
    pieces = {(live["metadata"]["name"], str(index)) for live in storm.jobs for index in range(PIECES)}
    assert storm.done == dict.fromkeys(pieces, 1)


def test_it_was_a_storm(storm: Storm) -> None:
    without_notice = sum(not line["notice"] for line in storm.evictions)
    print(
        f"{len(storm.evictions)} VMs taken, {without_notice} of them without notice; {storm.disrupted} pods stopped;"
        f" {len(storm.jobs)} Jobs with {len(storm.done)} pieces of work done"
    )
    assert len(storm.evictions) >= EVICTIONS
    assert without_notice > 0
    assert storm.disrupted >= len(storm.evictions) / 4
