"""What the demo would have cost on Azure: on spot as it was played, and all on demand, from the observations.

It uses the repository's prices, because the demo must be the same without a network, and reads the stack's outputs, as
`cost` does.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from ckf_spot.where.lanes import NodeBar
from kubeflow_aks.cost import reading
from kubeflow_aks.cost.billing import Account
from kubeflow_aks.cost.evictions import PoolEvictions, moments
from kubeflow_aks.cost.figures import Range, Source, product, total
from kubeflow_aks.cost.formatting import money, saving, share, spread
from kubeflow_aks.cost.prices import Market, market_of
from kubeflow_aks.cost.report import pictures
from kubeflow_aks.cost.report.cost_by_pool import Row, cost_by_pool
from kubeflow_aks.recorder.document import PlanDocument
from kubeflow_aks.scenario.contract_pools import ContractPool
from kubeflow_aks.scenario.observations import Observations, Where
from kubeflow_aks.scenario.report.timeline import PoolLane, timeline
from kubeflow_aks.text.numbers import counted, duration

HEADER: Final = ("Pool", "VM", "Nodes", "Node time", "Evictions", "Lost", "As played", "All on demand")
_TOGETHER: Final = 60.0
"""Simulated seconds within which evictions are one event of the simulated market."""


@dataclass(frozen=True)
class PoolCost:
    """One pool in the scenario.

    Attributes:
        seconds: from the request for a VM to its end, of all nodes together.
        lost: seconds of work on evicted nodes, which was repeated.
        amount: as it was played.
        on_demand: the same work without evictions, when at least none and at most all of the lost work is repeated.
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
class ScenarioCost:
    """The cost of all pools, with notes of one sentence each, and SVG documents by what they show."""

    currency: str
    pools: tuple[PoolCost, ...]
    notes: tuple[str, ...]
    pictures: tuple[tuple[str, str], ...]


def scenario_cost(document: PlanDocument, observed: Observations) -> ScenarioCost:
    """The cost of a scenario, and both pictures: its pools, and the stack's month at every eviction rate.

    Raises:
        CostError: a price is not known.
    """
    stack = reading.from_plan(document)
    warnings: list[str] = []
    market = market_of(stack, offline=True, report=warnings.append)
    account = Account(stack, market)
    month = account.bill()
    cost = cost_of(observed, market, month.region)
    drawn = {
        "What the demo would have cost": _picture(cost.pools, market.currency, observed.stack),
        "What evictions do to the cost of a month": pictures.pictures(month, account.batch()).get(
            pictures.BY_RATE
        ),
    }
    return replace(
        cost,
        notes=(*cost.notes, *warnings),
        pictures=tuple((title, svg) for title, svg in drawn.items() if svg),
    )


def cost_of(observed: Observations, market: Market, region: str) -> ScenarioCost:
    """The cost of a scenario, without pictures.

    Raises:
        CostError: a price is not known.
    """
    pools = tuple(_pool_cost(lane, market, region) for lane in timeline(observed).lanes)
    sources = _sources(pools, market, region)
    began = "The drill cost about" if observed.where == Where.AZURE else "The demo would have cost"
    return ScenarioCost(
        currency=market.currency,
        pools=pools,
        notes=(_sum(pools, market.currency, began), *_dearer(pools), *_evictions(pools), *sources),
        pictures=(),
    )


def rows(cost: ScenarioCost) -> list[tuple[str, ...]]:
    """One row for each pool, and the total, under `HEADER`."""
    pool_rows = [
        (
            pool.pool.name,
            f"{pool.pool.vm_size.removeprefix('Standard_')}, {pool.pool.priority}",
            str(pool.nodes),
            duration(pool.seconds),
            str(pool.evictions) if pool.pool.spot else "–",
            duration(pool.lost) if pool.evictions else "–",
            money(pool.amount.expected, cost.currency),
            money(pool.on_demand.expected, cost.currency),
        )
        for pool in cost.pools
    ]
    sums = (money(amount.expected, cost.currency) for amount in _totals(cost.pools))
    return [*pool_rows, ("all", *[""] * 5, *sums)]


