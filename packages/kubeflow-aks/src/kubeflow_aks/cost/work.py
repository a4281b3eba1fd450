"""One kind of work on its pool: hours, evictions and money, by the model; nothing is rounded."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Final

from kubeflow_aks.cost.basis import Work
from kubeflow_aks.cost.bill import WorkCost
from kubeflow_aks.cost.figures import Range, product, times
from kubeflow_aks.cost.idling import Idling
from kubeflow_aks.cost.model import breakeven, fallback, hourly, interval
from kubeflow_aks.cost.model.month import Outcome
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
        details: makes its `cost`, which takes longer than the hours.
        hours: billed node hours on its pool.
        fallback: on the fallback.
        moved: share of the work that runs there.
        least, least_fallback: those of the hours that its pool's, and the fallback's, least nodes do.
        compared: those of the same work without evictions, all on demand.
        head: billed node hours of its steps' heads, on their pool.
        head_compared: the same without evictions.
    """

    details: Callable[[], WorkCost]
    hours: Range
    fallback: Range
    moved: float
    compared: float
    least: float
    least_fallback: float = 0.0
    head: Range = _NOTHING
    head_compared: float = 0.0

    @cached_property
    def cost(self) -> WorkCost:
        """What it costs, and why."""
        return self.details()


def expected_cost(
    name: str, work: Work, terms: Terms, idling: Idling, outcome: Outcome | None = None, *, assumed: bool
) -> Played:
    """A month of one kind of work, with the idle hours that it has of its pool's; `outcome` where that may be full."""
    if outcome:
        idling = replace(idling, hours=Range.exactly(outcome.idle))
    on = _on_demand if terms.rate is None else _on_spot
    played = on(name, work, terms, idling, outcome, assumed=assumed)
    return played if terms.head is None else _with_heads(played, work, terms, terms.head, idling)


def on_its_pool(step: Step, terms: Terms) -> hourly.Expectation:
    """What a step is expected to take on its pool alone, as if that were never full."""
    return _expected(step, terms.evictions.expected, terms.day)


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


def _on_demand(
    name: str, work: Work, terms: Terms, idling: Idling, outcome: Outcome | None, *, assumed: bool
) -> Played:
    useful = work.hours_per_month
    results = [_expected(step, 0.0, terms.day) for step in steps(work, terms)]
    calm, multiple = results[0], _in_order(*(it.multiple for it in results))
    hours = multiple * useful + idling.hours
    compared = hours.expected if math.isfinite(hours.expected) else useful + idling.hours.expected
    amount = product(terms.node.hour, hours)

    def cost() -> WorkCost:
        return WorkCost(
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
            misses=Range.exactly(outcome.late) if outcome and work.deadline_hours else None,
            waits=outcome.waits if outcome else 0.0,
            in_part=outcome is not None and outcome.part < 1,
        )

    return Played(cost, hours, _NOTHING, 0.0, compared, *_on_least(hours, _NOTHING, outcome))


