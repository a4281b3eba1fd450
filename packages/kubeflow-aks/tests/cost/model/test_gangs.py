"""Steps of several nodes: a gang that starts again together, and nodes that are lost alone."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from kubeflow_aks.cost.model import breakeven, hourly, interval
from kubeflow_aks.cost.model.hourly import expected
from kubeflow_aks.cost.model.rates import evictions_an_hour
from kubeflow_aks.cost.model.retries import spent
from kubeflow_aks.cost.model.step import Checkpoints, Step
from tests.cost.model.steps import step

HAZARD = evictions_an_hour(0.05)
DAY = step(24, wait=5 / 60, held=5 / 60, nodes=4)
"""A distributed training of a day on four nodes."""


def test_a_day_on_four_nodes_without_checkpoints_takes_29_times_its_hours() -> None:
    """28.8 ± 3.2 times, played by chance; on one node 2.1 times."""
    assert expected(DAY, 0.05).multiple == pytest.approx(28.8, abs=0.5)
    every = interval.best(0.05, 2 / 60, 24, 4)
    assert every
    saved = expected(replace(DAY, checkpoints=Checkpoints(every, 2 / 60)), 0.05)
    assert saved.multiple == pytest.approx(1.16, abs=0.005)
    assert expected(replace(DAY, nodes=1), 0.05).multiple == pytest.approx(2.0, abs=0.1)


def test_a_gang_is_hit_as_often_as_its_nodes_and_all_of_it_waits() -> None:
    cost = expected(step(4, nodes=8, held=0.2, wait=0.2), 0.05)
    ran = 4 + cost.lost + cost.restarting
    assert cost.waiting == pytest.approx(ran * HAZARD * 7 * 0.2)
    assert cost.multiple * 4 == pytest.approx(ran + cost.waiting)
    assert cost.evictions == pytest.approx(HAZARD * 8 * (ran + cost.waiting))
    assert cost.wall == pytest.approx(ran * (1 + 8 * HAZARD * 0.2))
    alone = expected(step(4), -math.expm1(-8 * HAZARD))
    assert (cost.lost, cost.fails) == (pytest.approx(alone.lost), pytest.approx(alone.fails))


def test_a_lost_node_of_an_elastic_step_costs_its_part_alone() -> None:
    one, four = expected(step(8, retries=2), 0.1), expected(step(8, retries=2, nodes=4, elastic=True), 0.1)
    assert four.multiple == one.multiple
    assert four.evictions == pytest.approx(4 * one.evictions)
    assert four.fails == pytest.approx(1 - (1 - one.fails) ** 4)
    late = [expected(step(8, deadline=10, nodes=n, elastic=True), 0.1).misses or 0 for n in (1, 4)]
    assert late[1] == pytest.approx(1 - (1 - late[0]) ** 4)


@pytest.mark.parametrize("day", [None, 12.0])
def test_the_multiple_alone_is_that_of_the_whole(day: float | None) -> None:
    for one in (step(4, nodes=3, held=0.1, wait=0.3), step(4, nodes=3, elastic=True, wait=0.3)):
        cost = expected(one, 0.05, day)
        assert hourly.multiple(one, HAZARD, day) == pytest.approx(cost.multiple)
        assert hourly.wall(one, HAZARD, day) == pytest.approx(cost.wall)


def test_a_gangs_retries_run_out_together() -> None:
    one = step(5, nodes=6, retries=0)
    assert expected(one, 0.05).fails == pytest.approx(1 - 0.95**30)
    assert spent(one, 0.05).fails == expected(one, 0.05).fails
    assert spent(one, 0.05).hours == pytest.approx((1 - 0.95**30) / (6 * HAZARD))


@pytest.mark.parametrize("nodes", [1, 2, 16])
def test_the_longest_step_of_a_gang_costs_as_much_as_on_demand(nodes: int) -> None:
    longest = breakeven.longest_step(4.0, 0.05, 0.1, together=nodes, held=0.1)
    at_it = step(longest, nodes=nodes, held=0.1)
    assert expected(at_it, 0.05).multiple == pytest.approx(4.0)
    assert breakeven.longest_step(1.0, 0.05, together=nodes) == 0


@pytest.mark.parametrize("nodes", [1, 4, 32])
def test_the_best_interval_of_a_gang_beats_its_neighbours(nodes: int) -> None:
    best = interval.best(0.05, 1 / 30, 20.0, nodes)
    assert best
    costs = [
        expected(replace(step(20, nodes=nodes), checkpoints=Checkpoints(every, 1 / 30)), 0.05).multiple
        for every in (best, best * 0.8, best * 1.25)
    ]
    assert min(costs) == costs[0]


def test_a_step_has_at_least_one_node() -> None:
    with pytest.raises(ValueError, match="nodes: 0 is not allowed; expected a number from 1"):
        Step(1, 0, 0, None, 0, None, nodes=0)


def test_a_new_nodes_boot_is_exposed_to_evictions() -> None:
    """So a first start that boots is, in all, one block more."""
    one = step(3.0, restart=2.0)
    whole = math.expm1(HAZARD * 5) / HAZARD
    assert hourly.boot(one, 0.05) + expected(one, 0.05).multiple * 3 == pytest.approx(whole)
    assert hourly.boot(one, 0.0) == 2.0
