"""Prices that the stack file gives, such as negotiated ones: `cost.prices` by VM size."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final, cast

from kubeflow_aks.cost.figures import CostError, Quote, Range, Source
from kubeflow_aks.cost.prices.market import HOUR, Origin

_FROM: Final = "this stack's settings"
_MOST: Final = 1_000_000_000
"""More than any VM costs in any currency; the settings have the same limit."""


class Overrides(Origin):
    """The stack file's prices; they hold in every region, in the stack's currency."""

    def __init__(self, prices: Mapping[str, Any]) -> None:
        """Takes `costBasis.cost.prices`; settings are validated already, a plan file may not be.

        Raises:
            CostError: one line for each thing that is no price or no day.
        """
        if wrong := [problem for size, entry in prices.items() for problem in _problems(size, entry)]:
            raise CostError(*wrong)
        self._prices: Mapping[str, Mapping[str, Any]] = prices

    def on_demand(self, size: str, region: str) -> Quote | None:
        """`onDemand` of the stack file."""
        del region
        return self._quote(size, "onDemand")

    def spot(self, size: str, region: str) -> Quote | None:
        """`spot` of the stack file."""
        del region
        return self._quote(size, "spot")

    def quoted(self, region: str) -> Mapping[str, Quote]:
        """Every `spot` of the stack file."""
        quotes = ((size, self.spot(size, region)) for size in self._prices)
        return {size: quote for size, quote in quotes if quote is not None}

    def _quote(self, size: str, key: str) -> Quote | None:
        entry = self._prices.get(size, {})
        price, day = entry.get(key), entry.get("asOf")
        if price is None:
            return None
        return Quote(
            Range.exactly(float(price)), HOUR, Source(_FROM, date.fromisoformat(day) if day else None)
        )


def _problems(size: str, value: Any) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"cost.prices.{size}: {value!r} is not allowed; expected onDemand, spot and asOf"
        return
    entry = cast(Mapping[str, Any], value)
    for key in ("onDemand", "spot"):
        price: Any = entry.get(key)
        number = isinstance(price, int | float) and not isinstance(price, bool)
        if price is not None and not (number and 0 < price <= _MOST):
            allowed = f"a price an hour above 0, at most {_MOST:,}"
            yield f"cost.prices.{size}.{key}: {price!r} is not allowed; expected {allowed}"
    day: Any = entry.get("asOf")
    try:
        date.fromisoformat(day or "2026-01-01")
    except (TypeError, ValueError):
        yield f"cost.prices.{size}.asOf: {day!r} is not allowed; expected a day such as 2026-11-22"
