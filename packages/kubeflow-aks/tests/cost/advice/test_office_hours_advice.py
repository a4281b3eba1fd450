"""Office hours as advice: for the work as it would be then, within deadlines by the calendar."""

from __future__ import annotations

import math
from typing import Any

import pytest

from kubeflow_aks.cost.advice.advice import Change
from kubeflow_aks.cost.advice.kinds.hours import office_hours
from kubeflow_aks.cost.advice.kinds.pools import families_beside
from tests.cost.advice.situations import situation
from tests.cost.examples import spot, work

A100 = "Standard_NC24ads_A100_v4"


def advised(**more: Any) -> Change | None:
    """Office hours for training of 20 h on up to 10 A100, or None."""
    training = work("gpuspot", **{"hours": 1000, "step": 20, **more})
    changes = list(office_hours(situation({"training": training}, spot("gpuspot", A100, maxCount=10))))
    return changes[0] if changes else None


def test_nodes_are_counted_for_the_work_with_the_checkpoints_that_come_with_it() -> None:
    """3,000 h with checkpoints are about 3,250 in 260.7 h of a month; without, evictions would make 5,250 of them.

    So 12 to 14 nodes work on average, and as steps come by chance the peak is three standard deviations above.
    """
    change = advised(hours=3000)
    assert change
    count = change.values["pools", "gpuspot", "maxCount"]
    least, most = (mean + 3 * math.sqrt(mean) for mean in (3000 * 1.05 / 260.7, 3000 * 1.25 / 260.7))
    assert least < count < most + 1
    assert ("workload", "training", "checkpointMinutes") in change.needs
    assert change.needs.items() <= change.values.items()


@pytest.mark.parametrize(
    ("step", "deadline", "is_advised"),
    [(30, 40, False), (30, 140, True), (2, 8, False), (2, 62, False), (2, 64, True), (2, None, True)],
)
def test_no_deadline_falls_into_a_night_or_a_weekend(
    step: float,
    deadline: float | None,
    is_advised: bool,
) -> None:
    """A step that is submitted on Friday evening goes on 60 hours later."""
    change = advised(step=step, deadlineHours=deadline, checkpointMinutes=30)
    assert (change is not None) == is_advised


def test_work_that_saves_itself_needs_nothing() -> None:
    change = advised(checkpointMinutes=30)
    assert change
    assert change.needs == {}


def test_a_pool_is_never_moved_onto_the_series_of_another_spot_pool() -> None:
    """Whatever work each has: of one series both would be sold out together."""
    kinds = {"a": work("cpua"), "b": work("cpub")}
    both = situation(kinds, spot("cpua", work="x"), spot("cpub", "Standard_D4s_v5", work="y"))
    one, other = both.cluster.pools["cpua"], both.cluster.pools["cpub"]
    assert families_beside(both, one) == {"standardDSv5Family"}
    assert families_beside(both, other) == {"standardDSv3Family"}
