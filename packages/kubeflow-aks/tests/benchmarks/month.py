"""The cost model held against months of the same work that the local AKS plays, on a clock from event to event.

Each month is played from a seed of its own; the interval is Student's t over the months, which are independent.

    PYTHONPATH=packages/kubeflow-aks:. .venv/bin/python -m tests.benchmarks.month --write

writes docs/reference/cost-against-simulation.md, in about eight minutes on two cores that do nothing else.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from scipy import special

from components.kubeflow import return_script
from kubeflow_aks.cost.advice.kinds.hours import office_hours as advised_hours
from kubeflow_aks.cost.basis import Work as Worked
from kubeflow_aks.cost.billing import bill
from kubeflow_aks.cost.model.hourly import boot, expected
from kubeflow_aks.cost.model.idle import Bursts, Idle, idle, tail
from kubeflow_aks.cost.model.rates import evictions_an_hour
from kubeflow_aks.cost.model.retries import spent
from kubeflow_aks.cost.model.step import Checkpoints, Step
from kubeflow_aks.local_aks.simulation.autoscaler.profile import seconds
from kubeflow_aks.local_aks.simulation.tasks.eviction import NOTICE_SECONDS
from tests.benchmarks import month_page
from tests.benchmarks.month_page import Compared, Found, NightsOff, Row, SoldOut, Together
from tests.cost import examples
from tests.cost.advice.situations import situation
from tests.stepped.clock import TICK_SECONDS
from tests.stepped.month import FALLBACK, MONTH_HOURS, POD, SPOT, WITH_FALLBACK, Month, Work, play
from tests.stepped.returning import returning
from tests.stepped.work import Kind

PAGE: Final = Path("docs/reference/cost-against-simulation.md")
RATES: Final = (0.01, 0.05, 0.1, 0.2)
MONTHS: Final = 8
MORE_MONTHS: Final = 24
"""Where months differ most: gangs, mixed kinds, and spot that is sold out."""
CONFIDENCE: Final = 0.95
HOUR: Final = 3600.0
BOOT_SECONDS: Final = 90.0
"""Boot time of a VM; what follows until a step works on it, the rest of its restart, is the pod's."""
SCAN_SECONDS: Final = 10.0
"""AKS's default of `scanInterval`, which every month has."""
SOLD_OUT_HOURS: Final = 4.0
MANY: Final = 1000
DAY: Final = 12.0
OFFICE_HOURS: Final = {
    "days": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
    "from": "07:00",
    "to": "19:00",
}


@dataclass(frozen=True)
class Case:
    """A month of work, as the model and the simulation both know it.

    Attributes:
        steps: kinds of step, with how many of each a month.
        at_once: how many are submitted together.
        maximum: nodes of the pool.
        fallback: nodes of its fallback; 0 for none.
        unneeded: `scaleDownUnneededTime`.
        rates: chances of an eviction within an hour.
        more: whether more months are played of it.
        returns: whether its pods agree to return to spot.
        office_hours: whether the cluster runs from Monday to Friday for 12 hours each.
    """

    name: str
    steps: tuple[tuple[Step, int], ...]
    at_once: int = 1
    maximum: int = 100
    fallback: int = 100
    unneeded: str = "10m"
    rates: tuple[float, ...] = RATES
    more: bool = False
    returns: bool = False
    office_hours: bool = False

    @property
    def useful(self) -> float:
        """Useful node hours."""
        return sum(step.hours * step.nodes * number for step, number in self.steps)


@dataclass(frozen=True)
class Figures:
    """What a month came to, or is expected to: node hours on spot, evictions of steps, lost hours, failed steps."""

    billed: float
    evictions: float
    lost: float
    failed: float
    fallback: float = 0.0


def step(
    hours: float,
    *,
    every: float | None = None,
    writing: float = 2 / 60,
    restart: float = 0.1,
    retries: int = MANY,
    nodes: int = 1,
    elastic: bool = False,
) -> Step:
    """A step with the settings' defaults: 6 min to restart, 5 min to wait, 2 min to write a checkpoint."""
    saves = None if every is None else Checkpoints(every, writing)
    wait = 5 / 60
    held = wait if nodes > 1 and not elastic else 0.0
    return Step(hours, restart, wait, saves, retries, None, nodes=nodes, elastic=elastic, held=held)


