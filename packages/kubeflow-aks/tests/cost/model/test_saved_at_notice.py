"""Work that is saved within some notices of an eviction: the closed form against the same thing played by chance."""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import replace
from pathlib import Path

import pytest

from kubeflow_aks.cost.model.hourly import expected
from kubeflow_aks.cost.model.step import Step
from tests.cost.model.steps import AT_NOTICE, step

STEPS = 8000
FACTS = Path(__file__).parents[5] / "docs/facts/cost-model.md"


def _played(one: Step, rate: float) -> tuple[list[float], list[float]]:
    """Billed hours and lost hours of many steps, each followed from eviction to eviction."""
    rng = random.Random(26)  # noqa: S311 - repeatable on purpose
    hazard = -math.log(1 - rate)
    saves = one.checkpoints
    block = math.inf if saves is None else saves.every + saves.writing
    number = 0 if saves is None else math.ceil(one.hours / saves.every) - 1
    needed = one.hours + number * (saves.writing if saves else 0.0)
    billed, lost = [0.0] * STEPS, [0.0] * STEPS
    for index in range(STEPS):
        kept = restart = 0.0
        while True:
            lives = rng.expovariate(hazard)
            if lives >= restart + needed - kept:
                billed[index] += restart + needed - kept
                break
            billed[index] += lives
            reached = kept + max(lives - restart, 0.0)
            if rng.random() < one.saved:
                kept = reached
            else:
                written = min(math.floor(reached / block), number) * block if number else 0.0
                lost[index] += reached - max(kept, written)
                kept = max(kept, written)
            restart = one.restart
    return billed, lost


def _agrees(drawn: list[float], mean: float) -> bool:
    return abs(statistics.mean(drawn) - mean) <= 4 * statistics.stdev(drawn) / math.sqrt(STEPS)


@pytest.mark.parametrize("saved", [0.0, 0.3, 0.9])
@pytest.mark.parametrize(
    ("one", "rate"), [(step(8, restart=0.5), 0.2), (step(20, every=1.5, writing=1 / 30), 0.1)]
)
def test_a_step_takes_what_is_expected(one: Step, rate: float, saved: float) -> None:
    one = replace(one, saved=saved)
    billed, lost = _played(one, rate)
    cost = expected(one, rate)
    assert _agrees(billed, cost.multiple * one.hours)
    assert _agrees(lost, cost.lost)


def test_what_is_played_differs_from_a_model_without_notices() -> None:
    _, lost = _played(step(8, saved=0.3), 0.2)
    assert not _agrees(lost, expected(step(8), 0.2).lost)


@pytest.mark.parametrize("rate", [1e-12, 1e-6, 0.05, 0.2, 0.999])
@pytest.mark.parametrize("hours", [0.01, 8.0, 400.0])
def test_less_is_lost_the_more_is_saved_and_nothing_where_all_is(hours: float, rate: float) -> None:
    lost = [expected(step(hours, saved=share), rate).lost for share in (0.0, 1e-9, 0.25, 0.5, 0.75, 1.0)]
    assert lost == sorted(lost, reverse=True)
    assert lost[-1] == pytest.approx(0.0, abs=1e-9)
    assert lost[1] == pytest.approx(lost[0], rel=1e-3) or lost[0] == math.inf
    always = replace(step(hours), checkpoints=AT_NOTICE)
    assert expected(step(hours, saved=1.0), rate).multiple == pytest.approx(expected(always, rate).multiple)


def test_digits_do_not_break_where_the_short_form_begins() -> None:
    for saved in (0.1, 0.5, 0.9):
        below, above = (expected(step(hours, saved=saved), 0.05).lost for hours in (1.949e-4, 1.951e-4))
        assert above / below == pytest.approx((1.951 / 1.949) ** 2, rel=1e-4)


def test_the_page_has_the_models_figures() -> None:
    text = FACTS.read_text(encoding="utf-8")
    for saved, name in ((0.0, "none saved within a notice"), (0.5, "q = 0.5"), (0.9, "q = 0.9")):
        one = step(20, every=1.0, writing=15 / 3600, saved=saved)
        figures = (f"{expected(one, rate).multiple:.3f}" for rate in (0.01, 0.05, 0.1, 0.2))
        assert f"| m, {name} | {' | '.join(figures)} |" in text


def test_an_evening_comes_without_a_notice() -> None:
    one = step(8, every=1.0, writing=1 / 30)
    assert expected(replace(one, saved=0.5), 0.05, 12.0) == expected(one, 0.05, 12.0)


@pytest.mark.parametrize("saved", [-0.1, 1.1, math.nan])
def test_a_share_is_one(saved: float) -> None:
    with pytest.raises(ValueError, match="saved"):
        step(8, saved=saved)
