"""One kind of work on its pool: hours, evictions and money, by the model; nothing is rounded."""

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from kubeflow_aks.cost.basis import Work
from kubeflow_aks.cost.bill import WorkCost
from kubeflow_aks.cost.figures import Range, product, times
from kubeflow_aks.cost.idling import Idling
from kubeflow_aks.cost.model import breakeven, fallback, hourly, interval
from kubeflow_aks.cost.model.rates import chance_within_an_hour, evictions_an_hour
from kubeflow_aks.cost.model.step import Checkpoints, Step
from kubeflow_aks.cost.restarts import held, steps
from kubeflow_aks.cost.terms import Terms

_NOTHING = Range.exactly(0.0)
_BLOGS_SHARE: Final = 0.05
"""Share of all work that runs twice in the blog's model, however long its steps are.

Source: "Deploying Kubeflow Pipelines with Azure AKS spot instances".
"""


@dataclass(frozen=True)
class Played:
    """A month of one kind of work.

    Attributes:
        hours: billed node hours on its pool.
        fallback: on the fallback.
        compared: those of the same work without evictions, all on demand.
        head: billed node hours of its steps' heads, on their pool.
        head_compared: the same without evictions.
    """

    cost: WorkCost
    hours: Range
    fallback: Range
    compared: float
    head: Range = _NOTHING
    head_compared: float = 0.0


def expected_cost(name: str, work: Work, terms: Terms, idling: Idling, *, assumed: bool) -> Played:
    """A month of one kind of work, with the idle hours that it has of its pool's."""
    played = (_on_demand if terms.rate is None else _on_spot)(name, work, terms, idling, assumed=assumed)
    return played if terms.head is None else _with_heads(played, work, terms, terms.head, idling)


def with_checkpoints(work: Work, rate: float, every: float, terms: Terms) -> float:
    """Billed hours for each useful hour of the same work with a checkpoint every so many hours."""
    saves = Checkpoints(every, work.checkpoint_write_minutes / 60)
    return _expected(replace(held(work.step, terms.tail), checkpoints=saves), rate, terms.day).multiple


def best_interval(work: Work, rate: float, day: float | None) -> float | None:
    """Hours between checkpoints at which a kind of work costs least; None where none pays.

    An evening counts like an eviction that comes once in so many hours: it undoes the half of a block, too.
    """
    if day is not None:
        rate = chance_within_an_hour(evictions_an_hour(rate) + 1 / day / work.step.together)
    writing = work.checkpoint_write_minutes / 60
    return interval.best(rate, writing, work.step_hours, work.step.together)


def _on_demand(name: str, work: Work, terms: Terms, idling: Idling, *, assumed: bool) -> Played:
    useful = work.hours_per_month
    results = [_expected(step, 0.0, terms.day) for step in steps(work, terms)]
    calm, multiple = results[0], _in_order(*(it.multiple for it in results))
    hours = multiple * useful + idling.hours
    compared = hours.expected if math.isfinite(hours.expected) else useful + idling.hours.expected
    amount = product(terms.node.hour, hours)
    cost = WorkCost(
        name=name,
        pool=terms.pool.name,
        assumed=assumed,
        useful=useful,
        multiple=multiple,
        evictions=_NOTHING,
        amount=amount,
        on_demand=terms.node.hour * compared,
        blog=amount.expected,
        evenings=calm.evenings * work.steps_a_month,
        cut_off=_cut_off(work.step, 0.0, terms.day, calm.multiple) * useful,
    )
    return Played(cost, hours, _NOTHING, compared)


