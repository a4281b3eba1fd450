"""How often spot VMs are evicted, estimated from observed node hours and evictions."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Final

from kubeflow_aks.cost.figures import EvictionRate, Range, Source
from kubeflow_aks.text.numbers import counted

CONFIDENCE: Final = 0.95
_LOWEST_BAND, _HIGHEST_BAND = 0.05, 0.20
"""Upper end of Azure's lowest band and lower end of its highest one ("spot-vms.md")."""


@dataclass(frozen=True)
class PoolEvictions:
    """Observed nodes and evictions of one spot pool.

    Attributes:
        nodes: that ran for any time.
        hours: of all its nodes together.
        evictions: of nodes.
        moments: at which they came; nodes evicted together are one.
        day: of the observation's end.
    """

    pool: str
    nodes: int
    hours: float
    evictions: int
    moments: int
    day: date

    @property
    def rate(self) -> EvictionRate | None:
        """The chance within an hour, with its interval of 95 %; None where there were no hours.

        The interval is the exact one of a Poisson count ("Fiducial Limits for the Poisson Distribution", Garwood 1936),
        of the moments, for nodes evicted together are not independent; each moment stands for as many nodes as
        in the mean. Without any eviction the upper end is what is expected, as of Azure's bands.
        """
        if self.hours <= 0:
            return None
        low, high = self._limits()
        high = _chance_of_any(high)
        expected = _chance_of_any(self.evictions / self.hours) if self.evictions else high
        words = f"observed: {counted(self.evictions, 'eviction')} in {self.hours:.3g} node hours"
        return EvictionRate(Range(expected, _chance_of_any(low), high), Source(words, self.day))

    @property
    def conclusive(self) -> bool:
        """Whether the interval is narrow enough to use: it excludes Azure's lowest or its highest band."""
        rate = self.rate
        return rate is not None and not (rate.rate.low <= _LOWEST_BAND and rate.rate.high >= _HIGHEST_BAND)

    def _limits(self) -> tuple[float, float]:
        """Evictions an hour, at least and at most."""
        from scipy.special import gammaincinv  # noqa: PLC0415 - a fifth of a second that only this needs

        tail = (1 - CONFIDENCE) / 2
        size = self.evictions / self.moments if self.moments else 1.0
        low = float(gammaincinv(self.moments, tail)) if self.moments else 0.0
        return size * low / self.hours, size * float(gammaincinv(self.moments + 1, 1 - tail)) / self.hours


def moments(times: Iterable[float], together: float) -> int:
    """How many moments some evictions came at: those that follow each other within `together` are one."""
    ordered = sorted(times)
    return bool(ordered) + sum(after - before > together for before, after in pairwise(ordered))


def _chance_of_any(hourly: float) -> float:
    """The chance of at least one event within an hour; below 1 also where there are very many an hour."""
    return min(-math.expm1(-hourly), math.nextafter(1.0, 0.0))
