"""One kind of work on its pool: hours, evictions and money, by the model; nothing is rounded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from cost.basis import Work
from cost.bill import WorkCost
from cost.figures import HOURS_A_MONTH, Range
from cost.model import blog, breakeven, fallback, hourly, idle, interval
from cost.model.step import Checkpoints, Step
from cost.terms import Terms

_NOTHING = Range.exactly(0.0)


@dataclass(frozen=True)
class Played:
    """A month of one kind of work.

    Attributes:
        own: billed node hours on its pool.
        twin: on the twin.
        compared: those of the same work without evictions, all on demand.
    """

    cost: WorkCost
    own: Range
    twin: float
    compared: float


def product(one: Range, other: Range) -> Range:
    """The product of two ranges of nothing below 0; what costs nothing costs nothing however long it takes."""
    return Range(
        _times(one.expected, other.expected), _times(one.low, other.low), _times(one.high, other.high)
    )


def play(name: str, work: Work, terms: Terms, *, assumed: bool) -> Played:
    """A month of one kind of work."""
    return (_on_demand if terms.rate is None else _on_spot)(name, work, terms, assumed=assumed)


def with_checkpoints(work: Work, rate: float, every: float) -> float:
    """Billed hours for each useful hour of the same work with a checkpoint every so many hours."""
    saves = Checkpoints(every, work.checkpoint_write_minutes / 60)
    return _expected(replace(work.step, checkpoints=saves), rate).multiple


def _on_demand(name: str, work: Work, terms: Terms, *, assumed: bool) -> Played:
    multiple = _expected(work.step, 0.0).multiple
    hours = work.hours_per_month * multiple + _idle(work, terms)
    amount = terms.own.hour * hours
    cost = WorkCost(
        name=name,
        pool=terms.pool.name,
        assumed=assumed,
        useful=work.hours_per_month,
        multiple=Range.exactly(multiple),
        evictions=_NOTHING,
        amount=amount,
        on_demand=amount,
        blog=amount.expected,
    )
    return Played(cost, Range.exactly(hours), 0.0, hours)


def _on_spot(name: str, work: Work, terms: Terms, *, assumed: bool) -> Played:
    step, useful, share = work.step, work.hours_per_month, terms.on_twin
    rate = terms.rate.rate if terms.rate else _NOTHING
    seen = [_expected(step, each) for each in (rate.expected, rate.low, rate.high)]
    multiple = Range(*(it.multiple for it in seen))
    evictions = Range(*(it.evictions for it in seen))
    by_blog = Range.exactly(useful * (1 - share) * (1 + blog.SHARE))
    if terms.blog:  # which knows no idle nodes, no restarts, and a step like any other
        multiple, evictions, idling = Range.exactly(1 + blog.SHARE), Range.exactly(blog.SHARE), 0.0
    else:
        idling = _idle(work, terms)
    unevicted = 1.0 if terms.blog else _expected(step, 0.0).multiple
    own = (multiple * useful + Range.exactly(idling)) * (1 - share)
    twin = (useful * unevicted + idling) * share
    compared = useful + idling
    on_twin = terms.on_demand.hour * twin
    cost = WorkCost(
        name=name,
        pool=terms.pool.name,
        assumed=assumed,
        useful=useful,
        multiple=multiple,
        evictions=evictions * (useful * (1 - share) / step.hours),
        amount=product(own, terms.own.hour) + on_twin,
        on_demand=terms.on_demand.hour * compared,
        blog=(product(by_blog, terms.own.hour) + terms.on_demand.hour * (useful * share)).expected,
        fails=Range(*(it.fails for it in seen)),
        misses=None if step.deadline is None else _in_order(*(it.misses or 0.0 for it in seen)),
        longest_step=_longest_step(terms, rate.expected, step.restart),
        best_interval=interval.best(rate.expected, work.checkpoint_write_minutes / 60, step.hours),
        stops_paying_at=breakeven.stops_paying(terms.on_demand.vm.expected, multiple.expected),
        waits=fallback.shared(
            useful, multiple.expected, terms.sold_out, fallback=1 if terms.twin else None
        ).waits,
    )
    return Played(cost, own, twin, compared)


def forget() -> None:
    """Forgets what was worked out, so that a benchmark measures it."""
    _expected.cache_clear()


def _in_order(expected: float, low: float, high: float) -> Range:
    """A range of chances that are worked out to a few digits, so that two that are alike may stand the wrong way."""
    return Range(expected, min(low, expected), max(high, expected))


@cache
def _expected(step: Step, rate: float) -> hourly.Expectation:
    return hourly.expected(step, rate)


def _idle(work: Work, terms: Terms) -> float:
    """Hours in which new nodes start and old ones wait for the autoscaler.

    A new node takes as long to its first step as a restart does, for it boots and loads the same.
    """
    pool = terms.pool
    return idle.idle_hours(
        bursts=work.hours_per_month / work.step_hours / work.steps_at_once,
        nodes=max(0, min(work.steps_at_once, pool.maximum) - pool.minimum),
        unneeded=terms.tail,
        boot=work.step.restart,
        spare=max(0.0, (pool.maximum - pool.minimum) * HOURS_A_MONTH - work.hours_per_month),
    )


def _longest_step(terms: Terms, rate: float, restart: float) -> float | None:
    own = terms.own.vm.expected
    return breakeven.longest_step(terms.on_demand.vm.expected / own, rate, restart) if own > 0 else None


def _times(one: float, other: float) -> float:
    return 0.0 if 0.0 in (one, other) else one * other
