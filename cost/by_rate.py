"""What spot work costs at every eviction rate, with and without checkpoints, and where that passes on demand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

CostAt = Callable[[float], float]
"""From an eviction rate, the chance within the next hour, to an amount; `math.inf` for work that is never done."""

_LEAST_END: Final = 0.25
"""Azure's bands end at 20 % an hour ("spot-vms.md"); what is beyond is shown a little."""
_MOST_END: Final = 0.95
_MARGIN: Final = 1.15
_POINTS: Final = 61


@dataclass(frozen=True)
class Curve:
    """One way to do the work.

    Attributes:
        amounts: one for each rate of the picture.
        breaks_even: rate from which on spot costs more than on demand; None where it never does, or always.
    """

    name: str
    amounts: tuple[float, ...]
    breaks_even: float | None


@dataclass(frozen=True)
class Mark:
    """A rate to point at, and what it is: `cpuspot: 5 % an hour, assumed`."""

    rate: float
    words: str


@dataclass(frozen=True)
class ByRate:
    """All of it; amounts a month."""

    rates: tuple[float, ...]
    curves: tuple[Curve, ...]
    on_demand: float
    marks: tuple[Mark, ...]


def by_rate(ways: Iterable[tuple[str, CostAt]], on_demand: float, marks: Iterable[Mark]) -> ByRate:
    """The curves from no eviction to a rate at which there is nothing more to see.

    Args:
        ways: ways to do the work, by name; the cost of each never falls when the rate grows.
        on_demand: what the same work costs on demand, a month.
        marks: rates that are assumed or were measured.
    """
    found, marks = tuple(ways), tuple(marks)
    crossings = [_crossing(cost_at, on_demand) for _, cost_at in found]
    shown = [crossing for crossing in crossings if crossing is not None]
    far = [_MARGIN * rate for rate in (*shown, *(mark.rate for mark in marks))]
    end = min(_MOST_END, max([_LEAST_END, *far]))
    rates = tuple(end * number / (_POINTS - 1) for number in range(_POINTS))
    curves = [
        Curve(name, tuple(cost_at(rate) for rate in rates), crossing)
        for (name, cost_at), crossing in zip(found, crossings, strict=True)
    ]
    return ByRate(rates, tuple(curves), on_demand, marks)


def _crossing(cost_at: CostAt, on_demand: float) -> float | None:
    from scipy.optimize import brentq  # noqa: PLC0415 - a fifth of a second that only pictures need

    def above(rate: float) -> float:
        # What never ends would make a number of infinity; it is above in any case.
        return min(cost_at(rate), 2 * on_demand + 1) - on_demand

    if not above(0.0) < 0 < above(_MOST_END):
        return None
    found = float(brentq(above, 0.0, _MOST_END, xtol=1e-6))  # pyright: ignore[reportArgumentType]
    return found if math.isfinite(found) else None
