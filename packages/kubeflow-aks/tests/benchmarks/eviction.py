"""What the eviction handler saves: work lost at an eviction with and without it, by kind of work and length of notice.

    PYTHONPATH=packages/kubeflow-aks:. .venv/bin/python -m tests.benchmarks.eviction --write

writes docs/reference/work-lost-to-evictions.md, in a few minutes: thousands of evictions on a clock that goes from
event to event, each from a seed of its own; hundreds of pods on a real API server, for which the tools must be built;
and as many on one that misbehaves.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import tempfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from scipy import special

from components.kubeflow.eviction_script import ADVISED_SECONDS, SAVE_SECONDS
from kubeflow_aks import tools
from kubeflow_aks.local_aks.simulation.vms.scale_sets import Timings
from tests import faulty_api_server
from tests.benchmarks import eviction_page
from tests.benchmarks.eviction_page import AdviceRow, Cell, Faulty, Many, Mean, Row, Setting, Waits
from tests.benchmarks.eviction_world import (
    DETECTOR_SECONDS,
    FILE_SECONDS,
    LOOK_SECONDS,
    RAY_SECONDS,
    Advice,
    Kind,
    World,
)
from tests.faulty_api_server import Fault
from tests.local.demo.eviction.noticed import Noticed, handling
from tests.local.demo_stack import deployed
from tests.stepped.memory_cluster import GARBAGE_COLLECTOR_SECONDS

PAGE: Final = Path("docs/reference/work-lost-to-evictions.md")
NOTICES: Final = (30.0, 10.0, 0.0)
LEADS: Final = (30.0, 300.0, 900.0)
"""From Azure's advice until the eviction: 30 s to 15 min are planned (`Azure/karpenter-provider-azure#1770`)."""
EVICTIONS: Final = 1000
CONFIDENCE: Final = 0.95
PODS: Final = ((1, 1), (50, 10), (300, 60))
"""How many pods on how many nodes are evicted at once."""
TIMES: Final = 5
SETTING: Final = Setting(
    faulty_api_server.NODES,
    faulty_api_server.PODS,
    faulty_api_server.NOTICE_SECONDS,
    faulty_api_server.GRACES,
)
MINUTES: Final = 60.0
KINDS: Final = (
    Kind(name="Checkpointed training, saves in 5 s", every=10 * MINUTES, saving=5),
    Kind(name="Checkpointed training, saves in 20 s", every=10 * MINUTES, saving=20),
    Kind(name="TrainJob on 4 nodes, saves in 5 s", every=10 * MINUTES, saving=5, workers=4),
    Kind(name="Pipeline step of 2 h", length=120 * MINUTES),
    Kind(name="Job of 30 min", length=30 * MINUTES),
    Kind(name="Ray task of 10 min", length=10 * MINUTES, knows=RAY_SECONDS),
)


def row(kind: Kind, number: int) -> Row:
    """One kind of work at each notice, with and without the handler."""
    return Row(kind.name, tuple(cell(kind, notice, number) for notice in NOTICES))


def cell(kind: Kind, notice: float, number: int) -> Cell:
    """So many evictions, the same ones at each notice, with and without the handler."""
    rng = random.Random(zlib.crc32(kind.name.encode()))  # noqa: S311 - repeatable on purpose
    moments = [(rng.uniform(0, kind.cycle), rng.uniform(0, DETECTOR_SECONDS)) for _ in range(number)]
    without, with_handler = (
        [World(kind, notice, at).play(detector=detector, handled=handled) for at, detector in moments]
        for handled in (False, True)
    )
    return Cell(
        lost=mean(one.lost for one in without),
        lost_handled=mean(one.lost for one in with_handler),
        stood=mean(one.stood for one in without),
        stood_handled=mean(one.stood for one in with_handler),
    )


