"""Requests to Azure's price list: pages, retries, and answers that are no price list."""

import errno
import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kubeflow_aks.cost.prices import price_list
from kubeflow_aks.cost.prices.price_list import NoAnswerError, PriceList, same_host
from tests.cost.prices.azure import Azure, row

WHERE = "serviceName eq 'Virtual Machines' and armRegionName eq 'uksouth'"


class Clock:
    """A clock that moves when the client sleeps."""

    def __init__(self) -> None:
        self.now, self.slept = datetime(2026, 11, 22, 16, 40, tzinfo=UTC), list[float]()

    def sleep(self, seconds: float) -> None:
        """Waits for nothing."""
        self.slept.append(seconds)

    def list(self, address: str, currency: str = "USD") -> PriceList:
        """A price list that goes by this clock."""
        return PriceList(currency, address, now=lambda: self.now, sleep=self.sleep)


def test_every_page_is_read(azure: Azure, address: str) -> None:
    azure.rows, azure.page = [row(price=number + 1.0) for number in range(25)], 10
    requested, rows = Clock().list(address).rows(WHERE)
    assert [one["retailPrice"] for one in rows] == [number + 1.0 for number in range(25)]
    assert len(azure.requests) == 3
    assert requested == Clock().now


def test_pages_end_somewhere(azure: Azure, address: str) -> None:
    azure.page = 0
    with pytest.raises(NoAnswerError, match="more than 20 pages"):
        Clock().list(address).rows(WHERE)


@pytest.mark.parametrize(
    "there",
    [
        "http://prices.example/api/retail/prices?$skip=1",
        "file:///etc/passwd",
        "http://127.0.0.1:0/",
        "http://[",
        7,
    ],
)
def test_the_next_page_is_on_the_same_host(azure: Azure, address: str, there: str) -> None:
    azure.next_page = there
    with pytest.raises(NoAnswerError, match="somewhere else"):
        Clock().list(address).rows(WHERE)
    assert len(azure.requests) == 1


def test_azure_names_the_port_of_https_in_its_links() -> None:
    assert same_host("https://prices.azure.com:443/api", "https://prices.azure.com/api")
    assert not same_host("http://prices.azure.com/api", "https://prices.azure.com/api")
    assert not same_host("https://[", "https://[")


@pytest.mark.parametrize("status", [429, 503])
def test_a_limit_is_waited_for_as_long_as_azure_asks(azure: Azure, address: str, status: int) -> None:
    azure.faults = [(status, {"Retry-After": "2"}, b""), (status, {}, b"")]
    clock = Clock()
    assert len(clock.list(address).rows(WHERE)[1]) == len(
        [one for one in azure.rows if one["armRegionName"] == "uksouth"]
    )
    assert clock.slept == [2.0, 1.0]


def test_no_bill_waits_for_minutes(azure: Azure, address: str) -> None:
    azure.faults = [(429, {"Retry-After": "3600"}, b"")]
    clock = Clock()
    with pytest.raises(NoAnswerError, match="requests a pause of 3600 s"):
        clock.list(address).rows(WHERE)
    azure.faults = [(429, {"Retry-After": "2"}, b"")] * 3
    with pytest.raises(NoAnswerError, match="requests a pause of 2 s"):
        clock.list(address).rows(WHERE)
    assert clock.slept == [2.0, 2.0]


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (500, b"", "answers 500"),
        (404, b"", "answers 404"),
        (302, b"", "answers 302"),
        (200, b"<html>", "no JSON"),
        (200, b"\xff\xfe", "no JSON"),
        (200, b"[" * 100_000, "no JSON"),
        (200, b"[]", "no object"),
        (200, b"{}", "no rows"),
        (200, b'{"Items": [1]}', "no rows"),
        (200, b'{"Items": [], "BillingCurrency": "GBP"}', "in GBP, not in USD"),
    ],
)
def test_what_is_no_price_list_is_no_answer(
    azure: Azure, address: str, status: int, body: bytes, why: str
) -> None:
    azure.faults = [(status, {"Location": "http://127.0.0.1:1/"}, body)]
    with pytest.raises(NoAnswerError, match=why):
        Clock().list(address).rows(WHERE)


