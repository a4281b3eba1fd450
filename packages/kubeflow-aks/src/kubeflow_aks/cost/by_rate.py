"""The cost of spot work by eviction rate, with and without checkpoints, and where it exceeds on demand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Final

import numpy as np

from kubeflow_aks.cost.basis import Work
from kubeflow_aks.cost.figures import EvictionRate, Range, Source, times
from kubeflow_aks.cost.formatting import share
from kubeflow_aks.cost.idling import Idling, idling
from kubeflow_aks.cost.model import hourly
from kubeflow_aks.cost.model.month import Outcome
from kubeflow_aks.cost.model.rates import evictions_an_hour
from kubeflow_aks.cost.model.step import Step
from kubeflow_aks.cost.overflow import full, overflows, play_together
from kubeflow_aks.cost.restarts import held
from kubeflow_aks.cost.terms import Terms
from kubeflow_aks.cost.work import Way, best_interval, expected_cost, overflow_share, way

CostAt = Callable[[float], float]
"""Amount at an eviction rate, which is the chance within the next hour; `math.inf` for work that is never done."""

_Saves = Callable[[Work, float, float | None], float | None]
"""Minutes between checkpoints of a kind of work, None for none, at an eviction rate and in a day of so many hours."""

_LEAST_END: Final = 0.25
"""Azure's bands end at 20 % an hour ("spot-vms.md"); what is beyond is shown a little."""
_FAR: Final = 0.5
"""A rate further out is not shown, unless it is today's."""
_MOST_END: Final = 0.95
_MOST_NAMES: Final = 3
_MARGIN: Final = 1.15
_POINTS: Final = 61
_PLAYED: Final = (0.0, 0.05, 0.1, 0.2, 0.25, 0.5)
"""Rates at which full pools are played; between two of them what they do is on a straight line. Each is shown."""


@dataclass(frozen=True)
class Curve:
    """One way to do the work.

    Attributes:
        amounts: one for each rate of the picture.
        breaks_even: rate from which on spot costs more than on demand; None where it never does, or always.
    """

    name: str
    amounts: tuple[float, ...]
    breaks_even: float | None


@dataclass(frozen=True)
class Mark:
    """A rate to point at, and what it is: `cpuspot: 5 % an hour, assumed`."""

    rate: float
    words: str


@dataclass(frozen=True)
class ByRate:
    """All of it; amounts a month."""

    rates: tuple[float, ...]
    curves: tuple[Curve, ...]
    on_demand: float
    marks: tuple[Mark, ...]


def of_work(batch: Mapping[str, tuple[Work, Terms]]) -> ByRate | None:
    """The work of a bill on spot, whatever its pools' rates are; None where there is none.

    Each way is the whole work; its checkpoints come at the best interval for each rate where they come at all. The
    model is the hourly one: by the blog's, the cost hangs on no rate.
    """
    every = {name: of for name, of in batch.items() if of[1].rate is not None}
    pairs = list(every.values())
    if not pairs:
        return None

    ways: list[tuple[str, _Saves]] = [("without checkpoints", _never), ("with the best checkpoints", _best)]
    if any(work.checkpoint_minutes is not None for work, _ in pairs):
        ways.insert(0, ("as the stack has it", _as_set))

    def at(rate: float, saves: _Saves) -> dict[str, tuple[Work, Terms]]:
        here = EvictionRate(Range.exactly(rate), Source("a rate of the picture"))
        return {
            name: (_saving(work, saves(work, rate, terms.day)), replace(terms, rate=here))
            for name, (work, terms) in every.items()
        }

    @cache
    def idle_at(rate: float) -> list[Idling]:
        """A new node boots again if it is evicted meanwhile, so idle hours grow with the rate."""
        return list(idling(at(rate, _as_set)).values())

    bills = [[full(at(rate, saves)) for rate in _PLAYED] for _, saves in ways]
    play_together(months for way_bills in bills for months in way_bills)
    costs: list[tuple[str, CostAt]] = []
    for (name, saves), way_bills in zip(ways, bills, strict=True):
        played = [overflows(months) for months in way_bills]
        kinds = [
            _Kind(work, terms, saves, tuple(outcomes.get(kind) for outcomes in played))
            for kind, (work, terms) in every.items()
        ]
        costs.append((name, partial(_amount, kinds, idle_at)))
    on_demand = (
        _on_demand(work, terms, idle) for (work, terms), idle in zip(pairs, idle_at(0.0), strict=True)
    )
    return by_rate(costs, sum(on_demand), _marks(pairs))


def _amount(kinds: Iterable[_Kind], idle_at: Callable[[float], list[Idling]], rate: float) -> float:
    return sum(kind.amount(idle, rate) for kind, idle in zip(kinds, idle_at(rate), strict=True))


def _saving(work: Work, minutes: float | None) -> Work:
    return work.model_copy(update={"checkpoint_minutes": minutes})


def _on_demand(work: Work, terms: Terms, idle: Idling) -> float:
    """What one kind of work costs on demand, at every rate."""
    calm = EvictionRate(Range.exactly(0.0), Source("no evictions"))
    played = expected_cost("", work, replace(terms, rate=calm, blog=False), idle, assumed=False)
    return played.cost.on_demand.expected


