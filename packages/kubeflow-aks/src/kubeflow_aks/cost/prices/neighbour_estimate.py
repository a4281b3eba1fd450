"""A spot price that nobody quotes, from those that are quoted beside it: of its series, else of its region."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from typing import Final

from aks_facts import vm_sizes
from kubeflow_aks.cost.figures import CostError, Quote, Range, Source
from kubeflow_aks.cost.prices.origin import HOUR
from kubeflow_aks.cost.prices.series import siblings
from kubeflow_aks.cost.prices.snapshot import LEAST_SHARE

_MOST_NAMES: Final = 3


def spot_beside(
    size: str, region: str, on_demand: Quote, quoted: Mapping[str, Quote], price_of: Callable[[str], Quote]
) -> Quote | None:
    """A spot price as large a share of the price on demand as its quoted siblings', else the region's quoted sizes'.

    Spot prices of a series move together, because they share machines; of the region's others only those with GPUs say
    anything of one with GPUs, and those without of one without (docs/facts/prices.md#spot-prices).

    Args:
        size: without a quote.
        region: of all quotes.
        on_demand: the size's price.
        quoted: spot prices of that region by size.
        price_of: on demand, of a size there.

    Returns:
        The median share, from the least to all of the price on demand; None where nothing is quoted beside it.
    """
    sizes = vm_sizes()
    gpus = size in sizes and bool(sizes[size].gpus)
    of_series = {name: quoted[name] for name in siblings(size) if name in quoted}
    of_region = {name: it for name, it in quoted.items() if name in sizes and bool(sizes[name].gpus) == gpus}
    for beside, words in ((of_series, "its series"), (of_region, "the region")):
        shares = {
            name: quote.price.expected / price
            for name, quote in beside.items()
            if (price := _price(price_of, name)) > 0
        }
        if shares:
            share, which = min(median(shares.values()), 1.0), _few(list(shares))
            percent = f"{share * 100:.0f} % of the price on demand"
            warning = (
                f"{size} in {region}: spot price unknown; {percent} is assumed, as quoted for {which} there"
            )
            low, high = min(LEAST_SHARE, share) * on_demand.price.low, on_demand.price.high
            source = Source(f"assumed: {percent}, as quoted in {words}", assumed=True)
            return Quote(Range(share * on_demand.price.expected, low, high), HOUR, source, (warning,))
    return None


def _few(names: list[str]) -> str:
    return ", ".join(names[:_MOST_NAMES]) + (" and others" if len(names) > _MOST_NAMES else "")


def _price(price_of: Callable[[str], Quote], size: str) -> float:
    try:
        return price_of(size).price.expected
    except CostError:
        return 0.0
