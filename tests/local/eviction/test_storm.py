"""A seeded storm on the spot market: hundreds of VMs are taken away, and no work is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pytest

from localaks.journal import Kind
from localaks.kubernetes.objects import Kind as ObjectKind
from localaks.market import MarketEvent, Weather, seeded
from tests.local.demo_stack import DemoStack, Object
from tests.local.eviction.work import SPOT, SURVIVES_EVICTION, job

SEEDS: Final = (1,)
JOBS: Final = 60
INDEXES: Final = 5
EVICTIONS: Final = 200
"""The fewest VMs that must be taken (issue 4)."""

_JOB: Final = ObjectKind("batch", "v1", "Job")
_ROUGH: Final = Weather(evictions_per_hour=180, shortages_per_hour=4, shortage_seconds=120)
_WITHOUT_NOTICE: Final = Weather(evictions_per_hour=40, vanish_share=1, shortages_per_hour=0)
_STORM_SECONDS: Final = 5400.0
_VANISHING_SECONDS: Final = 900.0
"""Only at first: each costs the real garbage collector's minute, which no clock can shorten."""


@dataclass(frozen=True)
class Storm:
    """What a storm did and what was left of the work."""

    evictions: Sequence[Object]
    disrupted: int
    """Pods that were running when their VM was announced or lost."""
    jobs: Sequence[Object]
    completions: Counter[tuple[str, str]]
    """Pods that succeeded, by Job and index."""


def _schedule(seed: int) -> list[MarketEvent]:
    return [
        *seeded(seed, ["cpuspot"], _STORM_SECONDS, _ROUGH),
        *seeded(seed + 1000, ["cpuspot"], _VANISHING_SECONDS, _WITHOUT_NOTICE),
    ]


def _work(namespace: str, number: int) -> Object:
    """A Job of several pieces of work, each of which must be done once; no piece may fail."""
    return job(
        f"job-{number:02}",
        namespace,
        seconds=2 + number % 4,
        tolerations=(SPOT,),
        cpu="2",
        completionMode="Indexed",
        completions=INDEXES,
        parallelism=INDEXES,
        backoffLimitPerIndex=0,
        **SURVIVES_EVICTION,
    )


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seed: f"seed {seed}")
def storm(demo: DemoStack, request: pytest.FixtureRequest) -> Storm:
    """Sixty Jobs of five pieces each, on spot nodes only, from the first eviction until nothing is left to do."""
    namespace = f"storm-{request.param}"
    demo.create_namespace(namespace)
    with demo.playing(*_schedule(request.param), step=6, seed=request.param) as play:
        demo.apply(*(_work(namespace, number) for number in range(JOBS)))
        play.until(
            "every Job ends",
            lambda: all(_is_over(live) for live in demo.api.list(_JOB, namespace)),
            seconds=400,
        )
    storm = Storm(
        evictions=play.journal(Kind.EVICTION),
        disrupted=len(play.journal(Kind.POD_FINISHED, phase="Failed") + play.journal(Kind.POD_GONE)),
        jobs=demo.api.list(_JOB, namespace),
        completions=Counter(
            (
                pod["metadata"]["labels"]["work"],
                pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"],
            )
            for pod in demo.pods(namespace)
            if pod["status"]["phase"] == "Succeeded"
        ),
    )
    demo.clear(namespace)
    return storm


def _is_over(live: Object) -> bool:
    conditions = live.get("status", {}).get("conditions", [])
    return any(entry["type"] in {"Complete", "Failed"} and entry["status"] == "True" for entry in conditions)


def test_no_work_is_lost(storm: Storm) -> None:
    ends = Counter(
        (
            live["status"].get("succeeded", 0),
            live["status"].get("failed", 0),
            live["status"].get("completedIndexes"),
        )
        for live in storm.jobs
    )
    assert ends == {(INDEXES, 0, f"0-{INDEXES - 1}"): JOBS}


def test_every_piece_of_work_is_done_exactly_once(storm: Storm) -> None:
    assert len(storm.completions) == JOBS * INDEXES
    assert set(storm.completions.values()) == {1}


def test_it_was_a_storm(storm: Storm, record_property: pytest.RecordProperty) -> None:
    noticed = sum(line["notice"] for line in storm.evictions)
    caught = [line for line in storm.evictions if line["pods"]]
    counts = {
        "evictions": len(storm.evictions),
        "with_notice": noticed,
        "without_notice": len(storm.evictions) - noticed,
        "nodes_lost_with_work_on_them": len(caught),
        "pods_disrupted": storm.disrupted,
    }
    for name, count in counts.items():
        record_property(name, count)
    print("storm:", counts)
    assert counts["evictions"] >= EVICTIONS
    assert counts["without_notice"] > 0
    assert counts["pods_disrupted"] >= EVICTIONS
