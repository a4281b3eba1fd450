"""The prices of a bill, each with its source and its day."""

from __future__ import annotations

from typing import Protocol

from kubeflow_aks.cost.figures import EvictionRate, Offer, Quote


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
