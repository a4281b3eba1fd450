"""Prices that the stack file gives, such as negotiated ones: `cost.prices` by VM size."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from cost.figures import Quote, Range, Source
from cost.prices.origin import HOUR, Silent

_FROM = "this stack's settings"


class Overrides(Silent):
    """The stack file's prices; they hold in every region, in the stack's currency."""

    def __init__(self, prices: Mapping[str, Mapping[str, Any]]) -> None:
        """Takes `costBasis.cost.prices`, which the settings have checked."""
        self._prices = prices

    def on_demand(self, size: str, region: str) -> Quote | None:
        """What the stack file says under `onDemand`."""
        del region
        return self._quote(size, "onDemand")

    def spot(self, size: str, region: str) -> Quote | None:
        """What the stack file says under `spot`."""
        del region
        return self._quote(size, "spot")

    def _quote(self, size: str, key: str) -> Quote | None:
        given = self._prices.get(size, {})
        price, day = given.get(key), given.get("asOf")
        if price is None:
            return None
        return Quote(
            Range.exactly(float(price)), HOUR, Source(_FROM, date.fromisoformat(day) if day else None)
        )