def test_a_slow_answer_is_no_answer(azure: Azure, address: str) -> None:
    azure.delay = 0.3
    with pytest.raises(NoAnswerError, match="timed out"):
        PriceList("USD", address, seconds=0.05).rows(WHERE)


@pytest.mark.parametrize(("limit", "most"), [("_MOST_BYTES", 100), ("_MOST_SECONDS", -1.0)])
def test_an_answer_without_end_is_no_answer(
    azure: Azure, address: str, monkeypatch: pytest.MonkeyPatch, limit: str, most: float
) -> None:
    monkeypatch.setattr(f"kubeflow_aks.cost.prices.price_list.{limit}", most)
    with pytest.raises(NoAnswerError, match="too long, or comes too slowly"):
        Clock().list(address).rows(WHERE)
    assert len(azure.requests) == 1


def test_no_server_is_no_answer() -> None:
    with pytest.raises(NoAnswerError, match="refused"):
        Clock().list("http://127.0.0.1:1/api").rows(WHERE)


@pytest.mark.parametrize("address", ["http://prices.azure.com/api", "ftp://127.0.0.2/", "prices.azure.com"])
def test_azure_is_queried_by_https_alone(address: str) -> None:
    with pytest.raises(ValueError, match=r"prices|127"):
        PriceList("USD", address)


def test_an_answer_is_kept_for_an_hour_with_its_time(azure: Azure, address: str) -> None:
    clock = Clock()
    first = clock.list(address).rows(WHERE)
    begin = clock.now
    clock.now = begin + timedelta(minutes=59)
    assert clock.list(address).rows(WHERE) == first
    assert len(azure.requests) == 1
    assert clock.list(address, "GBP").rows(WHERE) != first  # another currency is another question
    clock.now = begin + timedelta(minutes=61)
    assert clock.list(address).rows(WHERE)[0] == clock.now
    clock.now = begin - timedelta(minutes=1)  # a clock that was put back
    assert clock.list(address).rows(WHERE)[0] == clock.now


def test_no_answer_is_not_kept(azure: Azure, address: str) -> None:
    azure.faults = [(500, {}, b"")]
    with pytest.raises(NoAnswerError):
        Clock().list(address).rows(WHERE)
    assert Clock().list(address).rows(WHERE)[1]


def test_what_another_user_may_have_written_is_not_read(
    azure: Azure, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Clock().list(address).rows(WHERE)
    (file,) = price_list.folder().iterdir()
    assert stat.S_IMODE(price_list.folder().stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o622)
    Clock().list(address).rows(WHERE)
    assert len(azure.requests) == 2
    price_list.folder().chmod(0o777)
    Clock().list(address).rows(WHERE)
    assert len(azure.requests) == 3
    price_list.folder().chmod(0o700)
    monkeypatch.setattr("os.getuid", lambda: 12345)
    Clock().list(address).rows(WHERE)
    assert len(azure.requests) == 4


@pytest.mark.parametrize("text", ["", "{}", "[" * 100_000, json.dumps({"time": "x", "rows": []})])
def test_a_bad_cached_answer_is_queried_again(azure: Azure, address: str, text: str) -> None:
    Clock().list(address).rows(WHERE)
    (file,) = price_list.folder().iterdir()
    file.write_text(text, encoding="utf-8")
    assert Clock().list(address).rows(WHERE)[1]
    assert len(azure.requests) == 2


def test_a_home_that_cannot_be_written_costs_no_bill(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert Clock().list(address).rows(WHERE)[1]


def test_a_disk_that_is_full_keeps_no_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    price_list.store("question", datetime.now(UTC), [])
    monkeypatch.setattr(Path, "replace", full)
    price_list.store("another", datetime.now(UTC), [])
    assert len(list(price_list.folder().iterdir())) == 1


def test_who_has_no_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    price_list.store("question", datetime.now(UTC), [])
    assert price_list.load("question", datetime.now(UTC)) is None
