"""Eviction rates: the chance of an eviction within an hour, as evictions an hour."""

import math


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
