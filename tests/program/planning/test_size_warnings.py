"""Warnings about VM sizes."""

from datetime import date
from typing import Any

import pytest

from program.planning.rules.size_warnings import architecture_warnings, encryption_warnings, size_warnings
from tests.program.planning.small_stack import GENERAL, SPOT, TODAY, planned, settings


def warnings_of(name: str, today: date = TODAY, location: str = "westeurope", **pool: Any) -> list[str]:
    """The warnings about one more pool."""
    pools = {"general": GENERAL, "work": {**SPOT, "vmSize": name, **pool}}
    return list(size_warnings(settings(location=location, pools=pools), today))


@pytest.mark.parametrize("name", ["Standard_D8ds_v5", "Standard_D8ds_v6", "Standard_NC24ads_A100_v4"])
def test_nothing_is_reported_a_current_size(name: str) -> None:
    assert warnings_of(name) == []


def test_a_retirement_warns_a_year_ahead() -> None:
    by_day = {day: warnings_of("Standard_M192is_v2", day) for day in (date(2026, 3, 30), date(2026, 3, 31))}
    assert by_day[date(2026, 3, 30)] == []
    assert by_day[date(2026, 3, 31)] == [
        "pools.work.vmSize is Standard_M192is_v2: Azure stops its VMs on 2027-03-31; move to a current size before"
    ]


def test_an_existing_cluster_with_a_retired_size_is_warned() -> None:
    pools = {"general": GENERAL, "work": {**SPOT, "vmSize": "Standard_M192is_v2"}}
    existing = planned(created="2026-01-01", asOf="2027-04-01", kubernetes={"version": "1.34"}, pools=pools)
    assert any("Azure stopped its VMs on 2027-03-31" in warning for warning in existing.warnings)


@pytest.mark.parametrize(
    "name", ["Standard_D8s_v3", "Standard_F16s_v2", "Standard_DS3_v2", "Standard_E8s_v3"]
)
def test_a_family_that_new_subscriptions_cannot_deploy_warns(name: str) -> None:
    assert warnings_of(name, date(2026, 6, 30)) == []
    [warning] = warnings_of(name)
    assert "since 2026-07 new subscriptions cannot deploy its family" in warning


def test_a_family_is_restricted_from_a_day_of_its_own() -> None:
    assert warnings_of("Standard_DC4ds_v3", date(2026, 10, 31)) == []
    [warning] = warnings_of("Standard_DC4ds_v3", date(2026, 11, 1))
    assert "since 2026-11 new subscriptions cannot deploy its family standardDDCSv3Family" in warning


def test_a_size_that_the_region_does_not_sell_warns_with_the_command_that_tells() -> None:
    [warning] = warnings_of("Standard_ND96isr_H200_v5", location="chilecentral")
    assert "az vm list-skus --location chilecentral --size Standard_ND96isr_H200_v5" in warning


@pytest.mark.parametrize(
    ("name", "location"),
    [
        ("Standard_D8ads_v5", "malaysiawest"),  # a family with gaps in the price list
        ("Standard_ND128isr_GB300_v6", "westeurope"),  # no price anywhere
        ("Standard_D8ds_v5", "eastus3"),  # a region that the price list lacks
    ],
)
def test_a_gap_in_the_price_list_is_no_warning(name: str, location: str) -> None:
    assert warnings_of(name, location=location) == []


def test_one_size_in_two_pools_is_reported_once() -> None:
    pools = {
        "general": GENERAL,
        "a": {**SPOT, "vmSize": "Standard_D8s_v3"},
        "b": {**SPOT, "vmSize": "Standard_D8s_v3"},
    }
    assert len(list(size_warnings(settings(pools=pools), TODAY))) == 1


def test_burstable_sizes_warn_where_they_serve_badly() -> None:
    home = settings(pools={"general": {**GENERAL, "vmSize": "Standard_B8as_v2"}})
    assert ["slow down" in warning for warning in size_warnings(home, TODAY)] == [True]
    assert any("few regions" in warning for warning in warnings_of("Standard_B4ms"))
    assert warnings_of("Standard_B8as_v2") == []


def test_an_ephemeral_disk_of_unknown_room_warns_unless_the_stack_says_it() -> None:
    pools = {
        "general": GENERAL,
        "work": {**SPOT, "vmSize": "Standard_E8ads_v5", "osDisk": {"type": "Ephemeral"}},
    }
    [warning] = size_warnings(settings(pools=pools), TODAY)
    assert warning.startswith("pools.work.osDisk.type is Ephemeral: it is unknown")
    described = {"Standard_E8ads_v5": {"ephemeralGib": 300}}
    assert list(size_warnings(settings(pools=pools, vmSizes=described), TODAY)) == []


def test_pools_of_two_architectures_under_one_workload_warn() -> None:
    arm = {**SPOT, "vmSize": "Standard_D8pds_v5"}
    apart = planned(pools={"general": GENERAL, "x": SPOT, "arm": arm})
    assert list(architecture_warnings(apart.pools)) == []
    mixed = planned(pools={"general": GENERAL, "x": SPOT, "arm": {**arm, "workload": "cpu"}})
    [warning] = architecture_warnings(mixed.pools)
    assert warning.startswith("workload cpu runs on arm (arm64) and x (x64)")


@pytest.mark.parametrize(("driver", "warned"), [("Install", True), ("None", False)])
def test_confidential_gpus_need_the_gpu_operator(driver: str, *, warned: bool) -> None:
    pools = {"general": GENERAL, "work": {**SPOT, "vmSize": "Standard_NCC40ads_H100_v5"}}
    stack = settings(pools=pools, gpu={"driver": driver, "plugin": "none"})
    assert any("signed driver" in warning for warning in size_warnings(stack, TODAY)) == warned


def test_encryption_at_host_on_a_size_of_which_nobody_knows_warns_unless_the_stack_says_it() -> None:
    def warned(name: str, **keys: Any) -> list[str]:
        pools = {"general": GENERAL, "work": {**SPOT, "vmSize": name, "encryptionAtHost": True}}
        return list(encryption_warnings(planned(pools=pools, **keys).pools))

    assert warned("Standard_D8ds_v5") == []
    assert warned("Standard_D8ds_v6") == [
        (
            "vmSizes.Standard_D8ds_v6.encryptionAtHost is left out: it is unknown whether Standard_D8ds_v6 has "
            "encryption at host, and Azure refuses its pools if not; look it up with `az vm list-skus` and set it there"
        )
    ]
    assert warned("Standard_D8ds_v6", vmSizes={"Standard_D8ds_v6": {"encryptionAtHost": True}}) == []
    assert list(encryption_warnings(planned(pools={"general": GENERAL}).pools)) == []
