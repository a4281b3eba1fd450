"""What the show would have cost on Azure: on spot as it was played, and all on demand, from what was observed.

Prices are those that the repository has, for the show must be the same without a network. Whoever prices a stack reads
what it exports; so does this.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from cost import reading
from cost.billing import batch, bill
from cost.evictions import PoolSeen, moments
from cost.figures import Range, Source, product, total
from cost.prices import Market, market_of
from cost.report import pictures
from cost.report.cost_by_pool import Row, cost_by_pool
from cost.words import money, saving, share, spread
from recorder.document import PlanDocument
from story.contract_pools import ContractPool
from story.formatting import counted, duration
from story.observations import Observations, Where
from story.report.timeline import NodeBar, PoolLane, timeline

HEADER: Final = ("Pool", "VM", "Nodes", "Node time", "Evictions", "Lost", "As played", "All on demand")
_TOGETHER: Final = 60.0
"""Simulated seconds within which evictions are one event of the show's market."""


@dataclass(frozen=True)
class PoolCost:
    """One pool in the show.

    Attributes:
        seconds: from the request for a VM to its end, of all nodes together.
        lost: seconds of work on taken nodes, which had to be done again.
        amount: as it was played.
        on_demand: the same work where nothing is taken: what was lost is not run again, or at most all of it is.
    """

    pool: ContractPool
    nodes: int
    seconds: float
    lost: float
    evictions: int
    moments: int
    amount: Range
    on_demand: Range


@dataclass(frozen=True)
class ShowCost:
    """All of it.

    Attributes:
        said: what the reader should know, one sentence each.
        pictures: SVG documents by what they show.
    """

    currency: str
    pools: tuple[PoolCost, ...]
    said: tuple[str, ...]
    pictures: tuple[tuple[str, str], ...]


def show_cost(document: PlanDocument, seen: Observations) -> ShowCost:
    """The cost of what was seen, and both pictures: the show's pools, and the stack's month at every eviction rate.

    Raises:
        CostError: a price is not known.
    """
    stack = reading.from_plan(document)
    told: list[str] = []
    market = market_of(stack, offline=True, report=told.append)
    month = bill(stack, market)
    cost = cost_of(seen, market, month.region)
    drawn = {
        "What the show would have cost": _picture(cost.pools, market.currency, seen.stack),
        "What evictions do to the cost of a month": pictures.pictures(month, batch(stack, market)).get(
            pictures.BY_RATE
        ),
    }
    return replace(
        cost,
        said=(*cost.said, *told),
        pictures=tuple((title, svg) for title, svg in drawn.items() if svg),
    )


def cost_of(seen: Observations, market: Market, region: str) -> ShowCost:
    """The cost of what was seen, without pictures.

    Raises:
        CostError: a price is not known.
    """
    pools = tuple(_pool_cost(lane, market, region) for lane in timeline(seen).lanes)
    sources = _sources(pools, market, region)
    began = "The drill cost about" if seen.where == Where.AZURE else "The show would have cost"
    return ShowCost(
        currency=market.currency,
        pools=pools,
        said=(_sum(pools, market.currency, began), *_dearer(pools), *_evictions(pools), *sources),
        pictures=(),
    )


def rows(cost: ShowCost) -> list[tuple[str, ...]]:
    """One row for each pool, and their sum, under `HEADER`."""
    found = [
        (
            each.pool.name,
            f"{each.pool.vm_size.removeprefix('Standard_')}, {each.pool.priority}",
            str(each.nodes),
            duration(each.seconds),
            str(each.evictions) if each.pool.spot else "–",
            duration(each.lost) if each.evictions else "–",
            money(each.amount.expected, cost.currency),
            money(each.on_demand.expected, cost.currency),
        )
        for each in cost.pools
    ]
    amount, on_demand = _totals(cost.pools)
    return [
        *found,
        (
            "all",
            "",
            "",
            "",
            "",
            "",
            money(amount.expected, cost.currency),
            money(on_demand.expected, cost.currency),
        ),
    ]


