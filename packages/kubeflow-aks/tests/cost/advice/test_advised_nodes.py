"""How many nodes advice gives a spot pool, and prices that it does not compare."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kubeflow_aks.cost.advice.kinds.pools import larger_maximum, no_idle_nodes, no_limit, peak
from kubeflow_aks.cost.advice.situation import Situation, incomparable
from kubeflow_aks.cost.basis import Work
from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.figures import Source
from kubeflow_aks.cost.stack import Stack
from tests.cost.advice.situations import situation
from tests.cost.examples import pool, spot, work


def busy(maximum: int, least: int = 0, **more: Any) -> Situation:
    """4,000 hours of steps of 2 h that come by chance: 5 to 6 nodes on average."""
    pools = (spot("cpuspot", maxCount=maximum, minCount=least), pool("cpuod"))
    return situation({"a": work(hours=4000, **more)}, *pools, fallbacks={"cpuspot": "cpuod"})


def test_a_pool_that_is_full_at_times_gets_as_many_nodes_as_its_peak() -> None:
    [change] = larger_maximum(busy(6))
    count = change.values["pools", "cpuspot", "maxCount"]
    assert 11 <= count <= 14
    assert change.sentence == f"a maximum of {count} instead of 6 nodes in cpuspot"
    [with_it] = busy(int(count)).bill.work
    [without] = busy(6).bill.work
    assert with_it.overflow < 0.01 * without.overflow < without.overflow
    assert not list(larger_maximum(busy(30)))


@pytest.mark.parametrize(("at_once", "nodes"), [(1, 10 + 3 * 10**0.5), (10, 10 + 3 * 10)])
def test_the_peak_of_bursts_is_above_that_of_single_steps(at_once: int, nodes: float) -> None:
    of = Work.model_validate(work(stepsAtOnce=at_once))
    assert nodes <= peak([(of, 7300)], 730) < nodes + 1


def test_nodes_that_are_there_without_work_are_advised_against() -> None:
    [change] = no_idle_nodes(busy(30, least=8))
    assert change.values == {("pools", "cpuspot", "minCount"): 0}
    assert busy(30).amount.expected < busy(30, least=8).amount.expected
    assert not list(no_idle_nodes(busy(30)))


def test_a_limit_below_the_price_of_spot_is_advised_against() -> None:
    """All the work runs on the fallback, at its price."""

    def limited(most: float) -> Situation:
        pools = ({**spot("cpuspot", maxCount=30), "spotMaxPrice": most}, pool("cpuod"))
        return situation({"a": work(hours=4000)}, *pools, fallbacks={"cpuspot": "cpuod"})

    [change] = no_limit(limited(0.001))
    assert change.values == {("pools", "cpuspot", "maxPrice"): -1}
    assert limited(-1).amount.expected < 0.5 * limited(0.001).amount.expected
    assert not list(no_limit(limited(-1)))


def assuming(situation: Situation, words: str) -> Situation:
    """The same with a spot price that is assumed."""
    source = Source(words, assumed=True)
    lines = [
        replace(it, quotes=tuple(replace(quote, source=source) for quote in it.quotes))
        if it.pool == "cpuspot"
        else it
        for it in situation.bill.lines
    ]
    return replace(situation, bill=replace(situation.bill, lines=tuple(lines)))


def test_prices_that_are_assumed_in_two_ways_are_not_compared() -> None:
    quoted = busy(30)
    series, region = (assuming(quoted, f"assumed: {words}") for words in ("as its series", "34 %"))
    assert incomparable(quoted.bill, quoted.bill) == incomparable(series.bill, series.bill) == ""
    assert incomparable(series.bill, region.bill) == (
        "for cpuspot it rests on assumed: 34 %, the bill now on assumed: as its series, which can't be compared; sign "
        "in with `az`, or set `cost.prices`"
    )
    assert "rests on what is quoted, the bill now on assumed: 34 %" in incomparable(region.bill, quoted.bill)


def test_a_bill_that_can_be_compared_is_chosen_before_a_lower_one_that_cannot() -> None:
    now = busy(30)
    low, lower = (
        replace(now.bill, lines=tuple(replace(it, amount=it.amount * part) for it in now.bill.lines))
        for part in (0.9, 0.8)
    )
    bills = [low, assuming(replace(now, bill=lower), "assumed: 34 %").bill]

    def bill_of(_: Stack) -> Bill:
        return bills.pop(0)

    chooser = replace(now, bill_of=bill_of)
    assert chooser.cheapest({"one": {}, "other": {}}) == "one"
