"""Eviction rates: a number, or one of the bands that Azure publishes (spot-vms.md, "Pricing and eviction history")."""

import re
from typing import Final

from kubeflow_aks.cost.figures import EvictionRate, Range, Source

_BAND: Final = re.compile(r"\s*(\d{1,2})\s*-\s*(\d{1,2})\s*%?\s*")
_OPEN_BAND: Final = re.compile(r"\s*(\d{1,2})\s*%?\s*\+\s*%?\s*")
ASSUMED: Final = EvictionRate(
    Range(0.05, 0.0, 0.05),
    Source("assumed: Azure's lowest band, as nobody who is signed in queried it", assumed=True),
)
"""Our choice without an answer of Azure's: the lowest of its bands."""


def rate(published: float | str, source: Source) -> EvictionRate:
    """The rate for a number or a band; a band is expected at its upper end, see `EvictionRate`.

    Args:
        published: chance within the next hour, or a band such as `5-10` or `20+`, in percent.
        source: of the rate.

    Raises:
        ValueError: it is neither.
    """
    if not isinstance(published, str):
        if not 0 <= published < 1:
            raise ValueError(published)
        return EvictionRate(Range.exactly(float(published)), source)
    if closed := _BAND.fullmatch(published):
        low, high = (int(end) / 100 for end in closed.groups())
        if low < high:
            return EvictionRate(Range(high, low, high), source)
    elif opened := _OPEN_BAND.fullmatch(published):
        least = int(opened[1]) / 100
        return EvictionRate(Range(least, least, 1.0), source)
    raise ValueError(published)
