"""What holds for every step and every rate."""

from __future__ import annotations

import math
from dataclasses import astuple, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from kubeflow_aks.cost.model import breakeven, interval
from kubeflow_aks.cost.model.fallback import either
from kubeflow_aks.cost.model.hourly import NEVER_DONE, expected, multiple
from kubeflow_aks.cost.model.rates import evictions_an_hour
from kubeflow_aks.cost.model.retries import spent
from kubeflow_aks.cost.model.step import Checkpoints, Step
from tests.cost.model.steps import AT_NOTICE
from tests.cost.model.textbook import textbook

HOURS = st.floats(0, 1e4)
SOME = st.floats(1e-4, 1e4)
RATES = st.floats(0, 1)
CHECKPOINTS = st.none() | st.builds(Checkpoints, every=HOURS, writing=HOURS)
STEPS = st.builds(
    Step,
    hours=SOME,
    restart=HOURS,
    wait=HOURS,
    checkpoints=CHECKPOINTS,
    retries=st.integers(0, 30),
    deadline=st.none() | HOURS,
)
EXTREME = st.floats(min_value=0, allow_nan=False, allow_infinity=False)
ANYTHING = st.builds(
    Step,
    hours=EXTREME.filter(bool),
    restart=EXTREME,
    wait=EXTREME,
    checkpoints=st.none() | st.builds(Checkpoints, every=EXTREME, writing=EXTREME),
    retries=st.integers(0, 2000),
    deadline=st.none() | EXTREME,
)
few = settings(max_examples=25, database=None, derandomize=True)


@few
@given(ANYTHING, RATES)
def test_no_input_gives_nonsense(one: Step, rate: float) -> None:
    result = expected(one, rate)
    assert not [figure for figure in astuple(result) if figure is not None and not figure >= 0]
    assert result.multiple >= 1
    assert result.fails <= 1
    assert result.misses is None or result.misses <= 1
    given_up = spent(one, rate)
    assert given_up.hours >= 0
    assert given_up.fails == result.fails


@few
@given(STEPS, RATES)
def test_all_billed_hours_are_accounted_for(one: Step, rate: float) -> None:
    result = expected(one, rate)
    billed = one.hours + result.writing + result.lost + result.restarting
    assert math.isclose(result.multiple * one.hours, billed) or billed > 1e300
    assert math.isinf(billed) or result.lost + result.restarting <= NEVER_DONE
    if 0 < rate < 1 and billed < math.inf:
        assert math.isclose(result.evictions, evictions_an_hour(rate) * billed)
        assert math.isclose(result.wall, billed + result.evictions * one.wait)


@few
@given(STEPS, st.tuples(RATES, RATES).map(sorted))
def test_more_evictions_never_cost_less(one: Step, rates: list[float]) -> None:
    low, high = (expected(one, rate) for rate in rates)
    assert low.multiple <= high.multiple * (1 + 1e-12)
    assert low.evictions <= high.evictions * (1 + 1e-12)
    assert low.fails <= high.fails + 1e-9
    if low.misses is not None and high.misses is not None:
        assert low.misses <= high.misses + 1e-3


@few
@given(st.tuples(SOME, SOME).map(sorted), HOURS, RATES)
def test_a_longer_step_without_checkpoints_costs_more_an_hour(
    hours: list[float], restart: float, rate: float
) -> None:
    short, long = (multiple(_plain(length, restart), evictions_an_hour(rate)) for length in hours)
    assert short <= long * (1 + 1e-9)


@few
@given(STEPS)
def test_without_evictions_only_checkpoints_are_written(one: Step) -> None:
    result = expected(one, 0.0)
    assert (result.evictions, result.lost, result.restarting, result.fails) == (0, 0, 0, 0)
    assert math.isclose(result.multiple * one.hours, one.hours + result.writing)
    least = expected(one, 1e-15)
    assert math.isclose(least.multiple, result.multiple, rel_tol=1e-6) or least.multiple > 1


@few
@given(STEPS, RATES)
def test_a_checkpoint_at_the_end_that_takes_no_time_changes_nothing(one: Step, rate: float) -> None:
    plain = replace(one, checkpoints=None)
    assert expected(replace(one, checkpoints=Checkpoints(one.hours, 0.0)), rate) == expected(plain, rate)
    assert expected(replace(one, checkpoints=Checkpoints(one.hours * 2, 5.0)), rate) == expected(plain, rate)


