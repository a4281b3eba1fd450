"""Each closed form against the same thing played many times by chance, within four standard errors."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from kubeflow_aks.cost.model.hourly import expected
from kubeflow_aks.cost.model.retries import spent
from kubeflow_aks.cost.model.step import Step
from tests.cost.model.steps import AT_NOTICE, Floats, play, step

PLAYED = [
    (step(2), 0.05),
    (step(8), 0.10),
    (step(20), 0.05),
    (step(6), 0.25),
    (step(8, restart=1.0, wait=0.25), 0.20),
    (step(20, every=1.118, writing=1 / 30), 0.05),
    (step(20, every=1.5, writing=1 / 30, wait=0.1), 0.20),
    (step(9, every=3.0, writing=0.5), 0.15),
    (step(2, every=5.0, writing=0.5), 0.20),
    (replace(step(20), checkpoints=AT_NOTICE), 0.20),
]


def _agrees(drawn: Floats, mean: float) -> bool:
    error = float(drawn.std()) / math.sqrt(drawn.size)
    return abs(float(drawn.mean()) - mean) <= 4 * error + 1e-9


def _as_often(drawn: npt.NDArray[np.bool], chance: float) -> bool:
    error = math.sqrt(chance * (1 - chance) / drawn.size)
    return abs(float(drawn.mean()) - chance) <= 4 * error + 1e-6


@pytest.mark.parametrize(("one", "rate"), PLAYED)
def test_a_step_takes_what_is_expected(one: Step, rate: float) -> None:
    played, result = play(one, rate), expected(one, rate)
    assert _agrees(played.billed, result.multiple * one.hours)
    assert _agrees(played.evictions, result.evictions)
    assert _agrees(played.lost, result.lost)
    assert _agrees(played.wall, result.wall)
    assert _agrees(
        played.billed - played.lost, one.hours + result.writing + result.restarting
    )  # so what is neither lost nor work is what restarting took


@pytest.mark.parametrize("retries", [0, 1, 3])
@pytest.mark.parametrize(("one", "rate"), PLAYED)
def test_retries_run_out_as_often_as_expected(one: Step, rate: float, retries: int) -> None:
    limited = replace(one, retries=retries)
    played, result = play(limited, rate), spent(limited, rate)
    assert _as_often(played.evictions > retries, result.fails)
    assert _agrees(played.given_up_after, result.hours)
    assert result.fails == expected(limited, rate).fails


@pytest.mark.parametrize("slack", [0.05, 0.35, 1.0, 2.5, 6.0])
@pytest.mark.parametrize(("one", "rate"), PLAYED)
def test_deadlines_are_missed_as_often_as_expected(one: Step, rate: float, slack: float) -> None:
    deadline = one.hours + expected(one, rate).writing + slack
    result = expected(replace(one, deadline=deadline), rate).misses
    assert result is not None
    assert _as_often(play(one, rate).wall > deadline, result)


def test_what_is_played_by_chance_is_not_the_model() -> None:
    """The play itself: without evictions in sight, a step takes its hours and its checkpoints and nothing else."""
    played = play(step(9, every=3.0, writing=0.5), 1e-12, number=10)
    assert np.allclose(played.billed, 10.0)
    assert not played.evictions.any()
