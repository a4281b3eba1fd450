"""Renewing the repository's list prices from Azure's price list."""

from __future__ import annotations

import runpy
import shutil
from datetime import date
from functools import partial
from pathlib import Path

import pytest

from aks_facts import PRICES_FILE
from kubeflow_aks.cost.prices import renewal
from kubeflow_aks.cost.prices.price_list import PriceList
from kubeflow_aks.cost.prices.renewal import NoPricesError, changes, renewed, text
from kubeflow_aks.exit_codes import ExitCode
from tests.cost.prices.azure import OTHERS, Azure, row, spot

SIZES = ("Standard_D4s_v3", "Standard_New")
REGIONS = ("ukwest", "uksouth")


@pytest.fixture
def prices(azure: Azure, address: str) -> dict[str, dict[str, float]]:
    """Those that a list has in which all stands that is no price of a Linux VM on demand."""
    azure.rows = [row(price=0.2419999), spot(), *OTHERS]
    now = renewed(partial(PriceList, "USD", address, stored=False), SIZES, REGIONS)
    return {size: dict(by_region) for size, by_region in now.items()}


def test_prices_are_those_of_linux_on_demand(prices: dict[str, dict[str, float]]) -> None:
    assert prices == {"Standard_D4s_v3": {"ukwest": 0.1, "uksouth": 0.2419999}, "Standard_New": {}}


def test_the_file_is_read_as_it_was_written(prices: dict[str, dict[str, float]], tmp_path: Path) -> None:
    file = tmp_path / PRICES_FILE.name
    file.write_text(text(prices, REGIONS, date(2027, 1, 2)), encoding="utf-8")
    assert file.read_text(encoding="utf-8").splitlines()[-2:] == [
        "name,uksouth,ukwest",
        "Standard_D4s_v3,0.242,0.1",
    ]
    copied = runpy.run_path(str(shutil.copy(PRICES_FILE.with_name("prices.py"), tmp_path)))
    assert dict(copied["ondemand_prices"]("Standard_D4s_v3")) == {"uksouth": 0.242, "ukwest": 0.1}
    assert (copied["PRICES_READ"], copied["INCOMPLETE"]) == (date(2027, 1, 2), frozenset())


def test_what_changes_is_counted(prices: dict[str, dict[str, float]]) -> None:
    assert list(changes(prices, REGIONS)) == [
        "prices: 2",
        "new: 0",
        "no longer listed: 0",
        "other than before: 2",
        "without any price: Standard_New",
    ]


def test_a_list_that_is_not_whole_is_refused() -> None:
    message = r"^the price list lacks 1 of the 2 prices of 2026-06-18$"
    with pytest.raises(NoPricesError, match=message):
        list(changes({"Standard_D4s_v3": {"uksouth": 0.232}}, REGIONS))


def test_without_an_answer_the_file_stays(
    azure: Azure, address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(renewal, "vm_sizes", lambda: SIZES)
    before = PRICES_FILE.read_bytes()
    azure.faults = [(500, {}, b"")] * 3
    assert renewal.main(address) is ExitCode.INCONCLUSIVE
    assert PRICES_FILE.read_bytes() == before
    shown = capsys.readouterr()
    assert "Azure's price list does not answer (it answers 500)" in shown.err
    assert shown.out == ""
