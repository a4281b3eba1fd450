"""The prices of a bill, each with its source and its day."""

from collections.abc import Mapping
from typing import Final, Protocol

from kubeflow_aks.cost.figures import EvictionRate, Offer, Quote

HOUR: Final = "hour"
"""Unit of every price of a VM."""


class Market(Protocol):
    """Prices and eviction rates, whatever their origin."""

    @property
    def currency(self) -> str:
        """ISO code of every price."""
        ...

    def on_demand(self, size: str, region: str) -> Quote:
        """An hour of a VM.

        Raises:
            CostError: no origin has a price for it.
        """
        ...

    def spot(self, size: str, region: str) -> Quote:
        """An hour of a spot VM, as a range where the price is old or assumed.

        Raises:
            CostError: no origin has a price for it, not even on demand.
        """
        ...

    def evictions(self, size: str, region: str) -> EvictionRate:
        """How often a spot VM is evicted."""
        ...

    def service(self, meter: str, region: str) -> Quote:
        """A service other than a VM, by its name in `aks_facts/service_prices.csv`.

        Raises:
            CostError: there is no such name, or no origin has a price for it.
        """
        ...

    def offers(self, size: str, region: str) -> tuple[Offer, ...]:
        """Reservations and savings plans for a VM; none where no origin has them."""
        ...


class Origin:
    """An origin of prices; a subclass overrides those that it has, and returns None for one that it lacks."""

    def on_demand(self, size: str, region: str) -> Quote | None:
        """An hour of a VM."""

    def spot(self, size: str, region: str) -> Quote | None:
        """An hour of a spot VM."""

    def quoted(self, region: str) -> Mapping[str, Quote]:
        """Spot prices by size that it has anyway, such as the stack file's few; those that must be queried are none."""
        del region
        return {}

    def evictions(self, size: str, region: str) -> EvictionRate | None:
        """How often a spot VM is evicted."""

    def service(self, meter: str, region: str) -> Quote | None:
        """A service other than a VM."""

    def offers(self, size: str, region: str) -> tuple[Offer, ...]:
        """Reservations and savings plans for a VM; empty where it has none."""
        del size, region
        return ()