def _on_spot(
    name: str, work: Work, terms: Terms, idling: Idling, outcome: Outcome | None, *, assumed: bool
) -> Played:
    useful, share = work.hours_per_month, terms.fallback_share
    rate, at_rates = terms.evictions, steps(work, terms)
    step, pairs = at_rates[0], list(zip(at_rates, rate.figures, strict=True))
    some = pairs[:1] if terms.certain else pairs
    results = [_expected(one, at, terms.day) for one, at in some] * (3 // len(some))
    multiple = _in_order(*(it.multiple for it in results))
    evictions = [it.evictions for it in results]
    calm = _expected(step, 0.0, terms.day)
    unevicted, on_demand = calm.multiple, _on_demand_alone(step, terms.day)
    if terms.blog:  # which has no idle nodes, no restarts, and one kind of step
        multiple, evictions, unevicted = Range.exactly(1 + _BLOGS_SHARE), [_BLOGS_SHARE] * 3, 1.0
        idling = replace(idling, hours=_NOTHING, calm=0.0)
    compared = useful * on_demand + idling.calm
    ways, overflow = _ways(work, terms, multiple, unevicted), 0.0
    if outcome:
        overflow = max(outcome.fallback - ways[0].fallback * useful, 0.0)
        sent = overflow_share(ways[0], unevicted, work, outcome)
        ways = [it.overflowing(sent, unevicted) for it in ways]
    moved = 1 - ways[0].stays
    on_pool, on_other = _hours(ways, work, terms, idling.hours, outcome)
    hours, on_fallback = _within(on_pool), _within(on_other)

    def cost() -> WorkCost:
        by_blog = Range.exactly(useful * (1 - share) * (1 + _BLOGS_SHARE))
        return WorkCost(
            name=name,
            pool=terms.pool.name,
            assumed=assumed,
            useful=useful,
            multiple=multiple,
            evictions=_in_order(*map(times, evictions, (it.stays for it in ways))) * work.steps_a_month,
            amount=_amount(on_pool, on_other, terms),
            on_demand=terms.on_demand.hour * compared,
            blog=(product(by_blog, terms.node.hour) + terms.on_demand.hour * (useful * share)).expected,
            fails=Range(*(it.fails for it in results)),
            misses=_misses(pairs, terms, idling, outcome),
            longest_step=_longest_step(terms, rate.expected, step),
            best_interval=best_interval(work, rate.expected, terms.day),
            stops_paying_at=breakeven.stops_paying(
                terms.on_demand.vm.expected * on_demand, multiple.expected
            ),
            evenings=(times(results[0].evenings, 1 - moved) + times(calm.evenings, moved))
            * work.steps_a_month,
            cut_off=_cut_off(step, rate.expected, terms.day, multiple.expected) * useful * (1 - moved)
            + _cut_off(step, 0.0, terms.day, unevicted) * useful * moved,
            fallback=on_fallback.expected,
            overflow=overflow,
            returned=outcome.returned if outcome else 0.0,
            redone=outcome.redone if outcome else 0.0,
            waits=outcome.waits if outcome else 0.0,
            in_part=outcome is not None and outcome.part < 1,
        )

    return Played(cost, hours, on_fallback, moved, compared, *_on_least(hours, on_fallback, outcome))


def _on_least(hours: Range, on_fallback: Range, outcome: Outcome | None) -> tuple[float, float]:
    """Hours on the pool and on the fallback that are on nodes which are always there: all where that is open."""
    if outcome is None:
        return hours.expected, on_fallback.expected
    on_pool, on_other = outcome.hours + outcome.idle, outcome.fallback + outcome.idle_fallback
    return (
        hours.expected * outcome.least / on_pool if on_pool else 0.0,
        on_fallback.expected * outcome.least_fallback / on_other if on_other else 0.0,
    )


def _with_heads(played: Played, work: Work, terms: Terms, head: Terms, idling: Idling) -> Played:
    """The same with one more node for each step, from its first start to its end."""
    number, price = work.steps_a_month, head.node.hour
    at_rates = zip(steps(work, terms), terms.evictions.figures, strict=True)
    hours = _in_order(*(_expected(one, at, terms.day).wall for one, at in at_rates)) * number + idling.head
    compared = number * work.step_hours * _on_demand_alone(work.step, terms.day) + idling.head.expected
    if terms.blog:
        hours = Range.exactly(compared := number * work.step_hours)

    def cost() -> WorkCost:
        alone = played.cost
        amount, on_demand = alone.amount + product(hours, price), alone.on_demand + price * compared
        return replace(alone, amount=amount, on_demand=on_demand)

    return replace(played, details=cost, head=hours, head_compared=compared)


@dataclass(frozen=True)
class Way:
    """What a useful hour of some work takes on each side.

    Attributes:
        spot: billed hours on spot.
        fallback: on the fallback.
        stays: share of the work that is done on spot.
    """

    spot: float
    fallback: float
    stays: float

    def overflowing(self, share: float, unevicted: float) -> Way:
        """The same with a share of what spot does on the fallback, too; below 0 where a full one sends work back."""
        more = max(min(share, 1.0) * self.stays, -self.fallback / unevicted)
        part = 1 - more / self.stays if self.stays else 1.0
        fallback = max(self.fallback + more * unevicted, 0.0)  # a sum of the same can end just below
        return Way(times(self.spot, part), fallback, min(self.stays - more, 1.0))


def _ways(work: Work, terms: Terms, multiple: Range, unevicted: float) -> list[Way]:
    """The work as it is expected, at the least and at the most evictions, and at other ends of its range.

    It is expected that running VMs stay while spot is sold out; that Azure takes them, too, is the other end. Each
    morning of office hours is a start of its own; hours that evenings add count on both sides as without a fallback.
    """
    if terms.blog or not terms.fallback_share:
        share = terms.fallback_share
        ways = [Way(times(of, 1 - share), times(unevicted, share), 1 - share) for of in multiple.figures]
    else:
        at_rates, rate = steps(work, terms), terms.evictions
        figures = zip(at_rates, rate.figures, multiple.figures, strict=True)
        of_rates = list(figures)[: 1 if terms.certain else None]
        ways = [way(one, at, terms, its, unevicted) for one, at, its in of_rates] * (3 // len(of_rates))
        ways.append(way(at_rates[0], rate.expected, terms, multiple.expected, unevicted, taken=True))
    return ways


def overflow_share(expected: Way, unevicted: float, work: Work, outcome: Outcome) -> float:
    """Share of the work on spot that a full pool sends to the fallback, beyond what spot's shortages do."""
    more = (outcome.fallback / work.hours_per_month - expected.fallback) / unevicted
    return more / expected.stays if expected.stays else 0.0


def _hours(
    ways: list[Way], work: Work, terms: Terms, idling: Range, outcome: Outcome | None
) -> tuple[list[float], list[float]]:
    """Billed hours on the pool and on the fallback, for each way."""
    useful, share = work.hours_per_month, terms.fallback_share
    idle = [hours if outcome else hours * (1 - share) for hours in (*idling.figures, idling.expected)]
    other = outcome.idle_fallback if outcome else times(idling.expected, share)
    redone = outcome.redone if outcome else 0.0
    on_spot = [it.spot * useful + hours + redone for it, hours in zip(ways, idle, strict=False)]
    return on_spot, [it.fallback * useful + other for it in ways]


def _amount(on_spot: list[float], on_fallback: list[float], terms: Terms) -> Range:
    """What the hours of both cost, from the cheapest way at the lowest prices to the dearest at the highest."""
    amounts = [
        [times(a, spot) + times(b, dear) for a, b in zip(on_spot, on_fallback, strict=True)]
        for spot, dear in zip(terms.node.hour.figures, terms.on_demand.hour.figures, strict=True)
    ]
    expected = amounts[0][0]
    return Range(expected, min(expected, *amounts[1]), max(expected, *amounts[2]))


def way(
    step: Step, rate: float, terms: Terms, multiple: float, unevicted: float, *, taken: bool = False
) -> Way:
    """What a step takes that finds spot sold out for a share of the time; what starts on the fallback stays there.

    Args:
        step: one step.
        rate: chance of an eviction within the next hour.
        terms: of its pool, which has a fallback.
        multiple: billed hours for each useful one, all on spot.
        unevicted: the same without evictions.
        taken: see `fallback.either`.
    """
    if not math.isfinite(multiple):
        return Way(math.inf, times(unevicted, terms.fallback_share), 1 - terms.fallback_share)
    split = _either(step, rate, terms.sold_out, terms.outage, taken)
    always = _expected(replace(step, saved=0.0) if step.saved else step, rate, None).multiple
    factor = (
        multiple / always if math.isfinite(always) else 1.0
    )  # evenings, and what is saved within a notice
    calm = _expected(step, 0.0, None).multiple
    spot = split.spot / step.hours * factor
    return Way(spot, split.fallback / step.hours * (unevicted / calm), min(spot / multiple, 1.0))


def _within(figures: list[float]) -> Range:
    return Range(figures[0], min(figures), max(figures))


def forget() -> None:
    """Clears the caches, so that a benchmark measures the calculation."""
    for it in (_expected, _either, _on_demand_alone):
        it.cache_clear()


def _in_order(expected: float, low: float, high: float) -> Range:
    """Sorts rounded figures into a range."""
    return Range(expected, min(low, expected), max(high, expected))


@cache
def _either(step: Step, rate: float, sold_out: float, outage: float, taken: bool) -> fallback.Either:  # noqa: FBT001 - cached
    return fallback.either(step, rate, sold_out, outage, taken=taken)


@cache
def _expected(step: Step, rate: float, day: float | None) -> hourly.Expectation:
    return hourly.expected(step, rate, day)


@cache
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


def _misses(
    pairs: list[tuple[Step, float]], terms: Terms, idling: Idling, outcome: Outcome | None
) -> Range | None:
    """Chance that a step is late; what waiting for a node adds at the expected rate it adds at the others."""
    if pairs[0][0].deadline is None:
        return None
    late = [_late(one, at, terms.day, idling.boots) for one, at in pairs]
    if outcome:
        in_time = (1 - outcome.late) / (1 - late[0]) if late[0] < 1 else 0.0
        late = [outcome.late, *(min(max(1 - (1 - chance) * in_time, 0.0), 1.0) for chance in late[1:])]
    return _in_order(*late)


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
