"""The bill of random work, gangs, mixed kinds and shortages among it, against months played by chance."""

from __future__ import annotations

import math
import statistics
from random import Random
from typing import Any

import pytest

from kubeflow_aks.cost.billing import bill
from tests.cost.chance_months import Kind, play
from tests.cost.examples import FixedMarket, pool, spot, stack

SPOT, FALLBACK, HEADS = 0.0487, 0.232, 1.0
SIZES = {"Standard_D4s_v3": (FALLBACK, SPOT), "Standard_X": (HEADS, HEADS)}
MONTHS = 30
TAIL = (600 + 22) / 3600
SYSTEMATIC = 0.02
"""Share by which the model may differ beyond chance: what it approximates are idle nodes."""


def kinds(chance: Random, rate: float) -> list[Kind]:
    """One to three kinds of steps that get done: without checkpoints most tries must."""
    hazard = -math.log(1 - rate)
    made: list[Kind] = []
    for _ in range(chance.choice((1, 2, 3))):
        nodes, elastic = chance.choice((1, 1, 2, 4, 8)), chance.random() < 0.3
        every = chance.choice((0.0, 0.5, 1.0))
        together = 1 if elastic else nodes
        longest = min(24.0, (8 if every else 1.3) / (hazard * together))
        hours = round(max(0.3, chance.uniform(0.3, longest)), 2)
        retries = chance.choice((1, 3, 5))
        made.append(
            Kind(
                bursts=max(2, round(chance.uniform(200, 500) / hours / nodes)),
                hours=hours,
                at_once=chance.choice((1, 1, 3)),
                nodes=nodes,
                elastic=elastic and nodes > 1,
                every=every,
                writing=chance.choice((0.0, 1 / 30)) if every else 0.0,
                restart=chance.choice((0.05, 0.1, 0.4)),
                wait=chance.choice((0.0, 5 / 60)),
                retries=retries,
                deadline=math.inf if chance.random() < 0.5 else round(hours * 1.3 + 0.5, 2),
                head=chance.random() < 0.2,
            )
        )
    return made


def written(kind: Kind) -> dict[str, Any]:
    """The same as a stack has it."""
    return {
        "pool": "cpuspot",
        "hoursPerMonth": kind.bursts * kind.at_once * kind.hours * kind.nodes,
        "stepHours": kind.hours,
        "checkpointMinutes": kind.every * 60 if kind.every else None,
        "checkpointWriteMinutes": kind.writing * 60,
        "restartMinutes": kind.restart * 60,
        "retryWaitMinutes": kind.wait * 60,
        "retries": kind.retries,
        "deadlineHours": None if math.isinf(kind.deadline) else kind.deadline,
        "stepsAtOnce": kind.at_once,
        "nodesPerStep": kind.nodes,
        "elastic": kind.elastic,
        "headPool": "heads" if kind.head else None,
    }


def near(model: float, played: list[float]) -> bool:
    """Whether the model is within four standard errors, and what is approximated."""
    error = statistics.stdev(played) / math.sqrt(len(played))
    mean = statistics.mean(played)
    return abs(model - mean) <= 4 * error + SYSTEMATIC * mean


def as_often(model: float, times: int, tries: int) -> bool:
    """A chance, within four standard errors and a percentage point."""
    return abs(times / tries - model) <= 4 * math.sqrt(max(model * (1 - model), 1e-3) / tries) + 0.01


@pytest.mark.parametrize("seed", range(20))
def test_random_work_is_billed_as_months_of_it_come_out(seed: int) -> None:
    chance = Random(f"work {seed}")  # noqa: S311 - repeatable on purpose
    rate, sold_out = chance.choice((0.01, 0.05, 0.1, 0.2)), chance.choice((0.0, 0.0, 0.1, 0.3))
    work = kinds(chance, rate)
    basis = {
        "workload": {f"kind{number}": written(kind) for number, kind in enumerate(work)},
        "cost": {"evictionRate": rate, "soldOutShare": sold_out, "soldOutHours": 1e-6},
    }
    pools = (
        spot("cpuspot", maxCount=1000),
        pool("cpuod", maxCount=1000),
        pool("heads", "Standard_X", maxCount=1000),
    )
    profile = {"scaleDownUnneededTime": "10m", "scanInterval": "10s"}
    monthly_bill = bill(
        stack(*pools, basis=basis, fallbacks={"cpuspot": "cpuod"}, autoScalerProfile=profile),
        FixedMarket(SIZES),
    )
    months = [play(work, rate, sold_out, TAIL, chance) for _ in range(MONTHS)]
    hours = {
        line.name: line.hours.expected for line in monthly_bill.lines if line.hours and line.part == "batch"
    }
    assert near(hours["cpuspot"], [month.spot for month in months])
    assert near(hours.get("cpuod", 0.0), [month.fallback for month in months])
    for number, cost in enumerate(monthly_bill.work):
        steps = sum(month.steps[number] for month in months)
        if not sold_out:
            assert cost.fails
            assert as_often(cost.fails.expected, sum(month.failed[number] for month in months), steps)
        if not sold_out and cost.misses:
            assert as_often(cost.misses.expected, sum(month.late[number] for month in months), steps)
    if any(kind.head for kind in work) and not sold_out:
        # The pool of heads idles, too, which is left out here: at most a boot and the tail for each.
        heads = statistics.mean(month.heads for month in months)
        most = sum(kind.bursts * kind.at_once * (TAIL + 0.6) for kind in work if kind.head)
        assert heads * 0.97 <= hours["heads"] <= (heads + most) * 1.05
    assert monthly_bill.amount("batch").expected == pytest.approx(
        hours["cpuspot"] * SPOT + hours.get("cpuod", 0) * FALLBACK + hours.get("heads", 0) * HEADS
    )
