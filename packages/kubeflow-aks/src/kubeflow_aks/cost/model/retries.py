"""Retries: the chance that a step uses them up, and what it has cost by then. Our own derivation.

A block of x hours is left without an eviction with chance p = e^-λx; once it was hit, each further try gets through
with chance s = e^-λ(R + x). So of n equal blocks a binomial number is hit, and with j of them hit there are
j + NegativeBinomial(j, s) evictions. Work that is saved at the notice is hit a Poisson number of times instead.
tests/cost/model/test_by_chance.py plays it.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from kubeflow_aks.cost.model.rates import evictions_an_hour
from kubeflow_aks.cost.model.step import Step, blocks

MOST_COUNTED: Final = 1000
"""Retries beyond these count as so many, so that the reported chance is never too small. Our choice."""
_MANY: Final = 1e9
"""Blocks from which on the binomial number that is hit counts as a Poisson number."""


@dataclass(frozen=True)
class Spent:
    """What a step costs until it is done or its retries are used up.

    Attributes:
        hours: hours that it runs, on each of its nodes; those that a gang's nodes wait are not in it.
        fails: chance that the retries are used up: the hours are paid, the work is not done.
    """

    hours: float
    fails: float


def fails(step: Step, hazard: float) -> float:
    """Chance that a step is evicted more often than it is retried, at `hazard` evictions a running hour."""
    if hazard == 0:
        return 0.0
    return 1.0 if hazard == math.inf else float(_more_than(step, hazard)[-1])


def spent(step: Step, rate: float) -> Spent:
    """What a step costs until it is done or given up.

    As long as it runs, an hour brings λ evictions, so the billed hours are those that the counted evictions took:
    the chances of more than 0, 1, … of them, added and divided by λ.

    The bill counts a step until it is done (`hourly.expected`): a failed step is started again by hand, and that start
    counts like any other.
    """
    hazard = step.together * evictions_an_hour(rate)
    if hazard == 0:
        return Spent(step.hours + blocks(step).writing, 0.0)
    if hazard == math.inf:
        return Spent(0.0, 1.0)
    more = _more_than(step, hazard)
    return Spent(float(more.sum()) / hazard, float(more[-1]))


def _more_than(step: Step, hazard: float) -> npt.NDArray[np.floating]:
    """Chances of more than 0, 1, … evictions, up to the number of retries."""
    from scipy import special  # noqa: PLC0415 - a fifth of a second that only this needs

    cut = blocks(step)
    if cut.writing == math.inf:
        return np.ones(min(step.retries, MOST_COUNTED) + 1)
    number = np.arange(min(step.retries, MOST_COUNTED) + 1, dtype=np.float64)
    if cut.saved == math.inf:
        return _hit(special.pdtrc(number, hazard * step.hours), _chance(hazard, step.restart))
    last = _chance(hazard, cut.last) * _chance(hazard, step.restart + cut.last) ** number
    if not cut.saved:
        return last
    hit = _chance(hazard, cut.length)
    if cut.saved < _MANY:
        hits = special.bdtrc(np.minimum(number, cut.saved), int(cut.saved), hit)
    else:
        hits = special.pdtrc(number, cut.saved * hit)
    saved = _hit(hits, _chance(hazard, step.restart + cut.length))
    exactly = -np.diff(saved, prepend=1.0)
    return np.minimum(saved + np.convolve(exactly, last)[: number.size], 1.0)


def _hit(hits: npt.NDArray[np.floating], again: float) -> npt.NDArray[np.floating]:
    """Chances of more than 0, 1, … evictions, by those of more than 0, 1, … hits.

    `again` is the chance that the try after a hit, and each after that, is evicted, too.
    """
    from scipy import special  # noqa: PLC0415 - a fifth of a second that only this needs

    exactly = -np.diff(hits, prepend=1.0)
    number = np.arange(hits.size)
    more_than = hits.copy()
    for hit in range(1, hits.size):
        left = number[hit:] - hit
        more_than[hit:] += exactly[hit] * special.betainc(left + 1, hit, again)
    return np.minimum(more_than, 1.0)


def _chance(hazard: float, hours: float) -> float:
    """Chance of an eviction within so many hours."""
    return -math.expm1(-hazard * hours)
