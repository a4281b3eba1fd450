"""Prices that the repository has, for who is offline: Azure's list of a day and single published spot prices."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from catalogue import (
    INCOMPLETE,
    PRICES_READ,
    ondemand_prices,
    quoted_spot_price,
    service_price,
    services,
    vm_sizes,
)
from cost.figures import Quote, Range, Source
from cost.prices.origin import HOUR, Silent
from cost.prices.series import by_siblings

CURRENCY: Final = "USD"
_LIST: Final = "Azure's list price"
_FOURTEEN_MONTHS: Final = timedelta(days=425)
_MOVES: Final = 2.36
"""Times its cheapest that a size's spot price cost at its dearest within fourteen months, for nine sizes of ten
(docs/facts/prices.md#spot-prices)."""
_LEAST_SHARE: Final = 0.10
"""Of the price on demand: spot is up to 90 percent cheaper ("Azure Spot pricing")."""
_SHARE: Final = {False: 0.21, True: 0.34}
"""Share of the price on demand that is assumed for spot, without and with GPUs: medians of three regions in August 2026
(docs/facts/prices.md#spot-prices)."""


class Snapshot(Silent):
    """The catalogue's prices, in USD."""

    def __init__(self, today: date) -> None:
        """Takes today's date, which old prices are told against."""
        self._today = today

    def on_demand(self, size: str, region: str) -> Quote | None:
        """Azure's list price; where the catalogue's list has a hole, by the size's siblings and marked so."""
        price = ondemand_prices(size).get(region)
        if price is not None:
            return Quote(Range.exactly(price), HOUR, Source(_LIST, PRICES_READ))
        known = vm_sizes().get(size)
        filled = by_siblings(size, region) if known and known.family in INCOMPLETE else None
        if filled is None:
            return None
        told = (
            f"{size} in {region}: the price list has a hole there; the price is by other sizes of its series"
        )
        source = Source("assumed: as in other regions beside its series", PRICES_READ, assumed=True)
        return Quote(Range(filled, 0.98 * filled, 1.02 * filled), HOUR, source, (told,))

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
            else (_LEAST_SHARE * most, most)
        )
        told = f"{size} in {region}: the spot price is {age.days} days old; ask Azure for today's, or give it"
        return Quote(
            Range(point.usd, min(low, point.usd), min(high, most)),
            HOUR,
            Source("published spot price", point.day),
            (told,),
        )

    def service(self, meter: str, region: str) -> Quote | None:
        """A service's list price, of another region where no source has this one's."""
        if meter not in services():
            return None
        found = service_price(meter, region)
        elsewhere = found.region not in {region, "*"}
        told = (
            (f"{meter}: no source has its price in {region}; it is that of {found.region}",)
            if elsewhere
            else ()
        )
        return Quote(Range.exactly(found.usd), found.unit, Source(_LIST, found.day), told)


def assumed_spot(size: str, region: str, on_demand: Quote) -> Quote:
    """What spot may cost where nobody knows: a share of the price on demand, from a tenth of it to all of it."""
    known = vm_sizes().get(size)
    share = _SHARE[bool(known and known.gpus)]
    price = on_demand.price
    told = f"{size} in {region}: nobody knows its spot price; {share * 100:.0f} % of the price on demand is assumed"
    return Quote(
        Range(share * price.expected, _LEAST_SHARE * price.low, price.high),
        HOUR,
        Source(f"assumed: {share * 100:.0f} % of the price on demand", assumed=True),
        (told,),
    )
