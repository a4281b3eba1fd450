"""Makes the bill of a stack at the prices of a market."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property
from typing import Final, TypeVar

from kubeflow_aks.cost import basis as basis_of
from kubeflow_aks.cost import commitments, fixed, lines, notes, restarts
from kubeflow_aks.cost.basis import Basis, Work
from kubeflow_aks.cost.bill import ASSUMED_WORK, Bill, Line, WorkCost
from kubeflow_aks.cost.figures import CostError, EvictionRate, Restart, Source
from kubeflow_aks.cost.idling import idling
from kubeflow_aks.cost.overflow import Full, full, is_hopeless, overflows, play_together
from kubeflow_aks.cost.prices.market import Market
from kubeflow_aks.cost.quotes import Quotes
from kubeflow_aks.cost.reading import Cluster, Pool, read_cluster
from kubeflow_aks.cost.stack import Stack
from kubeflow_aks.cost.terms import PoolTerms, Terms
from kubeflow_aks.cost.work import Played, expected_cost

_Figure = TypeVar("_Figure")
_OLDER_PROGRAM: Final = "the program has no output `costBasis`: this bill is made from the defaults"


def bill(
    stack: Stack,
    market: Market,
    *,
    observed: Mapping[str, EvictionRate] | None = None,
    measured: Mapping[str, Restart] | None = None,
    brief: bool = False,
) -> Bill:
    """What a stack is expected to cost a month; arguments and errors are those of `Account` and its methods."""
    return Account(stack, market, observed, measured).bill(brief=brief)


class Account:
    """What a bill is made from.

    Attributes:
        basis: the stack's settings for it.
        cluster: the stack's pools and facilities.
    """

    def __init__(
        self,
        stack: Stack,
        market: Market,
        observed: Mapping[str, EvictionRate] | None = None,
        measured: Mapping[str, Restart] | None = None,
        like: "Account | None" = None,
    ) -> None:
        """Reads the stack; its prices are queried with the methods.

        Args:
            stack: what it registers and exports.
            market: the source of prices.
            observed: eviction rates by pool, used instead of those of the stack and the market.
            measured: restarts by pool, for work that leaves `restartMinutes` at its default.
            like: the same stack with other figures, whose hours are taken where these change none.

        Raises:
            CostError: it can't be billed; one line for each mistake.
        """
        self._stack, self.market = stack, market
        self._observed, self._measured, self._like = observed or {}, measured or {}, like
        self.basis = basis = like.basis if like else basis_of.read(stack.outputs)
        self.cluster = cluster = like.cluster if like else read_cluster(stack)
        region = cluster.region or basis.location
        if not region:
            raise CostError(
                "location: None is not allowed; expected the name of an Azure region, on the cluster, its resource "
                "group or as location in the output costBasis"
            )
        self._stated = basis.workload or _blogs_month(cluster.pools)
        if not like:
            _check(basis, self._stated, cluster.pools)
        self._region, self._quotes = region, Quotes(market, region)
        # The blog's model has no restarts.
        restart = dict[str, Restart]() if basis.cost.model == "blog" else _of_pools(cluster, self._measured)
        self._workload = {
            name: restarts.measured(work, restart.get(work.pool)) for name, work in self._stated.items()
        }
        self._on = cache(self._terms_on)
        self._terms = PoolTerms(cluster, basis, self._quotes, _of_pools(cluster, self._observed), restart)

    def bill(self, *, brief: bool = False) -> Bill:
        """What the stack is expected to cost a month; a brief one says nothing of each kind of work.

        Raises:
            CostError: a price is missing; one line for each.
        """
        basis, cluster, workload = self.basis, self.cluster, self._workload
        quotes, terms, on, played = self._quotes, self._terms, self.terms_of, self.played
        assumed = not basis.workload
        running = basis.office_hours.share if basis.office_hours else 1.0
        on_batch_pools = list(lines.batch(terms, [(it, on[name]) for name, it in played.items()], running))
        of_pools = [*lines.home(terms, running), *on_batch_pools]
        every = [
            *commitments.committed(of_pools, cluster.pools, basis.cost.commitments, running),
            *fixed.lines(cluster.facilities, basis, quotes, running),
        ]
        quotes.check()
        paid = {quote.source: None for line in every for quote in line.quotes}

        older = () if self._stack.outputs.get("costBasis") is not None else (_OLDER_PROGRAM,)
        warnings = dict.fromkeys(older) | terms.warnings
        warnings |= dict.fromkeys(lines.beyond_the_maximum(terms, on_batch_pools, running))
        warnings |= {warning: None for quote in quotes.used for warning in quote.warnings}
        return Bill(
            stack=self._stack.name,
            region=self._region,
            currency=self.market.currency,
            lines=tuple(every),
            work=()
            if brief
            else tuple(
                replace(it.cost, notes=tuple(self._notes(name, it.cost))) for name, it in played.items()
            ),
            rates=terms.rates,
            sources=(
                *dict.fromkeys((*_sources(quotes, terms, assumed=assumed and bool(workload)), *paid)),
                *dict.fromkeys(self._restarts()),
            ),
            budget=basis.budget.monthly if basis.budget else None,
            left_out=(
                *_idle_pools(terms, workload),
                *self._staying(every),
                *_left_out(terms, basis, list(dict.fromkeys(line.pool for line in every if line.pool))),
                *fixed.left_out(cluster.facilities, basis.cost.usage),
            ),
            warnings=tuple(warnings),
        )

    def at_prices(self, market: Market) -> "Account":
        """The same at other prices."""
        return Account(self._stack, market, self._observed, self._measured, like=self)

    def at_rate(self, rate: EvictionRate) -> "Account":
        """The same at another eviction rate of all spot pools."""
        pools = (one.name for pool in self.cluster.pools.values() if pool.spot for one in pool.agent_pools)
        return Account(
            self._stack,
            self.market,
            {**self._observed, **dict.fromkeys(pools, rate)},
            self._measured,
            like=self,
        )

    def play_with(self, others: Iterable["Account"]) -> None:
        """Plays the full pools of this bill and of others: all at once takes far less time than one by one."""
        play_together(it.full for it in (self, *others))

    def batch(self) -> Mapping[str, tuple[Work, Terms]]:
        """Each kind of work of the bill, and its terms; errors are those of `bill`."""
        batch = self._batch
        self._quotes.check()
        return batch

    def node_hours(self, *, on_demand: bool = False) -> Mapping[str, float]:
        """What a node hour of each agent pool costs, or would on demand, OS disk included; errors as of `bill`."""
        prices = {
            one.name: self._terms.node(replace(one, spot=pool.spot and not on_demand)).hour.expected
            for pool in self.cluster.pools.values()
            for one in pool.agent_pools
        }
        self._quotes.check()
        return prices

    @cached_property
    def _batch(self) -> Mapping[str, tuple[Work, Terms]]:
        return {name: (work, self.terms_of[name]) for name, work in self._workload.items()}

    @cached_property
    def played(self) -> Mapping[str, Played]:
        """The month of each kind of work."""
        like = self._like
        if like:
            pairs = zip(self.terms_of.values(), like.terms_of.values(), strict=True)
            distinct = {(id(on), id(other)): (on, other) for on, other in pairs}
            if all(on.differs_by_prices_alone(other) for on, other in distinct.values()):
                return like.played
        idle, outcomes, assumed = idling(self._batch), overflows(self.full), not self.basis.workload
        return {
            name: expected_cost(name, *of, idle[name], outcomes.get(name), assumed=assumed)
            for name, of in self._batch.items()
        }

    @cached_property
    def terms_of(self) -> Mapping[str, Terms]:
        """The terms of each kind of work."""
        return {name: self._on(work.pool, work.head_pool) for name, work in self._workload.items()}

    @cached_property
    def full(self) -> Full:
        """The months of full pools."""
        return full(self._batch)

    def _terms_on(self, pool: str, head: str | None) -> Terms:
        pools, of = self.cluster.pools, self._terms.of
        on = of(pools[pool])
        return replace(on, head=of(pools[head])) if head else on

    def _notes(self, name: str, cost: WorkCost) -> Iterator[str]:
        on = self.terms_of[name]
        yield from notes.cost_notes(self._workload[name], cost, on, self.market.currency)
        if is_hopeless(self._workload[name], on):
            yield f"billed as if {on.pool.name} had room for it: work that is evicted so often fills no pool here"
        yield from restarts.notes(self._stated[name], on.restart)

    def _staying(self, of: Iterable[Line]) -> Iterator[str]:
        """Work on fallbacks that does not agree to return to spot, as far as the settings say."""
        billed = {line.pool for line in of if line.hours}
        for name, on in self.terms_of.items():
            if (
                on.returns
                and on.fallback
                and on.fallback.name in billed
                and not self._workload[name].return_to_spot
            ):
                yield (
                    f"what `kubeflow.returnToSpot` moves of {name} from {on.fallback.name} back to spot: "
                    f"`workload.{name}.returnToSpot` is false"
                )

    def _restarts(self) -> Iterator[Source]:
        """Where restarts are from that a drill measured, one for each pool."""
        for name, on in self.terms_of.items():
            if on.restart and self._stated[name].assumes_restart:
                source = on.restart.source
                yield replace(source, name=f"restart on {on.pool.name}: {source.name}")


def _of_pools(cluster: Cluster, figures: Mapping[str, _Figure]) -> Mapping[str, _Figure]:
    """Figures of agent pools by pool; of several sizes that of the first one which has any."""
    return {
        name: next(figures[one.name] for one in pool.agent_pools if one.name in figures)
        for name, pool in cluster.pools.items()
        if any(one.name in figures for one in pool.agent_pools)
    }


def _blogs_month(pools: Mapping[str, Pool]) -> Mapping[str, Work]:
    """The work of a stack that names none: on its first spot pool, one without GPUs where there is one."""
    spot = sorted((pool for pool in pools.values() if pool.spot), key=lambda pool: pool.gpus > 0)
    return basis_of.blog_profile(spot[0].name) if spot else {}


def _check(basis: Basis, workload: Mapping[str, Work], pools: Mapping[str, Pool]) -> None:
    fit = [name for name, pool in pools.items() if not pool.home]
    spot = [name for name, pool in pools.items() if pool.spot]
    wrong = [
        f"workload.{name}.pool: {work.pool!r} is not allowed; expected the name of a CPU or GPU pool: {', '.join(fit)}"
        for name, work in workload.items()
        if work.pool not in fit
    ]
    on_demand = [name for name in fit if name not in spot]
    wrong += [
        f"workload.{name}.headPool: {work.head_pool!r} is not allowed; expected the name of another pool on demand for "
        f"work: {', '.join(on_demand)}"
        for name, work in workload.items()
        if work.head_pool is not None and (work.head_pool not in on_demand or work.head_pool == work.pool)
    ]
    wrong += [
        f"workload.{name}.nodesPerStep: {work.nodes_per_step} is not allowed; expected at most "
        f"{pools[work.pool].maximum}, the nodes of {work.pool}, because a step starts once all its nodes are there"
        for name, work in workload.items()
        if work.pool in fit and work.nodes_per_step > max(pools[work.pool].maximum, 1)
    ]
    wrong += [
        f"cost.pools.{name}: {name!r} is not allowed; expected the name of a spot pool: {', '.join(spot)}"
        for name in basis.cost.pools
        if name not in spot
    ]
    if wrong:
        raise CostError(*wrong)


def _sources(quotes: Quotes, terms: PoolTerms, *, assumed: bool) -> Iterator[Source]:
    sources = {quote.source: None for quote in quotes.used}
    sources |= {rate.source: None for rate in terms.rates.values()}
    if assumed:
        sources[ASSUMED_WORK] = None
    yield from sources


def _idle_pools(terms: PoolTerms, workload: Mapping[str, Work]) -> Iterator[str]:
    """Pools that cost nothing here, and why."""
    used = {pool for work in workload.values() for pool in (work.pool, work.head_pool) if pool}
    fallbacks = {pool.fallback for pool in terms.pools.values() if pool.name in used}
    idle = [
        pool for pool in terms.pools.values() if not pool.home and not pool.minimum and pool.name not in used
    ]
    if names := [pool.name for pool in idle if pool.name not in fallbacks]:
        yield f"work on {', '.join(names)}: `workload` has none there"
    for name in sorted(used):
        on = terms.of(terms.pools[name])
        if on.fallback and not on.sold_out:
            share = f"set `cost.pools.{name}.soldOutShare` to count them"
            yield f"hours on {on.fallback.name} while {name} is sold out: {share}"


def _left_out(terms: PoolTerms, basis: Basis, billed: list[str]) -> Iterator[str]:
    managed = [name for name in billed if terms.pools[name].disk.managed]
    if names := [name for name in managed if not terms.node(terms.pools[name]).disk_quotes]:
        yield f"managed OS disks of {', '.join(names)}: their price is unknown"
    if basis.office_hours and basis.cost.model == "blog":
        yield "work that evenings cut off: `cost.model` blog has no hours of a day"
    if names := [name for name in billed if terms.pools[name].keeps_disks]:
        yield f"disks of evicted nodes of {', '.join(names)}: evictionPolicy Deallocate keeps them"
