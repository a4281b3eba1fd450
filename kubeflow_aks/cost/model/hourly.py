"""Evictions per hour, as Azure publishes them: what one step is expected to take.

An eviction can hit any billed hour, λ times an hour, whatever was before. A block of x hours that must run in one go
and costs R hours more at each further start then takes e^λR (e^λx - 1) / λ billed hours: of the first try
(1 - e^-λx) / λ hours are billed on average, it fails with chance 1 - e^-λx, and each further try is a block of R + x.
This is the form of "A higher order estimate of the optimum checkpoint interval for restart dumps", Daly 2006, block by
block instead of an endless row of them; tests/kubeflow_aks/cost/model/test_by_chance.py plays it.

Where a share q of the evictions leaves time to save, it takes e^λR ln(1 + q (e^λx - 1)) / (λ q): our own derivation,
played by tests/kubeflow_aks/cost/model/test_saved_at_notice.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from kubeflow_aks.cost.model.blocks import blocks
from kubeflow_aks.cost.model.deadline import misses
from kubeflow_aks.cost.model.evenings import until_done
from kubeflow_aks.cost.model.rates import evictions_an_hour
from kubeflow_aks.cost.model.retries import fails
from kubeflow_aks.cost.model.step import Step

NEVER_DONE: Final = 8760.0
"""Hours, a year: a step expected to waste more than that is never done, and it gets no price. Our choice."""

_SMALL: Final = 1e-5
_LARGE: Final = 700.0  # e to a power a little above that is no number any more


@dataclass(frozen=True)
class Expectation:
    """What one step is expected to take, started again until it is done, however often.

    The billed hours are the useful ones, `writing`, `restarting` and `lost`. All hours are `math.inf` where the step
    would never get done.

    Attributes:
        multiple: billed hours for each useful hour.
        evictions: how many.
        lost: hours of work that an eviction or an evening undid, half-written checkpoints included.
        restarting: hours until work goes on after an eviction or an evening, also where the next one came before that.
        writing: hours in which checkpoints are written that last.
        wall: hours from the first start to the end: the billed ones and the waits between the tries, nights aside.
        fails: chance that evictions alone use up its retries, so that somebody must start it again; like `misses`, as
            if no work were saved within a notice, so never too small.
        misses: chance that it is not done by its deadline, retries and nights aside; None without a deadline.
        evenings: how many cut it off; 0 in a cluster that always runs. Each uses up a retry, too.
    """

    multiple: float
    evictions: float
    lost: float
    restarting: float
    writing: float
    wall: float
    fails: float
    misses: float | None
    evenings: float = 0.0


def expected(step: Step, rate: float, day: float | None = None) -> Expectation:
    """What the step is expected to take on VMs that are evicted with chance `rate` within the next hour.

    Args:
        step: one step.
        rate: chance of an eviction.
        day: hours after which the cluster is stopped until next morning (`evenings.py`); None where it always runs.

    Raises:
        ValueError: `rate` is no chance; 1 is one, at which nothing gets done.
    """
    step, hazard = _as_counted(step, day), evictions_an_hour(rate)
    cut = blocks(step)
    lost, restarting, evenings = _wasted(step, hazard, day)
    billed = step.hours + cut.writing + lost + restarting
    evictions = hazard * billed if hazard else 0.0
    return Expectation(
        multiple=billed / step.hours,
        evictions=evictions,
        lost=lost,
        restarting=restarting,
        writing=cut.writing,
        wall=billed + evictions * step.wait if step.wait else billed,
        fails=fails(step, hazard),
        misses=misses(step, hazard),
        evenings=evenings,
    )


def multiple(step: Step, hazard: float, day: float | None = None) -> float:
    """Billed hours for each useful hour at so many evictions a running hour, also where no step gets done."""
    step = _as_counted(step, day)
    cut = blocks(step)
    billed = step.hours + cut.writing + sum(_waste(step, hazard))
    return (billed if day is None else until_done(step, hazard, day, billed).billed) / step.hours


def _as_counted(step: Step, day: float | None) -> Step:
    """With evenings, which come without a notice, no work counts as saved within one."""
    return step if day is None else replace(step, saved=0.0)


def _wasted(step: Step, hazard: float, day: float | None) -> tuple[float, float, float]:
    """Hours lost, hours restarting, and evenings."""
    lost, restarting = _waste(step, hazard)
    evenings = 0.0
    if day is not None and lost + restarting <= NEVER_DONE:
        lost, restarting, evenings = _cut_off(step, hazard, day, lost + restarting)
    return (lost, restarting, evenings) if lost + restarting <= NEVER_DONE else (math.inf, math.inf, math.inf)


def _cut_off(step: Step, hazard: float, day: float, wasted: float) -> tuple[float, float, float]:
    """The same of a step that evenings cut off: each of them, like each eviction, is followed by a restart."""
    productive = step.hours + blocks(step).writing
    found = until_done(step, hazard, day, productive + wasted)
    if not math.isfinite(found.billed):
        return math.inf, math.inf, math.inf
    restart = -math.expm1(-hazard * step.restart) / hazard if hazard else step.restart
    waste = found.billed - productive
    restarting = min((hazard * found.billed + found.evenings) * restart, waste)
    return waste - restarting, restarting, found.evenings


def _waste(step: Step, hazard: float) -> tuple[float, float]:
    """Hours lost, and hours restarting.

    Of each billed hour restarting takes the part 1 - e^-λR, because λ evictions an hour are followed by a restart of
    (1 - e^-λR) / λ hours each. So the rest, e^-λR of the billed hours, is the same as if restarting took no time.
    """
    if hazard == math.inf:
        return math.inf, math.inf
    cut = blocks(step)
    lost = 0.0
    if cut.saved != math.inf:
        lost = sum(
            number * _lost(hazard, hours, step.saved)
            for number, hours in ((cut.saved, cut.length), (1.0, cut.last))
        )
    restart = _growth(hazard, step.restart)
    return lost, (step.hours + cut.writing + lost) * restart if restart else 0.0


def _lost(hazard: float, hours: float, saved: float) -> float:
    """Hours that a block in one go takes beyond its own, restarts aside.

    (e^λx - 1) / λ - x, or ln(1 + q (e^λx - 1)) / (λ q) - x where a share q of the evictions leaves time to save.
    """
    mean = hazard * hours
    if mean < _SMALL:  # the difference below would lose its digits
        return mean * hours / 2 * (1 - saved) * (1 + mean * (1 - 2 * saved) / 3)
    if not saved:
        return (_growth(hazard, hours) - mean) / hazard
    grown = math.log1p(saved * math.expm1(mean)) if mean < _LARGE else mean + math.log(saved)
    return max(grown / saved - mean, 0.0) / hazard


def _growth(hazard: float, hours: float) -> float:
    """e^λx - 1."""
    return math.expm1(hazard * hours) if hazard * hours < _LARGE else math.inf
