"""The checkpoint interval at which a step costs least."""

from __future__ import annotations

import math

from scipy import special

from cost.model.rates import evictions_an_hour

_FLAT = 1e-9


def best(rate: float, writing: float, hours: float) -> float | None:
    """Useful hours between two checkpoints at which a step of `hours` costs least.

    Of work without an end: (1 - λτ) e^λ(τ + C) = 1, so τ = (1 + W(-e^(-λC - 1))) / λ with Lambert's W ("A higher order
    estimate of the optimum checkpoint interval for restart dumps", Daly 2006); the square root of 2C / λ is its limit
    ("A first order approximation to the optimum checkpoint interval", Young 1974). A step has a whole number of
    blocks, and its last one writes nothing: of n equal blocks each but the last is C longer, and the best n is one of
    the two beside that τ, as tests/cost/model/test_best_interval.py finds by trying all.

    Returns:
        None where no checkpoint pays; 0 where writing one takes no time, so that work is best saved all the time.
    """
    hazard = evictions_an_hour(rate)
    if hazard in {0, math.inf}:
        return None
    if not writing:
        return 0.0
    near = hours / endless(hazard, writing)
    if near > 1 / _FLAT:
        return hours / near
    blocks = min(
        (max(1, math.floor(near)), math.floor(near) + 1),
        key=lambda number: _lost(hazard, writing, hours, number),
    )
    return hours / blocks if blocks > 1 else None


def endless(hazard: float, writing: float) -> float:
    """The best interval of work without an end."""
    mean = hazard * writing
    if mean < _FLAT:
        return math.sqrt(2 * writing / hazard)  # Lambert's W loses its digits so close to its branch point
    return float((1 + special.lambertw(-math.exp(-mean - 1)).real) / hazard)


def _lost(hazard: float, writing: float, hours: float, blocks: int) -> float:
    """What grows with the cost of so many equal blocks."""
    each = hazard * hours / blocks
    if each + hazard * writing > 700:  # noqa: PLR2004 - e to a power above that is no number any more
        return math.inf
    return (blocks - 1) * math.expm1(each + hazard * writing) + math.expm1(each)
