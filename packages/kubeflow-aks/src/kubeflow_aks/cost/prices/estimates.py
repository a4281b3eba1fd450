"""Prices that no list has, estimated from what is listed beside them: of their series, of their region, on demand."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from statistics import median
from typing import Final

from aks_facts import assumed_spot_share, ondemand_prices, vm_sizes
from kubeflow_aks.cost.figures import CostError, Quote, Range, Source
from kubeflow_aks.cost.prices.market import HOUR

LEAST_SHARE: Final = 0.10
"""Least share of the price on demand: spot is up to 90 percent cheaper ("Azure Spot pricing")."""
_SIZE: Final = re.compile(r"Standard_([A-Z]+)\d+(?:-\d+)?(.*)")
_MOST_NAMES: Final = 3


@cache
def siblings(size: str) -> tuple[str, ...]:
    """The other sizes of its series: the same letters and generation, another number of vCPU."""
    series = _series(size)
    return tuple(name for name in vm_sizes() if name != size and _series(name) == series is not None)


def by_siblings(size: str, region: str) -> float | None:
    """A price that the list lacks, USD an hour: as many times a sibling's as in the regions that have both, the median.

    Sizes of a series have one proportion in nearly every region (`test_price_series.py`), though not always that of
    their vCPU: a B2ls_v2 costs less than half of a B4ls_v2.

    Returns:
        None where no sibling has a price in the region.
    """
    prices = ondemand_prices(size)
    guesses: list[float] = []
    for name in siblings(size):
        theirs = ondemand_prices(name)
        both = prices.keys() & theirs.keys()
        if region in theirs and both:
            guesses.append(theirs[region] * median(prices[other] / theirs[other] for other in both))
    return median(guesses) if guesses else None


def spot_beside(
    size: str, region: str, on_demand: Quote, quoted: Mapping[str, Quote], price_of: Callable[[str], Quote]
) -> Quote | None:
    """A spot price as large a share of the price on demand as its quoted siblings', else the region's quoted sizes'.

    Spot prices of a series move together, because they share machines; of the region's others only those with GPUs say
    anything of one with GPUs, and those without of one without (docs/facts/prices.md#spot-prices).
    The quotes are spot prices of the region by size; `price_of` gives those on demand.

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


def assumed_spot(size: str, region: str, on_demand: Quote) -> Quote:
    """An assumed spot price: a share of the price on demand, from a tenth of it to all of it."""
    vm_size = vm_sizes().get(size)
    share = assumed_spot_share(gpus=bool(vm_size and vm_size.gpus))
    price = on_demand.price
    warning = f"{size} in {region}: spot price unknown; {share * 100:.0f} % of the price on demand is assumed"
    return Quote(
        Range(share * price.expected, LEAST_SHARE * price.low, price.high),
        HOUR,
        Source(f"assumed: {share * 100:.0f} % of the price on demand", assumed=True),
        (warning,),
    )


@cache
def _series(size: str) -> tuple[str, ...] | None:
    match = _SIZE.fullmatch(size)
    return match.groups() if match else None


def _few(names: list[str]) -> str:
    return ", ".join(names[:_MOST_NAMES]) + (" and others" if len(names) > _MOST_NAMES else "")


def _price(price_of: Callable[[str], Quote], size: str) -> float:
    try:
        return price_of(size).price.expected
    except CostError:
        return 0.0
