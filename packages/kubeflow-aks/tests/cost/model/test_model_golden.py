"""Figures that were worked out before the model was written."""

from __future__ import annotations

import math

import pytest

from kubeflow_aks.cost.model import breakeven, interval
from kubeflow_aks.cost.model.hourly import expected
from kubeflow_aks.cost.model.rates import chance_within_an_hour, evictions_an_hour
from kubeflow_aks.cost.model.step import Checkpoints
from tests.cost.model.steps import step
from tests.cost.model.textbook import textbook

SPOT, ON_DEMAND, HOURS = 0.0487, 0.2320, 3400
RATES = (0.01, 0.025, 0.05, 0.10, 0.15, 0.20)
WRITING = 1 / 30


@pytest.mark.parametrize(
    ("hours", "dollars"),
    [
        (1, (167, 168, 171, 176, 183, 190)),
        (2, (167, 170, 175, 186, 199, 213)),
        (4, (169, 175, 185, 208, 237, 273)),
        (8, (173, 184, 206, 263, 346, 470)),
        (12, (176, 194, 230, 336, 520, 857)),
        (20, (184, 216, 290, 574, 1284, 3253)),
        (50, (215, 334, 778, 6131, math.inf, math.inf)),
    ],
)
def test_a_month_of_steps_without_checkpoints(hours: float, dollars: tuple[float, ...]) -> None:
    result = [expected(step(hours), rate).multiple * HOURS * SPOT for rate in RATES]
    assert result == [pytest.approx(amount, abs=0.5) for amount in dollars]


def test_what_would_never_get_done_has_no_figure() -> None:
    result = expected(step(50), 0.20)
    assert (result.multiple, result.evictions, result.lost, result.wall) == (math.inf,) * 4
    assert result.fails == pytest.approx(1, abs=1e-3)
    assert expected(step(50), 0.10).multiple == pytest.approx(37, abs=0.5)


@pytest.mark.parametrize(
    ("rate", "dollars", "minutes"),
    [
        (0.01, 170.11, 153),
        (0.025, 173.01, 96),
        (0.05, 176.56, 67),
        (0.10, 182.18, 46),
        (0.15, 187.10, 37),
        (0.20, 191.76, 31),
    ],
)
def test_endless_work_with_the_best_checkpoints(rate: float, dollars: float, minutes: float) -> None:
    every = interval.endless(evictions_an_hour(rate), WRITING)
    assert every * 60 == pytest.approx(minutes, abs=0.5)
    result = textbook(Checkpoints(every, WRITING), 0.1, rate) * HOURS * SPOT
    assert result == pytest.approx(
        dollars, abs=0.03
    )  # of the best interval that the figures were worked out at


def test_the_best_interval_of_the_facts() -> None:
    assert interval.endless(evictions_an_hour(0.05), WRITING) == pytest.approx(1.118, abs=5e-4)


@pytest.mark.parametrize(
    ("rate", "plain", "evictions", "saved"),
    [
        (0.01, 169.82, 35, 168.24),
        (0.025, 176.97, 92, 171.90),
        (0.05, 191.59, 202, 178.20),
        (0.10, 238.28, 516, 192.21),
        (0.15, 337.77, 1127, 208.71),
        (0.20, 588.63, 2697, 228.51),
        (0.25, 1324.92, 7827, 252.71),
    ],
)
def test_the_blogs_profile(rate: float, plain: float, evictions: float, saved: float) -> None:
    """2,000 h in steps of 2 h, 1,000 h of 4 h, 400 h of 20 h, the last with checkpoints or without."""
    work = ((2000, 2), (1000, 4), (400, 20))
    result = [(useful / hours, expected(step(hours), rate), hours) for useful, hours in work]
    billed = [steps * hours * one.multiple for steps, one, hours in result]
    assert sum(billed) * SPOT == pytest.approx(plain, abs=0.005)
    assert sum(steps * one.evictions for steps, one, _ in result) == pytest.approx(evictions, abs=0.5)
    every = interval.endless(evictions_an_hour(rate), WRITING)
    endless = 400 * textbook(Checkpoints(every, WRITING), 0.1, rate)
    assert (billed[0] + billed[1] + endless) * SPOT == pytest.approx(saved, abs=0.01)


def test_a_step_takes_a_little_less_than_the_textbook_says() -> None:
    checkpoints = Checkpoints(1.118, WRITING)
    exact = expected(step(20, 1.118, WRITING), 0.05).multiple
    assert textbook(checkpoints, 0.1, 0.05) / exact - 1 == pytest.approx(0.0016, abs=5e-5)


def test_a_training_of_20_hours_without_checkpoints() -> None:
    result = expected(step(20), 0.05)
    assert result.multiple == pytest.approx(1.7534, abs=5e-5)
    assert result.fails == pytest.approx(0.071, abs=5e-4)
    assert expected(step(20), 0.10).fails == pytest.approx(0.46, abs=5e-3)
    assert expected(step(20), 0.20).fails == pytest.approx(0.93, abs=5e-3)
    assert expected(step(8), 0.05).fails == pytest.approx(0.0015, abs=5e-5)
    assert expected(step(2), 0.05).fails == pytest.approx(1e-6, rel=0.5)


def test_where_the_hourly_model_and_the_blog_agree() -> None:
    assert expected(step(1.8872, restart=0.0), 0.05).multiple == pytest.approx(1.05, abs=1e-5)
    assert expected(step(1.69), 0.05).multiple == pytest.approx(1.05, abs=2e-4)


@pytest.mark.parametrize(
    ("ratio", "lengths"),
    [
        (ON_DEMAND / SPOT, {0.05: 50.5, 0.10: 24.6, 0.15: 15.9, 0.20: 11.6}),
        (1 / 0.34, {0.05: 36.5, 0.10: 17.8, 0.20: 8.4}),
        (1 / 0.868, {0.05: 5.4, 0.10: 2.6, 0.20: 1.2}),
    ],
)
def test_the_longest_step_worth_running(ratio: float, lengths: dict[float, float]) -> None:
    for rate, hours in lengths.items():
        assert breakeven.longest_step(ratio, rate) == pytest.approx(hours, abs=0.06)


def test_the_break_even_in_evictions_a_step() -> None:
    result = breakeven.longest_step(4.7639, 0.05) * evictions_an_hour(0.05)
    assert result == pytest.approx(2.5910, abs=1e-4)


@pytest.mark.parametrize(("multiple", "price"), [(1.05, 0.22095), (1.0762, 0.21557), (1.1571, 0.20050)])
def test_the_price_at_which_spot_stops_paying(multiple: float, price: float) -> None:
    assert breakeven.stops_paying(ON_DEMAND, multiple) == pytest.approx(price, abs=1e-5)


def test_a_rate_there_and_back() -> None:
    assert evictions_an_hour(0.05) == pytest.approx(0.0512933)
    assert chance_within_an_hour(evictions_an_hour(0.05)) == pytest.approx(0.05)
    assert evictions_an_hour(1.0) == math.inf
    for rate in (-0.01, 1.01, math.nan, math.inf):
        with pytest.raises(ValueError, match="expected a chance from 0 to 1"):
            evictions_an_hour(rate)