GANG: Final = "8 h on 4 nodes × 12, saved each hour"
MIXED: Final = "0.2 h × 300, 2 h × 100, 8 h on 3 nodes × 8, saved each hour"
CASES: Final = (
    Case("0.5 h × 400", ((step(0.5), 400),)),
    Case("0.5 h × 1,000", ((step(0.5), 1000),)),
    Case("2 h × 200", ((step(2), 200),)),
    Case("2 h × 200, 10 at once", ((step(2), 200),), at_once=10),
    Case("2 h × 200, nodes idle for 2 min", ((step(2), 200),), unneeded="2m"),
    Case("4 h × 100, 25 at once", ((step(4), 100),), at_once=25),
    Case("4 h × 100, 20 at once on 5 nodes", ((step(4), 100),), at_once=20, maximum=5, fallback=0),
    Case(
        "4 h × 100, 20 at once on 5 nodes and 3",
        ((step(4), 100),),
        at_once=20,
        maximum=5,
        fallback=3,
        rates=RATES[1:3],
    ),
    Case(
        "1 h × 600, 60 at once on 8 nodes and 8",
        ((step(1), 600),),
        at_once=60,
        maximum=8,
        fallback=8,
        rates=RATES[1:2],
    ),
    Case("0.5 h × 1,000 on 2 nodes and 4", ((step(0.5), 1000),), maximum=2, fallback=4, rates=RATES[1:3]),
    Case(
        "8 h × 100, saved each hour, on 1 node and 2",
        ((step(8, every=1), 100),),
        maximum=1,
        fallback=2,
        rates=RATES[1:3],
    ),
    Case("8 h × 40", ((step(8), 40),)),
    Case("8 h × 40, saved each hour", ((step(8, every=1), 40),)),
    Case("8 h × 40, given up after 2 retries", ((step(8, retries=2), 40),)),
    Case("12 h × 30", ((step(12), 30),)),
    Case("20 h × 20, 4 at once, saved each half hour", ((step(20, every=0.5), 20),), at_once=4),
    Case("20 h × 20, saved each 2 h, 20 min to restart", ((step(20, every=2, restart=1 / 3), 20),)),
    Case("50 h × 8, saved each hour", ((step(50, every=1), 8),)),
    Case(
        "the blog's: 2 h × 1,000, 4 h × 250, 20 h × 20",
        ((step(2), 1000), (step(4), 250), (step(20), 20)),
        rates=RATES[:3],
    ),
    Case(
        "the blog's on 10 nodes and 5",
        ((step(2), 1000), (step(4), 250), (step(20), 20)),
        maximum=10,
        fallback=5,
        rates=RATES[1:2],
    ),
    Case("2 h on 4 nodes × 50", ((step(2, nodes=4), 50),), rates=RATES[:3], more=True),
    Case("6 h on 8 nodes × 5", ((step(6, nodes=8), 5),), rates=RATES[:2], more=True),
    Case(GANG, ((step(8, every=1, nodes=4), 12),), rates=RATES[1:], more=True),
    Case("6 h on 8 nodes × 8, lost alone", ((step(6, nodes=8, elastic=True), 8),), rates=(0.05,), more=True),
    Case("40 kinds of 0.2 h × 25", ((step(0.2), 25),) * 40, rates=(0.05,), more=True),
    Case(
        MIXED,
        ((step(0.2), 300), (step(2), 100), (step(8, every=1, nodes=3), 8)),
        rates=(0.05, 0.2),
        more=True,
    ),
)

AGAIN: Final = ("2 h × 200", "4 h × 100, 25 at once", "20 h × 20, 4 at once, saved each half hour")
"""Cases that are also played with all nodes evicted at once."""
SHORTAGES: Final = (*AGAIN, GANG, MIXED)
"""Cases that are also played with spot sold out."""
RETURNING: Final = (
    (Case("2 h × 200, returning", ((step(2), 200),), returns=True), 0.3),
    (Case("8 h × 60, saved each hour, returning", ((step(8, every=1), 60),), returns=True), 0.1),
    (Case("8 h × 60, saved each hour, returning", ((step(8, every=1), 60),), returns=True), 0.3),
    (Case("50 h × 8, saved each hour, returning", ((step(50, every=1), 8),), returns=True), 0.3),
    (
        Case(
            "10 h × 50, 5 at once, saved each hour, on 5 nodes and 10, returning",
            ((step(10, every=1), 50),),
            at_once=5,
            maximum=5,
            fallback=10,
            returns=True,
        ),
        0.0,
    ),
)
"""Cases in which the program runs that returns work to spot, with the share of the time in which spot is sold out."""

