"""Hours that spot cannot give and that no fallback runs."""

from __future__ import annotations

import math


def waits(billed: float, sold_out: float) -> float:
    """Hours in all that steps wait because spot is sold out; nobody bills them.

    The same hours run on spot, later: of each hour of the calendar the share 1 - `sold_out` is there (our derivation).

    Args:
        billed: node hours on spot.
        sold_out: share of the time in which no spot VM is to be had, from 0 to 1.

    Returns:
        `math.inf` where spot is never there.
    """
    if not billed or not sold_out:
        return 0.0
    return billed * sold_out / (1 - sold_out) if sold_out < 1 else math.inf
