"""Steps in a cluster that is stopped each evening: played by chance, in figures, and at their limits."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from kubeflow_aks.cost.model.hourly import expected, multiple
from kubeflow_aks.cost.model.rates import evictions_an_hour
from kubeflow_aks.cost.model.step import Step
from tests.cost.model.steps import AT_NOTICE, Floats, step

NUMBER = 20_000
PLAYED = [
    (step(2), 0.0, 12.0),
    (step(2), 0.05, 12.0),
    (step(8), 0.10, 12.0),
    (step(11.5, restart=0.4), 0.02, 12.0),
    (step(20, every=1.0, writing=1 / 30), 0.0, 12.0),
    (step(20, every=1.0, writing=1 / 30), 0.05, 12.0),
    (step(20, every=7.0, writing=0.1), 0.05, 12.0),
    (step(50, every=2.5, writing=0.2, restart=0.5), 0.20, 10.0),
    (step(6, every=0.25, writing=0.02, restart=1.0), 0.60, 9.0),
    (step(3, every=0.1, writing=0.01), 0.20, 8.0),
    (step(0.5, restart=6.0), 0.20, 8.0),
]


def play(one: Step, rate: float, day: float) -> tuple[Floats, Floats, Floats]:
    """Billed hours, evenings and evictions of many steps, each try on its own, begun at any moment of a day."""
    chance = np.random.default_rng(16)
    every, writing = (
        (math.inf, 0.0) if one.checkpoints is None else (one.checkpoints.every, one.checkpoints.writing)
    )
    checkpoints = 0 if math.isinf(every) else math.ceil(one.hours / every - 1e-9) - 1
    billed, evenings, evictions, saved = (np.zeros(NUMBER) for _ in range(4))
    clock, going = chance.uniform(0, day, NUMBER), np.arange(NUMBER)
    restart = np.zeros(NUMBER)
    while going.size:
        evicted = (
            chance.exponential(-1 / math.log1p(-rate), going.size) if rate else np.full(going.size, np.inf)
        )
        evening = day - clock[going]
        behind = saved[going] * every if checkpoints else 0.0
        need = restart[going] + one.hours - behind + (checkpoints - saved[going]) * writing
        ran = np.minimum(need, np.minimum(evicted, evening))
        billed[going] += ran
        done = need <= np.minimum(evicted, evening) + 1e-9
        if checkpoints:
            kept = np.floor(np.maximum(ran - restart[going], 0) / (every + writing) + 1e-9)
            saved[going] += np.minimum(kept, checkpoints - saved[going])
        by_evening = ~done & (evening <= evicted)
        evenings[going] += by_evening
        evictions[going] += ~done & ~by_evening
        clock[going] = np.where(by_evening, 0.0, clock[going] + ran)
        restart[going] = one.restart
        going = going[~done]
    return billed, evenings, evictions


def agrees(drawn: Floats, mean: float) -> bool:
    return abs(float(drawn.mean()) - mean) <= 4 * float(drawn.std()) / math.sqrt(drawn.size) + 1e-9


@pytest.mark.parametrize(("one", "rate", "day"), PLAYED)
def test_a_step_takes_what_is_expected(one: Step, rate: float, day: float) -> None:
    result = expected(one, rate, day)
    billed, evenings, evictions = play(one, rate, day)
    assert agrees(billed, result.multiple * one.hours)
    assert agrees(evenings, result.evenings)
    assert agrees(evictions, result.evictions)


def test_what_is_played_tells_a_day_that_is_a_little_longer() -> None:
    billed, _, _ = play(step(8), 0.10, 12.0)
    assert not agrees(billed, expected(step(8), 0.10, 14.0).multiple * 8)


@pytest.mark.parametrize(
    ("one", "rate", "billed", "evenings"),
    [
        # without evictions a step of x begins too late with chance x / L, and then x / 2 and a restart are on top
        (step(2), 0.0, 2 + 2 / 12 * (1 + 0.1), 2 / 12),
        (step(8), 0.0, 8 + 8 / 12 * (4 + 0.1), 8 / 12),
        (step(12, restart=0.0), 0.0, 12 + 6, 1.0),
        # of two blocks of 7 h a day does one, the first day where it has 7 h left
        (step(14, every=7.0, restart=0.0), 0.0, (5 * (9.5 + 7) + 7 * (3.5 + 12 + 7)) / 12, 19 / 12),
        (step(2), 0.05, 2.3141, 0.1764),
        (step(8), 0.10, 19.4511, 1.3779),
        (step(20, every=1.0, writing=1 / 30), 0.05, 22.4350, 1.8301),
    ],
)
def test_figures(one: Step, rate: float, billed: float, evenings: float) -> None:
    result = expected(one, rate, 12.0)
    assert result.multiple * one.hours == pytest.approx(billed, abs=5e-5)
    assert result.evenings == pytest.approx(evenings, abs=5e-5)


@pytest.mark.parametrize("rate", [0.0, 0.05, 0.2])
@pytest.mark.parametrize(
    "one", [step(2), step(20), step(20, every=1.0, writing=1 / 30), replace(step(20), checkpoints=AT_NOTICE)]
)
def test_a_day_without_an_end_is_no_day(one: Step, rate: float) -> None:
    always, result = expected(one, rate), expected(one, rate, 1e6)
    assert result.multiple == pytest.approx(always.multiple, rel=1e-3)
    assert result.evenings < 1e-3
    assert expected(one, rate, None) == always


def test_short_steps_lose_next_to_nothing() -> None:
    assert expected(step(1e-3), 0.05, 12.0).multiple == pytest.approx(
        expected(step(1e-3), 0.05).multiple, rel=0.01
    )
    ends = expected(step(1e-3, restart=0.0), 0.05, 12.0)
    assert ends.multiple == pytest.approx(expected(step(1e-3, restart=0.0), 0.05).multiple, rel=1e-4)


def test_what_does_not_fit_into_a_day_is_never_done() -> None:
    for one in (step(12.5), step(11.95), step(30, every=12.0)):
        result = expected(one, 0.05, 12.0)
        assert (result.multiple, result.lost, result.evenings) == (math.inf,) * 3
        assert multiple(one, 0.05, 12.0) == math.inf
    assert expected(step(11.9), 0.0, 12.0).multiple < 2


@pytest.mark.parametrize(("one", "day"), [(step(9), 12.0), (step(40, every=3.0, writing=0.2), 10.0)])
def test_more_evictions_and_shorter_days_cost_more(one: Step, day: float) -> None:
    by_rate = [expected(one, rate, day).multiple for rate in (0.0, 1e-9, 1e-4, 0.01, 0.05, 0.2, 0.4)]
    assert all(less <= more * (1 + 1e-6) for less, more in pairwise(by_rate))
    assert by_rate[1] == pytest.approx(by_rate[0], rel=1e-6)
    assert all(
        expected(one, 0.05, day).multiple > expected(one, 0.05, longer * day).multiple for longer in (2, 5)
    )


def test_where_blocks_are_counted_differently_the_figures_meet() -> None:
    """Blocks of which a day has more than are modelled one by one, and of how many the step may have."""
    fine, finer = (step(30, every=10 / number) for number in (199, 201))
    assert expected(fine, 0.05, 10.0).multiple == pytest.approx(
        expected(finer, 0.05, 10.0).multiple, rel=2e-3
    )
    billed = [
        multiple(step(hours, every=0.5, writing=0.01), evictions_an_hour(0.05), 10.0) * hours
        for hours in (240, 270, 300, 330, 360)
    ]
    assert np.diff(billed) == pytest.approx([billed[1] - billed[0]] * 4, rel=2e-3)


def test_what_is_billed_is_work_and_what_was_wasted() -> None:
    one = step(20, every=1.0, writing=1 / 30)
    result = expected(one, 0.05, 12.0)
    assert result.multiple * 20 == pytest.approx(20 + result.writing + result.lost + result.restarting)
    assert result.lost > expected(one, 0.05).lost
    assert result.restarting > expected(one, 0.05).restarting
