"""What spot cannot give: on the fallback at its price, or waited for."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Shared:
    """Where useful node hours run.

    Attributes:
        spot: billed hours on spot.
        on_demand: billed hours on the fallback.
        waits: hours in all that steps wait because spot is sold out and there is no fallback; they are not billed.
    """

    spot: float
    on_demand: float
    waits: float


def shared(hours: float, multiple: float, sold_out: float, *, fallback: float | None) -> Shared:
    """Share useful node hours between a spot pool and its fallback.

    Args:
        hours: useful node hours.
        multiple: billed hours on spot for each of them, `hourly.Expectation.multiple`.
        sold_out: share of the time in which no spot VM is available, 0 to 1.
        fallback: useful hours done in one hour of spot that one hour of the fallback does: 1 for the same size; None
            where the pool has no fallback.

    Returns:
        On the fallback each useful hour is billed once. Without one the same hours run on spot, later: of each hour of
        the calendar the share 1 - `sold_out` is there. `math.inf` where spot is never there.

    Raises:
        ValueError: `sold_out` is no share.
    """
    if not 0 <= sold_out <= 1:
        message = f"soldOutShare: {sold_out} is not allowed; expected a share from 0 to 1"
        raise ValueError(message)
    if fallback is not None:
        spot = (1 - sold_out) * hours
        return Shared(spot * multiple if spot else 0.0, sold_out * hours / fallback, 0.0)
    billed = hours * multiple if hours else 0.0
    if not (billed and sold_out):
        return Shared(billed, 0.0, 0.0)
    return Shared(billed, 0.0, billed * sold_out / (1 - sold_out) if sold_out < 1 else math.inf)
