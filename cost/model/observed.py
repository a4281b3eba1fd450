"""An eviction rate from what was observed."""

from __future__ import annotations

import math

from scipy import special

from cost.figures import Range
from cost.model.rates import chance_within_an_hour


def observed(evictions: int, hours: float, confidence: float = 0.95) -> Range:
    """Chance of an eviction within the next hour, from so many evictions in so many hours that spot VMs ran.

    Returns:
        With its exact interval, as for any number of rare events ("Fiducial limits for the Poisson distribution",
        Garwood 1936): without a single eviction, too, its upper end is above 0.

    Raises:
        ValueError: nothing was observed.
    """
    if evictions < 0 or not 0 < hours < math.inf:
        message = f"{evictions} evictions in {hours} hours is not allowed; expected some hours"
        raise ValueError(message)
    tail = (1 - confidence) / 2
    low = float(special.gammaincinv(evictions, tail)) if evictions else 0.0
    high = float(special.gammaincinv(evictions + 1, 1 - tail))
    return Range(*(chance_within_an_hour(number / hours) for number in (evictions, low, high)))
