"""Which rows of Azure's price list count: each rule is a mistake that somebody made."""

from datetime import UTC, datetime
from typing import Any

import pytest

from catalogue import Meter, service_price
from cost.prices import meters
from tests.cost.prices.azure import OTHERS, Row, row, spot

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


def test_of_several_prices_the_least_counts_and_all_are_told() -> None:
    assert meters.on_demand([row(price=0.3), row(), row()], *VM) == meters.Found(0.232, (0.232, 0.3))


@pytest.mark.parametrize("price", [float("nan"), float("inf"), -1, None, True, "0.2", [0.2], {}])
def test_what_is_no_price_is_dropped(price: Any) -> None:
    assert meters.on_demand([row(retailPrice=price)], *VM).price is None
    assert meters.on_demand([row(retailPrice=price), row()], *VM) == meters.Found(0.232)


@pytest.mark.parametrize("key", ["type", "armSkuName", "armRegionName"])
def test_a_row_that_lacks_what_it_is_known_by_is_dropped(key: str) -> None:
    assert meters.on_demand([{**row(), key: None}], *VM).price is None


def test_a_row_ends_when_its_price_ends() -> None:
    assert meters.on_demand([row(effectiveEndDate="2026-11-22T00:00:01Z")], *VM).price == 0.232
    assert meters.on_demand([row(effectiveEndDate="2026-11-21T23:59:59Z")], *VM).price is None
    assert meters.on_demand([row(effectiveStartDate="2026-11-22T00:00:01Z")], *VM).price is None
    assert meters.on_demand([row(effectiveStartDate="2026-11-01")], *VM).price == 0.232  # without a time zone
    assert meters.on_demand([row(effectiveEndDate="soon")], *VM).price is None


def service_row(meter: Meter, price: float, **more: Any) -> Row:
    return row(
        "",
        "Global" if meter.everywhere else "westeurope",
        price,
        **{
            "serviceName": meter.service,
            "productName": meter.product or "Some product",
            "skuName": meter.sku or "Some SKU",
            "meterName": meter.name,
            **more,
        },
    )


def known(name: str) -> Meter:
    found = service_price(name, "westeurope").meter
    assert found is not None
    return found


def test_the_first_step_that_is_charged_counts() -> None:
    meter = known("logs")
    rows = [service_row(meter, 2.5, tierMinimumUnits=5000.0), service_row(meter, 0.0)]
    rows += [service_row(meter, 2.99, tierMinimumUnits=5.0)]
    assert meters.service(rows, meter, "westeurope", NOW).price == 2.99


def test_a_load_balancer_is_listed_everywhere_and_not_in_the_region() -> None:
    meter = known("load-balancer")
    rows = [service_row(meter, 0.0313, armRegionName="US Gov"), service_row(meter, 0.025)]
    rows += [service_row(meter, 0.0, meterName=f"{meter.name} - Free")]
    assert meters.service(rows, meter, "westeurope", NOW).price == 0.025


def test_a_disk_is_not_its_mounts_nor_an_unmanaged_disk() -> None:
    meter = known("disk-P10")
    rows = [
        service_row(meter, 1.31, meterName="P10 LRS Disk Mount"),
        service_row(meter, 1.0, productName="Premium Page Blob"),
        service_row(meter, 32.52, skuName="P10 ZRS"),
    ]
    assert meters.service(rows, meter, "westeurope", NOW).price is None
    assert meters.service([*rows, service_row(meter, 21.68)], meter, "westeurope", NOW).price == 21.68


def test_the_free_tier_of_aks_is_not_the_standard_one() -> None:
    meter = known("control-plane-standard")
    free = service_row(
        meter, 0.05, skuName="FreeTierInfrastructureCost", meterName="FreeTierInfrastructureCost Uptime SLA"
    )
    assert meters.service([free], meter, "westeurope", NOW).price is None
