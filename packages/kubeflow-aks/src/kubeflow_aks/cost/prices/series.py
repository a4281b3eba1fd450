"""Sizes of one series: what is missing or wrong in a price list shows beside them."""

from __future__ import annotations

import re
from functools import cache
from statistics import median
from typing import Final

from aks_facts import ondemand_prices, vm_sizes

_SIZE: Final = re.compile(r"Standard_([A-Z]+)\d+(?:-\d+)?(.*)")


@cache
def siblings(size: str) -> tuple[str, ...]:
    """The other sizes of its series: the same letters and generation, another number of vCPU."""
    series = _series(size)
    return tuple(name for name in vm_sizes() if name != size and _series(name) == series is not None)


def by_siblings(size: str, region: str) -> float | None:
    """A price that the list lacks, USD an hour: as many times a sibling's as in the regions that have both, the median.

    Sizes of a series have one proportion in nearly every region (`test_price_series.py`), though not always that of
    their vCPU: a B2ls_v2 costs less than half of a B4ls_v2.

    Returns:
        None where no sibling has a price in the region.
    """
    prices = ondemand_prices(size)
    guesses: list[float] = []
    for name in siblings(size):
        theirs = ondemand_prices(name)
        both = prices.keys() & theirs.keys()
        if region in theirs and both:
            guesses.append(theirs[region] * median(prices[other] / theirs[other] for other in both))
    return median(guesses) if guesses else None


@cache
def _series(size: str) -> tuple[str, ...] | None:
    match = _SIZE.fullmatch(size)
    return match.groups() if match else None
