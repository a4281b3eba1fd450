"""Office hours: a cluster that is stopped at night and at the weekend."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from cost.advice.advice import Change, Path
from cost.advice.kinds.checkpoints import SAID, checkpointed
from cost.advice.situation import Situation
from cost.basis import Work
from cost.figures import HOURS_A_MONTH

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
            "write your own hours and time zone; `make stop` and `make start`, or a schedule, carry them out",
            "a step that runs when the day ends loses what it has not saved, which the bill does not count",
            *map(SAID.format, saving),
        ),
    )


def _in_one_go(work: Work) -> float:
    """Hours of a step that are lost together."""
    return min(work.step_hours, (work.checkpoint_minutes or math.inf) / 60)


def _more_nodes(situation: Situation) -> Mapping[Path, Any]:
    """The same node hours in fewer hours."""
    found: dict[Path, Any] = {}
    for line in situation.bill.lines:
        pool = situation.own_pools.get(line.pool)
        if line.part != "batch" or line.hours is None or pool is None or math.isinf(line.hours.expected):
            continue
        needed = math.ceil(line.hours.expected / (HOURS_A_MONTH * _SHARE))
        if needed > pool.maximum:
            found["pools", pool.name, "maxCount"] = needed
    return found