def _pool_cost(lane: PoolLane, market: Market, region: str) -> PoolCost:
    pool = lane.pool
    on_demand = market.on_demand(pool.vm_size, region).price
    paid = market.spot(pool.vm_size, region).price if pool.spot else on_demand
    seconds = sum(node.end - node.start for node in lane.nodes)
    taken = [node.end for node in lane.nodes if node.taken]
    lost = sum(_lost(node) for node in lane.nodes if node.taken)
    compared = Range(seconds - lost, seconds - lost, seconds) * (1 / 3600)
    return PoolCost(
        pool=pool,
        nodes=len(lane.nodes),
        seconds=seconds,
        lost=lost,
        evictions=len(taken),
        moments=moments(taken, _TOGETHER),
        amount=paid * (seconds / 3600),
        on_demand=product(compared, on_demand),
    )


def _lost(node: NodeBar) -> float:
    """Seconds in which pods ran on a node that ended with it."""
    reach, lost = node.start, 0.0
    for pod in sorted((pod for pod in node.pods if pod.evicted), key=lambda pod: pod.start):
        lost += max(0.0, pod.end - max(pod.start, reach))
        reach = max(reach, pod.end)
    return lost


def _totals(pools: Iterable[PoolCost]) -> tuple[Range, Range]:
    pools = tuple(pools)
    return total(each.amount for each in pools), total(each.on_demand for each in pools)


def _sum(pools: Iterable[PoolCost], currency: str, began: str) -> str:
    amount, on_demand = _totals(pools)
    mine = [each for each in pools if each.pool.elastic]
    batch_amount, batch_on_demand = _totals(mine)
    return (
        f"{began} {money(amount.expected, currency)} ({spread(amount, currency)}), and "
        f"{money(on_demand.expected, currency)} all on demand; its batch work alone "
        f"{money(batch_amount.expected, currency)} instead of {money(batch_on_demand.expected, currency)}, "
        f"{saving(batch_amount.expected, batch_on_demand.expected)}"
    )


def _evictions(pools: Iterable[PoolCost]) -> Iterator[str]:
    for each in pools:
        hours = each.seconds / 3600
        seen = PoolSeen(each.pool.name, each.nodes, hours, each.evictions, each.moments, date.min)
        if each.evictions and seen.rate:
            rate = seen.rate.rate
            yield (
                f"{each.pool.name}: {counted(each.evictions, 'node')} taken in {hours:.2f} node hours, that is "
                f"{share(rate.expected)} an hour ({share(rate.low)} to {share(rate.high)}): the show takes them on "
                "purpose, Azure's highest band begins at 20 %"
            )


def _dearer(pools: Iterable[PoolCost]) -> Iterator[str]:
    """Where spot did not pay, in words."""
    for each in pools:
        if each.pool.spot and each.amount.expected > each.on_demand.expected:
            yield f"{each.pool.name}: spot cost more than on demand here, for what was lost ran again"


def _sources(pools: Iterable[PoolCost], market: Market, region: str) -> list[str]:
    """Where the prices are from, once each."""
    sizes: dict[Source, dict[str, None]] = {}
    for each in pools:
        quote = market.spot if each.pool.spot else market.on_demand
        sizes.setdefault(quote(each.pool.vm_size, region).source, {})[each.pool.vm_size] = None
    return [
        f"Price of {', '.join(found)}: {source.name}{f', as of {source.day}' if source.day else ''}"
        for source, found in sizes.items()
    ]


def _picture(pools: Iterable[PoolCost], currency: str, stack: str) -> str:
    found = [
        Row(
            each.pool.name,
            "spot" if each.pool.spot else "on-demand" if each.pool.elastic else "home",
            each.amount,
            each.on_demand if each.pool.spot else each.amount,
        )
        for each in pools
        if each.seconds
    ]
    amount, on_demand = total(row.amount for row in found), total(row.on_demand for row in found)
    title = f"The show of stack {stack}: {money(amount.expected, currency)} as it was played"
    subtitle = (
        f"{money(on_demand.expected, currency)} all on demand; nodes from request to end, VM prices only"
    )
    return cost_by_pool(found, currency, title, subtitle)
