"""What a bill asks about prices; whoever answers says where from and as of when."""

from __future__ import annotations

from typing import Protocol

from cost.figures import EvictionRate, Quote


class Market(Protocol):
    """Prices and eviction rates, whatever their origin."""

    @property
    def currency(self) -> str:
        """ISO code of every price."""
        ...

    def on_demand(self, size: str, region: str) -> Quote:
        """An hour of a VM.

        Raises:
            CostError: nobody knows a price for it.
        """
        ...

    def spot(self, size: str, region: str) -> Quote:
        """An hour of a spot VM; its range is told where the price is old or assumed.

        Raises:
            CostError: nobody knows a price for it, not even on demand.
        """
        ...

    def evictions(self, size: str, region: str) -> EvictionRate:
        """How often a spot VM is taken."""
        ...

    def service(self, meter: str, region: str) -> Quote:
        """What is no VM, by its name in `catalogue/service_prices.csv`.

        Raises:
            CostError: there is no such name, or nobody knows a price for it.
        """
        ...