def _on_spot(name: str, work: Work, terms: Terms, idling: Idling, *, assumed: bool) -> Played:
    useful, share, on_its_own = work.hours_per_month, terms.fallback_share, idling.hours
    rate, at_rates = terms.evictions, steps(work, terms)
    step, pairs = at_rates[0], list(zip(at_rates, rate.figures, strict=True))
    results = [_expected(one, at, terms.day) for one, at in pairs]
    multiple = _in_order(*(it.multiple for it in results))
    evictions = _in_order(*(it.evictions for it in results))
    by_blog = Range.exactly(useful * (1 - share) * (1 + _BLOGS_SHARE))
    if terms.blog:  # which has no idle nodes, no restarts, and one kind of step
        multiple, evictions = Range.exactly(1 + _BLOGS_SHARE), Range.exactly(_BLOGS_SHARE)
        on_its_own = _NOTHING
    calm = _expected(step, 0.0, terms.day)
    unevicted = 1.0 if terms.blog else calm.multiple
    on_demand = _on_demand_alone(step, terms.day)
    compared = useful * on_demand + (0.0 if terms.blog else idling.calm)
    on_either = bool(share) and not terms.blog
    if on_either:
        hours, fallback_hours, amount = _on_either(work, terms, multiple, unevicted, on_its_own)
        stays = (
            times(it.evictions, _stays(one, at, terms, it.multiple))
            for (one, at), it in zip(pairs, results, strict=True)
        )
        evictions = _in_order(*stays)
    else:
        hours = (multiple * useful + on_its_own) * (1 - share)
        fallback_hours = Range.exactly(times(useful * unevicted + on_its_own.expected, share))
        amount = product(hours, terms.node.hour) + product(fallback_hours, terms.on_demand.hour)
    cost = WorkCost(
        name=name,
        pool=terms.pool.name,
        assumed=assumed,
        useful=useful,
        multiple=multiple,
        evictions=evictions * (work.steps_a_month * (1.0 if on_either else 1 - share)),
        amount=amount,
        on_demand=terms.on_demand.hour * compared,
        blog=(product(by_blog, terms.node.hour) + terms.on_demand.hour * (useful * share)).expected,
        fails=Range(*(it.fails for it in results)),
        misses=None
        if step.deadline is None
        else _in_order(*(_late(one, at, terms.day, idling.boots) for one, at in pairs)),
        longest_step=_longest_step(terms, rate.expected, step),
        best_interval=best_interval(work, rate.expected, terms.day),
        stops_paying_at=breakeven.stops_paying(terms.on_demand.vm.expected * on_demand, multiple.expected),
        evenings=(times(results[0].evenings, 1 - share) + times(calm.evenings, share)) * work.steps_a_month,
        cut_off=_cut_off(step, rate.expected, terms.day, multiple.expected) * useful * (1 - share)
        + _cut_off(step, 0.0, terms.day, unevicted) * useful * share,
        waits=0.0
        if terms.fallback
        else fallback.waits(times(useful / step.together, multiple.expected), terms.sold_out),
    )
    return Played(cost, hours, fallback_hours, compared)


def _with_heads(played: Played, work: Work, terms: Terms, head: Terms, idling: Idling) -> Played:
    """The same with one more node for each step, from its first start to its end."""
    number, price = work.steps_a_month, head.node.hour
    at_rates = zip(steps(work, terms), terms.evictions.figures, strict=True)
    hours = _in_order(*(_expected(one, at, terms.day).wall for one, at in at_rates)) * number + idling.head
    compared = number * work.step_hours * _on_demand_alone(work.step, terms.day) + idling.head.expected
    if terms.blog:
        hours = Range.exactly(compared := number * work.step_hours)
    cost = replace(
        played.cost,
        amount=played.cost.amount + product(hours, price),
        on_demand=played.cost.on_demand + price * compared,
    )
    return replace(played, cost=cost, head=hours, head_compared=compared)


