"""The rate that evictions in node hours allow to tell."""

from __future__ import annotations

import math
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import poisson

from kubeflow_aks.cost.evictions import PoolEvictions


def pool(hours: float, evictions: int, moments: int | None = None) -> PoolEvictions:
    return PoolEvictions(
        "cpuspot", 3, hours, evictions, evictions if moments is None else moments, date(2026, 11, 22)
    )


@pytest.mark.parametrize(("hours", "evictions"), [(100, 1), (100, 5), (40, 12), (1.2, 4), (5000, 260)])
def test_the_interval_is_the_exact_one_of_poisson(hours: float, evictions: int) -> None:
    rate = pool(hours, evictions).rate
    assert rate is not None
    low, high = (-math.log1p(-end) * hours for end in (rate.rate.low, rate.rate.high))
    assert poisson.sf(evictions - 1, low) == pytest.approx(0.025)
    assert poisson.cdf(evictions, high) == pytest.approx(0.025)
    assert rate.rate.expected == pytest.approx(1 - math.exp(-evictions / hours))
    assert rate.source.day == date(2026, 11, 22)
    assert not rate.source.assumed


def test_without_evictions_the_upper_end_is_expected() -> None:
    rate = pool(100, 0).rate
    assert rate is not None
    assert rate.rate.low == 0
    assert rate.rate.expected == rate.rate.high == pytest.approx(1 - math.exp(-3.68888 / 100), rel=1e-5)
    assert rate.source.name == "observed: 0 evictions in 100 node hours"


def test_evictions_that_come_together_widen_the_interval() -> None:
    alone, together = pool(100, 6).rate, pool(100, 6, 2).rate
    assert alone is not None
    assert together is not None
    assert together.rate.expected == alone.rate.expected
    assert together.rate.low < alone.rate.low
    assert together.rate.high > alone.rate.high


@pytest.mark.parametrize(
    ("hours", "evictions", "conclusive"),
    [
        (0, 0, False),
        (2, 0, False),
        (16, 0, False),
        (17, 0, True),
        (5, 1, False),
        (1.2, 4, True),
        (1e6, 1, True),
    ],
)
def test_it_tells_something_once_it_can_tell_azures_lowest_band_from_the_highest(
    hours: float,
    evictions: int,
    conclusive: bool,
) -> None:
    assert pool(hours, evictions).conclusive is conclusive


def test_very_many_evictions_stay_below_certainty() -> None:
    rate = pool(0.001, 1000).rate
    assert rate is not None
    assert rate.rate.low <= rate.rate.expected <= rate.rate.high < 1


@settings(max_examples=200)
@given(st.floats(1e-6, 1e6), st.integers(0, 2000), st.integers(1, 2000))
def test_an_interval_always_holds_its_rate(hours: float, evictions: int, moments: int) -> None:
    rate = pool(hours, evictions, min(moments, evictions)).rate
    assert rate is not None
    assert 0 <= rate.rate.low <= rate.rate.expected <= rate.rate.high < 1
