"""Prices in the repository, for offline use: Azure's list of one day and single published spot prices."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Final

from aks_facts import (
    INCOMPLETE,
    PRICES_READ,
    ondemand_prices,
    quoted_sizes,
    quoted_spot_price,
    service_price,
    services,
    vm_sizes,
)
from kubeflow_aks.cost.figures import Quote, Range, Source
from kubeflow_aks.cost.prices.estimates import LEAST_SHARE, by_siblings
from kubeflow_aks.cost.prices.market import HOUR, Origin

CURRENCY: Final = "USD"
_LIST: Final = "Azure's list price"
_FOURTEEN_MONTHS: Final = timedelta(days=425)
_MOVES: Final = 2.36
"""Times its cheapest that a size's spot price cost at its dearest within fourteen months, for nine sizes of ten
(docs/facts/prices.md#spot-prices)."""


class Snapshot(Origin):
    """The catalogue's prices, in USD."""

    def __init__(self, today: date) -> None:
        """Takes today's date, for the age of prices."""
        self._today = today

    def on_demand(self, size: str, region: str) -> Quote | None:
        """Azure's list price; a missing one is estimated from the size's siblings and marked as assumed."""
        price = ondemand_prices(size).get(region)
        if price is not None:
            return Quote(Range.exactly(price), HOUR, Source(_LIST, PRICES_READ))
        vm_size = vm_sizes().get(size)
        filled = by_siblings(size, region) if vm_size and vm_size.family in INCOMPLETE else None
        if filled is None:
            return None
        warning = f"{size} in {region}: missing in the price list; estimated from other sizes of its series"
        source = Source("assumed: as in other regions beside its series", PRICES_READ, assumed=True)
        return Quote(Range(filled, 0.98 * filled, 1.02 * filled), HOUR, source, (warning,))

    def spot(self, size: str, region: str) -> Quote | None:
        """A published spot price of that size and region, with what it may have become since."""
        point = quoted_spot_price(size, region)
        if point is None:
            return None
        age = self._today - point.day
        most = ondemand_prices(size).get(region, float("inf"))
        low, high = (
            (point.usd / _MOVES, point.usd * _MOVES)
            if age <= _FOURTEEN_MONTHS
            else (LEAST_SHARE * most, most)
        )
        warning = (
            f"{size} in {region}: the spot price is {age.days} days old; sign in with az for today's, or set "
            "`cost.prices`"
        )
        return Quote(
            Range(point.usd, min(low, point.usd), min(high, most)),
            HOUR,
            Source("published spot price", point.day),
            (warning,),
        )

    def quoted(self, region: str) -> Mapping[str, Quote]:
        """Every published spot price of that region."""
        quotes = ((size, self.spot(size, region)) for size in quoted_sizes(region))
        return {size: quote for size, quote in quotes if quote is not None}

    def service(self, meter: str, region: str) -> Quote | None:
        """A service's list price, of another region where no source has this one's."""
        if meter not in services():
            return None
        price = service_price(meter, region)
        elsewhere = price.region not in {region, "*"}
        warnings = (f"{meter}: no price for {region}; that of {price.region} is used",) if elsewhere else ()
        return Quote(Range.exactly(price.usd), price.unit, Source(_LIST, price.day), warnings)
