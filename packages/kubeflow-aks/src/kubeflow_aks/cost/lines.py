"""The lines of a bill for pools: those that always run, and those that scale with work."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kubeflow_aks.cost import notes
from kubeflow_aks.cost.bill import Line, Part
from kubeflow_aks.cost.figures import HOURS_A_MONTH, Range, product
from kubeflow_aks.cost.reading import Pool
from kubeflow_aks.cost.terms import Node, PoolTerms, Terms
from kubeflow_aks.cost.work import Played

_NOTHING = Range.exactly(0.0)


@dataclass
class _Account:
    """What is billed to one batch pool, and for the same work on demand; `least` hours are on its least nodes."""

    hours: Range = _NOTHING
    vm: Range = _NOTHING
    disk: Range = _NOTHING
    vm_on_demand: Range = _NOTHING
    disk_on_demand: Range = _NOTHING
    least: float = 0.0

    def add(self, hours: Range, least: float, node: Node, compared: float, other: Node) -> None:
        self.hours += hours
        self.least += least
        self.vm += product(hours, node.vm)
        self.disk += product(hours, node.disk)
        self.vm_on_demand += other.vm * compared
        self.disk_on_demand += other.disk * compared


def home(terms: PoolTerms, running: float) -> Iterator[Line]:
    """Pools whose nodes are always there: expected at their minimum, at most at their maximum.

    `running` is the share of the month in which the cluster is not stopped.
    """
    for pool in terms.pools.values():
        if pool.home:
            node = terms.node(pool)
            hours = Range(pool.minimum, pool.minimum, pool.maximum) * (HOURS_A_MONTH * running)
            vm, disk = product(hours, node.vm), product(hours, node.disk)
            yield from _both(pool, "home", _Account(hours, vm, disk, vm, disk), node)


def batch(terms: PoolTerms, played: Iterable[tuple[Played, Terms]], running: float) -> Iterator[Line]:
    """Pools that scale with work, with that of heads, and the fallbacks of spot pools that are sold out.

    A pool that does not go down to 0 pays for its least nodes, also where its work needs fewer. One on demand without
    any work is always there, as those that host the platform are.
    """
    accounts: dict[str, _Account] = {}
    for it, on in played:
        account = accounts.setdefault(on.pool.name, _Account())
        account.add(it.hours, it.least, on.node, it.compared * (1 - it.moved), on.on_demand)
        if on.fallback and it.moved:
            other = accounts.setdefault(on.fallback.name, _Account())
            other.add(it.fallback, it.least_fallback, on.on_demand, it.compared * it.moved, on.on_demand)
        if on.head:
            node = terms.node(on.head.pool)
            accounts.setdefault(on.head.pool.name, _Account()).add(
                it.head, it.head.expected, node, it.head_compared, node
            )
    worked = frozenset(accounts)
    for name, pool in terms.pools.items():
        idle = pool.minimum * HOURS_A_MONTH * running - accounts.get(name, _Account()).least
        if not pool.home and idle > 0 and terms.starts(pool):
            on = terms.of(pool)
            accounts.setdefault(name, _Account()).add(Range.exactly(idle), idle, on.node, idle, on.on_demand)
        if name in accounts:
            part: Part = "batch" if name in worked or pool.spot else "home"
            yield from _both(pool, part, accounts[name], terms.node(pool))


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


def _both(pool: Pool, part: Part, account: _Account, node: Node) -> Iterator[Line]:
    """The line of a pool's VMs, and that of their OS disks where they cost something."""
    yield Line(
        pool.name,
        part,
        pool.name,
        account.hours,
        account.vm,
        account.vm_on_demand,
        node.quotes,
        tuple(notes.of_price(pool, node)),
        _nodes(pool),
        node.vm,
    )
    if account.disk.high or account.disk_on_demand.high:
        of_disks = tuple(notes.of_disks(pool, node))
        name = f"OS disks of {pool.name}"
        yield Line(
            name, part, pool.name, None, account.disk, account.disk_on_demand, node.disk_quotes, of_disks
        )


def _nodes(pool: Pool) -> str:
    count = str(pool.minimum) if pool.minimum == pool.maximum else f"{pool.minimum}–{pool.maximum}"
    sizes = " or ".join(one.size.removeprefix("Standard_") for one in pool.agent_pools)
    return f"{'spot ' if pool.spot else ''}{count} × {sizes}"
