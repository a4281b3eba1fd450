"""A seeded storm on the spot market over pipelines: with the program's setting no workflow is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import pytest

from ckf_spot import Pools
from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.market import MarketEvent
from kubeflow_aks.scenario.workloads.kfp_compiler import Retries, Task
from kubeflow_aks.scenario.workloads.pipelines import Object
from tests.argo_runs import Attempt, attempts, ended, phase
from tests.local.argo.profile import WORKFLOW, profile
from tests.local.argo.setting import ArgoRetries
from tests.local.argo.undriven import undriven
from tests.local.demo_stack import REQUEST_SECONDS, DemoStack, Play
from tests.local_aks.simulation.weather import Weather, seeded

SEEDS: Final = (1,)
EVICTIONS: Final = 40
"""The fewest VMs that must be taken: our choice."""
WORKFLOWS: Final = 12
"""The fewest workflows: our choice."""
RETRIES: Final = Retries(15)
"""More than the blog's 5: here a VM lives no longer than a step takes."""

_STORM_SECONDS: Final = 300.0
_ROUGH: Final = Weather(evictions_per_hour=1000, shortages_per_hour=0)
_VANISHING_SECONDS: Final = 200.0
"""Only at first: each costs the real garbage collector's minute, which no clock can shorten."""
_WITHOUT_NOTICE: Final = Weather(evictions_per_hour=200, vanish_share=1, shortages_per_hour=0)
_BOOT_SECONDS: Final = 30.0
"""Quicker than Azure's, so that nodes are there to be taken again."""
_STEP_SECONDS: Final = 4.0
_AT_ONCE: Final = 12
"""Workflows that go on at any time, each with one or two pods that take most of a node."""
_LOOK_SECONDS: Final = 30.0
"""Simulated seconds between two looks at the workflows."""


@dataclass(frozen=True)
class Storm:
    """What a storm did, and what became of the workflows.

    Attributes:
        evictions: the journal's lines about VMs taken.
        disrupted: how many pods were stopped by it.
        workflows: all of them when the last one was over.
        attempts: at each step, by workflow and step.
    """

    evictions: Sequence[Object]
    disrupted: int
    workflows: Sequence[Object]
    attempts: dict[tuple[str, str], list[Attempt]]


def _pipeline(name: str, namespace: str, pools: Pools) -> Object:
    """Canonical's blog's: a download, two conversions of its files, and what merges them; a node for each pod."""
    spot = pools["cpu"].placement(require="spot")

    def step(called: str, *after: str) -> Task:
        return Task(called, spot, RETRIES, after, cpu="5")

    steps = [
        step("download"),
        step("convert-a", "download"),
        step("convert-b", "download"),
        step("merge", "convert-a", "convert-b"),
    ]
    return undriven(name, namespace, steps, _STEP_SECONDS)


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seed: f"seed {seed}")
def storm(demo: DemoStack, argo_retries: ArgoRetries, pools: Pools, request: pytest.FixtureRequest) -> Storm:
    """A storm over workflow after workflow, and the calm until all are over."""
    seed: int = request.param
    schedule: list[MarketEvent] = [
        *seeded(seed, ["cpuspot"], _STORM_SECONDS, _ROUGH),
        *seeded(-seed, ["cpuspot"], _VANISHING_SECONDS, _WITHOUT_NOTICE),
    ]
    argo_retries.set(on=True)
    with profile(demo) as namespace:
        with demo.playing(*schedule, step=3, boot=_BOOT_SECONDS, seed=seed) as play:
            play.until("the storm is over", _keep_busy(demo, play, namespace, pools))
            play.until(
                "all workflows are over",
                lambda: all(map(ended, demo.api.list(WORKFLOW, namespace))),
                every=REQUEST_SECONDS,
            )
        workflows = demo.api.list(WORKFLOW, namespace)
    return Storm(
        evictions=play.journal(Kind.EVICTION),
        disrupted=len(play.journal(Kind.POD_FINISHED, phase="Failed") + play.journal(Kind.POD_GONE)),
        workflows=workflows,
        attempts={
            (live["metadata"]["name"], step): tries
            for live in workflows
            for step, tries in attempts(live).items()
        },
    )


def _keep_busy(demo: DemoStack, play: Play, namespace: str, pools: Pools) -> Callable[[], bool]:
    """One poll of the storm, which starts another workflow when one has ended; whether enough VMs were taken."""
    begun, next_look, over = 0, 0.0, _STORM_SECONDS

    def look() -> bool:
        nonlocal begun, next_look, over
        if play.clock.now() < next_look:
            return False
        next_look = play.clock.now() + _LOOK_SECONDS
        going_on = sum(not ended(live) for live in demo.api.list(WORKFLOW, namespace))
        for _ in range(_AT_ONCE - going_on):
            demo.apply(_pipeline(f"pipeline-{begun}", namespace, pools))
            begun += 1
        if play.clock.now() <= over:
            return False
        if len(play.journal(Kind.EVICTION)) >= EVICTIONS:
            return True
        play.weather(seeded(int(over), ["cpuspot"], _STORM_SECONDS, _ROUGH))
        over += _STORM_SECONDS
        return False

    return look


def test_no_workflow_is_lost(storm: Storm) -> None:
    assert Counter(map(phase, storm.workflows)) == {"Succeeded": len(storm.workflows)}


def test_every_step_succeeds_at_its_last_attempt_and_at_no_other(storm: Storm) -> None:
    assert len(storm.attempts) == 4 * len(storm.workflows)
    for tries in storm.attempts.values():
        assert [attempt.phase == "Succeeded" for attempt in tries] == [False] * (len(tries) - 1) + [True]
        assert [attempt.number for attempt in tries] == list(range(len(tries)))


def test_it_was_a_storm(storm: Storm) -> None:
    counts = Counter(len(tries) for tries in storm.attempts.values())
    why = Counter(attempt.phase for tries in storm.attempts.values() for attempt in tries[:-1])
    without_notice = sum(not line["notice"] for line in storm.evictions)
    print(
        f"{len(storm.evictions)} VMs taken, {without_notice} of them without notice; {storm.disrupted} pods stopped;"
        f" {len(storm.workflows)} workflows with {len(storm.attempts)} steps, none lost;"
        f" attempts: {', '.join(f'{number} at {steps} steps' for number, steps in sorted(counts.items()))};"
        f" lost attempts: {', '.join(f'{count} {phase}' for phase, count in why.items())}"
    )
    assert len(storm.evictions) >= EVICTIONS
    assert without_notice > 0
    assert len(storm.workflows) >= WORKFLOWS
    assert storm.disrupted >= len(storm.evictions) / 2
    assert why["Error"] >= sum(line["pods"] for line in storm.evictions if not line["notice"]) > 0
