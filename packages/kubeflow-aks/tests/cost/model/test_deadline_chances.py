"""Chances of missing a deadline, against a closed form where there is one, and at the edges."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from scipy import special

from kubeflow_aks.cost.model.deadline import misses
from kubeflow_aks.cost.model.hourly import expected
from kubeflow_aks.cost.model.rates import evictions_an_hour
from kubeflow_aks.cost.model.step import Step
from tests.cost.model.steps import AT_NOTICE, step


def _closed(one: Step, hazard: float, most: int = 30) -> float:
    """A step without checkpoints misses unless it is done after 0, 1, … evictions.

    The hours of n tries that were evicted are exponential ones, the first cut at T and the others at T + R. Each cut
    is 1 - e^-(λ + s)T in the transform, so their sum is a sum of gamma distributions with alternating signs.
    """
    assert one.deadline is not None
    again = one.hours + one.restart
    in_time = math.exp(-hazard * one.hours) if one.deadline >= one.hours else 0.0
    for evictions in range(1, most):
        left = one.deadline - again - evictions * one.wait
        total = 0.0
        for cuts in range(evictions):
            for first in (0, 1):
                cut = cuts * again + first * one.hours
                sign = (-1) ** (cuts + first) * math.comb(evictions - 1, cuts)
                if left > cut:
                    total += (
                        sign * math.exp(-hazard * cut) * special.gammainc(evictions, hazard * (left - cut))
                    )
        in_time += math.exp(-hazard * again) * total
    return 1 - in_time


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("wait", [0.0, 0.25])
@pytest.mark.parametrize("factor", [1.01, 1.15, 1.5, 2.0, 2.7, 4.0])
@pytest.mark.parametrize("hours", [2, 20])
def test_a_step_without_checkpoints_misses_as_the_closed_form_says(
    hours: float, rate: float, wait: float, factor: float
) -> None:
    one = step(hours, wait=wait, deadline=hours * factor)
    hazard = evictions_an_hour(rate)
    assert misses(one, hazard) == pytest.approx(_closed(one, hazard), abs=2e-5)


def test_a_deadline_that_no_step_can_meet_is_always_missed() -> None:
    assert misses(step(2, deadline=1.99), 0.0) == 1
    assert misses(step(2, deadline=2.0), 0.0) == 0
    assert misses(step(2, every=1.0, writing=0.5, deadline=2.4), 0.0) == 1
    assert misses(step(2, deadline=100.0), math.inf) == 1
    assert misses(step(2), 0.1) is None


def test_without_time_for_a_second_start_any_eviction_misses() -> None:
    one = step(20, restart=1.0, wait=0.5, deadline=21.4)
    assert misses(one, 0.05) == pytest.approx(1 - math.exp(-1))


def test_what_is_saved_at_the_notice_misses_by_its_restarts_only() -> None:
    one = replace(step(20, restart=1.0, deadline=22.5), checkpoints=AT_NOTICE)
    late = expected(one, 0.05).misses
    assert late is not None
    assert 1 - sum(math.exp(-1.0258659) * 1.0258659**k / math.factorial(k) for k in range(3)) < late < 0.12


def test_chances_too_small_to_tell_are_none() -> None:
    result = [misses(step(17, every=1 / 60, deadline=41), evictions_an_hour(rate)) for rate in (0.05, 0.1)]
    assert result == [0, 0]


def test_very_many_blocks_are_counted_like_many() -> None:
    """Two steps on both sides of the number from which blocks are counted together."""
    few, many = (step(20, 20 / blocks, 1e-6, wait=0.05, deadline=20.5) for blocks in (90_000, 110_000))
    result = [misses(one, evictions_an_hour(0.05)) for one in (few, many)]
    assert result[0] == pytest.approx(result[1], abs=2e-3)


def test_more_time_never_misses_more_often() -> None:
    result: list[float] = []
    for slack in range(40):
        late = misses(step(20, every=1.118, writing=1 / 30, deadline=20.6 + slack / 4), 0.2)
        assert late is not None
        result.append(late)
    assert all(later <= one + 1e-4 for one, later in pairwise(result))
    assert result[0] > 0.8
    assert result[-1] < 0.01
