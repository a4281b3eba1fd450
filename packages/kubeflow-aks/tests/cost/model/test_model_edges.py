"""Break-even, fallback, idle hours and observed rates: their edges, and steps that are none."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from kubeflow_aks.cost.model import breakeven
from kubeflow_aks.cost.model.hourly import expected, multiple
from kubeflow_aks.cost.model.idle import Bursts, idle, tail
from kubeflow_aks.cost.model.retries import spent
from kubeflow_aks.cost.model.step import Checkpoints, blocks
from tests.cost.model.steps import AT_NOTICE, PLAIN, step
from tests.cost.model.textbook import textbook


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf, 0.0])
def test_a_step_without_hours_is_none(wrong: float) -> None:
    with pytest.raises(ValueError, match=r"hours: .* is not allowed; expected a number"):
        step(wrong)


@pytest.mark.parametrize("amount", ["restart", "wait", "retries", "deadline"])
def test_no_amount_of_a_step_is_negative(amount: str) -> None:
    with pytest.raises(ValueError, match=f"{amount}: -1 is not allowed; expected a number from 0"):
        replace(PLAIN, **{amount: -1})
    assert replace(PLAIN, **{amount: 0})
    with pytest.raises(ValueError, match="every: -1 is"):
        Checkpoints(-1, 0)
    with pytest.raises(ValueError, match="writing: nan is"):
        Checkpoints(1, math.nan)


@pytest.mark.parametrize(
    ("hours", "every", "saved", "last"),
    [(20, 0.1, 199, 0.1), (2.1, 0.7, 2, 0.7), (2, 1.5, 1, 0.5), (2, 2, 0, 2), (2, 3, 0, 2), (2, 0.5, 3, 0.5)],
)
def test_the_last_block_writes_nothing(hours: float, every: float, saved: int, last: float) -> None:
    cut = blocks(step(hours, every, 0.25))
    assert cut.saved == saved
    assert cut.last == pytest.approx(last)
    assert cut.writing == pytest.approx(saved * 0.25)
    assert saved == 0 or cut.length == pytest.approx(every + 0.25)


def test_an_interval_a_hair_shorter_than_the_step_writes_nothing() -> None:
    almost = step(2, 2 * (1 - 1e-12), 1e5)
    assert blocks(almost) == blocks(step(2))
    assert expected(almost, 0.05) == expected(step(2), 0.05)


def test_a_restart_too_short_to_count_takes_no_time_also_where_nothing_gets_done() -> None:
    result = expected(step(3000, restart=5e-324), 0.25)
    assert (result.multiple, result.restarting) == (math.inf, math.inf)


def test_a_start_that_never_gets_through_misses_any_deadline() -> None:
    assert expected(step(1, restart=53, deadline=3e18), 0.5).misses == pytest.approx(0.5)


def test_saving_all_the_time_at_a_price_never_gets_done() -> None:
    result = expected(step(2, 0.0, 0.1, deadline=1e6), 0.05)
    assert (result.multiple, result.fails, result.misses) == (math.inf, 1, 1)
    assert textbook(Checkpoints(0.0, 0.1), 0.1, 0.05) == math.inf
    assert textbook(AT_NOTICE, 0.0, 0.05) == 1


def test_what_is_always_evicted_never_gets_done() -> None:
    result = expected(step(2, deadline=100), 1.0)
    assert (result.multiple, result.evictions, result.fails, result.misses) == (math.inf, math.inf, 1, 1)
    assert spent(step(2), 1.0).fails == 1
    assert multiple(step(2), math.inf) == math.inf


def test_what_is_never_evicted_costs_its_hours_and_checkpoints() -> None:
    assert spent(step(9, every=3.0, writing=0.5), 0.0).hours == 10


def test_so_many_blocks_that_their_hits_are_counted_together() -> None:
    often = expected(step(20, every=20 / 2e9, writing=1e-12, retries=1), 0.05).fails
    assert often == pytest.approx(
        expected(step(20, every=20 / 5e8, writing=1e-12, retries=1), 0.05).fails, rel=1e-3
    )


def test_what_hardly_ever_happens_still_has_all_its_digits() -> None:
    result = expected(step(1.0, restart=0.0), 1e-12)
    assert result.lost == pytest.approx(1e-12 / 2, rel=1e-9)
    assert result.evictions == pytest.approx(1e-12, rel=1e-9)
    assert breakeven.longest_step(1.0 + 1e-9, 0.05) == pytest.approx(2e-9 / 0.0512933, rel=1e-4)


def test_where_spot_never_or_always_pays() -> None:
    assert breakeven.longest_step(1.0, 0.05) == 0
    assert breakeven.longest_step(0.9, 0.0) == 0
    assert breakeven.longest_step(1.0, 0.0) == 0
    assert breakeven.longest_step(1.1, 0.0) == math.inf
    assert breakeven.longest_step(4.0, 1.0) == 0
    assert breakeven.longest_step(4.0, 0.2, restart=10) == 0  # it restarts for longer than it works
    assert breakeven.stops_paying(0.2, math.inf) == 0


def test_idle_hours_of_bursts() -> None:
    [rare] = idle([Bursts(0.01, 5, 4 / 60)], unneeded=10 / 60).hours
    assert rare == pytest.approx(0.05 * 14 / 60, rel=1e-4)
    often = 1270 / 730 / 6  # bursts while a node waits: 1 of 1.29 of them finds none
    result = idle([Bursts(1270, 1, 4 / 60)], unneeded=10 / 60)
    assert result.hours == (pytest.approx(1270 * (10 / 60 * (1 + often / 2) + 4 / 60) / (1 + often)),)
    assert result.boots == pytest.approx(1 / (1 + often))
    assert idle([], unneeded=0.2).hours == ()


def test_a_kind_of_work_that_is_split_idles_as_long() -> None:
    [one, other] = idle([Bursts(600, 2, 0.1), Bursts(300, 5, 0.2)], unneeded=0.3).hours
    *three, same = idle([*[Bursts(200, 2, 0.1)] * 3, Bursts(300, 5, 0.2)], unneeded=0.3).hours
    assert (sum(three), same) == (pytest.approx(one), pytest.approx(other))


def test_a_node_goes_after_its_time_two_scans_and_its_deletion() -> None:
    assert tail(10 / 60, 10 / 3600) * 3600 == pytest.approx(600 + 22)
    assert tail(0.0, 0.0) == 0
