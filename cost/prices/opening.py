"""Opens the market that a bill asks: the stack's own prices, then Azure's of today, then the repository's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from cost.figures import CostError
from cost.prices.chain import Chain
from cost.prices.market import Market
from cost.prices.origin import Origin
from cost.prices.overrides import Overrides
from cost.prices.snapshot import CURRENCY, Snapshot


def open_market(
    cost: Mapping[str, Any],
    *,
    offline: bool,
    report: Callable[[str], None],
    ahead: Iterable[tuple[str, str]] = (),
) -> Market:
    """The prices of one stack.

    Args:
        cost: `cost` of the output `costBasis`; an empty one means USD and no price of one's own.
        offline: asks nobody.
        report: gets one sentence for each thing that went wrong on the way and was mended.
        ahead: VM sizes or names of services, each with its region, that are asked for together and not one by one.

    Raises:
        CostError: offline there are no prices in the stack's currency.
    """
    del report, ahead
    currency = str(cost.get("currency") or CURRENCY)
    origins: list[Origin] = [Overrides(cost.get("prices") or {})]
    if currency == CURRENCY:
        origins.append(Snapshot(datetime.now(UTC).date()))
    elif offline:
        raise CostError(
            f"cost.currency: {currency} is not allowed offline; expected {CURRENCY}, because the repository has prices "
            "in no other"
        )
    return Chain(origins, currency)
