"""Azure's Retail Prices API, which needs no sign-in: requests, pages, retries ("Azure Retail Prices overview")."""

import hashlib
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.message import Message
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, Final, cast

from kubeflow_aks.clients.addresses import NO_REDIRECTS
from kubeflow_aks.ownership import is_only_ours
from kubeflow_aks.text.files import write_whole
from kubeflow_aks.tools.places import cache

ADDRESS: Final = "https://prices.azure.com/api/retail/prices"
_VERSION: Final = "2023-01-01-preview"
_SECONDS: Final = 2.0
_PATIENCE: Final = 5.0
_MOST_PAGES: Final = 20
_MOST_BYTES: Final = 20_000_000
_MOST_SECONDS: Final = 10.0
_CHUNK: Final = 65_536
_TOO_MANY: Final = 429
_UNAVAILABLE: Final = 503
_PORTS: Final = {"https": 443, "http": 80}


_LONGEST: Final = timedelta(hours=1)


class NoAnswerError(Exception):
    """Azure does not answer, or not with a price list; the text has the reason."""


class PriceList:
    """The list in one currency."""

    def __init__(
        self,
        currency: str,
        address: str = ADDRESS,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], None] = time.sleep,
        patience: float = _PATIENCE,
        seconds: float = _SECONDS,
        stored: bool = True,
    ) -> None:
        """Takes the currency's ISO code and the address; http is for stand-ins on this machine.

        Args:
            currency: ISO code of every price.
            address: of the list.
            now: the time.
            sleep: waits.
            patience: seconds to wait in all for Retry-After.
            seconds: time limit for an answer to begin, and to go on.
            stored: whether answers are cached.
        """
        parts = urllib.parse.urlsplit(address)
        if parts.scheme != "https" and parts.hostname != "127.0.0.1":
            raise ValueError(address)
        self.currency, self.now = currency, now
        self._address, self._sleep, self._waited = address, sleep, 0.0
        self._patience, self._seconds, self._stored = patience, seconds, stored

    def rows(self, where: str) -> tuple[datetime, list[Mapping[str, Any]]]:
        """Every row that matches, and when Azure was queried: just now, or less than an hour ago.

        `where` is an OData filter; its values are case-sensitive.

        Raises:
            NoAnswerError: there is no answer, or one that can't be read.
        """
        question = urllib.parse.urlencode(
            {"api-version": _VERSION, "currencyCode": f"'{self.currency}'", "$filter": where},
            quote_via=urllib.parse.quote,
        )
        address, time = f"{self._address}?{question}", self.now()
        if self._stored and (before := load(address, time)):
            return before
        rows = self._pages(address)
        if self._stored:
            store(address, time, rows)
        return time, rows

    def _pages(self, address: str) -> list[Mapping[str, Any]]:
        rows: list[Mapping[str, Any]] = []
        following = address
        for _ in range(_MOST_PAGES):
            page = self._page(following)
            items: Any = page.get("Items")
            if not isinstance(items, list) or not all(
                isinstance(item, dict) for item in cast(list[Any], items)
            ):
                raise NoAnswerError("its answer has no rows")
            if page.get("BillingCurrency") != self.currency:
                raise NoAnswerError(f"its answer is in {page.get('BillingCurrency')}, not in {self.currency}")
            rows += cast(list[Mapping[str, Any]], items)
            following = page.get("NextPageLink")
            if not following:
                return rows
            if not isinstance(following, str) or not same_host(following, self._address):
                raise NoAnswerError("its next page is somewhere else")
        raise NoAnswerError(f"its answer has more than {_MOST_PAGES} pages")

    def _page(self, address: str) -> dict[str, Any]:
        while True:
            request = urllib.request.Request(address, headers={"User-Agent": "kubeflow-aks"})  # noqa: S310 - checked
            try:
                with NO_REDIRECTS.open(request, timeout=self._seconds) as answer:
                    text = _read(answer)
            except urllib.error.HTTPError as refused:
                refused.close()
                if refused.code not in {_TOO_MANY, _UNAVAILABLE}:
                    raise NoAnswerError(f"it answers {refused.code}") from None
                self._wait(refused.code, refused.headers)
                continue
            except (OSError, HTTPException, ValueError) as error:
                raise NoAnswerError(str(getattr(error, "reason", error)) or type(error).__name__) from None
            try:
                page: Any = json.loads(text)
            except (ValueError, RecursionError):
                raise NoAnswerError("its answer is no JSON") from None
            if not isinstance(page, dict):
                raise NoAnswerError("its answer is no object")
            return cast(dict[str, Any], page)

    def _wait(self, code: int, headers: Message) -> None:
        """Waits as long as Azure requests, up to the limit for one bill."""
        after = headers.get("Retry-After", "1")
        pause = max(float(after), 0.1) if after.isdecimal() else 1.0
        if self._waited + pause > self._patience:
            raise NoAnswerError(f"it answers {code} and requests a pause of {pause:.0f} s")
        self._waited += pause
        self._sleep(pause)


def _read(answer: HTTPResponse) -> bytes:
    """All of an answer, unless it is too long or comes too slowly."""
    begin, content = time.monotonic(), bytearray()
    while chunk := answer.read1(_CHUNK):
        content += chunk
        if len(content) > _MOST_BYTES or time.monotonic() - begin > _MOST_SECONDS:
            raise NoAnswerError("its answer is too long, or comes too slowly")
    return bytes(content)


def same_host(one: str, other: str) -> bool:
    """Whether scheme, name and port agree; Azure's own links name the port that https has anyway."""
    return (here := _host(one)) is not None and here == _host(other)


def _host(address: str) -> tuple[str, str | None, int | None] | None:
    try:
        parts = urllib.parse.urlsplit(address)
        return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None


def folder() -> Path:
    """The folder of the cache."""
    return cache() / "prices"


def load(question: str, now: datetime) -> tuple[datetime, list[Mapping[str, Any]]] | None:
    """The answer to a query and its time; None where there is none that is recent enough and written by this user."""
    try:
        file = _file(question)
        if not is_only_ours(file.parent) or not is_only_ours(file):
            return None
        content: Any = json.loads(file.read_text(encoding="utf-8"))
        time, rows = datetime.fromisoformat(content["time"]), content["rows"]
        if not isinstance(rows, list) or not now - _LONGEST <= time <= now:
            return None
    except (OSError, RuntimeError, ValueError, TypeError, KeyError):
        return None  # RuntimeError: a user without a home, JSON that is too deep
    return time, [row for row in cast(list[Any], rows) if isinstance(row, dict)]


def store(question: str, time: datetime, rows: list[Mapping[str, Any]]) -> None:
    """Stores an answer; if that fails, the next bill queries again."""
    text = json.dumps({"time": time.astimezone(UTC).isoformat(), "rows": rows})
    with suppress(OSError, RuntimeError):  # RuntimeError: a user without a home
        file = _file(question)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_only_ours(file.parent):
            write_whole(file, text, mode=0o600)


def _file(question: str) -> Path:
    return folder() / f"{hashlib.sha256(question.encode()).hexdigest()}.json"
