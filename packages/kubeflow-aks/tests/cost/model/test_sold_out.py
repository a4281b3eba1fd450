"""Work that starts on the fallback stays there: the closed form against a market that sells out and comes back."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate
from random import Random

import pytest

from kubeflow_aks.cost.model.fallback import either
from kubeflow_aks.cost.model.hourly import expected
from kubeflow_aks.cost.model.step import Step
from tests.cost.model.steps import AT_NOTICE, step

LONG = 200_000.0
STEPS = 20_000


def market(share: float, outage: float, chance: Random) -> list[float]:
    """Moments at which spot sells out and comes back, in turn, both after times without memory."""
    means = (outage * (1 - share) / share, outage)
    count = round(2 * LONG / sum(means))
    return list(accumulate(chance.expovariate(1 / means[place % 2]) for place in range(count)))


def played(one: Step, rate: float, share: float, outage: float, *, taken: bool) -> tuple[float, float]:
    """Mean hours on spot and on the fallback of a step, which keeps whole blocks; `taken` with the supply, or left."""
    saves = one.checkpoints
    count = 1 if saves is None else math.ceil(one.hours / saves.every)
    block = one.hours if saves is None else saves.every + saves.writing
    last = one.hours - (count - 1) * saves.every if saves else one.hours
    chance = Random("sold out")  # noqa: S311 - repeatable on purpose
    changes = market(share, outage, chance)
    spot = fallback = 0.0
    for _ in range(STEPS):
        now, overhead, left = chance.uniform(0, changes[-1] * 0.9), 0.0, count
        while True:
            place = bisect_right(changes, now)
            if place % 2:  # sold out
                fallback += overhead + (left - 1) * block + last
                break
            lives = chance.expovariate(-math.log(1 - rate))
            if taken:
                lives = min(lives, changes[place] - now)
            needs = overhead + (left - 1) * block + last
            spot += min(lives, needs)
            if lives >= needs:
                break
            left -= max(int((lives - overhead) // block), 0)
            now, overhead = now + lives + one.wait, one.restart
    return spot / STEPS, fallback / STEPS


@pytest.mark.parametrize(("hours", "share"), [(6.0, 0.25), (20.0, 0.3), (20.0, 0.1)])
def test_what_starts_on_the_fallback_stays_there(hours: float, share: float) -> None:
    one = step(hours, wait=1 / 60)
    model = either(one, 0.05, share, 2.0)
    spot, fallback = played(one, 0.05, share, 2.0, taken=False)
    assert model.spot == pytest.approx(spot, rel=0.06)
    assert model.fallback == pytest.approx(fallback, rel=0.06)
    assert model.fallback > share * hours  # which is what the bill once had


@pytest.mark.parametrize(
    ("every", "rate", "share", "outage"),
    [(1.0, 0.1, 0.35, 10.0), (2.0, 0.15, 0.15, 6.0)],
)
def test_with_checkpoints_the_time_since_the_last_start_counts(
    every: float, rate: float, share: float, outage: float
) -> None:
    """What moves after its first start, within a seventh: a start soon after the one before finds spot there."""
    one = step(20, every=every, writing=0.05, wait=1 / 60)
    model = either(one, rate, share, outage)
    spot, fallback = played(one, rate, share, outage, taken=False)
    at_once = share * (20 + 0.05 * (20 / every - 1))
    assert model.spot == pytest.approx(spot, rel=0.03)
    assert model.fallback - at_once == pytest.approx(fallback - at_once, rel=0.15)


@pytest.mark.parametrize(("hours", "share"), [(6.0, 0.25), (20.0, 0.3)])
def test_where_azure_takes_running_machines_more_of_the_work_moves(hours: float, share: float) -> None:
    one = step(hours, wait=1 / 60)
    model = either(one, 0.05, share, 4.0, taken=True)
    spot, fallback = played(one, 0.05, share, 4.0, taken=True)
    assert model.spot == pytest.approx(spot, rel=0.06)
    assert model.fallback == pytest.approx(fallback, rel=0.06)
    assert model.moves > either(one, 0.05, share, 4.0).moves


@pytest.mark.parametrize(
    "one",
    [
        step(8),
        step(20, every=1.0, writing=0.1),
        replace(step(8), checkpoints=AT_NOTICE),
        step(8, nodes=4, held=0.1),
        step(8, every=1e-4, writing=1e-6),
    ],
)
def test_a_share_of_nothing_is_spot_alone_and_all_of_it_the_fallback(one: Step) -> None:
    alone = expected(one, 0.1)
    none, least, most = (either(one, 0.1, share) for share in (0.0, 1e-12, 1.0))
    assert none.spot / one.hours == pytest.approx(alone.multiple)
    assert (none.fallback, none.moves) == (pytest.approx(0, abs=1e-9), 0)
    assert least.spot == pytest.approx(none.spot)
    assert (most.spot, most.fallback, most.moves) == (0, one.hours + alone.writing, 1)


def test_checkpoints_keep_what_was_done_on_spot() -> None:
    plain, saved = (either(one, 0.1, 0.3) for one in (step(20), step(20, every=1.0)))
    assert saved.fallback < plain.fallback
    assert saved.spot < plain.spot
    fine = either(step(20, every=1e-4), 0.1, 0.3)
    limit = either(replace(step(20), checkpoints=AT_NOTICE), 0.1, 0.3)
    assert (fine.spot, fine.fallback) == (
        pytest.approx(limit.spot, rel=1e-3),
        pytest.approx(limit.fallback, rel=1e-3),
    )


def test_what_the_page_of_facts_says_of_a_long_step() -> None:
    hours = either(step(20, wait=5 / 60), 0.05, 0.3, 4.0)
    assert hours.fallback / 20 == pytest.approx(0.51, abs=0.005)


def test_without_evictions_only_the_first_start_decides() -> None:
    hours = either(step(20, every=1.0, writing=0.1), 0.0, 0.25)
    assert (hours.spot, hours.fallback) == (pytest.approx(0.75 * 21.9), pytest.approx(0.25 * 21.9))


def test_at_the_highest_rates_there_is_no_figure_and_no_traceback() -> None:
    assert either(step(2), 1.0, 0.5).spot == math.inf
    assert either(step(2000), 0.999999, 0.5).moves == pytest.approx(1)
    assert either(step(2), 0.1, 0.5, 1e-12).moves == pytest.approx(either(step(2), 0.1, 0.5).moves)
    for wrong in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match=r"soldOutShare: .* expected a share from 0 to 1"):
            either(step(2), 0.1, wrong)
    with pytest.raises(ValueError, match=r"soldOutHours: 0\.0 is not allowed; expected a number above 0"):
        either(step(2), 0.1, 0.5, taken=True)
