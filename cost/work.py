"""One kind of work on its pool: hours, evictions and money, by the model; nothing is rounded."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

from cost.basis import Work
from cost.bill import WorkCost
from cost.figures import EvictionRate, Quote, Range
from cost.model import blog, breakeven, hourly, idle, interval
from cost.model.step import Checkpoints, Step
from cost.reading import Autoscaler, Pool


@dataclass(frozen=True)
class Node:
    """What a node hour of a pool costs, its OS disk told apart."""

    vm: Range
    disk: Range

    @property
    def hour(self) -> Range:
        """All of it."""
        return self.vm + self.disk


@dataclass(frozen=True)
class Terms:
    """What work on a pool is reckoned with.

    Attributes:
        spot: a node hour of the pool itself.
        rate: None where the pool is on demand.
        twin: the pool that runs the hours that spot can't give; None for none.
        on_demand: a node hour of the twin, or of the pool's own size.
        sold_out: share of the hours that spot can't give.
    """

    pool: Pool
    own: Node
    rate: EvictionRate | None
    twin: Pool | None
    on_demand: Node
    on_demand_price: Quote
    sold_out: float
    autoscaler: Autoscaler
    blog: bool


@dataclass(frozen=True)
class Played:
    """A month of one kind of work.

    Attributes:
        own: billed node hours on its pool.
        twin: on the twin.
        compared: those of the same work without evictions.
    """

    cost: WorkCost
    own: Range
    twin: Range
    compared: float


def product(one: Range, other: Range) -> Range:
    """The product of two ranges of nothing below 0; what costs nothing costs nothing however long it takes."""
    return Range(
        _times(one.expected, other.expected), _times(one.low, other.low), _times(one.high, other.high)
    )


def play(name: str, work: Work, terms: Terms, *, assumed: bool) -> Played:
    """A month of one kind of work."""
    step, useful = work.step, work.hours_per_month
    tail = _tail(work, terms)
    unevicted = _expected(step, 0.0).multiple
    if terms.rate is None:
        own = Range.exactly(useful * unevicted + tail)
        amount = product(own, terms.own.hour)
        cost = WorkCost(
            name=name,
            pool=terms.pool.name,
            assumed=assumed,
            useful=useful,
            multiple=Range.exactly(unevicted),
            evictions=Range.exactly(0.0),
            amount=amount,
            on_demand=amount,
            blog=amount.expected,
        )
        return Played(cost, own, Range.exactly(0.0), own.expected)
    share = terms.sold_out if terms.twin else 0.0
    rate = terms.rate.rate
    seen = [_expected(step, each) for each in (rate.expected, rate.low, rate.high)]
    hourly_multiple = Range(*(it.multiple for it in seen))
    blog_multiple = Range.exactly(blog.MULTIPLE)
    multiple = blog_multiple if terms.blog else hourly_multiple
    own = _hours(multiple, useful, tail, share)
    twin = Range.exactly((useful * unevicted + tail) * share)
    on_twin = product(twin, terms.on_demand.hour)
    compared = useful + tail
    steps = useful * (1 - share) / step.hours
    evictions = Range(*(_times(it.evictions, steps) for it in seen))
    cost = WorkCost(
        name=name,
        pool=terms.pool.name,
        assumed=assumed,
        useful=useful,
        multiple=multiple,
        evictions=Range.exactly(steps * blog.SHARE) if terms.blog else evictions,
        amount=product(own, terms.own.hour) + on_twin,
        on_demand=terms.on_demand.hour * compared,
        blog=(product(_hours(blog_multiple, useful, tail, share), terms.own.hour) + on_twin).expected,
        fails=Range(*(it.fails for it in seen)),
        misses=None if step.deadline is None else Range(*(it.misses or 0.0 for it in seen)),
        longest_step=_longest(terms, rate.expected),
        best_interval=interval.best(rate.expected, work.checkpoint_write_minutes / 60, step.hours),
        stops_paying_at=breakeven.stops_paying(terms.on_demand_price.price.expected, multiple.expected),
        waits=0.0 if terms.twin else useful * terms.sold_out,
    )
    return Played(cost, own, twin, compared)


def with_checkpoints(work: Work, rate: float, every: float | None) -> float:
    """Billed hours for each useful hour of the same work with checkpoints every so many hours, or without."""
    writing = work.checkpoint_write_minutes / 60
    step = replace(work.step, checkpoints=None if every is None else Checkpoints(every, writing))
    return _expected(step, rate).multiple


@cache
def _expected(step: Step, rate: float) -> hourly.Expectation:
    return hourly.expected(step, rate)


def _hours(multiple: Range, useful: float, tail: float, share: float) -> Range:
    return (multiple * useful + Range.exactly(tail)) * (1 - share)


def _tail(work: Work, terms: Terms) -> float:
    """Hours that nodes idle after each burst of steps, until the autoscaler takes them."""
    steps = work.hours_per_month / work.step_hours
    nodes = min(work.steps_at_once, terms.pool.maximum)
    each = terms.autoscaler.unneeded + terms.autoscaler.scan
    return idle.idle_hours(bursts=steps / work.steps_at_once, nodes=nodes, unneeded=each)


def _longest(terms: Terms, rate: float) -> float:
    own = terms.own.vm.expected
    return breakeven.longest_step(terms.on_demand.vm.expected / own, rate) if own > 0 else math.inf


def _times(one: float, other: float) -> float:
    return 0.0 if 0.0 in (one, other) else one * other
