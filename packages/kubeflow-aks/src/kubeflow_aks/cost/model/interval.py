"""The checkpoint interval at which a step costs least."""

import math
from typing import Final

from kubeflow_aks.cost.model.rates import evictions_an_hour

_FLAT: Final = 1e-9
_LARGE: Final = 700.0  # e to a power a little above that is no number any more


def best(rate: float, writing: float, hours: float, together: int = 1) -> float | None:
    """Useful hours between two checkpoints at which a step of `hours` costs least.

    A step has a whole number of blocks, and its last one writes nothing. For a given number the sum of e^λx - 1 over
    all blocks, which is what they cost (`hourly.py`), is least where all are of the same useful length. The last block
    makes the best number a little smaller than that of `endless`, so the search goes down from there; one block may
    still be better, where writing takes long. tests/cost/model/test_best_interval.py tries all.

    Args:
        rate: chance of an eviction within the next hour.
        writing: hours that writing a checkpoint takes.
        hours: useful hours of the step.
        together: nodes of a gang, which an eviction of any of them stops.

    Returns:
        None where no checkpoint pays; 0 where writing one takes no time, so that work is best saved all the time.
    """
    hazard = together * evictions_an_hour(rate)
    if hazard in {0, math.inf} or hazard * writing > _LARGE - 1:
        return None
    if not writing:
        return 0.0
    near = hours / endless(hazard, writing)
    if near > 1 / _FLAT:
        return hours / near
    blocks = max(1, math.ceil(near))
    while blocks > 1 and _lost(hazard, writing, hours, blocks - 1) < _lost(hazard, writing, hours, blocks):
        blocks -= 1
    if _lost(hazard, writing, hours, 1) <= _lost(hazard, writing, hours, blocks):
        return None
    return hours / blocks


def endless(hazard: float, writing: float) -> float:
    """The best interval of work without an end, at `hazard` evictions a running hour.

    (1 - λτ) e^λ(τ + C) = 1, so τ = (1 + W(-e^(-λC - 1))) / λ with Lambert's W ("A higher order estimate of the optimum
    checkpoint interval for restart dumps", Daly 2006). The square root of 2C / λ is its limit for short writing
    ("A first order approximation to the optimum checkpoint interval", Young 1974).
    """
    mean = hazard * writing
    if mean < _FLAT:
        return math.sqrt(2 * writing / hazard)  # Lambert's W loses its digits so close to its branch point
    from scipy import special  # noqa: PLC0415 - a fifth of a second that only this needs

    return float((1 + special.lambertw(-math.exp(-mean - 1)).real) / hazard)


def _lost(hazard: float, writing: float, hours: float, blocks: int) -> float:
    """What so many equal blocks cost, but for a factor and the step's own hours."""
    exponent = hazard * hours / blocks
    if exponent + hazard * writing > _LARGE - 1:
        return math.inf
    return (blocks - 1) * math.expm1(exponent + hazard * writing) + math.expm1(exponent)
