"""Opens the market of a bill: the stack's own prices, then Azure's of today, then the repository's."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from itertools import chain
from typing import Any, Final, cast

from aks_facts import services
from kubeflow_aks.clients.az import Az
from kubeflow_aks.cost import basis
from kubeflow_aks.cost.figures import CostError, Quote, Range, Source
from kubeflow_aks.cost.prices.chain import Chain
from kubeflow_aks.cost.prices.market import HOUR, Market, Origin
from kubeflow_aks.cost.prices.price_list import ADDRESS, PriceList
from kubeflow_aks.cost.prices.resource_graph import SECONDS, ResourceGraph, subscription
from kubeflow_aks.cost.prices.retail import Retail
from kubeflow_aks.cost.prices.snapshot import CURRENCY, Snapshot
from kubeflow_aks.cost.stack import Stack
from kubeflow_aks.json_values import at, entries, text

_CURRENCY: Final = re.compile("[A-Z]{3}")


_FROM: Final = "this stack's settings"
_MOST: Final = 1_000_000_000
"""More than any VM costs in any currency; the settings have the same limit."""


class Overrides(Origin):
    """The stack file's prices; they hold in every region, in the stack's currency."""

    def __init__(self, prices: Mapping[str, Any]) -> None:
        """Takes `costBasis.cost.prices`; settings are validated already, a plan file may not be.

        Raises:
            CostError: one line for each thing that is no price or no day.
        """
        if wrong := [problem for size, entry in prices.items() for problem in _problems(size, entry)]:
            raise CostError(*wrong)
        self._prices: Mapping[str, Mapping[str, Any]] = prices

    def on_demand(self, size: str, region: str) -> Quote | None:
        """`onDemand` of the stack file."""
        del region
        return self._quote(size, "onDemand")

    def spot(self, size: str, region: str) -> Quote | None:
        """`spot` of the stack file."""
        del region
        return self._quote(size, "spot")

    def quoted(self, region: str) -> Mapping[str, Quote]:
        """Every `spot` of the stack file."""
        quotes = ((size, self.spot(size, region)) for size in self._prices)
        return {size: quote for size, quote in quotes if quote is not None}

    def _quote(self, size: str, key: str) -> Quote | None:
        entry = self._prices.get(size, {})
        price, day = entry.get(key), entry.get("asOf")
        if price is None:
            return None
        return Quote(
            Range.exactly(float(price)), HOUR, Source(_FROM, date.fromisoformat(day) if day else None)
        )


def market_of(stack: Stack, *, offline: bool, report: Callable[[str], None]) -> Market:
    """The prices of one stack, as of `open_market`; those that its bill needs are queried together.

    Raises:
        CostError: its own prices can't be read.
    """
    read = basis.read(stack.outputs)
    required = required_prices(stack, read.location) if read.location else ()
    return open_market(read.cost.model_dump(by_alias=True), offline=offline, report=report, required=required)


def open_market(
    cost: Mapping[str, Any],
    *,
    offline: bool,
    report: Callable[[str], None],
    required: Iterable[tuple[str, str]] = (),
    address: str = ADDRESS,
) -> Market:
    """The prices for a stack's cost settings.

    Args:
        cost: `cost` of the output `costBasis`; an empty one means USD and no price of one's own.
        offline: queries nothing. Otherwise Azure's price list is queried, and Resource Graph where `az` is signed in.
        report: called with one sentence for each failure that was worked around.
        required: VM sizes or names of services, each with its region, that are queried together instead of one
            by one; `required_prices` has those of a stack.
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
        names = list(required)
        if signed_in_to := subscription(az := Az(seconds=SECONDS)):
            graph = ResourceGraph(signed_in_to, currency, report, az)
            graph.prefetch(names)
            origins.append(graph)
        retail = Retail(PriceList(currency, address), report)
        retail.prefetch(names)
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


def required_prices(stack: Stack, region: str) -> tuple[tuple[str, str], ...]:
    """Every VM size of its pools, the cluster's own included, and every service, each with the region."""
    sizes = chain.from_iterable(_sizes(resource.inputs) for resource in stack.resources)
    return tuple((name, region) for name in dict.fromkeys((*sizes, *services())))


def _sizes(inputs: Mapping[str, Any]) -> Iterator[str]:
    for pool in (inputs, *entries(inputs.get("agentPoolProfiles"))):
        if size := text(at(pool, "vmSize")):
            yield size


def _problems(size: str, value: Any) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"cost.prices.{size}: {value!r} is not allowed; expected onDemand, spot and asOf"
        return
    entry = cast(Mapping[str, Any], value)
    for key in ("onDemand", "spot"):
        price: Any = entry.get(key)
        number = isinstance(price, int | float) and not isinstance(price, bool)
        if price is not None and not (number and 0 < price <= _MOST):
            allowed = f"a price an hour above 0, at most {_MOST:,}"
            yield f"cost.prices.{size}.{key}: {price!r} is not allowed; expected {allowed}"
    day: Any = entry.get("asOf")
    try:
        date.fromisoformat(day or "2026-01-01")
    except (TypeError, ValueError):
        yield f"cost.prices.{size}.asOf: {day!r} is not allowed; expected a day such as 2026-11-22"
