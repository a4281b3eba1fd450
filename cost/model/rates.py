"""Eviction rates: Azure's bands, and the chance of an hour as evictions an hour."""

from __future__ import annotations

import math
import re
from typing import Final

from cost.figures import Range

_BAND: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%?\s*(?:-\s*(\d+(?:\.\d+)?)|\+)\s*%?\s*")
_WIDTH: Final = 0.05  # of each of Azure's bands but the last


def evictions_an_hour(rate: float) -> float:
    """How many evictions a running hour brings, λ, where `rate` is the chance of at least one.

    Evictions without memory, so the chance of none in an hour is e^-λ = 1 - rate; that the published figure is the
    chance within the next hour is `docs/facts/prices.md#eviction-rates`.

    Returns:
        `math.inf` for the rate 1.

    Raises:
        ValueError: the rate is no chance.
    """
    if not 0 <= rate <= 1:
        message = f"rate: {rate} is not allowed; expected a chance from 0 to 1"
        raise ValueError(message)
    return -math.log1p(-rate) if rate < 1 else math.inf


def chance_within_an_hour(evictions: float) -> float:
    """The other way round: the rate that Azure would publish for so many evictions in a running hour."""
    return -math.expm1(-evictions)


def band(text: str) -> Range:
    """A band as Azure publishes it: `0-5`, `5-10 %`, `20+` (`docs/facts/prices.md#eviction-rates`).

    Returns:
        From the lower to the upper end, which is also what is expected, so that a bill does not surprise. The band
        without an upper end goes up to 1; what is expected is its end if it were as wide as the others, our choice.

    Raises:
        ValueError: it is no band.
    """
    found = _BAND.fullmatch(text)
    low, high = (float(end) / 100 if end else None for end in found.groups()) if found else (None, None)
    if low is not None and high is None and low + _WIDTH < 1:
        return Range(low + _WIDTH, low, 1.0)
    if low is not None and high is not None and low < high <= 1:
        return Range(high, low, high)
    message = f"{text!r} is not allowed; expected a band of percents an hour: 0-5, 5-10, 10-15, 15-20 or 20+"
    raise ValueError(message)