@dataclass(frozen=True)
class _Kind:
    """One kind of work done in one way, with what it comes to at each rate of `_PLAYED` where its pool may be full."""

    work: Work
    terms: Terms
    saves: _Saves
    outcomes: tuple[Outcome | None, ...]

    @cached_property
    def overflow(self) -> list[float]:
        """Share of the work on spot that a full pool sends to the fallback, at each of those rates."""
        return [
            overflow_share(*self._ways(self._step(rate), rate), self.work, outcome) if outcome else 0.0
            for rate, outcome in zip(_PLAYED, self.outcomes, strict=True)
        ]

    def _step(self, rate: float) -> Step:
        saving = _saving(self.work, self.saves(self.work, rate, self.terms.day))
        return held(saving.step, self.terms.tail)

    def amount(self, idling_of: Idling, rate: float) -> float:
        """The amount of the bill without its details: a picture needs hundreds of them."""
        work, terms, part, step = self.work, self.terms, self.terms.fallback_share, self._step(rate)
        way, unevicted = self._ways(step, rate)
        way = way.overflowing(_between(rate, self.overflow), unevicted)
        nodes = idling_of.hours.expected
        idle = _between(rate, [it.idle if it else nodes * (1 - part) for it in self.outcomes])
        other = _between(rate, [it.idle_fallback if it else nodes * part for it in self.outcomes])
        redone = _between(rate, [it.redone if it else 0.0 for it in self.outcomes])
        amount = times(work.hours_per_month * way.spot + redone + idle, terms.node.hour.expected)
        amount += (work.hours_per_month * way.fallback + other) * terms.on_demand.hour.expected
        if terms.head:
            heads = work.steps_a_month * hourly.wall(step, evictions_an_hour(rate), terms.day)
            amount += times(heads + idling_of.head.expected, terms.head.node.hour.expected)
        return amount

    def _ways(self, step: Step, rate: float) -> tuple[Way, float]:
        """The work at a rate as far as its pool is not full, and what an hour of it takes without evictions."""
        terms = self.terms
        multiple = hourly.multiple(step, evictions_an_hour(rate), terms.day)
        if not terms.fallback_share and not any(self.outcomes):
            return Way(multiple, 0.0, 1.0), 1.0
        unevicted = hourly.multiple(step, 0.0, terms.day)
        if not terms.fallback_share:
            return Way(multiple, 0.0, 1.0), unevicted
        return way(step, rate, terms, multiple, unevicted), unevicted


def _between(rate: float, values: list[float]) -> float:
    """The value at a rate, of those at each rate of `_PLAYED`."""
    return float(np.interp(rate, _PLAYED, values))


def _as_set(work: Work, _rate: float, _day: float | None) -> float | None:
    return work.checkpoint_minutes


def _never(_work: Work, _rate: float, _day: float | None) -> None:
    return None


def _best(work: Work, rate: float, day: float | None) -> float | None:
    """Minutes between checkpoints; None where the step is over before one pays."""
    interval = best_interval(work, rate, day)
    return 60 * interval if interval and interval < work.step_hours else None


def _marks(batch: Iterable[tuple[Work, Terms]]) -> Iterator[Mark]:
    """Today's rates, each with its pools."""
    pools: dict[EvictionRate, dict[str, None]] = {}
    for _, terms in batch:
        if terms.rate is not None:
            pools.setdefault(terms.rate, {})[terms.pool.name] = None
    for rate, names in pools.items():
        origin = "assumed" if rate.source.assumed else rate.source.name.split(":")[0]
        yield Mark(rate.rate.expected, f"{_few(list(names))}: {share(rate.rate.expected)} an hour, {origin}")


def _few(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= _MOST_NAMES else f"{len(names)} pools"


def by_rate(ways: Iterable[tuple[str, CostAt]], on_demand: float, marks: Iterable[Mark]) -> ByRate:
    """The curves from no eviction to a rate beyond which they are of no interest.

    The cost of each way, which has a name, never falls when the rate grows; amounts are a month's.
    """
    named, marks = tuple(ways), tuple(marks)
    crossings = [_crossing(cost_at, on_demand) for _, cost_at in named]
    shown = [crossing for crossing in crossings if crossing is not None and crossing < _FAR]
    far = [_MARGIN * rate for rate in (*shown, *(mark.rate for mark in marks))]
    end = min(_MOST_END, max([_LEAST_END, *far]))
    evenly = (end * number / (_POINTS - 1) for number in range(_POINTS))
    rates = tuple(sorted({*evenly, *(rate for rate in _PLAYED if rate < end)}))
    curves = [
        Curve(name, tuple(cost_at(rate) for rate in rates), crossing)
        for (name, cost_at), crossing in zip(named, crossings, strict=True)
    ]
    return ByRate(rates, tuple(curves), on_demand, marks)


def _crossing(cost_at: CostAt, on_demand: float) -> float | None:
    from scipy.optimize import brentq  # noqa: PLC0415 - a fifth of a second that only pictures need

    def above(rate: float) -> float:
        # What never ends would make a number of infinity; it is above in any case.
        return min(cost_at(rate), 2 * on_demand + 1) - on_demand

    if not above(0.0) < 0 < above(_MOST_END):
        return None
    rate = float(brentq(above, 0.0, _MOST_END, xtol=1e-6))  # pyright: ignore[reportArgumentType]
    return rate if math.isfinite(rate) else None
