"""`make prices`: renews `aks_facts/ondemand_prices.csv` from Azure's price list, which needs no account.

Every size of the catalogue is queried in every region, by the rules that a bill reads the list with.
"""

import csv
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from functools import partial
from typing import Final

from aks_facts import PRICES_FILE, PRICES_READ, ondemand_prices, priced_regions, regions, vm_sizes
from kubeflow_aks.cost.prices.price_list import ADDRESS, PriceList
from kubeflow_aks.cost.prices.retail import Retail
from kubeflow_aks.cost.prices.snapshot import CURRENCY
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.text.files import write_whole

_TRIES: Final = 3
_SECONDS, _PATIENCE = 60.0, 600.0
_HEAD: Final = """\
# read: {day}
# incomplete:
# Azure's list prices of Linux VMs on demand, USD per hour, of the sizes of vm_sizes.csv; 5 significant digits. Empty:
# not sold there. Written by `make prices` from the Azure Retail Prices API (docs/facts/prices.md#azures-price-list).
"""

_LEAST_KEPT: Final = 0.9
"""Share of the file's prices that must be in the list again: a list that lacks more is not whole (our choice)."""
_Prices = Mapping[str, Mapping[str, float]]
"""USD an hour by size, then by region."""


class NoPricesError(Exception):
    """Azure does not answer, or not with all that it sells; the text has the reason."""


def renewed(price_list: Callable[[], PriceList], sizes: Iterable[str], where: Iterable[str]) -> _Prices:
    """Today's prices of the sizes in the regions; those that Azure does not list are missing.

    Raises:
        NoPricesError: there is no answer, after some tries.
    """
    prices: dict[str, dict[str, float]] = {size: {} for size in sizes}
    for region in where:
        for size, price in _of_region(price_list, list(prices), region):
            prices[size][region] = price
    return prices


def _of_region(price_list: Callable[[], PriceList], sizes: list[str], region: str) -> list[tuple[str, float]]:
    reasons: list[str] = []
    for _ in range(_TRIES):
        retail = Retail(price_list(), reasons.append)
        retail.prefetch((size, region) for size in sizes)
        quotes = [(size, retail.on_demand(size, region)) for size in sizes]
        if not retail.down:
            return [(size, quote.price.expected) for size, quote in quotes if quote]
    raise NoPricesError(f"{region}: {reasons[-1]}")


def text(prices: _Prices, where: Iterable[str], day: date) -> str:
    """The file; a size without any price has no row."""
    sink, columns = io.StringIO(), sorted(where)
    table = csv.writer(sink, lineterminator="\n")
    table.writerow(["name", *columns])
    for size, by_region in sorted(prices.items()):
        if by_region:
            table.writerow([size, *(_cell(by_region.get(region)) for region in columns)])
    return _HEAD.format(day=day) + sink.getvalue()


def changes(prices: _Prices, where: Iterable[str]) -> Iterator[str]:
    """What differs from the file as it is, one line each.

    Raises:
        NoPricesError: too many of its prices are missing.
    """
    cells = [(size, region) for region in where for size in prices]
    pairs = [(ondemand_prices(size).get(region), prices[size].get(region)) for size, region in cells]
    gone = sum(before is not None and after is None for before, after in pairs)
    listed = sum(before is not None for before, _ in pairs)
    if gone > listed * (1 - _LEAST_KEPT):
        raise NoPricesError(f"the price list lacks {gone:,} of the {listed:,} prices of {PRICES_READ}")
    yield f"prices: {sum(after is not None for _, after in pairs):,}"
    yield f"new: {sum(before is None and after is not None for before, after in pairs):,}"
    yield f"no longer listed: {gone:,}"
    moved = sum(bool(before and after and _cell(before) != _cell(after)) for before, after in pairs)
    yield f"other than before: {moved:,}"
    if without := [size for size, by_region in prices.items() if not by_region]:
        yield f"without any price: {', '.join(without)}"


def _cell(price: float | None) -> str:
    return "" if price is None else f"{price:.5g}"


def main(address: str = ADDRESS) -> ExitCode:
    """Writes the file and prints what changed.

    Returns:
        INCONCLUSIVE where Azure does not answer with its whole list; the file stays as it was.
    """
    where = sorted({*priced_regions(), *regions()})
    price_list = partial(PriceList, CURRENCY, address, patience=_PATIENCE, seconds=_SECONDS, stored=False)
    try:
        prices = renewed(price_list, vm_sizes(), where)
        lines = list(changes(prices, where))
    except NoPricesError as error:
        print(f"error: {error}; nothing is written", file=sys.stderr)
        return ExitCode.INCONCLUSIVE
    write_whole(PRICES_FILE, text(prices, where, price_list().now().date()))
    print(*lines, sep="\n")
    return ExitCode.GOOD


if __name__ == "__main__":
    sys.exit(main())
