"""What an hour on each pool costs, how often its nodes are evicted, and which pool is its fallback."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from kubeflow_aks.cost import fixed
from kubeflow_aks.cost.basis import Basis, PoolBasis
from kubeflow_aks.cost.figures import HOURS_A_MONTH, EvictionRate, Quote, Range, Restart, Source, total
from kubeflow_aks.cost.prices import bands
from kubeflow_aks.cost.quotes import Quotes
from kubeflow_aks.cost.reading import Cluster, Pool

_LIMITS_IN: Final = "USD"
"""Currency of a pool's limit, whatever the bill's (docs/facts/aks.md#spot-pools)."""
_REDONE_HOURS: Final = 16 / 60
"""Work and restart that a move to spot costs, as its program counts (docs/how-to/return-work-to-spot.md)."""
_SETTINGS: Final = Source("this stack's settings")


@dataclass(frozen=True)
class Node:
    """What a node hour of a pool costs; no disk quote where its OS disk costs nothing or its price is unknown."""

    vm: Range
    disk: Range
    quotes: tuple[Quote, ...]
    disk_quotes: tuple[Quote, ...]

    @property
    def hour(self) -> Range:
        """All of it."""
        return self.vm + self.disk


@dataclass(frozen=True)
class Terms:
    """The figures with which work on a pool is billed.

    Attributes:
        node: a node of the pool itself.
        rate: None where the pool is on demand.
        fallback: the pool that runs the hours that spot can't give; None for none.
        on_demand: a node of the fallback, or else of the pool's own size, on demand.
        sold_out: share of the time in which there is no spot VM.
        tail: hours for which the autoscaler leaves a node without work alone.
        delay: hours after it added a node for which it removes none.
        day: hours after which the cluster is stopped until next morning; None where it always runs.
        running: share of the month in which it runs.
        restart: what a drill measured there; None where none did.
        outage: mean hours for which spot is sold out.
        head: of the pool that runs each step's head; None where it has none.
        returns: whether work that agrees to it is moved from the fallback back to spot.
    """

    pool: Pool
    node: Node
    rate: EvictionRate | None
    fallback: Pool | None
    on_demand: Node
    sold_out: float
    tail: float
    blog: bool
    delay: float = 0.0
    day: float | None = None
    running: float = 1.0
    restart: Restart | None = None
    outage: float = 4
    head: Terms | None = None
    returns: bool = False

    def differs_by_prices_alone(self, other: Terms) -> bool:
        """Whether all but what a node costs is the same."""
        heads = self.head is other.head or bool(
            self.head and other.head and self.head.differs_by_prices_alone(other.head)
        )
        alike = replace(self, node=other.node, on_demand=other.on_demand, head=other.head)
        return heads and alike == other

    @property
    def evictions(self) -> Range:
        """The chance of one within an hour; 0 on demand."""
        return self.rate.rate if self.rate else Range.exactly(0.0)

    @property
    def certain(self) -> bool:
        """Whether neither evictions nor restarts are a range, so that what a step takes is none."""
        return self.restart is None and self.evictions.exact

    @property
    def fallback_share(self) -> float:
        """Share of the work that runs on the fallback."""
        return self.sold_out if self.fallback else 0.0


class PoolTerms:
    """The terms of every pool of a cluster, each made on first use."""

    def __init__(
        self,
        cluster: Cluster,
        basis: Basis,
        quotes: Quotes,
        observed: Mapping[str, EvictionRate],
        measured: Mapping[str, Restart],
    ) -> None:
        """Takes rates by pool that override those of the stack and the market, and measured restarts by pool."""
        self._cluster, self._cost, self._quotes, self._observed = cluster, basis.cost, quotes, observed
        self._measured = measured
        self._hours = basis.office_hours
        self.rates: dict[str, EvictionRate] = {}
        self.warnings: dict[str, None] = {}
        self.node = cache(self._node)
        self.of = cache(self._of)

    @property
    def pools(self) -> Mapping[str, Pool]:
        """All pools by name."""
        return self._cluster.pools

    def starts(self, pool: Pool) -> bool:
        """Whether any of its VM sizes costs no more than the pool's limit: Azure starts no dearer one."""
        return not pool.spot or any(self._starts(one) for one in pool.agent_pools)

    def _starts(self, one: Pool) -> bool:
        return self._charged(one.size).expected <= self._limit(one)

    def _of(self, pool: Pool) -> Terms:
        fallback = self.pools.get(pool.fallback)
        self.warnings |= dict.fromkeys(self._without_start(pool)) if pool.spot else {}
        if fallback and not self.starts(pool):  # all that its work ever runs on
            return self.of(fallback)
        return Terms(
            pool=pool,
            node=self.node(pool),
            rate=self._eviction_rate(pool) if pool.spot else None,
            fallback=fallback,
            on_demand=self.node(replace(fallback or pool, spot=False)),
            sold_out=self._sold_out(pool) ** max(sum(map(self._starts, pool.agent_pools)), 1)
            if pool.spot
            else 0.0,
            tail=self._cluster.tail,
            blog=self._cost.model == "blog",
            delay=self._cluster.delay,
            day=self._hours.day if self._hours and self._cost.model != "blog" else None,
            running=self._hours.share if self._hours else 1.0,
            restart=self._measured.get(pool.name),
            outage=self._figures(pool).sold_out_hours or self._cost.sold_out_hours,
            returns=bool(fallback) and self._cluster.returns and self._move_pays(pool, fallback),
        )

    def _move_pays(self, pool: Pool, fallback: Pool) -> bool:
        """Whether what is done again on spot is paid for within an hour there; else nothing is moved."""
        spot, on_demand = (self.node(it).vm.expected for it in (pool, fallback))
        return spot * (1 + _REDONE_HOURS) <= on_demand

    def _sold_out(self, pool: Pool) -> float:
        """Share of the time in which a VM size of the pool is sold out, each independently of the others."""
        share = self._figures(pool).sold_out_share
        return self._cost.sold_out_share if share is None else share ** (1 / len(pool.agent_pools))

    def _figures(self, pool: Pool) -> PoolBasis:
        return self._cost.pools.get(pool.name, PoolBasis())

    def shares(self, pool: Pool) -> tuple[float, ...]:
        """Share of the pool's spot hours on each of its sizes: each while those before it are sold out."""
        sold_out = self._sold_out(pool) if pool.spot else 0.0
        starting = [not self.starts(pool) or not pool.spot or self._starts(one) for one in pool.agent_pools]
        weights = [sold_out ** sum(starting[:place]) * starting[place] for place in range(len(starting))]
        return tuple(weight / sum(weights) for weight in weights)

    def _eviction_rate(self, pool: Pool) -> EvictionRate:
        """The first of: observed, of the pool, of the stack, of the market; without a VM that starts nothing lasts."""
        of_pool = self._figures(pool).eviction_rate
        configured = self._cost.eviction_rate if of_pool is None else of_pool
        if not self.starts(pool):
            rate = EvictionRate(Range.exactly(1.0), _SETTINGS)
        elif pool.name in self._observed:
            rate = self._observed[pool.name]
        elif configured is not None:
            rate = bands.rate(configured, _SETTINGS)
        else:
            rate = self._market_rate(pool)
        self.rates[pool.name] = rate
        return rate

    def _market_rate(self, pool: Pool) -> EvictionRate:
        rates = [self._quotes.evictions(one.size) for one in pool.agent_pools]
        mean = total(one.rate * share for one, share in zip(rates, self.shares(pool), strict=True))
        return rates[0] if len(rates) == 1 else replace(rates[0], rate=mean)

    def _node(self, pool: Pool) -> Node:
        if not pool.sizes:
            return self._node_of_one_size(pool)
        nodes = [self._node_of_one_size(replace(one, name=pool.name, spot=pool.spot)) for one in pool.sizes]
        shares = self.shares(pool)
        if not pool.spot:  # the first alone, unless it is full or refused
            return replace(
                nodes[0], vm=_any_of([it.vm for it in nodes]), disk=_any_of([it.disk for it in nodes])
            )
        return Node(
            total(node.vm * share for node, share in zip(nodes, shares, strict=True)),
            total(node.disk * share for node, share in zip(nodes, shares, strict=True)),
            tuple(quote for node in nodes for quote in node.quotes),
            tuple(quote for node in nodes for quote in node.disk_quotes),
        )

    def _node_of_one_size(self, pool: Pool) -> Node:
        quote = self._quotes.spot(pool.size) if pool.spot else self._quotes.on_demand(pool.size)
        vm = self._spot_price(pool) if pool.spot else quote.price
        disk = fixed.disk_quote(pool, self._quotes)
        hour = fixed.a_month(disk) * (1 / HOURS_A_MONTH) if disk else Range.exactly(0.0)
        return Node(vm, hour, (quote,), (disk,) if disk else ())

    def _charged(self, size: str) -> Range:
        """An hour of a spot VM: never more than on demand ("spot-vms.md")."""
        return _at_most(self._quotes.spot(size).price, self._quotes.on_demand(size).price)

    def _spot_price(self, pool: Pool) -> Range:
        """The price up to the pool's limit, above which Azure takes its VMs."""
        price = self._charged(pool.size)
        return _at_most(price, Range.exactly(self._limit(pool))) if self._starts(pool) else price

    def _without_start(self, pool: Pool) -> Iterator[str]:
        """What follows from a limit below the price of spot."""
        for one in pool.agent_pools:
            if not self._starts(one):
                instead = (
                    f"its work runs on {pool.fallback} instead"
                    if pool.fallback
                    else "its work waits for ever"
                )
                yield (
                    f"pools.{pool.name}.maxPrice is {self._limit(one):g}: spot is expected to cost "
                    f"{self._charged(one.size).expected:.4f}, so its {one.size} would not start"
                    f"{'' if self.starts(pool) else f'; {instead}'}; raise it"
                )

    def _limit(self, pool: Pool) -> float:
        """The pool's limit an hour; none where the bill is in another currency."""
        if pool.max_price is None:
            return math.inf
        if self._quotes.currency == _LIMITS_IN:
            return pool.max_price
        self.warnings[
            f"pools.{pool.name}.maxPrice is {pool.max_price:g}: that is {_LIMITS_IN} and this bill is in "
            f"{self._quotes.currency}, so it is ignored here; make the bill in {_LIMITS_IN} to see its effect"
        ] = None
        return math.inf


def _any_of(prices: Sequence[Range]) -> Range:
    """The first is expected, and each of them possible."""
    return Range(prices[0].expected, min(it.low for it in prices), max(it.high for it in prices))


def _at_most(price: Range, most: Range) -> Range:
    return Range(*map(min, price.figures, most.figures))
