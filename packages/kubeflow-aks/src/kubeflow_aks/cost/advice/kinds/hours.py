"""Office hours: a cluster that is stopped at night and at the weekend."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kubeflow_aks.cost.advice.advice import Change, Path
from kubeflow_aks.cost.advice.kinds.checkpoints import NEEDS_CHECKPOINTS, checkpointed
from kubeflow_aks.cost.advice.kinds.pools import peak
from kubeflow_aks.cost.advice.situation import Situation
from kubeflow_aks.cost.basis import Work
from kubeflow_aks.cost.figures import HOURS_A_MONTH
from kubeflow_aks.cost.model import hourly
from kubeflow_aks.cost.model.rates import evictions_an_hour

_HOURS: Final = {
    "timeZone": "UTC",
    "days": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
    "from": "07:00",
    "to": "19:00",
}
_DAY: Final = 12
_DAYS: Final = 5
_SHARE: Final = _DAYS * _DAY / 168
"""Share of a week."""


def office_hours(situation: Situation) -> Iterator[Change]:
    """Five days of twelve hours, never in production, nor where a deadline falls into a night or a weekend.

    The same work needs more nodes in less time, and checkpoints where a step is longer than a day.
    """
    if situation.basis.office_hours is not None or situation.file.get("production"):
        return
    needs: dict[Path, Any] = {}
    works = dict(situation.work)
    for name, work in situation.work.items():
        if _in_one_go(work) > _DAY and (values := checkpointed(situation, name)):
            needs |= values
            update = {"checkpoint_minutes": float(values["workload", name, "checkpointMinutes"])}
            works[name] = work.model_copy(update=update)
    if any(_late(situation, work) for work in works.values()):
        return
    saving = [name for name, work in works.items() if work is not situation.work[name]]
    more = _more_nodes(situation, works)
    yield Change(
        "office hours",
        "the cluster runs from Monday to Friday, 07:00 to 19:00, and is stopped otherwise",
        {
            **{("officeHours", key): value for key, value in _HOURS.items()},
            **needs,
            **{("pools", name, "maxCount"): count for name, count in more.items()},
        },
        (
            "write your own hours and time zone; `./kubeflow-aks stop` and `start`, or a schedule, apply them",
            "each evening stops what runs: it loses unsaved work, which the bill counts, and a retry",
            *map(NEEDS_CHECKPOINTS.format, saving),
        ),
        needs=needs,
    )


def _in_one_go(work: Work) -> float:
    """Hours of a step that are lost together."""
    return min(work.step_hours, (work.checkpoint_minutes or math.inf) / 60)


def _late(situation: Situation, work: Work) -> bool:
    """Whether a step may miss its deadline by the calendar: submitted shortly before a weekend, it goes on after it."""
    if work.deadline_hours is None:
        return False
    step, hazard = work.step, _hazard(situation, work)
    running = hourly.wall(step, hazard, _DAY) + step.restart
    return _longest(running) > work.deadline_hours


def _longest(running: float) -> float:
    """Hours of the calendar in which a cluster runs for so many, from the evening before a weekend on."""
    days = math.ceil(running / _DAY)
    if not math.isfinite(running):
        return math.inf
    return running + days * (24 - _DAY) + math.ceil(days / _DAYS) * 24 * (7 - _DAYS)


def _more_nodes(situation: Situation, works: Mapping[str, Work]) -> Mapping[str, int]:
    """Nodes of the pools for the peak of their work, as it is with this change, in fewer hours."""
    counts: dict[str, int] = {}
    for line in situation.bill.lines:
        pool = situation.own_pools.get(line.name)  # and so no headroom
        if line.part != "batch" or line.hours is None or pool is None:
            continue
        here = {name: work for name, work in situation.work.items() if work.pool == line.pool}
        if not here and not any(work.head_pool == line.pool for work in works.values()):
            continue
        now = sum(_hours(situation, work, None) for work in here.values())
        idle = max(line.hours.expected - now, 0.0) if math.isfinite(line.hours.expected - now) else 0.0
        demand = [(works[name], _hours(situation, works[name], _DAY)) for name in here]
        if not here:
            demand = [(it, line.hours.expected) for it in works.values() if it.head_pool == line.pool][:1]
        elif idle:
            demand.append((demand[0][0].model_copy(update={"steps_at_once": 1, "nodes_per_step": 1}), idle))
        if all(math.isfinite(needed) for _, needed in demand):
            count = peak(demand, HOURS_A_MONTH * _SHARE)
            if count > pool.maximum:
                counts[pool.name] = count
    return counts


def _hours(situation: Situation, work: Work, day: float | None) -> float:
    """Node hours a month of a kind of work in a cluster that runs so many hours at a stretch."""
    return hourly.multiple(work.step, _hazard(situation, work), day) * work.hours_per_month


def _hazard(situation: Situation, work: Work) -> float:
    rate = situation.bill.rates.get(work.pool)
    return evictions_an_hour(rate.rate.expected) if rate else 0.0
