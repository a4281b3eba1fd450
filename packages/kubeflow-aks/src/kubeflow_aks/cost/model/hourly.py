"""Evictions per hour, as Azure publishes them: what one step is expected to take.

An eviction can hit any billed hour, λ times an hour, whatever was before. A block of x hours that must run in one go
and costs R hours more at each further start then takes e^λR (e^λx - 1) / λ billed hours: of the first try
(1 - e^-λx) / λ hours are billed on average, it fails with chance 1 - e^-λx, and each further try is a block of R + x.
This is the form of "A higher order estimate of the optimum checkpoint interval for restart dumps", Daly 2006, block by
block instead of an endless row of them; tests/cost/model/test_by_chance.py plays it.

Where a share q of the evictions leaves time to save, it takes e^λR ln(1 + q (e^λx - 1)) / (λ q): our own derivation,
played by tests/cost/model/test_saved_at_notice.py.

A gang of N nodes is hit N λ times an hour, and each hit stops all of it. The other nodes wait, billed, until it starts
again: of each of its hours λ (N - 1) times `held` are added to that of each node. An elastic step is N steps of one
node. Our own derivation; tests/cost/test_random_work.py plays it.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

from kubeflow_aks.cost.model.deadline import misses
from kubeflow_aks.cost.model.evenings import until_done
from kubeflow_aks.cost.model.rates import evictions_an_hour
from kubeflow_aks.cost.model.retries import fails
from kubeflow_aks.cost.model.step import Step, blocks

NEVER_DONE: Final = 8760.0
"""Hours, a year: a step expected to waste more than that is never done, and it gets no price. Our choice."""

_SMALL: Final = 1e-5
_LARGE: Final = 700.0  # e to a power a little above that is no number any more


@dataclass(frozen=True)
class Expectation:
    """What one step is expected to take, started again until it is done, however often.

    The billed hours are the useful ones, `writing`, `restarting`, `lost` and `waiting`. All hours are those of each of
    its nodes, and `math.inf` where the step would never get done.

    Attributes:
        multiple: billed hours for each useful hour.
        evictions: how many, of all its nodes.
        lost: hours of work that an eviction or an evening undid, half-written checkpoints included.
        restarting: hours until work goes on after an eviction or an evening, also where the next one came before that.
        writing: hours in which checkpoints are written that last.
        waiting: hours in which the other nodes of a gang wait for the next start.
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
    waiting: float = 0.0


def expected(step: Step, rate: float, day: float | None = None) -> Expectation:
    """What the step is expected to take on VMs that are evicted with chance `rate` within the next hour.

    The cluster is stopped after `day` hours until next morning (`evenings.py`); None where it always runs.

    Raises:
        ValueError: `rate` is no chance; 1 is one, at which nothing gets done.
    """
    step, alone = _as_counted(step, day), evictions_an_hour(rate)
    hazard = alone * step.together
    cut = blocks(step)
    lost, restarting, evenings = _wasted(step, hazard, day)
    ran = step.hours + cut.writing + lost + restarting
    waiting = ran * held if (held := _held(step, alone)) else 0.0
    late = misses(step, hazard)
    return Expectation(
        multiple=(ran + waiting) / step.hours,
        evictions=alone * step.nodes * (ran + waiting) if alone else 0.0,
        lost=lost,
        restarting=restarting,
        writing=cut.writing,
        wall=ran * (1 + hazard * step.wait) if hazard and step.wait else ran,
        fails=_of_any(step, fails(step, hazard)),
        misses=None if late is None else _of_any(step, late),
        evenings=evenings,
        waiting=waiting,
    )


def multiple(step: Step, alone: float, day: float | None = None) -> float:
    """Billed hours for each useful hour, also where no step gets done; `alone` are one VM's evictions an hour."""
    return _ran(step, alone * step.together, day) * (1 + _held(step, alone)) / step.hours


def boot(step: Step, rate: float) -> float:
    """Billed hours on each new node before the first work there, which takes as long as a restart: it boots and loads.

    An eviction meanwhile is one more start. With them the first block takes (e^λ(R + x) - 1) / λ hours in all, and what
    that is more than for a step whose first start needs no boot is (e^λR - 1) / λ.
    """
    hazard = evictions_an_hour(rate) * step.together
    mean = hazard * step.restart
    return (
        _growth(hazard, step.restart) / hazard if mean >= _SMALL else step.restart
    )  # also 0 at a rate without end


def wall(step: Step, alone: float, day: float | None = None) -> float:
    """Hours from the first start to the end, as in `Expectation`, also where no step gets done."""
    hazard = alone * step.together
    return _ran(step, hazard, day) * (1 + (hazard * step.wait if hazard else 0.0))


def _ran(step: Step, hazard: float, day: float | None) -> float:
    step = _as_counted(step, day)
    ran = step.hours + blocks(step).writing + sum(_waste(step, hazard))
    return ran if day is None else until_done(step, hazard, day, ran).billed


def _held(step: Step, alone: float) -> float:
    """Hours that each node waits for each hour that it runs."""
    return alone * (step.together - 1) * step.held if step.held and step.together > 1 else 0.0


def _of_any(step: Step, chance: float) -> float:
    """The chance for any of an elastic step's nodes; a gang has one fate."""
    if not step.elastic or step.nodes == 1 or chance >= 1:
        return chance
    return -math.expm1(step.nodes * math.log1p(-chance))


def _as_counted(step: Step, day: float | None) -> Step:
    """The step; with evenings, which come without a notice, no work counts as saved within one."""
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
    hours = until_done(step, hazard, day, productive + wasted)
    if not math.isfinite(hours.billed):
        return math.inf, math.inf, math.inf
    restart = -math.expm1(-hazard * step.restart) / hazard if hazard else step.restart
    waste = hours.billed - productive
    restarting = min((hazard * hours.billed + hours.evenings) * restart, waste)
    return waste - restarting, restarting, hours.evenings


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
