"""Spot prices and eviction bands from Azure Resource Graph, where the Azure CLI is signed in.

The CLI signs the request itself: no token comes into our hands. Source: spot-vms.md, "Azure Resource Graph".
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, cast

from cost.figures import EvictionRate, Quote, Range, Source
from cost.prices import bands
from cost.prices.origin import HOUR, Silent

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
_TOKEN: Final = re.compile(r"(?i)bearer\s+\S+|eyJ[\w.-]{10,}")
"""What looks like a token of Entra: the CLI's own errors have none, those of a proxy between may."""
_SECONDS: Final = 20
_MOST_PAGES: Final = 20

Az = Callable[[Sequence[str]], str]


class AzError(Exception):
    """The Azure CLI fails; the text is its last line."""


def az(arguments: Sequence[str]) -> str:
    """What the Azure CLI prints.

    Raises:
        AzError: it fails, or takes too long.
    """
    try:
        answer = subprocess.run(  # noqa: S603 - no shell, own words
            ["az", *arguments],  # noqa: S607 - found as the user's shell finds it
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise AzError(f"no answer within {_SECONDS} s") from None
    except (OSError, UnicodeDecodeError) as error:
        raise AzError(str(error)) from None
    if answer.returncode:
        raise AzError(_TOKEN.sub("[secret]", (answer.stderr.strip().splitlines() or ["no word"])[-1]))
    return answer.stdout


def subscription(ask: Az = az) -> str | None:
    """The subscription that the Azure CLI is signed in to; None where it is not there or not signed in."""
    if ask is az and shutil.which("az") is None:
        return None
    try:
        return ask(["account", "show", "--query", "id", "--output", "tsv"]).strip() or None
    except AzError:
        return None


class ResourceGraph(Silent):
    """What Azure tells those who are signed in: the last 90 days of prices, evictions of the last 28 days."""

    def __init__(self, signed_in_to: str, currency: str, report: Callable[[str], None], ask: Az = az) -> None:
        """Takes the subscription, the bill's currency (prices are in USD only), and who is told of failures."""
        self._subscription, self._currency, self._report, self._az = signed_in_to, currency, report, ask
        self._rates: dict[tuple[str, str], EvictionRate] = {}
        self._prices: dict[tuple[str, str], Quote] = {}
        self._asked: set[tuple[str, str]] = set()
        self._down = False

    def prepare(self, ahead: Iterable[tuple[str, str]]) -> None:
        """Asks for many sizes at once."""
        wanted = {
            (size, region)
            for size, region in ahead
            if _WORD.fullmatch(size) and _WORD.fullmatch(region) and size.lower().startswith("standard_")
        } - self._asked
        if not wanted or self._down:
            return
        self._asked |= wanted
        sizes, regions = ({f"'{name.lower()}'" for name in names} for names in zip(*wanted, strict=True))
        query = _QUERY.format(
            rates=_RATES, prices=_PRICES, sizes=", ".join(sorted(sizes)), regions=", ".join(sorted(regions))
        )
        try:
            # Sources disagree whether a subscription must be named: without first, then with.
            rows = self._rows(query, []) or self._rows(query, [self._subscription])
        except AzError as error:
            self._down = True
            self._report(f"Azure Resource Graph does not answer ({error}); eviction rates are not asked for")
            return
        for row in rows:
            self._take(row)

    def spot(self, size: str, region: str) -> Quote | None:
        """The newest spot price, with the least and the most of 90 days."""
        self.prepare([(size, region)])
        return self._prices.get((size.lower(), region)) if self._currency == "USD" else None

    def evictions(self, size: str, region: str) -> EvictionRate | None:
        """Azure's band."""
        self.prepare([(size, region)])
        return self._rates.get((size.lower(), region))

    def _rows(self, query: str, subscriptions: list[str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        options: dict[str, Any] = {"resultFormat": "objectArray"}
        for _ in range(_MOST_PAGES):
            body = {
                "query": query,
                "options": options,
                **({"subscriptions": subscriptions} if subscriptions else {}),
            }
            try:
                text = self._az(
                    [
                        "rest",
                        "--method",
                        "post",
                        "--url",
                        _URL,
                        "--body",
                        json.dumps(body),
                        "--output",
                        "json",
                    ]
                )
            except AzError:
                if subscriptions:
                    raise
                return []
            rows, token = _page(text)
            found += rows
            if not token:
                return found
            options = {**options, "$skipToken": token}
        raise AzError(f"its answer has more than {_MOST_PAGES} pages")

    def _take(self, row: dict[str, Any]) -> None:
        """Keeps what a row says; one that can't be read says nothing."""
        key, today = (
            (str(row.get("size")).lower(), str(row.get("location")).lower()),
            datetime.now(UTC).date(),
        )
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


def _page(text: str) -> tuple[list[dict[str, Any]], Any]:
    """The rows of an answer, and the token of the next page."""
    try:
        answer: Any = json.loads(text)
        rows, token = answer["data"], answer.get("$skipToken")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise AzError("its answer has no rows") from None
    if not isinstance(rows, list):
        raise AzError("its answer has no rows")
    return [row for row in cast(list[Any], rows) if isinstance(row, dict)], token


def _figures(history: Any) -> list[float]:
    """The prices of a history, newest first; they come as numbers or as text."""
    found: list[float] = []
    for entry in cast(list[Any], history) if isinstance(history, list) else []:
        try:
            price = float(entry["priceUSD"])
        except (TypeError, KeyError, ValueError):
            continue
        if 0 < price < float("inf"):
            found.append(price)
    return found
