"""Which rows of Azure's price list are the price of a Linux VM, of a spot VM, of a service.

The list mixes what one size costs under several names; each rule prevents a known mistake
(docs/facts/prices.md#azures-price-list).
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from aks_facts import Meter
from kubeflow_aks.json_values import entries, text

Row = Mapping[str, Any]
_OTHER_PRODUCTS: Final = ("Cloud Services", "CloudServices", "Dedicated Host")
_SPOT: Final = "Spot"
_AS_YOU_GO: Final = "Consumption"
_TERM: Final = re.compile(r"([1-9]) Years?")
_HOURS_A_YEAR: Final = 8760
_BATCH_ONLY: Final = "Low Priority"
_UNITS: Final = {
    "hour": {"1 Hour", "1/Hour"},
    "day": {"1 Day", "1/Day"},
    "month": {"1 Month", "1/Month"},
    "GB": {"1 GB"},
    "GB a month": {"1 GB/Month"},
}
"""How the list writes the units of `aks_facts/service_prices.csv`; another one would be another price."""


@dataclass(frozen=True)
class Found:
    """The least price of those that remained, None where none did; all of them where they differ."""

    price: float | None
    several: tuple[float, ...] = ()


def on_demand(rows: Iterable[Row], size: str, region: str, now: datetime) -> Found:
    """An hour of a Linux VM."""
    return _least(row for row in _vm(rows, size, region, now) if not _is(row, _SPOT))


def spot(rows: Iterable[Row], size: str, region: str, now: datetime) -> Found:
    """An hour of a Linux spot VM: `Spot` is in both names (spot-vms.md, "Pricing")."""
    return _least(
        row
        for row in _vm(rows, size, region, now)
        if _SPOT in text(row.get("skuName")) and _SPOT in text(row.get("meterName"))
    )


def savings_plans(rows: Iterable[Row], size: str, region: str, now: datetime) -> Mapping[int, float]:
    """An hour of a Linux VM by the years of a savings plan: it stands in the row of the price on demand."""
    dear = [row for row in _vm(rows, size, region, now) if not _is(row, _SPOT)]
    plans: list[Row] = [it for row in dear for it in entries(row.get("savingsPlan")) if isinstance(it, dict)]
    return _by_years((text(plan.get("term")), _number(plan, "retailPrice")) for plan in plans)


def reservations(rows: Iterable[Row], size: str, region: str, now: datetime) -> Mapping[int, float]:
    """An hour of a reserved VM by the years of the term, of whose price in all it is a part."""
    prices = [
        (text(row.get("reservationTerm")), _number(row, "retailPrice"))
        for row in _vm(rows, size, region, now, "Reservation")
    ]
    return {years: price / years / _HOURS_A_YEAR for years, price in _by_years(prices).items()}


def _by_years(prices: Iterable[tuple[str, float]]) -> dict[int, float]:
    """The least price of each term that is read; `3 Years` and `3 Year` both occur."""
    by_years: dict[int, float] = {}
    for term, price in prices:
        if price > 0 and (years := _TERM.fullmatch(term)):
            by_years[int(years[1])] = min(price, by_years.get(int(years[1]), price))
    return by_years


def service(rows: Iterable[Row], meter: Meter, unit: str, region: str, now: datetime) -> Found:
    """A service: the first step that is charged, where the price has steps; the first GB of logs are free."""
    where = "Global" if meter.everywhere else region
    right = [
        row
        for row in rows
        if _holds(row, now)
        and text(row.get("armRegionName")) == where
        and text(row.get("meterName")) == meter.name
        and text(row.get("unitOfMeasure")) in _UNITS[unit]
        and meter.product in {"", text(row.get("productName"))}
        and meter.sku in {"", text(row.get("skuName"))}
        and _number(row, "retailPrice") > 0
    ]
    first = min((_number(row, "tierMinimumUnits") for row in right), default=0.0)
    return _least(row for row in right if _number(row, "tierMinimumUnits") == first)


def _vm(rows: Iterable[Row], size: str, region: str, now: datetime, kind: str = _AS_YOU_GO) -> list[Row]:
    """Rows of that size on Linux of one kind: no Windows, no Cloud Services, no Batch, nothing free."""
    return [
        row
        for row in rows
        if _holds(row, now, kind)
        and text(row.get("armSkuName")) == size
        and text(row.get("unitOfMeasure")) in _UNITS["hour"]
        and text(row.get("armRegionName")) == region
        and " Win" not in text(row.get("productName"))
        and not any(word in text(row.get("productName")) for word in _OTHER_PRODUCTS)
        and not _is(row, _BATCH_ONLY)
        and _number(row, "retailPrice") > 0
    ]


def _holds(row: Row, now: datetime, kind: str = _AS_YOU_GO) -> bool:
    """Whether a row is of that kind and holds today; a reservation's says `1 Hour` too, for its whole term."""
    if text(row.get("type")) != kind:
        return False
    begin, end = text(row.get("effectiveStartDate")), text(row.get("effectiveEndDate"))
    return not (begin and _moment(begin) > now) and not (end and _moment(end) < now)


def _is(row: Row, word: str) -> bool:
    return word in text(row.get("skuName")) or word in text(row.get("meterName"))


def _least(rows: Iterable[Row]) -> Found:
    prices = sorted({_number(row, "retailPrice") for row in rows})
    return Found(prices[0] if prices else None, tuple(prices) if len(prices) > 1 else ())


def _number(row: Row, key: str) -> float:
    """A figure, 0 where it is missing: such a row is dropped."""
    value = row.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return 0.0


def _moment(day: str) -> datetime:
    """Parses a date of the price list; an unreadable one counts as long past."""
    try:
        moment = datetime.fromisoformat(day)
    except ValueError:
        return datetime(1970, 1, 1, tzinfo=UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
