"""The bill of random work on pools that may be full, against months that are played from event to event."""

from __future__ import annotations

import math
import statistics
from itertools import pairwise
from random import Random

import pytest

from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.billing import Account, bill
from kubeflow_aks.cost.by_rate import of_work
from kubeflow_aks.cost.work import Way
from tests.cost.chance_months import MONTH, Kind
from tests.cost.examples import FixedMarket, pool, spot, stack, work
from tests.cost.full_months import Pools, play
from tests.cost.test_random_work import FALLBACK, SPOT, TAIL, near, written

MONTHS = 40
OVERFLOW = Pools(maximum=8, fallback=8, rate=0.05, tail=TAIL, delay=1 / 6)


def billed(kinds: list[Kind], pools: Pools) -> Bill:
    """The same work and pools as a stack has them."""
    basis = {
        "workload": {f"kind{number}": written(kind) for number, kind in enumerate(kinds)},
        "cost": {
            "evictionRate": pools.rate,
            "soldOutShare": pools.sold_out,
            "soldOutHours": pools.outage,
        },
    }
    both = [spot("cpuspot", minCount=pools.minimum, maxCount=pools.maximum)]
    if pools.fallback:
        both.append(pool("cpuod", maxCount=pools.fallback))
    profile = {
        "scaleDownUnneededTime": "10m",
        "scanInterval": "10s",
        "scaleDownDelayAfterAdd": f"{round(pools.delay * 60)}m",
    }
    made = stack(*both, basis=basis, fallbacks={"cpuspot": "cpuod"}, autoScalerProfile=profile)
    return bill(made, FixedMarket({"Standard_D4s_v3": (FALLBACK, SPOT)}))


def hours(of: Bill) -> tuple[float, float]:
    """Node hours on spot and on the fallback."""
    by_pool = {line.pool: line.hours.expected for line in of.lines if line.hours}
    return by_pool.get("cpuspot", 0.0), by_pool.get("cpuod", 0.0)


