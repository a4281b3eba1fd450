"""Single spot prices that somebody published, with their day: `aks_facts/quoted_spot_prices.csv`."""

from dataclasses import dataclass
from datetime import date
from functools import cache

from aks_facts._table import rows


@dataclass(frozen=True)
class QuotedSpotPrice:
    """One price.

    Attributes:
        usd: per hour.
        day: on which it held.
        source: where it is printed.
    """

    usd: float
    day: date
    source: str


def quoted_spot_price(size: str, region: str) -> QuotedSpotPrice | None:
    """The youngest price of that size and region, or None."""
    points = _points().get((size, region), [])
    return max(points, key=lambda point: point.day, default=None)


def quoted_sizes(region: str) -> tuple[str, ...]:
    """The sizes that have a price there."""
    return tuple(size for size, there in _points() if there == region)


@cache
def _points() -> dict[tuple[str, str], list[QuotedSpotPrice]]:
    points: dict[tuple[str, str], list[QuotedSpotPrice]] = {}
    for row in rows("quoted_spot_prices"):
        point = QuotedSpotPrice(float(row["usd"]), date.fromisoformat(row["day"]), row["source"])
        points.setdefault((row["size"], row["region"]), []).append(point)
    return points


def assumed_spot_share(*, gpus: bool) -> float:
    """Share of the price on demand that is assumed for spot where nobody knows better.

    Medians of three regions in August 2026 (docs/facts/prices.md#spot-prices).
    """
    return 0.34 if gpus else 0.21