def _pool_cost(lane: PoolLane, market: Market, region: str) -> PoolCost:
    pool = lane.pool
    on_demand = market.on_demand(pool.vm_size, region).price
    paid = market.spot(pool.vm_size, region).price if pool.spot else on_demand
    seconds = sum(node.end - node.start for node in lane.nodes)
    evictions = [node.end for node in lane.nodes if node.evicted]
    lost = sum(_lost(node) for node in lane.nodes if node.evicted)
    compared = Range(seconds - lost, seconds - lost, seconds) * (1 / 3600)
    return PoolCost(
        pool=pool,
        nodes=len(lane.nodes),
        seconds=seconds,
        lost=lost,
        evictions=len(evictions),
        moments=moments(evictions, _TOGETHER),
        amount=paid * (seconds / 3600),
        on_demand=product(compared, on_demand),
    )


def _lost(node: NodeBar) -> float:
    """Seconds in which evicted pods ran on a node."""
    reach, lost = node.start, 0.0
    for pod in sorted((pod for pod in node.pods if pod.evicted), key=lambda pod: pod.start):
        lost += max(0.0, pod.end - max(pod.start, reach))
        reach = max(reach, pod.end)
    return lost


def _totals(pools: Iterable[PoolCost]) -> tuple[Range, Range]:
    pools = tuple(pools)
    return total(pool.amount for pool in pools), total(pool.on_demand for pool in pools)


def _sum(pools: Iterable[PoolCost], currency: str, began: str) -> str:
    amount, on_demand = _totals(pools)
    mine = [pool for pool in pools if pool.pool.elastic]
    batch_amount, batch_on_demand = _totals(mine)
    return (
        f"{began} {money(amount.expected, currency)} ({spread(amount, currency)}), and "
        f"{money(on_demand.expected, currency)} all on demand; its batch work alone "
        f"{money(batch_amount.expected, currency)} instead of {money(batch_on_demand.expected, currency)}, "
        f"{saving(batch_amount.expected, batch_on_demand.expected)}"
    )


def _evictions(pools: Iterable[PoolCost]) -> Iterator[str]:
    for pool in pools:
        hours = pool.seconds / 3600
        observed = PoolEvictions(pool.pool.name, pool.nodes, hours, pool.evictions, pool.moments, date.min)
        if pool.evictions and observed.rate:
            rate = observed.rate.rate
            yield (
                f"{pool.pool.name}: {counted(pool.evictions, 'node')} evicted in {hours:.2f} node hours, that is "
                f"{share(rate.expected)} an hour ({share(rate.low)} to {share(rate.high)}): the demo evicts them on "
                "purpose, Azure's highest band begins at 20 %"
            )


def _dearer(pools: Iterable[PoolCost]) -> Iterator[str]:
    """Notes on pools where spot was dearer."""
    for pool in pools:
        if pool.pool.spot and pool.amount.expected > pool.on_demand.expected:
            yield f"{pool.pool.name}: spot cost more than on demand here, because lost work was repeated"


def _sources(pools: Iterable[PoolCost], market: Market, region: str) -> list[str]:
    """The sources of the prices, once each."""
    sizes: dict[Source, dict[str, None]] = {}
    for pool in pools:
        quote = market.spot if pool.pool.spot else market.on_demand
        sizes.setdefault(quote(pool.pool.vm_size, region).source, {})[pool.pool.vm_size] = None
    return [f"Price of {', '.join(names)}: {source}" for source, names in sizes.items()]


def _picture(pools: Iterable[PoolCost], currency: str, stack: str) -> str:
    bars = [
        Row(
            pool.pool.name,
            "spot" if pool.pool.spot else "on-demand" if pool.pool.elastic else "home",
            pool.amount,
            pool.on_demand if pool.pool.spot else pool.amount,
        )
        for pool in pools
        if pool.seconds
    ]
    amount, on_demand = total(row.amount for row in bars), total(row.on_demand for row in bars)
    title = f"The demo of stack {stack}: {money(amount.expected, currency)} as it was played"
    subtitle = (
        f"{money(on_demand.expected, currency)} all on demand; nodes from request to end, VM prices only"
    )
    return cost_by_pool(bars, currency, title, subtitle)
