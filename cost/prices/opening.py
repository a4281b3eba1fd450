"""Opens the market that a bill asks: the stack's own prices, then Azure's of today, then the repository's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from cost import basis
from cost.figures import CostError
from cost.prices.ahead import ahead_of
from cost.prices.chain import Chain
from cost.prices.market import Market
from cost.prices.origin import Origin
from cost.prices.overrides import Overrides
from cost.prices.price_list import ADDRESS, PriceList
from cost.prices.resource_graph import ResourceGraph, subscription
from cost.prices.retail import Retail
from cost.prices.snapshot import CURRENCY, Snapshot
from cost.stack import Stack

_CURRENCY: Final = re.compile("[A-Z]{3}")


def market_of(stack: Stack, *, offline: bool, report: Callable[[str], None]) -> Market:
    """The prices of one stack, those that its bill needs asked for together.

    Args:
        stack: what it registers and exports.
        offline: as for `open_market`.
        report: as for `open_market`.

    Raises:
        CostError: what it says of prices can't be read.
    """
    read = basis.read(stack.outputs).basis
    ahead = ahead_of(stack, read.location) if read.location else ()
    return open_market(read.cost.model_dump(by_alias=True), offline=offline, report=report, ahead=ahead)


def open_market(
    cost: Mapping[str, Any],
    *,
    offline: bool,
    report: Callable[[str], None],
    ahead: Iterable[tuple[str, str]] = (),
    address: str = ADDRESS,
) -> Market:
    """The prices that go with what a stack says of them.

    Args:
        cost: `cost` of the output `costBasis`; an empty one means USD and no price of one's own.
        offline: asks nobody. Otherwise Azure's price list is asked, and Resource Graph where `az` is signed in.
        report: gets one sentence for each thing that went wrong on the way and was mended.
        ahead: VM sizes or names of services, each with its region, that are asked for together and not one by
            one; `cost.prices.ahead` names those of a stack.
        address: of Azure's price list.

    Raises:
        CostError: what `cost` says is no price or no currency, or offline there are no prices in the currency.
    """
    currency = str(cost.get("currency") or CURRENCY)
    if not _CURRENCY.fullmatch(currency):
        raise CostError(
            f"cost.currency: {currency!r} is not allowed; expected a code of three capital letters, like EUR"
        )
    origins: list[Origin] = [Overrides(cost.get("prices") or {})]
    if not offline:
        wanted = list(ahead)
        if signed_in_to := subscription():
            graph = ResourceGraph(signed_in_to, currency, report)
            graph.prepare(wanted)
            origins.append(graph)
        retail = Retail(PriceList(currency, address), report)
        retail.prepare(wanted)
        origins.append(retail)
    elif currency != CURRENCY:
        raise CostError(
            f"cost.currency: {currency} is not allowed offline; expected {CURRENCY}, because the repository has prices "
            "in no other"
        )
    today = datetime.now(UTC).date()
    if currency == CURRENCY:
        origins.append(Snapshot(today))
    return Chain(origins, currency, today)
