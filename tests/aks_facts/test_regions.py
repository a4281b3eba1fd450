"""Regions and prices as data."""

import re

import aks_facts


def test_a_region_has_zones_and_zone_redundant_disks() -> None:
    west = aks_facts.region("westeurope")
    assert west
    assert (west.zones, west.zrs_disks) == (3, True)


def test_a_region_without_zones_has_no_zone_redundant_disks() -> None:
    without = [region for region in aks_facts.regions().values() if not region.zones]
    assert {region.zrs_disks for region in without} == {False}
    assert {"westus", "ukwest", "canadaeast"} <= {region.name for region in without}


def test_an_unknown_region_is_none() -> None:
    assert aks_facts.region("atlantis") is None


def test_a_region_is_of_one_cloud() -> None:
    assert not aks_facts.clouds().keys() & aks_facts.regions().keys()
    assert aks_facts.clouds()["usgovtexas"] is aks_facts.clouds()["usdodeast"]


def test_a_name_of_the_public_cloud_has_a_direction() -> None:
    """What `program.planning.rules.location` refuses other names by."""
    assert all(re.search("north|south|east|west|central", region) for region in aks_facts.regions())


def test_every_region_with_prices_is_known() -> None:
    assert aks_facts.priced_regions() <= set(aks_facts.regions())
    assert len(aks_facts.priced_regions()) == 57


def test_a_size_has_a_price_where_it_is_sold() -> None:
    prices = aks_facts.ondemand_prices("Standard_NC24ads_A100_v4")
    assert prices["westeurope"] == 4.775
    assert "chilecentral" not in prices
    assert aks_facts.ondemand_prices("Standard_X1") == {}


def test_every_size_has_a_row_of_prices() -> None:
    unpriced = {"Standard_ND128isr_GB300_v6", "Standard_NG32adms_V620_v1"}
    assert {size for size in aks_facts.vm_sizes() if not aks_facts.ondemand_prices(size)} == unpriced


def test_the_families_with_gaps_are_of_the_catalogue() -> None:
    assert {size.family for size in aks_facts.vm_sizes().values()} >= aks_facts.INCOMPLETE