def random_month(chance: Random) -> tuple[list[Kind], Pools]:
    """One to three kinds of steps, on pools that have half to thrice the nodes that the work needs in the mean."""
    rate = chance.choice((0.01, 0.05, 0.15))
    kinds: list[Kind] = []
    for _ in range(chance.choice((1, 2, 3))):
        nodes, every = chance.choice((1, 1, 1, 2, 4)), chance.choice((0.0, 0.5, 1.0))
        elastic = nodes > 1 and chance.random() < 0.4
        hazard = -math.log(1 - rate) * (1 if elastic else nodes)
        length = round(chance.uniform(0.3, min(24, (8 if every else 1.2) / hazard)), 2)
        at_once = chance.choice((1, 1, 3, 10, 25))
        bursts = max(2, round(chance.uniform(200, 600) / length / nodes / at_once))
        late = math.inf if chance.random() < 0.4 else round(length * 1.3 + chance.uniform(0.5, 6), 2)
        kinds.append(
            Kind(bursts, length, at_once, nodes, elastic, every, retries=1000, wait=5 / 60, deadline=late)
        )
    load = sum(kind.bursts * kind.at_once * kind.hours * kind.nodes for kind in kinds) / MONTH
    most = max(*(kind.nodes for kind in kinds), round(load * chance.choice((0.5, 0.8, 1.0, 1.6, 3.0))))
    room = max(chance.choice((0, most // 2, most, 3 * most)), math.ceil(load * 1.35 - most))
    pools = Pools(
        maximum=most,
        fallback=room,
        minimum=chance.choice((0, 0, 1)),
        rate=rate,
        sold_out=chance.choice((0.0, 0.0, 0.1, 0.3)),
        tail=TAIL,
        delay=1 / 6,
    )
    return kinds, pools


@pytest.mark.parametrize("seed", range(5))
def test_random_work_on_full_pools_is_billed_and_late_as_months_of_it_come_out(seed: int) -> None:
    chance = Random(f"full {seed}")  # noqa: S311 - repeatable on purpose
    kinds, pools = random_month(chance)
    monthly_bill = billed(kinds, pools)
    on_spot, on_fallback = hours(monthly_bill)
    months = [play(kinds, pools, chance) for _ in range(MONTHS)]
    least = pools.minimum * MONTH  # paid for whether they work or not
    amounts = [(month.spot + least) * SPOT + month.fallback * FALLBACK for month in months]
    assert near(on_spot * SPOT + on_fallback * FALLBACK, amounts)
    assert near(on_fallback, [month.fallback for month in months])
    late = sum(
        cost.misses.expected * kind.bursts * kind.at_once
        for cost, kind in zip(monthly_bill.work, kinds, strict=True)
        if cost.misses
    )
    steps = sum(kind.bursts * kind.at_once for kind in kinds)
    shares = [month.late / steps for month in months]
    error = statistics.stdev(shares) / math.sqrt(MONTHS)
    assert late / steps == pytest.approx(statistics.mean(shares), abs=4 * error + 0.02)


def test_a_full_fallback_sends_back_no_more_than_it_has() -> None:
    chance = Random(1)  # noqa: S311 - reproducible
    for _ in range(1000):
        way, unevicted = Way(1.1, chance.random(), chance.random()), chance.uniform(1, 2)
        assert way.overflowing(-math.inf, unevicted).fallback >= 0


def test_a_burst_that_fills_the_pool_runs_on_both_and_its_rest_waits() -> None:
    """The bill once had 641 hours on spot, where months have 336 there and 318 on the fallback."""
    burst = Kind(10, 1.0, at_once=60, wait=5 / 60, retries=1000)
    monthly_bill = billed([burst], OVERFLOW)
    assert hours(monthly_bill) == (pytest.approx(337, rel=0.01), pytest.approx(314, rel=0.01))
    [cost] = monthly_bill.work
    assert cost.overflow == pytest.approx(294, rel=0.01)
    full, waits = cost.notes[-2:]
    assert full == (
        f"cpuspot is full at times, with 8 nodes: {cost.overflow:.0f} hours a month run on cpuod instead, where a step "
        "stays to its end"
    )
    assert waits == f"cpuod is full, too: its steps wait {cost.waits:.0f} hours a month in all for nodes"


def test_work_that_a_pool_can_not_do_waits_longer_all_month_though_a_part_of_it_is_played() -> None:
    """A third more than the pool can do in a month with thrice the starts that are played."""
    kinds, chance = [Kind(3000, 1.6, wait=5 / 60, retries=1000, deadline=48)], Random(2)  # noqa: S311 - repeatable
    pools = Pools(maximum=4, fallback=1, rate=0.0, tail=TAIL, delay=1 / 6)
    monthly_bill, months = billed(kinds, pools), [play(kinds, pools, chance) for _ in range(4)]
    [cost] = monthly_bill.work
    assert cost.waits == pytest.approx(statistics.mean(month.waits for month in months), rel=0.05)
    assert cost.misses
    assert cost.misses.expected == pytest.approx(months[0].late / months[0].steps, abs=0.05)
    assert cost.notes[-1].startswith("cpuod is full, too: its steps wait at least ")


def test_a_long_delay_after_an_added_node_is_billed() -> None:
    """Nodes stay for two hours after each that is added, where they go after ten minutes else."""
    kinds, chance = [Kind(200, 2.0, wait=5 / 60, retries=1000)], Random(1)  # noqa: S311 - repeatable on purpose
    pools = Pools(maximum=100, fallback=100, rate=0.05, tail=TAIL, delay=2.0)
    on_spot, _ = hours(billed(kinds, pools))
    assert near(on_spot, [play(kinds, pools, chance).spot for _ in range(MONTHS)])


def test_the_picture_plays_full_pools_with_the_checkpoints_of_each_of_its_ways() -> None:
    """Work with checkpoints once overflowed as much as without, and less again from where that was never done."""
    workload = {"long": work(hours=3000, step=20), "short": work(hours=2000, step=2)}
    pools = (spot("cpuspot", maxCount=8), pool("cpuod", maxCount=10))
    made = stack(*pools, basis={"workload": workload}, fallbacks={"cpuspot": "cpuod"})
    account = Account(made, FixedMarket())
    account.bill()
    picture = of_work(account.batch())
    assert picture
    never, best = (curve.amounts for curve in picture.curves)
    assert all(after > before * 0.99 for before, after in pairwise(best))
    at_ten_percent = picture.rates.index(0.1)
    assert best[at_ten_percent] < 0.6 * never[at_ten_percent]
