"""Queries one origin after the other: the stack's settings, Azure, the repository."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from typing import Final, TypeVar

from aks_facts import clouds, priced_regions, regions, services, vm_sizes
from kubeflow_aks.cost.figures import CostError, EvictionRate, Offer, Quote
from kubeflow_aks.cost.prices import bands
from kubeflow_aks.cost.prices.estimates import assumed_spot, spot_beside
from kubeflow_aks.cost.prices.market import Origin
from kubeflow_aks.cost.prices.snapshot import CURRENCY

_Found = TypeVar("_Found")
_OLD: Final = timedelta(days=365)
"""An older price gets a warning. Our choice."""


class Chain:
    """A market that takes each price from the first origin that has it, and queries it once."""

    def __init__(self, origins: Sequence[Origin], currency: str, today: date) -> None:
        """Takes the origins, most trusted first, the currency of all of them, and today's date."""
        self._origins, self.currency, self._today = tuple(origins), currency, today
        self.on_demand = cache(self._on_demand)
        self.spot = cache(self._spot)
        self.evictions = cache(self._evictions)
        self.service = cache(self._service)
        self.offers = cache(self._offers)

    def _on_demand(self, size: str, region: str) -> Quote:
        quote = self._first(lambda origin: origin.on_demand(size, region))
        if quote is None:
            raise CostError(self._unpriced(size, region))
        return self._aged(quote, f"{size} in {region}")

    def _spot(self, size: str, region: str) -> Quote:
        quote = self._first(lambda origin: origin.spot(size, region))
        if quote:
            return self._aged(quote, f"spot {size} in {region}")
        on_demand = self.on_demand(size, region)
        quoted = {
            name: it for origin in reversed(self._origins) for name, it in origin.quoted(region).items()
        }
        beside = spot_beside(size, region, on_demand, quoted, lambda name: self.on_demand(name, region))
        return beside or assumed_spot(size, region, on_demand)

    def _evictions(self, size: str, region: str) -> EvictionRate:
        return self._first(lambda origin: origin.evictions(size, region)) or bands.ASSUMED

    def _offers(self, size: str, region: str) -> tuple[Offer, ...]:
        return next((offers for origin in self._origins if (offers := origin.offers(size, region))), ())

    def _service(self, meter: str, region: str) -> Quote:
        quote = self._first(lambda origin: origin.service(meter, region))
        if quote is not None:
            return self._aged(quote, f"{meter} in {region}")
        if meter not in services():
            raise CostError(f"meter: {meter} is not allowed; expected one of {', '.join(services())}")
        raise CostError(self._in_another_currency(meter))

    def _aged(self, quote: Quote, what: str) -> Quote:
        """The quote, with a warning where it is old."""
        source = quote.source
        if quote.warnings or source.day is None or self._today - source.day <= _OLD:
            return quote
        age = (self._today - source.day).days
        warning = f"{what}: the price is {age} days old ({source}) and may have changed since"
        return replace(quote, warnings=(warning,))

    def _first(self, answer: Callable[[Origin], _Found | None]) -> _Found | None:
        return next((result for origin in self._origins if (result := answer(origin)) is not None), None)

    def _unpriced(self, size: str, region: str) -> str:
        """Why there is no price, as one line."""
        cloud = clouds().get(region)
        if not cloud and region not in regions() and region not in priced_regions():
            return f"location: {region} is not allowed; expected a region of Azure's public cloud, such as westeurope"
        if self.currency != CURRENCY:
            return self._in_another_currency(size)
        why = "has none for it there" if size in vm_sizes() else "does not have this size"
        if cloud:
            why = f"has none of {cloud.name}, a cloud of its own"
        return (
            f"cost.prices: no price of {size} in {region} is not allowed; expected an entry {size} with onDemand, "
            f"its price an hour, because Azure's price list {why}"
        )

    def _in_another_currency(self, what: str) -> str:
        return (
            f"cost.currency: {self.currency} is not allowed here; expected {CURRENCY}, because only Azure's price list "
            f"on the internet has other currencies and it did not answer for {what}"
        )