NIGHTS_OFF: Final = (
    Case("2 h × 500 on 10 nodes", ((step(2), 500),), maximum=10, fallback=10),
    Case("8 h × 100, saved each hour, on 10 nodes", ((step(8, every=1), 100),), maximum=10, fallback=10),
    Case(
        "20 h × 40, saved each half hour, on 10 nodes", ((step(20, every=0.5), 40),), maximum=10, fallback=10
    ),
    Case(
        "4 h × 100, 10 at once, on 12 nodes",
        ((step(4), 100),),
        at_once=10,
        maximum=12,
        fallback=12,
        more=True,
    ),
    Case("0.5 h × 1,000 on 5 nodes", ((step(0.5), 1000),), maximum=5, fallback=5),
    Case(
        "0.2 h × 300, 2 h × 100, 8 h × 30, saved each hour, on 10 nodes",
        ((step(0.2), 300), (step(2), 100), (step(8, every=1), 30)),
        maximum=10,
        fallback=10,
    ),
)
"""Cases that are played all the time, and in office hours as the advice has them."""


def by_model(case: Case, rate: float) -> Figures:
    """What the model expects of a month: the hours of its bill, and what `model.hourly` has of their evictions."""
    spot, fallback = bill_hours(case, rate)
    billed = evictions = lost = failed = 0.0
    boots = _idle(case, rate).boots
    for one, number in case.steps:
        expectation = expected(one, rate)
        if one.retries == MANY:
            hours = expectation.multiple * one.hours
        else:
            given_up = spent(one, rate)
            hours, failed = given_up.hours, failed + number * given_up.fails
        billed += number * hours * one.nodes
        exposed = hours - expectation.waiting + boots * boot(one, rate)
        evictions += number * exposed * one.nodes * evictions_an_hour(rate)
        lost += number * expectation.lost * one.nodes
    alone = billed + idle_hours(case, rate)
    if failed:  # the bill has a step that is given up started again
        return Figures(alone, evictions, lost, failed)
    stays = min(spot / alone, 1.0)
    return Figures(spot, evictions * stays, lost * stays, failed, fallback)


def bill_hours(case: Case, rate: float, sold_out: float = 0.0) -> tuple[float, float]:
    """Node hours on spot and on the fallback as the bill of a stack with this work has them."""
    made = examples.stack(
        *_pools(case),
        basis={
            "workload": workload(case),
            "cost": {"evictionRate": rate, "soldOutShare": sold_out, "soldOutHours": SOLD_OUT_HOURS},
            "officeHours": OFFICE_HOURS if case.office_hours else None,
        },
        fallbacks={SPOT: FALLBACK},
        autoScalerProfile={"scaleDownUnneededTime": case.unneeded},
    )
    outputs = {**made.outputs, "clusterBasis": {"kubeflow": {"returnToSpot": case.returns}}}
    stack = replace(made, outputs=outputs)
    hours = {
        line.name: line.hours.expected for line in bill(stack, examples.FixedMarket()).lines if line.hours
    }
    return hours[SPOT], hours.get(FALLBACK, 0.0)


def workload(case: Case) -> dict[str, Any]:
    """The work as a stack has it."""
    return {
        f"kind{place}": {
            "pool": SPOT,
            "hoursPerMonth": number * one.hours * one.nodes,
            "stepHours": one.hours,
            "checkpointMinutes": one.checkpoints.every * 60 if one.checkpoints else None,
            "checkpointWriteMinutes": one.checkpoints.writing * 60 if one.checkpoints else 0,
            "restartMinutes": one.restart * 60,
            "retryWaitMinutes": one.wait * 60,
            "retries": one.retries,
            "stepsAtOnce": case.at_once,
            "nodesPerStep": one.nodes,
            "elastic": one.elastic,
            "returnToSpot": case.returns,
        }
        for place, (one, number) in enumerate(case.steps)
    }


def _pools(case: Case) -> list[dict[str, Any]]:
    pools = [examples.spot(SPOT, maxCount=case.maximum)]
    return [*pools, examples.pool(FALLBACK, maxCount=case.fallback)] if case.fallback else pools


def idle_hours(case: Case, rate: float) -> float:
    """Node hours without work; the boot of a start that follows an eviction is in `Step.restart`."""
    return sum(_idle(case, rate).hours)


