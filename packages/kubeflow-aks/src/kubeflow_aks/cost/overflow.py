"""What pools that may be full do with their work: what takes the fallback, what waits, and what is late then."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from kubeflow_aks.cost.basis import Work
from kubeflow_aks.cost.figures import HOURS_A_MONTH
from kubeflow_aks.cost.model import overflow
from kubeflow_aks.cost.model.month import Capacity, Demand, Month, Outcome, is_limited
from kubeflow_aks.cost.restarts import steps
from kubeflow_aks.cost.terms import Terms
from kubeflow_aks.cost.work import on_its_pool

_HOPELESS: Final = 100
"""Evictions of one step, or months that it takes, from which on its work is left out here, as what is never done."""
_YOUNG_HOURS: Final = 0.25
"""Age at which work without checkpoints is no longer moved back to spot (docs/how-to/return-work-to-spot.md)."""


Full = Sequence[tuple[Month, Sequence[str]]]
"""The months in which a pool's maximum or minimum matters (`model.is_limited`), with the names of their work."""


def overflows(months: Full) -> Mapping[str, Outcome]:
    """What each kind of work of some months comes to."""
    played = overflow.play(month for month, _ in months)
    return {
        name: outcome
        for (_, names), outcomes in zip(months, played, strict=True)
        for name, outcome in zip(names, outcomes, strict=True)
    }


def play_together(bills: Iterable[Full]) -> None:
    """Plays what `overflows` needs of several bills: all months at once take far less time than one by one."""
    overflow.play(month for months in bills for month, _ in months)


def full(batch: Mapping[str, tuple[Work, Terms]]) -> Full:
    """The months of work that shares a fallback, or else a pool, where limits matter.

    The others, work that is hardly ever done and the blog's model, which has no limits, are left out: `model.hourly`
    and `model.fallback` bill them. Nodes for the heads of steps count as always free.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    demands = {name: _demand(work, terms) for name, (work, terms) in batch.items() if not terms.blog}
    for name, demand in demands.items():
        terms = batch[name][1]
        if not _is_hopeless(demand):
            groups[terms.fallback.name if terms.fallback else terms.pool.name].append(name)
    months = [
        (_month([batch[name][1] for name in names], [demands[name] for name in names]), names)
        for names in groups.values()
    ]
    limited = [(month, names) for month, names in months if is_limited(month)]
    return [(replace(month, others=len(limited) - 1), names) for month, names in limited]


def is_hopeless(work: Work, terms: Terms) -> bool:
    """Whether work is left out of the months that are played, so that it is billed as if no pool were ever full."""
    return not terms.blog and _is_hopeless(_demand(work, terms))


def _is_hopeless(demand: Demand) -> bool:
    return max(demand.evictions, demand.billed / HOURS_A_MONTH) >= _HOPELESS


def _demand(work: Work, terms: Terms) -> Demand:
    step = steps(work, terms)[0]
    expected = on_its_pool(step, terms)
    billed = expected.multiple * step.hours
    returns = 0.0
    if work.return_to_spot and terms.returns and step.together == 1:
        returns = _YOUNG_HOURS if step.checkpoints is None else math.inf
    return Demand(
        terms.pool.name,
        step,
        work.steps_a_month,
        billed,
        expected.evictions,
        work.steps_at_once,
        returns,
    )


def _month(terms: list[Terms], work: list[Demand]) -> Month:
    pools: dict[str, Capacity] = {}
    for on in terms:
        pool, fallback = on.pool, on.fallback
        pools[pool.name] = Capacity(
            pool.name,
            pool.minimum,
            pool.maximum,
            fallback.name if fallback else "",
            on.evictions.expected,
            on.sold_out,
            on.outage,
        )
        if fallback:
            pools.setdefault(fallback.name, Capacity(fallback.name, fallback.minimum, fallback.maximum))
    cluster = terms[0]
    hours = HOURS_A_MONTH * cluster.running
    return Month(tuple(pools.values()), tuple(work), cluster.tail, cluster.delay, hours, cluster.day)
