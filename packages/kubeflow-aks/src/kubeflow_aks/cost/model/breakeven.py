"""Where spot stops paying: a step's length, the price."""

import math
from typing import Final

from kubeflow_aks.cost.model.rates import evictions_an_hour

_FLAT: Final = 1e-3


def longest_step(
    ratio: float, rate: float, restart: float = 0.0, *, together: int = 1, held: float = 0.0
) -> float:
    """Useful hours of the longest step worth running on spot without checkpoints.

    With x = λT it is where e^λR (e^x - 1) / x is the ratio of the prices ρ (`hourly.py`), so with ρ' = ρ e^-λR it is
    x = -1/ρ' - W(-e^(-1/ρ') / ρ') on the lower branch of Lambert's W. Our own derivation.

    Args:
        ratio: price on demand for one of spot.
        rate: chance of an eviction within the next hour.
        restart: billed hours that each further start takes.
        together: nodes of a gang, which all start again when one is evicted.
        held: billed hours for which each of its other nodes waits after an eviction.

    Returns:
        `math.inf` where nothing is evicted and spot is cheaper; 0 where no step pays.
    """
    alone = evictions_an_hour(rate)
    hazard = together * alone
    if hazard == 0:
        return math.inf if ratio > 1 else 0.0
    if hazard == math.inf:
        return 0.0
    worth = ratio * math.exp(-hazard * restart) / (1 + alone * (together - 1) * held)
    if worth <= 1:
        return 0.0
    more = worth - 1
    if more < _FLAT:  # there Lambert's W loses its digits, and x is a series
        return (2 * more - 4 / 3 * more**2 + 10 / 9 * more**3) / hazard
    from scipy import special  # noqa: PLC0415 - a fifth of a second that only this needs

    return float(-1 / worth - special.lambertw(-math.exp(-1 / worth) / worth, k=-1).real) / hazard


def stops_paying(price_on_demand: float, multiple: float) -> float:
    """Price of an hour above which spot costs more than on demand; 0 where the work would never get done on spot."""
    return price_on_demand / multiple
