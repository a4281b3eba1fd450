"""The best checkpoint interval against all others."""

from __future__ import annotations

import math

import pytest
from scipy import optimize

from kubeflow_aks.cost.model.hourly import multiple
from kubeflow_aks.cost.model.interval import best, endless
from kubeflow_aks.cost.model.rates import evictions_an_hour
from kubeflow_aks.cost.model.step import Checkpoints
from tests.cost.model.steps import step
from tests.cost.model.textbook import textbook


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.2, 0.75])
@pytest.mark.parametrize("writing", [0.001, 1 / 30, 0.5, 2.0])
@pytest.mark.parametrize("hours", [0.2, 3.0, 20.0])
def test_no_other_interval_is_better(rate: float, writing: float, hours: float) -> None:
    hazard = evictions_an_hour(rate)
    result = best(rate, writing, hours)
    tried = [hours / blocks * longer for blocks in range(1, 150) for longer in (1.0, 1.02, 1.3)]
    least = min(multiple(step(hours, every, writing), hazard) for every in tried)
    assert multiple(step(hours, result, writing), hazard) <= least * (1 + 1e-12)


@pytest.mark.parametrize(("rate", "writing", "hours"), [(0.05, 1 / 30, 20), (0.2, 0.5, 300), (0.9, 0.2, 7)])
def test_it_is_near_the_textbooks_for_long_work(rate: float, writing: float, hours: float) -> None:
    result = best(rate, writing, hours)
    assert result is not None
    of_the_textbook = endless(evictions_an_hour(rate), writing)
    assert hours / result == pytest.approx(hours / of_the_textbook, abs=1.5)
    searched = optimize.minimize_scalar(
        lambda every: textbook(Checkpoints(every, writing), 0.1, rate),
        bounds=(1e-3, 20),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert of_the_textbook == pytest.approx(searched.x, rel=1e-5)


def test_the_square_root_is_its_limit_and_too_long_or_short_elsewhere() -> None:
    for writing, off in ((1e-11, 1e-6), (1e-8, 1e-3)):
        assert endless(0.05, writing) == pytest.approx(math.sqrt(2 * writing / 0.05), rel=off)
    assert endless(0.05, 2.0) < 0.9 * math.sqrt(2 * 2.0 / 0.05)


def test_where_no_checkpoint_pays() -> None:
    assert best(0.0, 1 / 30, 20) is None
    assert best(1.0, 1 / 30, 20) is None
    assert best(0.05, 1 / 30, 0.5) is None
    assert best(0.875, 1.0, 1.0) is None
    assert best(0.9, 1e4, 1.0) is None
    assert best(0.05, 0.0, 20) == 0
    assert best(1e-320, 1e4, 1e-3) is None  # so rare that the best interval is no number
