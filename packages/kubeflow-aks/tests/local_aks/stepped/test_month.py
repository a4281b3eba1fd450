"""A month of work and what it comes to, in hours that can be counted by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from kubeflow_aks.events import Kind as Line
from tests.stepped.month import (
    FALLBACK,
    POD,
    SPOT,
    WITH_FALLBACK,
    Month,
    MonthResult,
    Work,
    play,
)
from tests.stepped.work import Kind

HOUR = 3600
BOOT = 90
SCAN = 10
STEP = Kind(pod=POD, seconds=HOUR)


def times(played: MonthResult, kind: Line) -> list[float]:
    return [line["time"] for line in played.journal if line["kind"] is kind]


def test_a_node_is_billed_from_its_request_until_it_is_gone() -> None:
    played = play(Month(work=[Work(STEP, 1)], hazard=0.0, hours=2), 1)
    [requested], [gone] = times(played, Line.NODE_CREATING), times(played, Line.NODE_GONE)
    assert played.node_hours == {SPOT: (gone - requested) / HOUR}
    least = BOOT + HOUR + 600
    assert least < gone - requested < least + 3 * SCAN
    assert played.machines == {SPOT: 1}
    assert (played.done.finished, played.done.lost, played.evictions) == (1, 0.0, 0)


def test_steps_wait_for_each_other_where_the_pool_is_full() -> None:
    played = play(Month(work=[Work(STEP, 4, 4)], hazard=0.0, hours=1, maximum=2), 1)
    assert played.machines == {SPOT: 2}
    least = 4 + 2 * (BOOT + 600) / HOUR
    assert least < played.node_hours[SPOT] < least + 2 * 3 * SCAN / HOUR
    assert sorted(round(late) for late in played.done.latest) == [1, 1, 2, 2]


def test_each_running_machine_is_taken_at_its_own_rate() -> None:
    month = Month(work=[Work(Kind(pod=POD, seconds=4 * HOUR, every=600), 200, 10)], hazard=0.2)
    played = play(month, 1)
    expected = month.hazard * played.node_hours[SPOT]
    assert played.evictions == pytest.approx(expected, abs=4 * math.sqrt(expected))
    assert played.evictions > 100


def test_all_machines_can_be_taken_at_the_same_moment() -> None:
    month = Month(work=[Work(STEP, 40, 20)], hazard=0.5, hours=10, together=True)
    moments = times(play(month, 2), Line.EVICTION_NOTICE)
    assert len(moments) > len(set(moments)) > 0


def test_what_no_checkpoint_kept_is_lost_and_done_again() -> None:
    month = Month(work=[Work(STEP, 60, 20)], hazard=0.5)
    with_none = play(month, 3)
    saving = Kind(pod=POD, seconds=HOUR, every=600, writing=30)
    with_some = play(Month(work=[Work(saving, 60, 20)], hazard=0.5), 3)
    assert with_none.done.finished == with_some.done.finished == 60
    assert with_some.done.lost / with_some.done.evicted < 630 / HOUR
    assert with_none.done.lost / with_none.done.evicted > 2 * with_some.done.lost / with_some.done.evicted
    for played, written in ((with_none, 0), (with_some, 5 * 30)):
        busy = 60 * (HOUR + written) / HOUR + played.done.lost
        assert busy < played.node_hours[SPOT] < busy + sum(played.machines.values()) * 0.25


def test_a_step_fails_once_its_retries_are_used_up() -> None:
    one_try = Kind(pod=POD, seconds=HOUR, retries=0)
    played = play(Month(work=[Work(one_try, 100, 10)], hazard=0.5), 4)
    assert played.done.failed == played.done.evicted > 0
    chance = 1 - math.exp(-0.5)
    assert played.done.failed / 100 == pytest.approx(chance, abs=4 * math.sqrt(chance * (1 - chance) / 100))


def test_work_goes_to_the_fallback_while_spot_is_sold_out_and_a_refused_machine_costs_nothing() -> None:
    both = Kind(pod=WITH_FALLBACK, seconds=HOUR)
    played = play(Month(work=[Work(both, 60)], hazard=0.0, hours=200, sold_out=0.5, sold_out_hours=10), 5)
    assert played.done.finished == 60
    assert played.node_hours[FALLBACK] > 10
    assert played.node_hours[SPOT] > 10
    created, refused = len(times(played, Line.NODE_CREATING)), len(times(played, Line.SOLD_OUT))
    assert refused > 0
    assert sum(played.machines.values()) == created - refused


def test_work_without_a_fallback_waits() -> None:
    played = play(Month(work=[Work(STEP, 30)], hazard=0.0, hours=100, sold_out=0.5, sold_out_hours=5), 6)
    assert played.done.finished == 30
    assert FALLBACK not in played.node_hours
    assert max(played.done.latest) > 2


OFFICE = ((8.0, 18.0), (32.0, 42.0))
"""Two days of ten hours."""


def test_work_finds_a_node_that_a_placeholder_holds_and_another_one_takes_its_place() -> None:
    work = [Work(Kind(pod=POD, seconds=HOUR, load=120), 8)]
    month = Month(work=work, hazard=0.0, hours=48, office=OFFICE)
    cold, warm, pulled = (
        play(replace(month, headroom=nodes, pre_pull=pre_pull), 1)
        for nodes, pre_pull in ((0, False), (1, False), (1, True))
    )
    assert [played.done.finished for played in (cold, warm, pulled)] == [8, 8, 8]
    longest = [round(HOUR * max(played.done.waited)) for played in (cold, warm, pulled)]
    assert longest[0] > BOOT + 120
    assert longest[1:] == [120, 0]
    kept = warm.node_hours[SPOT] - cold.node_hours[SPOT]
    assert kept == pytest.approx(20, abs=8 * 0.1)
    outside = [
        at for at in times(warm, Line.NODE_CREATING) if not any(a <= at / HOUR <= b for a, b in OFFICE)
    ]
    assert not outside
    assert warm.machines[SPOT] > 2


def test_images_that_new_nodes_pull_by_themselves_save_the_step_for_which_they_are_made_nothing() -> None:
    month = Month(work=[Work(Kind(pod=POD, seconds=HOUR, load=120), 8)], hazard=0.0, hours=48)
    cold, pulling = play(month, 1), play(replace(month, pre_pull=True), 1)
    assert sum(cold.done.waited) - sum(pulling.done.waited) < 8 * 2 / HOUR
