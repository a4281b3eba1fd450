"""Which rows of Azure's price list count: each rule prevents a known mistake."""

from datetime import UTC, datetime
from typing import Any

import pytest

from aks_facts import service_price
from kubeflow_aks.cost.prices import meters
from tests.cost.prices.azure import OTHERS, Row, row, service_row, spot

NOW = datetime(2026, 11, 22, tzinfo=UTC)
VM = ("Standard_D4s_v3", "uksouth", NOW)


def test_of_all_rows_only_two_are_prices_of_a_linux_vm() -> None:
    rows = [*OTHERS, row(), spot()]
    assert meters.on_demand(rows, *VM) == meters.Found(0.232)
    assert meters.spot(rows, *VM) == meters.Found(0.0487)


@pytest.mark.parametrize("other", OTHERS, ids=lambda other: f"{other['productName']} {other['retailPrice']}")
def test_no_other_row_is_a_price(other: Row) -> None:
    assert meters.on_demand([other], *VM).price is None
    assert meters.spot([other], *VM).price is None


@pytest.mark.parametrize("name", ["skuName", "meterName"])
def test_spot_stands_in_both_names(name: str) -> None:
    half = {**row(), name: "D4s v3 Spot"}
    assert meters.spot([half], *VM).price is None
    assert meters.on_demand([half], *VM).price is None  # and what is half spot is not on demand either


def test_of_several_prices_the_least_counts_and_all_are_reported() -> None:
    assert meters.on_demand([row(price=0.3), row(), row()], *VM) == meters.Found(0.232, (0.232, 0.3))


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -1, None, True, "0.2", [0.2], {}])
def test_what_is_no_price_is_dropped(odd: Any) -> None:
    assert meters.on_demand([row(retailPrice=odd)], *VM).price is None
    assert meters.on_demand([row(retailPrice=odd), row()], *VM) == meters.Found(0.232)


@pytest.mark.parametrize("key", ["type", "armSkuName", "armRegionName", "unitOfMeasure"])
def test_a_row_that_lacks_what_it_is_known_by_is_dropped(key: str) -> None:
    assert meters.on_demand([{**row(), key: None}], *VM).price is None


def test_a_row_ends_when_its_price_ends() -> None:
    assert meters.on_demand([row(effectiveEndDate="2026-11-22T00:00:01Z")], *VM).price == 0.232
    assert meters.on_demand([row(effectiveEndDate="2026-11-21T23:59:59Z")], *VM).price is None
    assert meters.on_demand([row(effectiveStartDate="2026-11-22T00:00:01Z")], *VM).price is None
    assert meters.on_demand([row(effectiveStartDate="2026-11-01")], *VM).price == 0.232  # without a time zone
    assert meters.on_demand([row(effectiveEndDate="soon")], *VM).price is None


def price(name: str, *rows: Row) -> float | None:
    listed = service_price(name, "westeurope")
    assert listed.meter is not None
    return meters.service(rows, listed.meter, listed.unit, "westeurope", NOW).price


def test_the_first_step_that_is_charged_counts() -> None:
    steps = [(2.5, 5000.0), (0.0, 0.0), (2.99, 5.0)]
    assert price("logs", *(_row("logs", usd, tierMinimumUnits=begin) for usd, begin in steps)) == 2.99


def test_a_load_balancer_is_listed_everywhere_and_not_in_the_region() -> None:
    name = "load-balancer"
    rows = [
        _row(name, 0.0313, armRegionName="US Gov"),
        _row(name, 0.025),
        _row(name, 0.0, meterName="Standard Included LB Rules and Outbound Rules - Free"),
    ]
    assert price(name, *rows) == 0.025


def test_a_disk_is_not_its_mounts_nor_an_unmanaged_disk() -> None:
    name = "disk-P10"
    rows = [
        _row(name, 1.31, meterName="P10 LRS Disk Mount"),
        _row(name, 1.0, productName="Premium Page Blob"),
        _row(name, 32.52, skuName="P10 ZRS"),
    ]
    assert price(name, *rows) is None
    assert price(name, *rows, _row(name, 21.68)) == 21.68


def test_the_free_tier_of_aks_is_not_the_standard_one() -> None:
    free = {"skuName": "FreeTierInfrastructureCost", "meterName": "FreeTierInfrastructureCost Uptime SLA"}
    assert price("control-plane-standard", _row("control-plane-standard", 0.05, **free)) is None


def test_a_price_for_something_else_than_expected_is_no_price() -> None:
    assert price("logs", _row("logs", 230.0, unitOfMeasure="100 GB")) is None
    assert price("blob-hot-lrs", _row("blob-hot-lrs", 0.02)) == 0.02
    assert price("blob-hot-lrs", _row("blob-hot-lrs", 0.02, unitOfMeasure="1 GB")) is None
    assert price("registry-basic", _row("registry-basic", 0.1666)) == 0.1666


def _row(name: str, usd: float, **more: Any) -> Row:
    return service_row(name, "westeurope", usd, **more)


PLANS = [
    {"unitPrice": 0.11, "retailPrice": 0.11, "term": "3 Years"},
    {"unitPrice": 0.16, "retailPrice": 0.16, "term": "1 Year"},
    {"retailPrice": 0.0, "term": "5 Years"},
    {"retailPrice": 0.1, "term": "a while"},
    None,
]
"""Savings plans as "Azure Retail Prices overview" has them, and what is none."""


def test_a_savings_plan_stands_beside_the_price_on_demand() -> None:
    windows = row(
        productName="Virtual Machines DSv3 Series Windows",
        savingsPlan=[{"retailPrice": 0.01, "term": "1 Year"}],
    )
    rows = [
        row(savingsPlan=PLANS),
        windows,
        spot(savingsPlan=[{"retailPrice": 0.001, "term": "1 Year"}]),
        *OTHERS,
    ]
    assert meters.savings_plans(rows, "Standard_D4s_v3", "uksouth", NOW) == {1: 0.16, 3: 0.11}
    assert meters.savings_plans([row(savingsPlan="none")], "Standard_D4s_v3", "uksouth", NOW) == {}


def test_a_reservation_costs_its_price_over_all_hours_of_its_term() -> None:
    rows = [
        row(),
        row(price=1200.0, type="Reservation", reservationTerm="1 Year"),
        row(price=2257.0, type="Reservation", reservationTerm="3 Years"),
        row(price=1.0, type="Reservation"),
        row("Standard_D8s_v3", price=1.0, type="Reservation", reservationTerm="1 Year"),
    ]
    reserved = meters.reservations(rows, "Standard_D4s_v3", "uksouth", NOW)
    assert reserved == {1: pytest.approx(1200 / 8760), 3: pytest.approx(2257 / 26280)}
