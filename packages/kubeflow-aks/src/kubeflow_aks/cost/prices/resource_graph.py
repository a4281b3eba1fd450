"""Spot prices and eviction bands from Azure Resource Graph, where the Azure CLI is signed in.

The CLI signs the request itself: this program never has a token. Source: spot-vms.md, "Azure Resource Graph".
"""

import json
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, Final

from kubeflow_aks.clients.az import Az, AzError
from kubeflow_aks.cost.figures import EvictionRate, Quote, Range, Source
from kubeflow_aks.cost.prices import bands
from kubeflow_aks.cost.prices.market import HOUR, Origin
from kubeflow_aks.json_values import at, entries

_URL: Final = (
    "https://management.azure.com/providers/Microsoft.ResourceGraph/resources?api-version=2024-04-01"
)
_RATES: Final = "microsoft.compute/skuspotevictionrate/location"
_PRICES: Final = "microsoft.compute/skuspotpricehistory/ostype/location"
_QUERY: Final = (
    "SpotResources | where (type =~ '{rates}') or (type =~ '{prices}' and properties.osType =~ 'linux') "
    "| where sku.name in~ ({sizes}) and location in~ ({regions}) "
    "| project type = tolower(type), size = tolower(tostring(sku.name)), location = tolower(location), "
    "rate = tostring(properties.evictionRate), prices = properties.spotPrices"
)
_WORD: Final = re.compile(r"[A-Za-z0-9_-]+")
SECONDS: Final = 20.0
"""Time limit of one call of `az`."""
_MOST_PAGES: Final = 20


def subscription(az: Az) -> str | None:
    """The subscription that the Azure CLI is signed in to; None where it is missing or not signed in."""
    try:
        return az.run("account", "show", "--query", "id", "--output", "tsv").strip() or None
    except AzError:
        return None


class ResourceGraph(Origin):
    """Data for signed-in users: prices of the last 90 days, evictions of the last 28 days."""

    def __init__(self, signed_in_to: str, currency: str, report: Callable[[str], None], az: Az) -> None:
        """Takes the subscription, the bill's currency (prices are in USD only), and a function for warnings."""
        self._subscription, self._currency, self._report, self._az = signed_in_to, currency, report, az
        self._rates: dict[tuple[str, str], EvictionRate] = {}
        self._prices: dict[tuple[str, str], Quote] = {}
        self._queried: set[tuple[str, str]] = set()
        self._down = False

    def prefetch(self, required: Iterable[tuple[str, str]]) -> None:
        """Queries many sizes at once."""
        new = {
            (size, region)
            for size, region in required
            if _WORD.fullmatch(size) and _WORD.fullmatch(region) and size.lower().startswith("standard_")
        } - self._queried
        if not new or self._down:
            return
        self._queried |= new
        sizes, regions = ({f"'{name.lower()}'" for name in names} for names in zip(*new, strict=True))
        query = _QUERY.format(
            rates=_RATES, prices=_PRICES, sizes=", ".join(sorted(sizes)), regions=", ".join(sorted(regions))
        )
        try:
            # Sources disagree whether a subscription must be named: without first, then with.
            rows = self._rows(query, []) or self._rows(query, [self._subscription])
        except AzError as error:
            self._down = True
            self._report(f"Azure Resource Graph does not answer ({error}); eviction rates are assumed")
            return
        for row in rows:
            self._read(row)

    def spot(self, size: str, region: str) -> Quote | None:
        """The newest spot price, with the least and the most of 90 days."""
        self.prefetch([(size, region)])
        return self._prices.get((size.lower(), region)) if self._currency == "USD" else None

    def evictions(self, size: str, region: str) -> EvictionRate | None:
        """Azure's band."""
        self.prefetch([(size, region)])
        return self._rates.get((size.lower(), region))

    def _rows(self, query: str, subscriptions: list[str]) -> list[dict[str, Any]]:
        rows_of_pages: list[dict[str, Any]] = []
        options: dict[str, Any] = {"resultFormat": "objectArray"}
        for _ in range(_MOST_PAGES):
            body = {
                "query": query,
                "options": options,
                **({"subscriptions": subscriptions} if subscriptions else {}),
            }
            try:
                answer = self._az.json("rest", "--method", "post", "--url", _URL, "--body", json.dumps(body))
            except AzError:
                if subscriptions:
                    raise
                return []
            rows, token = _page(answer)
            rows_of_pages += rows
            if not token:
                return rows_of_pages
            options = {**options, "$skipToken": token}
        raise AzError(f"its answer has more than {_MOST_PAGES} pages")

    def _read(self, row: dict[str, Any]) -> None:
        """Stores the figures of a row; an unreadable row is skipped."""
        key = str(row.get("size")).lower(), str(row.get("location")).lower()
        today = datetime.now(UTC).date()
        if row.get("type") == _RATES:
            try:
                self._rates[key] = bands.rate(
                    str(row.get("rate")), Source("Azure Resource Graph: band of the last 28 days", today)
                )
            except ValueError:
                self._report(
                    f"{key[0]} in {key[1]}: Azure's eviction rate {row.get('rate')!r} can't be read and is not used"
                )
        elif row.get("type") == _PRICES and (prices := _figures(row.get("prices"))):
            self._prices[key] = Quote(
                Range(prices[0], min(prices), max(prices)),
                HOUR,
                Source("Azure Resource Graph: newest price, range of 90 days", today),
            )


def _page(answer: Any) -> tuple[list[dict[str, Any]], Any]:
    """The rows of an answer, and the token of the next page."""
    rows = at(answer, "data")
    if not isinstance(rows, list):
        raise AzError("its answer has no rows")
    return [row for row in entries(rows) if isinstance(row, dict)], at(answer, "$skipToken")


def _figures(history: Any) -> list[float]:
    """The prices of a history, newest first; they come as numbers or as text."""
    prices: list[float] = []
    for entry in entries(history):
        try:
            price = float(entry["priceUSD"])
        except (TypeError, KeyError, ValueError):
            continue
        if 0 < price < float("inf"):
            prices.append(price)
    return prices