def advice_row(kind: Kind, number: int, *, by_annotation: bool) -> AdviceRow:
    """One kind of work that saves itself on advice, at VMs that go without a notice.

    Args:
        kind: of work, with checkpoints.
        number: of evictions for each time of the advice.
        by_annotation: whether the work reads its annotation, or the metadata service itself.
    """
    rng = random.Random(zlib.crc32(kind.name.encode()))  # noqa: S311 - repeatable on purpose
    wait = FILE_SECONDS if by_annotation else 0.0
    moments = [
        (
            rng.uniform(0, kind.cycle),
            rng.uniform(0, DETECTOR_SECONDS),
            Advice(rng.uniform(0.8, 1.2), rng.uniform(0, wait + LOOK_SECONDS)),
        )
        for _ in range(number)
    ]

    def lost(lead: float | None) -> Mean:
        return mean(
            World(kind, 0.0, at, Advice(lead * advice.lead, advice.delay) if lead else None)
            .play(detector=detector, handled=False)
            .lost
            for at, detector, advice in moments
        )

    source = "its annotation" if by_annotation else "the metadata service, too"
    return AdviceRow(
        f"{kind.name}, reads {source}",
        lost(None),
        tuple(map(lost, LEADS)),
        math.ceil(ADVISED_SECONDS / SAVE_SECONDS) * kind.saving * kind.workers,
    )


def advice_rows(number: int) -> list[AdviceRow]:
    """Every kind of work that has checkpoints, and one that reads the advice itself."""
    rows = [advice_row(kind, number, by_annotation=True) for kind in KINDS if kind.length is None]
    return [*rows, advice_row(KINDS[0], number, by_annotation=False)]


def mean(values: Iterable[float]) -> Mean:
    """The mean of independent values, with half of its interval by Student's t."""
    sample = list(values)
    spread = statistics.stdev(sample)
    half = float(special.stdtrit(len(sample) - 1, (1 + CONFIDENCE) / 2)) * spread / math.sqrt(len(sample))
    return Mean(statistics.mean(sample), half)


def many(toolset: tools.Tools, sizes: Sequence[tuple[int, int]], times: int) -> list[Many]:
    """How long the handler takes to end many pods, played on the real control plane."""
    with tempfile.TemporaryDirectory() as folder, deployed(toolset, Path(folder) / "run") as demo:
        played: list[Many] = []
        for pods, nodes in sizes:
            seconds: list[float] = []
            cpu: list[float] = []
            for number in range(times):
                with (
                    demo.namespace() as namespace,
                    handling(demo.kubectl, Path(folder) / f"{pods}-{number}") as handler,
                ):
                    world = Noticed(demo.api, demo.cluster, namespace)
                    before = handler.cpu_seconds
                    seconds.append(world.reclaim(pods, nodes).seconds)
                    cpu.append(handler.cpu_seconds - before)
                    world.clear()
            played.append(Many(pods, nodes, mean(seconds), max(seconds), mean(cpu)))
    return played


def faulty(fault: Fault, times: int) -> Faulty:
    """What the handler does while an API server misbehaves in one way."""
    with tempfile.TemporaryDirectory() as folder:
        played = [faulty_api_server.play(fault, Path(folder) / str(number)) for number in range(times)]
    return Faulty(
        str(fault),
        min(one.in_time for one in played),
        mean(one.seconds for one in played),
        mean(float(one.requests) for one in played),
    )


def main() -> int:
    """Plays everything and prints the page, or writes it; returns the exit code."""
    arguments = argparse.ArgumentParser(prog="python -m tests.benchmarks.eviction", description=__doc__)
    arguments.add_argument("--evictions", type=int, default=EVICTIONS, help="how many of each")
    arguments.add_argument("--write", action="store_true", help=f"write {PAGE}")
    options = arguments.parse_args()
    toolset = tools.find()
    if isinstance(toolset, tools.Missing):
        print(toolset, file=sys.stderr)
        return 1
    rows = [row(kind, options.evictions) for kind in KINDS]
    page = eviction_page.page(
        rows,
        many(toolset, PODS, TIMES),
        [faulty(fault, TIMES) for fault in Fault],
        advice_rows(options.evictions),
        leads=LEADS,
        notices=NOTICES,
        setting=SETTING,
        evictions=options.evictions,
        times=TIMES,
        collector=GARBAGE_COLLECTOR_SECONDS,
        ray=RAY_SECONDS,
        waits=Waits(SAVE_SECONDS, ADVISED_SECONDS, FILE_SECONDS, LOOK_SECONDS, Timings().boot),
    )
    if options.write:
        PAGE.write_text(page, encoding="utf-8")
    else:
        print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
