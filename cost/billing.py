"""From a stack and a market to a bill."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from cost import basis as basis_of
from cost import fixed, sentences
from cost.basis import Basis, Work
from cost.bill import Bill, Line
from cost.figures import HOURS_A_MONTH, CostError, EvictionRate, Quote, Range, Source
from cost.prices import bands
from cost.prices.market import Market
from cost.quotes import Quotes
from cost.reading import Cluster, Pool, cluster
from cost.stack import Stack
from cost.work import Node, Played, Terms, play, product

_SETTINGS: Final = Source("this stack's settings")
_ASSUMED_WORK: Final = Source("assumed: the blog's month of work, for the stack names none", assumed=True)
_NOTHING: Final = Range.exactly(0.0)


@dataclass
class _Account:
    """What is billed to one batch pool; `compared` is the on-demand pool that would run the same work."""

    hours: Range = _NOTHING
    vm: Range = _NOTHING
    disk: Range = _NOTHING
    compared_vm: Range = _NOTHING
    compared_disk: Range = _NOTHING
    quotes: dict[Quote, None] = field(default_factory=dict[Quote, None])

    def add(self, hours: Range, node: Node, compared: Range, other: Node) -> None:
        self.hours += hours
        self.vm += product(hours, node.vm)
        self.disk += product(hours, node.disk)
        self.compared_vm += product(compared, other.vm)
        self.compared_disk += product(compared, other.disk)


def bill(stack: Stack, market: Market, *, rate: EvictionRate | None = None) -> Bill:
    """What a stack is expected to cost a month.

    Args:
        stack: what it registers and exports.
        market: who knows the prices.
        rate: one eviction rate for all spot pools, whatever the stack and the market say.

    Raises:
        CostError: it can't be made; one line for each mistake.
    """
    read = basis_of.read(stack.outputs)
    found = cluster(stack)
    region = found.region or read.basis.location
    if not region:
        raise CostError("location: None is not allowed; expected the name of an Azure region")
    return _Billing(stack.name, region, read, found, market, rate).bill()


class _Billing:
    """One bill in the making."""

    def __init__(
        self,
        stack: str,
        region: str,
        read: basis_of.Read,
        found: Cluster,
        market: Market,
        rate: EvictionRate | None,
    ) -> None:
        self._stack = stack
        self._region = region
        self._read = read
        self._basis: Basis = read.basis
        self._cluster = found
        self._currency = market.currency
        self._quotes = Quotes(market, region)
        self._rate = rate
        self._rates: dict[str, EvictionRate] = {}
        self._warnings: dict[str, None] = {}
        hours = read.basis.office_hours
        self._running = hours.share if hours else 1.0
        self._pools: Mapping[str, Pool] = found.pools
        self._terms: dict[str, Terms] = {}

    def bill(self) -> Bill:
        """The bill."""
        workload, assumed = self._workload()
        self._check(workload)
        played = [
            (name, work, play(name, work, self._terms_of(self._pools[work.pool]), assumed=assumed))
            for name, work in workload.items()
        ]
        lines = [
            *self._home(),
            *self._batch([it for _, _, it in played]),
            *fixed.lines(self._cluster.facilities, self._basis, self._quotes, self._running),
        ]
        self._quotes.check()
        for quote in self._quotes.asked:
            self._warnings.update(dict.fromkeys(quote.warnings))
        costs = tuple(
            replace(it.cost, said=tuple(sentences.of(work, it.cost, self._terms_of(self._pools[work.pool]), self._currency)))
            for _, work, it in played
        )
        return Bill(
            stack=self._stack,
            region=self._region,
            currency=self._currency,
            lines=tuple(lines),
            work=costs,
            rates=self._rates,
            sources=tuple(self._sources(assumed)),
            budget=self._basis.budget.monthly if self._basis.budget else None,
            left_out=tuple(self._left_out(bool(workload))),
            warnings=tuple(self._warnings),
        )

    def _workload(self) -> tuple[Mapping[str, Work], bool]:
        if self._read.missing:
            self._warnings["the program has no output `costBasis`: this bill is made from the defaults"] = None
        if self._basis.workload:
            return self._basis.workload, False
        spot = sorted((pool for pool in self._pools.values() if pool.spot), key=lambda pool: pool.gpus > 0)
        return (basis_of.blog_profile(spot[0].name), True) if spot else ({}, True)

    def _check(self, workload: Mapping[str, Work]) -> None:
        fit = [name for name, pool in self._pools.items() if not pool.home]
        spot = [name for name, pool in self._pools.items() if pool.spot]
        wrong = [
            f"workload.{name}.pool: {work.pool!r} is not allowed; expected the name of a CPU or GPU pool: {', '.join(fit)}"
            for name, work in workload.items()
            if work.pool not in fit
        ]
        wrong += [
            f"cost.pools.{name}: {name!r} is not allowed; expected the name of a spot pool: {', '.join(spot)}"
            for name in self._basis.cost.pools
            if name not in spot
        ]
        if wrong:
            raise CostError(*wrong)

    def _terms_of(self, pool: Pool) -> Terms:
        if pool.name not in self._terms:
            self._terms[pool.name] = self._new_terms(pool)
        return self._terms[pool.name]

    def _new_terms(self, pool: Pool) -> Terms:
        twin = self._pools.get(pool.fallback)
        other = twin or pool
        asked = self._basis.cost.pools.get(pool.name)
        sold_out = self._basis.cost.sold_out_share if asked is None or asked.sold_out_share is None else asked.sold_out_share
        return Terms(
            pool=pool,
            own=self._node(pool),
            rate=self._rate_of(pool) if pool.spot else None,
            twin=twin,
            on_demand=self._node(replace(other, spot=False)),
            on_demand_price=self._quotes.on_demand(other.size),
            sold_out=sold_out if pool.spot else 0.0,
            autoscaler=self._cluster.autoscaler,
            blog=self._basis.cost.model == "blog",
        )

    def _rate_of(self, pool: Pool) -> EvictionRate:
        """What the caller, the pool, the stack, the market say, in this order."""
        own = self._basis.cost.pools.get(pool.name)
        said = own.eviction_rate if own and own.eviction_rate is not None else self._basis.cost.eviction_rate
        if self._rate is not None:
            rate = self._rate
        elif said is not None:
            rate = bands.rate(said, _SETTINGS)
        else:
            rate = self._quotes.evictions(pool.size)
        self._rates[pool.name] = rate
        return rate

    def _node(self, pool: Pool) -> Node:
        on_demand = self._quotes.on_demand(pool.size)
        vm = self._spot_price(pool, on_demand.price) if pool.spot else on_demand.price
        disk = fixed.disk_quote(pool, self._quotes)
        return Node(vm, fixed.a_month(disk) * (1 / HOURS_A_MONTH) if disk else _NOTHING)

    def _spot_price(self, pool: Pool, on_demand: Range) -> Range:
        """Azure never asks more for spot than for on demand, nor more than a pool's limit ("spot-vms.md")."""
        asked = self._quotes.spot(pool.size).price
        most = on_demand.high if pool.max_price is None else min(on_demand.high, pool.max_price)
        if pool.max_price is not None and asked.expected > pool.max_price:
            self._warnings[
                f"pools.{pool.name}.maxPrice is {pool.max_price:g}: spot is expected to cost {asked.expected:.4f}, "
                "so its nodes would not start; raise it"
            ] = None
        return Range(*(min(it, most) for it in (asked.expected, asked.low, asked.high)))

    def _home(self) -> Iterator[Line]:
        for pool in self._pools.values():
            if not pool.home:
                continue
            node = self._node(pool)
            hours = Range(pool.minimum, pool.minimum, pool.maximum) * (HOURS_A_MONTH * self._running)
            vm, disk = product(hours, node.vm), product(hours, node.disk)
            quote = self._quotes.on_demand(pool.size)
            yield Line(pool.name, "home", pool.name, hours, vm, vm, (quote,), (_nodes(pool),))
            if disk.high:
                yield Line(f"OS disks of {pool.name}", "home", pool.name, None, disk, disk, self._disk(pool))

    def _batch(self, played: list[Played]) -> Iterator[Line]:
        accounts: dict[str, _Account] = {}
        for it in played:
            terms = self._terms[it.cost.pool]
            share = terms.sold_out if terms.twin else 0.0
            compared = Range.exactly(it.compared)
            accounts.setdefault(it.cost.pool, _Account()).add(it.own, terms.own, compared * (1 - share), terms.on_demand)
            if terms.twin and share:
                account = accounts.setdefault(terms.twin.name, _Account())
                account.add(it.twin, terms.on_demand, compared * share, terms.on_demand)
        for name, pool in self._pools.items():
            if pool.home:
                continue
            if pool.minimum:
                self._keep(accounts.setdefault(name, _Account()), pool)
            if name in accounts:
                self._warn_of_the_maximum(pool, accounts[name])
                yield from self._lines(pool, accounts[name])

    def _keep(self, account: _Account, pool: Pool) -> None:
        """Adds the hours of the nodes that a batch pool keeps when its work needs fewer."""
        idle = max(pool.minimum * HOURS_A_MONTH * self._running - account.hours.expected, 0.0)
        if idle:
            terms = self._terms_of(pool)
            account.add(Range.exactly(idle), terms.own, Range.exactly(idle), terms.on_demand)

    def _warn_of_the_maximum(self, pool: Pool, account: _Account) -> None:
        most = pool.maximum * HOURS_A_MONTH * self._running
        needed = account.hours.expected
        if math.isfinite(needed) and needed > most:
            self._warnings[
                f"pools.{pool.name}.maxCount is {pool.maximum}: its work needs {needed:,.0f} node hours a month "
                f"and the pool gives {most:,.0f}; raise it, or the work is not done in a month"
            ] = None

    def _lines(self, pool: Pool, account: _Account) -> Iterator[Line]:
        quote = self._quotes.spot(pool.size) if pool.spot else self._quotes.on_demand(pool.size)
        yield Line(
            pool.name, "batch", pool.name, account.hours, account.vm, account.compared_vm, (quote,), (_nodes(pool),)
        )
        if account.disk.high or account.compared_disk.high:
            said = tuple(sentences.of_disks(pool, self._node(pool)))
            name = f"OS disks of {pool.name}"
            yield Line(name, "batch", pool.name, None, account.disk, account.compared_disk, self._disk(pool), said)

    def _disk(self, pool: Pool) -> tuple[Quote, ...]:
        quote = fixed.disk_quote(pool, self._quotes)
        return (quote,) if quote else ()

    def _sources(self, assumed: bool) -> Iterator[Source]:
        found = {quote.source: None for quote in self._quotes.asked}
        found |= {rate.source: None for rate in self._rates.values()}
        if assumed and self._rates:
            found[_ASSUMED_WORK] = None
        yield from found

    def _left_out(self, working: bool) -> Iterator[str]:
        if not working:
            yield "batch work: the stack has no spot pool and names no work"
        idle = [name for name, pool in self._pools.items() if not pool.home and not pool.minimum and name not in self._terms]
        twins = {terms.twin.name for terms in self._terms.values() if terms.twin}
        if unused := [name for name in idle if name not in twins]:
            yield f"work on {', '.join(unused)}: `workload` names none there"
        for terms in self._terms.values():
            if terms.rate is not None and terms.twin and not terms.sold_out:
                yield (
                    f"hours on {terms.twin.name} while {terms.pool.name} is sold out: "
                    f"`cost.pools.{terms.pool.name}.soldOutShare` says how many"
                )
        if unpriced := [
            name for name, pool in self._pools.items() if pool.disk.managed and name not in idle and not self._disk(pool)
        ]:
            yield f"managed OS disks of {', '.join(unpriced)}: nobody here knows their price"
        yield from fixed.left_out(self._cluster.facilities, self._basis.cost.usage)


def _nodes(pool: Pool) -> str:
    count = str(pool.minimum) if pool.minimum == pool.maximum else f"{pool.minimum} to {pool.maximum}"
    return f"{count} × {pool.size}"
