"""The lines of a bill for pools: those that always run, and those that scale with work."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kubeflow_aks.cost import notes
from kubeflow_aks.cost.bill import Line, Part
from kubeflow_aks.cost.figures import HOURS_A_MONTH, Range, product, total
from kubeflow_aks.cost.reading import Pool
from kubeflow_aks.cost.terms import Node, PoolTerms, Terms
from kubeflow_aks.cost.work import Played

_NOTHING = Range.exactly(0.0)


@dataclass
class _Account:
    """Hours of one pool's nodes; `least` of them are on its least nodes.

    Those `compared` are what the same work takes on demand, on another node.
    """

    node: Node
    other: Node
    hours: Range = _NOTHING
    least: float = 0.0
    compared: float = 0.0

    def add(self, hours: Range, least: float, compared: float) -> None:
        self.hours += hours
        self.least += least
        self.compared += compared


def home(terms: PoolTerms, running: float) -> Iterator[Line]:
    """Pools whose nodes are always there: expected at their minimum, at most at their maximum.

    `running` is the share of the month in which the cluster is not stopped.
    """
    for pool in terms.pools.values():
        if pool.home:
            node = terms.node(pool)
            hours = Range(pool.minimum, pool.minimum, pool.maximum) * (HOURS_A_MONTH * running)
            yield from _both(pool, "home", hours, node, compared=hours, other=node)


def batch(terms: PoolTerms, played: Iterable[tuple[Played, Terms]], running: float) -> Iterator[Line]:
    """Pools that scale with work, with that of heads, and the fallbacks of spot pools that are sold out.

    A pool that does not go down to 0 pays for its least nodes, also where its work needs fewer. One on demand without
    any work is always there, as those that host the platform are.
    """
    accounts: dict[str, _Account] = {}
    alike: dict[int, list[tuple[Played, Terms]]] = defaultdict(list)
    for pair in played:
        alike[id(pair[1])].append(pair)
    for pairs in alike.values():
        on, every = pairs[0][1], [it for it, _ in pairs]
        account = accounts.setdefault(on.pool.name, _Account(on.node, on.on_demand))
        hours = total(it.hours for it in every)
        account.add(hours, sum(it.least for it in every), sum(it.compared * (1 - it.moved) for it in every))
        moved = [it for it in every if it.moved]
        if on.fallback and moved:
            account = accounts.setdefault(on.fallback.name, _Account(on.on_demand, on.on_demand))
            hours = total(it.fallback for it in moved)
            account.add(
                hours, sum(it.least_fallback for it in moved), sum(it.compared * it.moved for it in moved)
            )
        if on.head:
            account = accounts.setdefault(on.head.pool.name, _Account(on.head.node, on.head.node))
            heads = total(it.head for it in every)
            account.add(heads, heads.expected, sum(it.head_compared for it in every))
    worked = frozenset(accounts)
    for name, pool in terms.pools.items():
        idle = pool.minimum * HOURS_A_MONTH * running - (accounts[name].least if name in worked else 0.0)
        if not pool.home and idle > 0 and terms.starts(pool):
            on = terms.of(pool)
            accounts.setdefault(name, _Account(on.node, on.on_demand)).add(Range.exactly(idle), idle, idle)
        if name in accounts:
            part: Part = "batch" if name in worked or pool.spot else "home"
            it = accounts[name]
            compared = Range.exactly(it.compared)
            yield from _both(pool, part, it.hours, it.node, compared=compared, other=it.other)


def beyond_the_maximum(terms: PoolTerms, lines: Iterable[Line], running: float) -> Iterator[str]:
    """Batch pools that cannot do their work within a month."""
    for line in lines:
        if line.part != "batch" or not line.hours:
            continue
        pool, needed = terms.pools[line.pool], line.hours.expected
        most = pool.maximum * HOURS_A_MONTH * running
        if math.isfinite(needed) and needed > most:
            yield (
                f"pools.{pool.name}.maxCount is {pool.maximum}: its work needs {needed:,.0f} node hours a month and "
                f"the pool gives {most:,.0f}; raise it, or the work is not done within the month"
            )


def _both(
    pool: Pool, part: Part, hours: Range, node: Node, *, compared: Range, other: Node
) -> Iterator[Line]:
    """The line of a pool's VMs, and that of their OS disks where they cost something.

    What both would cost on demand is made from the `compared` hours of the `other` node.
    """
    yield Line(
        pool.name,
        part,
        pool.name,
        hours,
        product(hours, node.vm),
        product(compared, other.vm),
        node.quotes,
        tuple(notes.of_price(pool, node)),
        _nodes(pool),
        node.vm,
    )
    disk, disk_on_demand = product(hours, node.disk), product(compared, other.disk)
    if disk.high or disk_on_demand.high:
        of_disks = tuple(notes.of_disks(pool, node))
        name = f"OS disks of {pool.name}"
        yield Line(name, part, pool.name, None, disk, disk_on_demand, node.disk_quotes, of_disks)


def _nodes(pool: Pool) -> str:
    count = str(pool.minimum) if pool.minimum == pool.maximum else f"{pool.minimum}–{pool.maximum}"
    sizes = " or ".join(one.size.removeprefix("Standard_") for one in pool.agent_pools)
    return f"{'spot ' if pool.spot else ''}{count} × {sizes}"