def _idle(case: Case, rate: float) -> Idle:
    kinds = [
        Bursts(number / case.at_once, min(case.at_once * one.nodes, case.maximum), boot(one, rate))
        for one, number in case.steps
    ]
    return idle(kinds, unneeded=tail(seconds(case.unneeded) / HOUR, SCAN_SECONDS / HOUR))


def month(case: Case, rate: float) -> Month:
    """The same month for the simulation."""
    return Month(
        work=[
            Work(
                _kind(one, POD if not case.fallback else WITH_FALLBACK, returns=case.returns),
                number * _alone(one),
                case.at_once * _alone(one),
            )
            for one, number in case.steps
        ],
        hazard=evictions_an_hour(rate),
        maximum=case.maximum,
        fallback=case.fallback,
        profile={"scaleDownUnneededTime": case.unneeded},
        boot=BOOT_SECONDS,
        day=DAY if case.office_hours else None,
        hours=MONTH_HOURS * 5 * DAY / 168 if case.office_hours else MONTH_HOURS,
    )


def by_simulation(played: Month, seed: int) -> Figures:
    """What one month came to."""
    outcome = play(played, seed)
    hours = outcome.node_hours
    return Figures(
        hours[SPOT], outcome.done.evicted, outcome.done.lost, outcome.done.failed, hours.get(FALLBACK, 0.0)
    )


def months(played: Month, name: str, number: int, executor: Executor | None = None) -> list[Figures]:
    """Several months, each from a seed of its own that its name settles."""
    seeds = [zlib.crc32(f"{name}/{index}".encode()) for index in range(number)]
    work: Callable[[int], Figures] = partial(by_simulation, played)
    return list(map(work, seeds) if executor is None else executor.map(work, seeds))


def compare(model: float, played: Iterable[float]) -> Compared:
    """An expected figure beside the mean of the months, with its interval."""
    values = list(played)
    number, spread = len(values), statistics.stdev(values)
    half = float(special.stdtrit(number - 1, (1 + CONFIDENCE) / 2)) * spread / math.sqrt(number)
    if not any(values):
        half = -math.log(1 - CONFIDENCE) / number  # of what is so rare that it was never observed
    return Compared(model, statistics.mean(values), half, spread)


def row(case: Case, rate: float, number: int, executor: Executor | None = None) -> Row:
    """One case at one rate: the model against so many months."""
    model = by_model(case, rate)
    played = months(month(case, rate), f"{case.name}/{rate}", number, executor)
    gives_up = any(one.retries != MANY for one, _ in case.steps)
    return Row(
        name=case.name,
        rate=rate,
        billed=compare(model.billed, (one.billed for one in played)),
        evictions=compare(model.evictions, (one.evictions for one in played)),
        lost=None if gives_up else compare(model.lost, (one.lost for one in played)),
        failed=compare(model.failed, (one.failed for one in played)) if gives_up else None,
        fallback=compare(model.fallback, (one.fallback for one in played)) if model.fallback else None,
    )


def together(case: Case, rate: float, number: int, executor: Executor) -> Together:
    """The same month with all nodes evicted at the same moments."""
    model, alone = by_model(case, rate), month(case, rate)
    at_once = replace(alone, together=True)
    alone_hours, together_hours = (
        compare(
            model.billed,
            (one.billed for one in months(of, f"{case.name}/{rate}/together", number, executor)),
        )
        for of in (alone, at_once)
    )
    return Together(case.name, rate, alone_hours, together_hours)


def sold_out(case: Case, rate: float, share: float, number: int, executor: Executor) -> SoldOut:
    """The same month with a fallback and times without supply."""
    on_spot, on_fallback = bill_hours(case, rate, share)
    of = replace(month(case, rate), sold_out=share, sold_out_hours=SOLD_OUT_HOURS)
    played = months(of, f"{case.name}/{rate}/{share}", number, executor)
    return SoldOut(
        case.name,
        rate,
        share,
        spot=compare(on_spot, (one.billed for one in played)),
        fallback=compare(on_fallback, (one.fallback for one in played)),
    )


def in_office_hours(case: Case) -> Case:
    """The same work in the office hours that are advised for it, with the nodes that the advice has for its peak."""
    work = {name: Worked.model_validate(one) for name, one in workload(case).items()}
    [change] = advised_hours(situation(work, *_pools(case)))
    maximum = change.values.get(("pools", SPOT, "maxCount"), case.maximum)
    return replace(case, office_hours=True, maximum=int(str(maximum)))


