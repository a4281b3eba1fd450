"""The model against small months that the local AKS plays; `tests.benchmarks.month` compares more and larger ones."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from kubeflow_aks.cost.model.step import Checkpoints
from tests.benchmarks.month import (
    Case,
    bill_hours,
    by_model,
    compare,
    idle_hours,
    month,
    months,
    sold_out,
    step,
)
from tests.stepped.month import play

MONTHS = 5
RATES = {"nodes idle for long": 0.0}
RATE = 0.2
"""Rate of all others."""
SHORT = step(0.5, restart=1.0)
SAVED = step(12, every=1, writing=0.2, restart=1.0)
GIVEN_UP = step(4, retries=1, restart=0.5)
CASES = {
    case.name: case
    for case in (
        Case("short steps", ((SHORT, 60),), at_once=6),
        Case("saved each hour", ((SAVED, 8),), at_once=4),
        Case("given up after one retry", ((GIVEN_UP, 30),), at_once=15),
        Case("nodes idle for long", ((step(8), 80),), unneeded="6h"),
    )
}
WRONG = {
    "restarts cost nothing": Case("", ((replace(SHORT, restart=0.0), 60),), at_once=6),
    "checkpoints cost nothing": Case(
        "", ((replace(SAVED, checkpoints=Checkpoints(1.0, 0.0)), 8),), at_once=4
    ),
    "steps are never given up": Case("", ((replace(GIVEN_UP, retries=1000), 30),), at_once=15),
    "nodes idle for less": Case("", ((step(8), 80),), unneeded="5h"),
}
"""What would be wrong with the model of each of them."""


@pytest.mark.parametrize(("name", "wrong"), list(zip(CASES, WRONG, strict=True)))
def test_the_expectation_lies_inside_the_interval_of_simulated_months_and_a_wrong_one_outside(
    name: str, wrong: str
) -> None:
    rate = RATES.get(name, RATE)
    played = months(month(CASES[name], rate), name, MONTHS)
    hours, model = [one.billed for one in played], by_model(CASES[name], rate)
    for comparison in (
        compare(model.billed, hours),
        compare(model.evictions, [one.evictions for one in played]),
        compare(model.failed, [one.failed for one in played]),
    ):
        assert comparison.inside, comparison
    assert not compare(by_model(WRONG[wrong], rate).billed, hours).inside
    if name == "nodes idle for long":
        _work_that_comes_soon_finds_nodes_that_still_idle(CASES[name], hours)


def _work_that_comes_soon_finds_nodes_that_still_idle(case: Case, hours: Sequence[float]) -> None:
    without = compare(case.useful + 80 * 6, hours)
    assert without.model > 1.2 * idle_hours(case, 0.0) + case.useful
    assert not without.inside


def test_a_month_without_evictions_is_what_can_be_counted() -> None:
    case = Case("apart", ((step(2, every=0.5, writing=0.25), 3),))
    [work] = month(case, 0.0).work
    assert (work.kind.seconds, work.kind.every, work.kind.writing) == (7200, 1800, 900)
    model, played = by_model(case, 0.0), play(month(case, 0.0), 1)
    assert played.done.ran == pytest.approx(3 * (2 + 3 * 0.25 + 270 / 3600))  # and what new nodes load
    assert sum(played.node_hours.values()) == pytest.approx(model.billed, abs=3 * 20 / 3600)
    assert (model.evictions, model.lost, model.failed) == (0, 0, 0)


def test_work_returns_to_spot_as_the_program_moves_it_in_simulated_months() -> None:
    case = Case("30 h × 12", ((step(30, every=1), 12),), returns=True)
    with ThreadPoolExecutor(1) as executor:
        played = sold_out(case, 0.05, 0.3, MONTHS, executor)
    assert played.spot.inside, played
    assert played.fallback.inside, played
    _, stays = bill_hours(replace(case, returns=False), 0.05, 0.3)
    assert not replace(played.fallback, model=stays).inside


def test_office_hours_cost_what_months_come_to_whose_nodes_are_gone_each_evening() -> None:
    case = Case("20 h × 12", ((step(20, every=4), 12),), office_hours=True)
    hours = [one.billed for one in months(month(case, 0.05), case.name, MONTHS)]
    assert compare(bill_hours(case, 0.05)[0], hours).inside
    assert not compare(bill_hours(replace(case, office_hours=False), 0.05)[0], hours).inside


def test_what_was_never_observed_is_rare_not_impossible() -> None:
    assert compare(0.2, [0.0] * 10).inside
    assert not compare(0.4, [0.0] * 10).inside