def _on_either(
    work: Work, terms: Terms, multiple: Range, unevicted: float, idling: Range
) -> tuple[Range, Range, Range]:
    """Billed hours on the pool, on the fallback, and what both cost.

    A step that once starts on the fallback stays there (`model.fallback`). It is expected that running VMs stay while
    spot is sold out; that Azure takes them, too, is the other end of the range. Each morning of office hours is a
    start of its own; hours that evenings add count on both sides as without a fallback.
    """
    rate, at_rates = terms.evictions, steps(work, terms)
    ways = [
        shares(one, at, terms, its, unevicted)
        for one, at, its in zip(at_rates, rate.figures, multiple.figures, strict=True)
    ]
    ways.append(shares(at_rates[0], rate.expected, terms, multiple.expected, unevicted, taken=True))
    useful, share = work.hours_per_month, terms.fallback_share
    on_spot = [spot * useful + idling.expected * (1 - share) for spot, _ in ways]
    on_demand = [hours * useful + times(idling.expected, share) for _, hours in ways]
    price, other = terms.node.hour, terms.on_demand.hour
    prices = (price.low, other.low), (price.high, other.high)
    both = list(zip(on_spot, on_demand, strict=True))
    expected = times(both[0][0], price.expected) + times(both[0][1], other.expected)
    costs = [[times(a, spot) + times(b, dear) for a, b in both] for spot, dear in prices]
    spread = _within(on_spot), _within(on_demand)
    return *spread, Range(expected, min(expected, *costs[0]), max(expected, *costs[1]))


def shares(
    step: Step, rate: float, terms: Terms, multiple: float, unevicted: float, *, taken: bool = False
) -> tuple[float, float]:
    """Hours on spot and on the fallback for each useful hour.

    Args:
        step: one step.
        rate: chance of an eviction within the next hour.
        terms: of its pool, which has a fallback.
        multiple: billed hours for each useful one, all on spot.
        unevicted: the same without evictions.
        taken: see `fallback.either`.
    """
    if not math.isfinite(multiple):
        return math.inf, unevicted * terms.fallback_share
    split = _either(step, rate, terms.sold_out, terms.outage, taken)
    always = _expected(replace(step, saved=0.0), rate, None).multiple
    factor = (
        multiple / always if math.isfinite(always) else 1.0
    )  # evenings, and what is saved within a notice
    calm = _expected(step, 0.0, None).multiple
    return split.spot / step.hours * factor, split.fallback / step.hours * (unevicted / calm)


def _stays(step: Step, rate: float, terms: Terms, multiple: float) -> float:
    """Part of the hours on spot alone that a step with a fallback has there, and so of its evictions."""
    if not math.isfinite(multiple):
        return 1 - terms.fallback_share
    spot, _ = shares(step, rate, terms, multiple, 1.0)
    return spot / multiple


def _within(figures: list[float]) -> Range:
    return Range(figures[0], min(figures), max(figures))


def forget() -> None:
    """Clears the cache, so that a benchmark measures the calculation."""
    _expected.cache_clear()


def _in_order(expected: float, low: float, high: float) -> Range:
    """Sorts rounded figures into a range."""
    return Range(expected, min(low, expected), max(high, expected))


@cache
def _either(step: Step, rate: float, sold_out: float, outage: float, taken: bool) -> fallback.Either:  # noqa: FBT001 - cached
    return fallback.either(step, rate, sold_out, outage, taken=taken)


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


def _late(step: Step, rate: float, day: float | None, boots: float) -> float:
    """Chance that a step is late, which waits for its first nodes' boot where it finds none."""
    sooner = replace(step, deadline=max((step.deadline or 0.0) - step.restart, 0.0))
    late, booting = (_expected(one, rate, day).misses or 0.0 for one in (step, sooner))
    return (1 - boots) * late + boots * booting


def _longest_step(terms: Terms, rate: float, step: Step) -> float | None:
    price = terms.node.vm.expected
    if price <= 0:
        return None
    ratio = terms.on_demand.vm.expected / price
    longest = breakeven.longest_step(ratio, rate, step.restart, together=step.together, held=step.held)
    return longest if terms.day is None else min(longest, max(terms.day - step.restart, 0.0))
