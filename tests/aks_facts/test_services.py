"""Prices of services and disks, and published spot prices, as the catalogue has them."""

from datetime import date
from itertools import pairwise

import pytest

from aks_facts import ondemand_prices, os_disk, priced_regions, regions, service_price, services, vm_size
from aks_facts._table import rows


def test_no_region_has_two_prices_of_one_service() -> None:
    cells = [(row["meter"], region) for row in rows("service_prices") for region in row["regions"].split()]
    assert len(cells) == len(set(cells))


def test_every_region_is_one() -> None:
    named = {region for row in rows("service_prices") for region in row["regions"].split()}
    assert named <= {"*", *regions(), *priced_regions()}


def test_every_price_has_a_figure_a_unit_a_day_and_a_source() -> None:
    for row in rows("service_prices"):
        assert float(row["usd"]) > 0 or row["meter"] == "control-plane-free"
        assert row["unit"] in {"hour", "day", "month", "GB", "GB a month"}
        assert date(2025, 1, 1) < date.fromisoformat(row["day"]) < date(2026, 12, 1)
        assert row["source"] in {"Z", "R", "I", "M"}
        assert row["scope"] in {"region", "Global", ""}
        assert bool(row["service"]) == bool(row["meter_name"]) == bool(row["scope"])


def test_larger_disks_cost_more_in_every_region() -> None:
    tiers = [name for name in services() if name.startswith("disk-")]
    assert tiers == ["disk-P4", "disk-P6", "disk-P10", "disk-P15", "disk-P20", "disk-P30"]
    for region in priced_regions():
        prices = [service_price(name, region).usd for name in tiers]
        assert prices == sorted(prices)
        assert all(1.7 < larger / smaller < 2 for smaller, larger in pairwise(prices))


def test_a_service_that_is_unknown_has_no_price() -> None:
    with pytest.raises(KeyError):
        service_price("a yacht", "westeurope")


@pytest.mark.parametrize(
    ("size", "gib", "disk"),
    [
        ("Standard_D4s_v3", None, "disk-P10"),
        ("Standard_D8s_v3", None, "disk-P15"),
        ("Standard_D16s_v5", 0, "disk-P20"),
        ("Standard_D64s_v5", None, "disk-P30"),
        ("Standard_D4s_v3", 30, "disk-P4"),
        ("Standard_D4s_v3", 32, "disk-P4"),
        ("Standard_D4s_v3", 33, "disk-P6"),
        ("Standard_D4s_v3", 1024, "disk-P30"),
        ("Standard_D4s_v3", 1025, None),
        ("Standard_D4_v3", None, None),  # without premium storage
    ],
)
def test_a_managed_os_disk_costs_as_much_as_the_next_offered_size(
    size: str, gib: int | None, disk: str | None
) -> None:
    assert os_disk(vm_size(size), gib) == disk
    assert disk is None or disk in services()


def test_published_spot_prices_are_below_the_price_on_demand() -> None:
    points = rows("quoted_spot_prices")
    assert len(points) == 8
    for point in points:
        share = float(point["usd"]) / ondemand_prices(point["size"])[point["region"]]
        assert 0.1 < share < 0.9
        assert date.fromisoformat(point["day"]) <= date(2026, 8, 3)
