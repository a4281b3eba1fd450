"""Office hours: a cluster that is stopped at night and at the weekend."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kubeflow_aks.cost.advice.advice import Change, Path
from kubeflow_aks.cost.advice.kinds.checkpoints import NEEDS_CHECKPOINTS, checkpointed
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
_SHARE: Final = 5 * _DAY / 168
"""Of a week."""


def office_hours(situation: Situation) -> Iterator[Change]:
    """Five days of twelve hours, never in production.

    The same work needs more nodes in less time, and checkpoints where a step is longer than a day.
    """
    if situation.basis.office_hours is not None or situation.file.get("production"):
        return
    saving = [name for name, work in situation.work.items() if _in_one_go(work) > _DAY]
    values: dict[Path, Any] = {("officeHours", key): value for key, value in _HOURS.items()}
    for name in saving:
        values |= checkpointed(situation, name)
    yield Change(
        "office hours",
        "the cluster runs from Monday to Friday, 07:00 to 19:00, and is stopped otherwise",
        {**values, **_more_nodes(situation)},
        (
            "write your own hours and time zone; `./kubeflow-aks stop` and `start`, or a schedule, apply them",
            "each evening stops what runs: it loses unsaved work, which the bill counts, and a retry",
            *map(NEEDS_CHECKPOINTS.format, saving),
        ),
    )


def _in_one_go(work: Work) -> float:
    """Hours of a step that are lost together."""
    return min(work.step_hours, (work.checkpoint_minutes or math.inf) / 60)


def _more_nodes(situation: Situation) -> Mapping[Path, Any]:
    """The same node hours, and those that evenings add, in fewer hours."""
    found: dict[Path, Any] = {}
    for line in situation.bill.lines:
        pool = situation.own_pools.get(line.pool)
        if line.part != "batch" or line.hours is None or pool is None or math.isinf(line.hours.expected):
            continue
        added = sum(
            _by_evenings(situation, name)
            for name, work in situation.work.items()
            if work.pool == line.pool and _in_one_go(work) <= _DAY
        )
        if math.isinf(added):
            continue
        needed = math.ceil((line.hours.expected + added) / (HOURS_A_MONTH * _SHARE))
        if needed > pool.maximum:
            found["pools", pool.name, "maxCount"] = needed
    return found


def _by_evenings(situation: Situation, name: str) -> float:
    """Node hours a month that a kind of work would take longer."""
    work = situation.work[name]
    rate = situation.bill.rates.get(work.pool)
    hazard = evictions_an_hour(rate.rate.expected) if rate else 0.0
    always, by_day = hourly.multiple(work.step, hazard), hourly.multiple(work.step, hazard, _DAY)
    return (by_day - always) * work.hours_per_month if math.isfinite(always) else 0.0