def nights_off(case: Case, rate: float, number: int, executor: Executor) -> NightsOff:
    """What the batch work of a month costs all the time, and in office hours."""
    stopped = in_office_hours(case)
    number = max(number, MORE_MONTHS) if case.more else number
    amounts = (
        compare(
            _amount(*bill_hours(of, rate)),
            [
                _amount(one.billed, one.fallback)
                for one in months(month(of, rate), f"{case.name}/{rate}/{of.office_hours}", number, executor)
            ],
        )
        for of in (case, stopped)
    )
    return NightsOff(case.name, rate, stopped.maximum, *amounts)


def _amount(on_spot: float, on_fallback: float) -> float:
    return on_spot * examples.SEED_SPOT + on_fallback * examples.SEED_ON_DEMAND


def ticking() -> tuple[int, int, float]:
    """Steps of a month of the blog's, ticks that it has, and how many times as long a day of ticks takes."""
    blog = month(next(case for case in CASES if case.name.startswith("the blog's")), 0.05)
    steps = play(blog, 1)
    day = replace(month(CASES[2], 0.05), hours=24, work=[Work(_kind(CASES[2].steps[0][0]), 20, 20)])
    took: list[float] = []
    for skip in (True, False):
        begun = time.perf_counter()
        play(day, 1, skip=skip)
        took.append(time.perf_counter() - begun)
    return steps.steps, round(steps.hours * HOUR / TICK_SECONDS), took[1] / took[0]


def main() -> int:
    """Plays all months and prints the tables, or writes the page; returns the exit code."""
    arguments = argparse.ArgumentParser(prog="python -m tests.benchmarks.month", description=__doc__)
    arguments.add_argument("--months", type=int, default=MONTHS, help="how many are played of each")
    arguments.add_argument("--write", action="store_true", help=f"write {PAGE}")
    options = arguments.parse_args()
    begun = time.monotonic()
    results = everything(options.months)
    steps, ticks, ratio = ticking()
    page = month_page.page(
        results, months=options.months, more=max(options.months, MORE_MONTHS), steps=steps, ticks=ticks
    )
    if options.write:
        PAGE.write_text(page, encoding="utf-8")
    else:
        print(page)
    print(
        f"{time.monotonic() - begun:.0f} s; a day that ticks takes {ratio:.0f} times as long", file=sys.stderr
    )
    return 0


def everything(number: int) -> Found:
    """Plays so many months of each."""
    with ProcessPoolExecutor() as executor:
        rows: list[Row] = []
        for case in CASES:
            for rate in case.rates:
                rows.append(row(case, rate, max(number, MORE_MONTHS) if case.more else number, executor))
                print(month_page.line(rows[-1]), file=sys.stderr, flush=True)
        some = [case for case in CASES if case.name in AGAIN]
        return Found(
            rows,
            [together(case, rate, number, executor) for case in some for rate in (0.05, 0.2)],
            [
                sold_out(case, 0.05, share, max(number, MORE_MONTHS), executor)
                for case, share in (
                    *((it, share) for it in CASES if it.name in SHORTAGES for share in (0.1, 0.3)),
                    *RETURNING,
                )
            ],
            [nights_off(case, 0.05, number, executor) for case in NIGHTS_OFF],
        )


def _kind(one: Step, pod: Mapping[str, Any] = POD, *, returns: bool = False) -> Kind:
    """The simulation boots a VM and waits out the notice by itself; the rest of a restart is the pod's."""
    saves = one.checkpoints
    way = return_script.CHECKPOINTED if saves else return_script.RESTARTABLE
    return Kind(
        pod=returning(pod) if returns else pod,
        labels={return_script.LABEL: way} if returns else {},
        seconds=one.hours * HOUR,
        restart=one.restart * HOUR - BOOT_SECONDS - NOTICE_SECONDS,
        load=one.restart * HOUR - BOOT_SECONDS,
        wait=one.wait * HOUR,
        retries=one.retries,
        every=None if saves is None else saves.every * HOUR,
        writing=0.0 if saves is None else saves.writing * HOUR,
        nodes=one.together,
    )


def _alone(one: Step) -> int:
    """Steps of the simulation for one of the model: an elastic step is as many as it has nodes."""
    return one.nodes // one.together


if __name__ == "__main__":
    sys.exit(main())
