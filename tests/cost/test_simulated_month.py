"""The model against small months that the local AKS plays; `bench.month` compares more and larger ones.

Every case is chosen so that each part of the model counts: restarts, checkpoints, retries, idle nodes.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.month import Case, by_model, month, row, step
from bench.month_page import line
from local_aks.stepped.month import play

MONTHS = 6
CASES = (
    (Case("half hours that follow each other closely", ((step(0.5, restart=1.0), 400),)), 0.2),
    (Case("long steps", ((step(6, restart=0.5), 40),), at_once=10), 0.2),
    (Case("saved each hour", ((step(12, every=1, writing=0.2, restart=1.0), 20),), at_once=5), 0.2),
    (Case("given up after one retry", ((step(4, retries=1, restart=0.5), 60),), at_once=20), 0.2),
    (Case("nodes idle for long", ((step(1), 200),), unneeded="40m"), 0.01),
)


@pytest.mark.parametrize(("case", "rate"), CASES, ids=[case.name for case, _ in CASES])
def test_the_expectation_lies_inside_the_interval_of_simulated_months(case: Case, rate: float) -> None:
    found = row(case, rate, MONTHS)
    assert [one for one in found.all if not one.inside] == [], line(found)
    assert found.billed.half < 0.1 * found.billed.mean, "the interval is so wide that it proves nothing"


def test_a_month_without_evictions_is_what_can_be_counted() -> None:
    case = Case("apart", ((step(2, every=0.5, writing=0.25), 3),))
    [work] = month(case, 0.0).work
    assert (work.kind.seconds, work.kind.every, work.kind.writing) == (7200, 1800, 900)
    model, played = by_model(case, 0.0), play(month(case, 0.0), 1)
    assert played.done.ran == pytest.approx(3 * (2 + 3 * 0.25))
    assert sum(played.node_hours.values()) == pytest.approx(model.billed, abs=3 * 20 / 3600)
    assert (model.evictions, model.lost, model.failed) == (0, 0, 0)


def test_the_interval_notices_a_model_that_is_a_little_wrong() -> None:
    case, rate = CASES[0]
    assert not row(replace(case, steps=((step(0.5, restart=0.5), 400),)), rate, 2) == row(case, rate, 2)
    found = row(case, rate, MONTHS).billed
    assert not replace(found, model=found.model * 1.05).inside
    assert not replace(found, model=found.model * 0.95).inside