@few
@given(SOME, st.floats(0, 10), st.floats(0, 0.9))
def test_ever_more_checkpoints_are_the_notice(hours: float, restart: float, rate: float) -> None:
    one = _plain(hours, restart)
    hazard = evictions_an_hour(rate)
    at_notice = multiple(replace(one, checkpoints=AT_NOTICE), hazard)
    assert math.isclose(at_notice, math.exp(hazard * restart))
    often = multiple(replace(one, checkpoints=Checkpoints(hours / 1e7, 0.0)), hazard)
    assert math.isclose(often, at_notice, rel_tol=1e-4 + hazard * hours / 1e7)


@few
@given(st.floats(0.1, 100), st.floats(0.01, 2), st.floats(0, 1), st.floats(0.001, 0.5))
def test_a_step_never_takes_more_than_the_textbook_says(
    hours: float, every: float, writing: float, rate: float
) -> None:
    checkpoints = Checkpoints(every, writing)
    one = replace(_plain(hours, 0.1), checkpoints=checkpoints)
    blocks = max(1, math.ceil(hours / every))
    whole = replace(one, hours=blocks * every)  # the papers count whole blocks only
    assert multiple(whole, evictions_an_hour(rate)) <= textbook(checkpoints, 0.1, rate) * (1 + 1e-9)


@few
@given(STEPS.filter(lambda one: one.restart == 0 or one.checkpoints is None), st.floats(0.001, 0.9))
def test_trying_again_for_ever_costs_the_same_as_giving_up_and_starting_anew(one: Step, rate: float) -> None:
    """Where a restart takes no time, a person's start is like a retry's."""
    limited = spent(replace(one, restart=0.0, checkpoints=None), rate)
    result = expected(replace(one, restart=0.0, checkpoints=None), rate)
    if limited.fails < 0.99 and result.multiple < math.inf:
        assert math.isclose(limited.hours / (1 - limited.fails), result.multiple * one.hours, rel_tol=1e-6)


@few
@given(STEPS, st.floats(0.001, 0.9))
def test_retries_never_cost_more_than_trying_for_ever(one: Step, rate: float) -> None:
    result = expected(one, rate)
    limited, more = (spent(replace(one, retries=retries), rate) for retries in (1, 5))
    assert limited.hours <= more.hours * (1 + 1e-9) <= result.multiple * one.hours * (1 + 1e-6)
    assert limited.fails >= more.fails * (1 - 1e-9)


@few
@given(st.floats(1.001, 1e3), st.floats(1e-4, 0.9), st.floats(0, 1))
def test_the_longest_step_costs_the_same_on_spot_and_on_demand(
    ratio: float, rate: float, restart: float
) -> None:
    hours = breakeven.longest_step(ratio, rate, restart)
    hazard = evictions_an_hour(rate)
    if hours:
        assert math.isclose(multiple(_plain(hours, restart), hazard), ratio, rel_tol=1e-6)
    else:
        assert math.exp(hazard * restart) >= ratio * (1 - 1e-9)


@few
@given(st.floats(0.1, 1e3), st.none() | st.floats(0.01, 1e3), st.floats(0, 0.99), RATES, st.integers(1, 64))
def test_what_spot_does_not_do_the_fallback_does(
    hours: float, every: float | None, rate: float, sold_out: float, nodes: int
) -> None:
    one = replace(_saving(hours, every, 0.01), nodes=nodes)
    shared = either(one, rate, sold_out)
    productive = hours + expected(one, 0.0).writing
    assert sold_out - 1e-9 <= shared.moves <= 1 + 1e-9
    assert shared.fallback >= sold_out * productive * (1 - 1e-9) - 1e-9
    assert shared.fallback <= (productive + one.restart) * (1 + 1e-9)
    assert shared.spot + shared.fallback >= productive * (1 - 1e-6)


@few
@given(st.floats(1e-6, 0.9), st.floats(1e-6, 10), st.floats(0.01, 1e4))
def test_the_best_interval_beats_its_neighbours(rate: float, writing: float, hours: float) -> None:
    every = interval.best(rate, writing, hours)
    hazard = evictions_an_hour(rate)
    least = multiple(_saving(hours, every, writing), hazard)
    for other in (None, (every or hours) * 0.5, (every or hours) * 0.9, (every or hours) * 1.1):
        assert least <= multiple(_saving(hours, other, writing), hazard) * (1 + 1e-9)


def _plain(hours: float, restart: float) -> Step:
    return Step(hours=hours, restart=restart, wait=0.0, checkpoints=None, retries=5, deadline=None)


def _saving(hours: float, every: float | None, writing: float) -> Step:
    saves = None if every is None else Checkpoints(every, writing)
    return replace(_plain(hours, 0.1), checkpoints=saves)
