"""Who may know a price: an origin answers what it knows and None for the rest."""

from __future__ import annotations

from typing import Protocol

from cost.figures import EvictionRate, Quote

HOUR = "hour"
"""Unit of every price of a VM."""


class Origin(Protocol):
    """As `cost.prices.market.Market`, but None where it does not know."""

    def on_demand(self, size: str, region: str) -> Quote | None:
        """An hour of a VM."""
        ...

    def spot(self, size: str, region: str) -> Quote | None:
        """An hour of a spot VM."""
        ...

    def evictions(self, size: str, region: str) -> EvictionRate | None:
        """How often a spot VM is taken."""
        ...

    def service(self, meter: str, region: str) -> Quote | None:
        """What is no VM."""
        ...


class Silent:
    """Knows nothing; an origin says only what it overrides."""

    def on_demand(self, size: str, region: str) -> Quote | None:
        """Nothing."""
        del size, region
        return None

    def spot(self, size: str, region: str) -> Quote | None:
        """Nothing."""
        del size, region
        return None

    def evictions(self, size: str, region: str) -> EvictionRate | None:
        """Nothing."""
        del size, region
        return None

    def service(self, meter: str, region: str) -> Quote | None:
        """Nothing."""
        del meter, region
        return None
