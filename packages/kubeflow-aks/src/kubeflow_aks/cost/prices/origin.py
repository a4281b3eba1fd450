"""An origin of prices; it returns None for a price that it does not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from kubeflow_aks.cost.figures import EvictionRate, Offer, Quote

HOUR = "hour"
"""Unit of every price of a VM."""


class Origin(Protocol):
    """A `kubeflow_aks.cost.prices.market.Market` that answers None where it has no price."""

    def on_demand(self, size: str, region: str) -> Quote | None:
        """An hour of a VM."""
        ...

    def spot(self, size: str, region: str) -> Quote | None:
        """An hour of a spot VM."""
        ...

    def quoted(self, region: str) -> Mapping[str, Quote]:
        """Spot prices by size that it has anyway, such as the stack file's few; those that must be queried are none."""
        ...

    def evictions(self, size: str, region: str) -> EvictionRate | None:
        """How often a spot VM is evicted."""
        ...

    def service(self, meter: str, region: str) -> Quote | None:
        """A service other than a VM."""
        ...

    def offers(self, size: str, region: str) -> tuple[Offer, ...]:
        """Reservations and savings plans for a VM; empty where it has none."""
        ...


class NoPrices:
    """An origin without prices; a subclass overrides those that it has."""

    def on_demand(self, size: str, region: str) -> Quote | None:
        """None."""
        del size, region
        return None

    def spot(self, size: str, region: str) -> Quote | None:
        """None."""
        del size, region
        return None

    def quoted(self, region: str) -> Mapping[str, Quote]:
        """None."""
        del region
        return {}

    def evictions(self, size: str, region: str) -> EvictionRate | None:
        """None."""
        del size, region
        return None

    def service(self, meter: str, region: str) -> Quote | None:
        """None."""
        del meter, region
        return None

    def offers(self, size: str, region: str) -> tuple[Offer, ...]:
        """None."""
        del size, region
        return ()
