"""One kind of work on its pool: hours, evictions and money, by the model; nothing is rounded."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

from kubeflow_aks.cost.basis import Work
from kubeflow_aks.cost.bill import WorkCost
from kubeflow_aks.cost.figures import HOURS_A_MONTH, Range, product, times
from kubeflow_aks.cost.model import blog, breakeven, fallback, hourly, idle, interval
from kubeflow_aks.cost.model.rates import chance_within_an_hour, evictions_an_hour
from kubeflow_aks.cost.model.step import Checkpoints, Step
from kubeflow_aks.cost.restarts import steps
from kubeflow_aks.cost.terms import Terms

_NOTHING = Range.exactly(0.0)


@dataclass(frozen=True)
class Played:
    """A month of one kind of work.

    Attributes:
        own: billed node hours on its pool.
        fallback_hours: on the fallback.
        compared: those of the same work without evictions, all on demand.
        idle: those in which nodes start, or wait for the autoscaler.
    """

    cost: WorkCost
    own: Range
    fallback_hours: float
    compared: float
    idle: float


def play(name: str, work: Work, terms: Terms, *, assumed: bool) -> Played:
    """A month of one kind of work."""
    return (_on_demand if terms.rate is None else _on_spot)(name, work, terms, assumed=assumed)


def with_checkpoints(work: Work, rate: float, every: float, day: float | None = None) -> float:
    """Billed hours for each useful hour of the same work with a checkpoint every so many hours."""
    saves = Checkpoints(every, work.checkpoint_write_minutes / 60)
    return _expected(replace(work.step, checkpoints=saves), rate, day).multiple


def best_interval(work: Work, rate: float, day: float | None) -> float | None:
    """Hours between checkpoints at which a kind of work costs least; None where none pays.

    An evening counts like an eviction that comes once in so many hours: it undoes the half of a block, too.
    """
    if day is not None:
        rate = chance_within_an_hour(evictions_an_hour(rate) + 1 / day)
    return interval.best(rate, work.checkpoint_write_minutes / 60, work.step_hours)


def _on_demand(name: str, work: Work, terms: Terms, *, assumed: bool) -> Played:
    useful, idling = work.hours_per_month, _idle(work, terms)
    found = [_expected(step, 0.0, terms.day) for step in steps(work, terms.restart)]
    calm, multiple = found[0], _in_order(*(it.multiple for it in found))
    hours = multiple * useful + idling
    compared = hours.expected if math.isfinite(hours.expected) else useful + idling.expected
    amount = product(terms.own.hour, hours)
    cost = WorkCost(
        name=name,
        pool=terms.pool.name,
        assumed=assumed,
        useful=useful,
        multiple=multiple,
        evictions=_NOTHING,
        amount=amount,
        on_demand=terms.own.hour * compared,
        blog=amount.expected,
        evenings=calm.evenings * useful / work.step_hours,
        cut_off=_cut_off(work.step, 0.0, terms.day, calm.multiple) * useful,
    )
    return Played(cost, hours, 0.0, compared, idling.expected)


def _on_spot(name: str, work: Work, terms: Terms, *, assumed: bool) -> Played:
    step, useful, share = work.step, work.hours_per_month, terms.fallback_share
    rate = terms.rate.rate if terms.rate else _NOTHING
    rates = (rate.expected, rate.low, rate.high)
    found = [
        _expected(one, each, terms.day) for one, each in zip(steps(work, terms.restart), rates, strict=True)
    ]
    multiple = _in_order(*(it.multiple for it in found))
    evictions = _in_order(*(it.evictions for it in found))
    by_blog = Range.exactly(useful * (1 - share) * (1 + blog.SHARE))
    if terms.blog:  # which has no idle nodes, no restarts, and one kind of step
        multiple, evictions, idling = Range.exactly(1 + blog.SHARE), Range.exactly(blog.SHARE), _NOTHING
    else:
        idling = _idle(work, terms)
    calm = _expected(step, 0.0, terms.day)
    unevicted = 1.0 if terms.blog else calm.multiple
    on_demand = _on_demand_alone(step, terms.day)
    own = (multiple * useful + idling) * (1 - share)
    fallback_hours = times(useful * unevicted + idling.expected, share)
    compared = useful * on_demand + idling.expected
    fallback_share = product(terms.on_demand.hour, Range.exactly(fallback_hours))
    cost = WorkCost(
        name=name,
        pool=terms.pool.name,
        assumed=assumed,
        useful=useful,
        multiple=multiple,
        evictions=evictions * (useful * (1 - share) / step.hours),
        amount=product(own, terms.own.hour) + fallback_share,
        on_demand=terms.on_demand.hour * compared,
        blog=(product(by_blog, terms.own.hour) + terms.on_demand.hour * (useful * share)).expected,
        fails=Range(*(it.fails for it in found)),
        misses=None if step.deadline is None else _in_order(*(it.misses or 0.0 for it in found)),
        longest_step=_longest_step(terms, rate.expected, step.restart),
        best_interval=best_interval(work, rate.expected, terms.day),
        stops_paying_at=breakeven.stops_paying(terms.on_demand.vm.expected * on_demand, multiple.expected),
        evenings=(times(found[0].evenings, 1 - share) + times(calm.evenings, share)) * useful / step.hours,
        cut_off=_cut_off(step, rate.expected, terms.day, multiple.expected) * useful * (1 - share)
        + _cut_off(step, 0.0, terms.day, unevicted) * useful * share,
        waits=fallback.shared(
            useful, multiple.expected, terms.sold_out, fallback=1 if terms.fallback else None
        ).waits,
    )
    return Played(cost, own, fallback_hours, compared, idling.expected)


def forget() -> None:
    """Clears the cache, so that a benchmark measures the calculation."""
    _expected.cache_clear()


def _in_order(expected: float, low: float, high: float) -> Range:
    """Sorts rounded figures into a range."""
    return Range(expected, min(low, expected), max(high, expected))


@cache
def _expected(step: Step, rate: float, day: float | None) -> hourly.Expectation:
    return hourly.expected(step, rate, day)


def _on_demand_alone(step: Step, day: float | None) -> float:
    """Billed hours for each useful hour with no evictions, all on demand.

    On demand, checkpoints are only written against evenings. What is never done is compared as if there were none.
    """
    if day is None:
        return 1.0
    ways = (step, replace(step, checkpoints=None))
    least = min(_expected(way, 0.0, day).multiple for way in ways)
    return least if math.isfinite(least) else 1.0


def _cut_off(step: Step, rate: float, day: float | None, multiple: float) -> float:
    """What evenings add to the billed hours of each useful one; 0 for work that is never done."""
    if day is None or not math.isfinite(multiple):
        return 0.0
    return multiple - _expected(step, rate, None).multiple


def _idle(work: Work, terms: Terms) -> Range:
    """Hours in which new nodes start and old ones wait for the autoscaler.

    A new node takes as long to its first step as a restart does, for it boots and loads the same.
    """
    return _in_order(*(_idle_hours(work, step.restart, terms) for step in steps(work, terms.restart)))


def _idle_hours(work: Work, boot: float, terms: Terms) -> float:
    pool, running = terms.pool, HOURS_A_MONTH * terms.running
    return idle.idle_hours(
        bursts=work.hours_per_month / work.step_hours / work.steps_at_once,
        nodes=max(0, min(work.steps_at_once, pool.maximum) - pool.minimum),
        unneeded=terms.tail,
        boot=boot,
        spare=max(0.0, (pool.maximum - pool.minimum) * running - work.hours_per_month),
        running=running,
    )


def _longest_step(terms: Terms, rate: float, restart: float) -> float | None:
    own = terms.own.vm.expected
    if own <= 0:
        return None
    longest = breakeven.longest_step(terms.on_demand.vm.expected / own, rate, restart)
    return longest if terms.day is None else min(longest, max(terms.day - restart, 0.0))
