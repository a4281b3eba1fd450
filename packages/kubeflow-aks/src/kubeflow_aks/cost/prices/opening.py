"""Opens the market of a bill: the stack's own prices, then Azure's of today, then the repository's."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain
from typing import Any, Final

from aks_facts import services
from kubeflow_aks.clients.az import Az
from kubeflow_aks.cost import basis
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.prices.chain import Chain
from kubeflow_aks.cost.prices.market import Market, Origin
from kubeflow_aks.cost.prices.overrides import Overrides
from kubeflow_aks.cost.prices.price_list import ADDRESS, PriceList
from kubeflow_aks.cost.prices.resource_graph import SECONDS, ResourceGraph, subscription
from kubeflow_aks.cost.prices.retail import Retail
from kubeflow_aks.cost.prices.snapshot import CURRENCY, Snapshot
from kubeflow_aks.cost.stack import Stack
from kubeflow_aks.json_values import at, entries, text

_CURRENCY: Final = re.compile("[A-Z]{3}")


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
