"""Rules of single agent pools: names, sizes, counts, spot, disks, MIG, fallbacks, the system pool."""

from datetime import date

import pytest

from planning import pool_rules as rules
from tests.planning.given import GENERAL, GPU_SPOT, SPOT, TODAY, candidate, refused, settings


@pytest.mark.parametrize("name", ["a", "cpu2", "abcdefghijkl"])
def test_a_pool_name_is_up_to_twelve_lower_case_letters_and_digits(name: str) -> None:
    assert refused(rules.name_problems(candidate(name, SPOT))) == []


@pytest.mark.parametrize("name", ["", "2cpu", "Cpu", "cpu-spot", "cpu_spot", "abcdefghijklm", "cpu\n"])
def test_any_other_pool_name_is_refused(name: str) -> None:
    assert refused(rules.name_problems(candidate(name, SPOT))) == [f"pools.{name}"]


def test_a_pool_name_leaves_room_for_that_of_its_fallback() -> None:
    named = {length: candidate("a" * length, SPOT, fallback={"maxCount": 1}) for length in (10, 11)}
    assert refused(rules.name_problems(named[10])) == []
    assert refused(rules.name_problems(named[11])) == ["pools." + "a" * 11]


def test_a_size_of_the_catalogue_is_taken() -> None:
    assert refused(rules.vm_size_problems("vmSize", "Standard_D8s_v5", TODAY)) == []


def test_an_unknown_size_is_refused() -> None:
    assert refused(rules.vm_size_problems("vmSize", "Standard_X1", TODAY)) == ["vmSize"]


def test_a_size_in_another_case_is_refused_with_the_right_one() -> None:
    [problem] = rules.vm_size_problems("vmSize", "standard_d8s_V5", TODAY)
    assert problem.allowed == "the spelling Standard_D8s_v5"


@pytest.mark.parametrize(
    ("name", "day", "replacement"),
    [
        ("Standard_NC6s_v3", "2025-09-30", "Standard_NC24ads_A100_v4"),
        ("Standard_NV12s_v3", "2026-09-30", "Standard_NV12ads_A10_v5"),
        ("Standard_NV8as_v4", "2026-09-30", "Standard_NV6ads_A10_v5"),
        ("Standard_NC24r", "2023-08-31", "Standard_NC4as_T4_v3"),
        ("Standard_NC12s_v2", "2023-08-31", "Standard_NC4as_T4_v3"),
        ("Standard_ND24rs", "2023-08-31", "Standard_NC4as_T4_v3"),
        ("Standard_NV6", "2023-08-31", "Standard_NV12ads_A10_v5"),
    ],
)
def test_a_retired_size_is_refused_with_the_date_and_a_replacement(
    name: str, day: str, replacement: str
) -> None:
    [problem] = rules.vm_size_problems("vmSize", name, TODAY)
    assert problem.allowed.startswith(f"a current size like {replacement}; Azure retired ")
    assert problem.allowed.endswith(f" on {day}")


def test_a_size_is_called_retired_from_its_last_day_on() -> None:
    said = {
        day: [problem.allowed for problem in rules.vm_size_problems("vmSize", "Standard_NC6s_v3", day)]
        for day in (date(2025, 9, 29), date(2025, 9, 30))
    }
    assert "retired" not in said[date(2025, 9, 29)][0]
    assert "retired" in said[date(2025, 9, 30)][0]


@pytest.mark.parametrize(
    "name", ["Standard_B4ms", "Standard_B16als_v2", "standard_b2s", "Standard_D8s_v3_Promo"]
)
def test_burstable_and_promo_sizes_are_refused(name: str) -> None:
    assert refused(rules.burstable_problems("vmSize", name)) == ["vmSize"]


@pytest.mark.parametrize("name", ["Standard_D8s_v5", "Standard_NC4as_T4_v3"])
def test_other_sizes_are_not_taken_for_burstable(name: str) -> None:
    assert refused(rules.burstable_problems("vmSize", name)) == []


@pytest.mark.parametrize("name", ["Standard_B4ms", "Standard_D8s_v3_Promo"])
def test_a_burstable_size_is_told_once(name: str) -> None:
    pool = candidate("work", SPOT, vmSize=name)
    assert refused(rules.pool_problems(pool, TODAY)) == ["pools.work.vmSize"]


def test_fewest_nodes_are_at_most_most_nodes() -> None:
    assert refused(rules.count_problems(candidate("work", SPOT, minCount=10))) == []
    assert refused(rules.count_problems(candidate("work", SPOT, minCount=11))) == ["pools.work.minCount"]


def test_a_gpu_pool_starts_from_nothing() -> None:
    assert refused(rules.count_problems(candidate("gpu", GPU_SPOT))) == []
    assert refused(rules.count_problems(candidate("gpu", GPU_SPOT, minCount=1))) == ["pools.gpu.minCount"]


@pytest.mark.parametrize(
    "field", [{"evictionPolicy": "Delete"}, {"maxPrice": -1}, {"fallback": {"maxCount": 1}}]
)
def test_a_regular_pool_has_no_spot_settings(field: dict[str, object]) -> None:
    [key] = field
    assert refused(rules.spot_only_problems(candidate("general", GENERAL, **field))) == [
        f"pools.general.{key}"
    ]
    assert refused(rules.spot_only_problems(candidate("work", SPOT, **field))) == []


@pytest.mark.parametrize("price", [-1, 0.00001, 0.12345, 3, 98765.4321])
def test_a_price_is_minus_one_or_positive_with_up_to_five_decimals(price: float) -> None:
    assert refused(rules.price_problems(candidate("work", SPOT, maxPrice=price))) == []


@pytest.mark.parametrize("price", [0, -0.5, -2, 0.000001, 0.123456])
def test_any_other_price_is_refused(price: float) -> None:
    assert refused(rules.price_problems(candidate("work", SPOT, maxPrice=price))) == ["pools.work.maxPrice"]


def test_an_ephemeral_disk_fits_on_the_size() -> None:
    fits = candidate("work", SPOT, osDisk={"type": "Ephemeral", "sizeGib": 300})
    too_large = candidate("work", SPOT, osDisk={"type": "Ephemeral", "sizeGib": 301})
    assert refused(rules.os_disk_problems(fits)) == []
    assert refused(rules.os_disk_problems(too_large)) == ["pools.work.osDisk"]


def test_a_cache_can_hold_an_ephemeral_disk_that_the_temporary_disk_cannot() -> None:
    pool = candidate("work", SPOT, vmSize="Standard_D8s_v3", osDisk={"type": "Ephemeral", "sizeGib": 200})
    assert refused(rules.os_disk_problems(pool)) == []


def test_a_size_without_local_storage_takes_no_ephemeral_disk() -> None:
    pool = candidate("work", SPOT, vmSize="Standard_D8s_v5", osDisk={"type": "Ephemeral"})
    assert refused(rules.os_disk_problems(pool)) == ["pools.work.osDisk"]


def test_the_largest_ephemeral_disk_of_a_small_a100_is_its_64_gib() -> None:
    a100 = {"vmSize": "Standard_NC24ads_A100_v4", "osDisk": {"type": "Ephemeral", "sizeGib": 65}}
    assert refused(rules.os_disk_problems(candidate("gpu", GPU_SPOT, **a100))) == ["pools.gpu.osDisk"]


def test_an_ephemeral_disk_is_never_deallocated() -> None:
    pool = candidate("work", SPOT, evictionPolicy="Deallocate", osDisk={"type": "Ephemeral"})
    assert refused(rules.os_disk_problems(pool)) == ["pools.work.evictionPolicy"]


def test_a_managed_disk_may_be_deallocated() -> None:
    pool = candidate("work", SPOT, evictionPolicy="Deallocate", osDisk={"type": "Managed", "sizeGib": 2048})
    assert refused(rules.os_disk_problems(pool)) == []


@pytest.mark.parametrize(
    "name", ["Standard_NC24ads_A100_v4", "Standard_NC40ads_H100_v5", "Standard_ND96isr_H200_v5"]
)
def test_a100_h100_and_h200_can_be_cut_into_slices(name: str) -> None:
    assert (
        refused(rules.mig_problems(candidate("gpu", GPU_SPOT, vmSize=name, gpuInstanceProfile="MIG1g"))) == []
    )


@pytest.mark.parametrize("name", ["Standard_NC4as_T4_v3", "Standard_NV36ads_A10_v5", "Standard_D8s_v5"])
def test_other_sizes_cannot_be_cut_into_slices(name: str) -> None:
    pool = candidate("gpu", GPU_SPOT, vmSize=name, gpuInstanceProfile="MIG1g")
    assert refused(rules.mig_problems(pool)) == ["pools.gpu.gpuInstanceProfile"]


def test_the_fallback_of_a_sliced_pool_can_be_cut_as_well() -> None:
    a100 = {"vmSize": "Standard_NC24ads_A100_v4", "gpuInstanceProfile": "MIG1g"}
    fallback = {"maxCount": 1, "vmSize": "Standard_NC4as_T4_v3"}
    pool = candidate("gpu", GPU_SPOT, **a100, fallback=fallback)
    assert refused(rules.mig_problems(pool)) == ["pools.gpu.gpuInstanceProfile"]


@pytest.mark.parametrize("name", ["Standard_X1", "Standard_NC6s_v3", "Standard_B4ms"])
def test_a_fallback_is_of_a_size_that_its_pool_could_have(name: str) -> None:
    pool = candidate("gpu", GPU_SPOT, fallback={"maxCount": 1, "vmSize": name})
    assert refused(rules.fallback_problems(pool, TODAY)) == ["pools.gpu.fallback.vmSize"]


@pytest.mark.parametrize(("pool", "twin"), [(SPOT, "Standard_NC4as_T4_v3"), (GPU_SPOT, "Standard_D8s_v5")])
def test_a_fallback_does_the_same_kind_of_work(pool: dict[str, object], twin: str) -> None:
    found = candidate("work", pool, fallback={"maxCount": 1, "vmSize": twin})
    assert refused(rules.fallback_problems(found, TODAY)) == ["pools.work.fallback.vmSize"]


def test_a_fallback_may_be_of_another_size_of_its_kind() -> None:
    pool = candidate("gpu", GPU_SPOT, fallback={"maxCount": 1, "vmSize": "Standard_NC8as_T4_v3"})
    assert refused(rules.fallback_problems(pool, TODAY)) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "System"),
        ("vmSize", "Standard_X1"),
        ("vmSize", "Standard_NV6"),
        ("vmSize", "Standard_B4ms"),
        ("vmSize", "Standard_D2s_v5"),
        ("vmSize", "Standard_NC4as_T4_v3"),
        ("minCount", 4),
    ],
)
def test_a_system_pool_out_of_bounds_is_refused(field: str, value: object) -> None:
    found = rules.system_pool_problems(settings(systemPool={field: value}), TODAY)
    assert refused(found) == [f"systemPool.{field}"]


def test_a_system_pool_of_four_vcpu_is_enough() -> None:
    assert (
        refused(rules.system_pool_problems(settings(systemPool={"vmSize": "Standard_D4s_v5"}), TODAY)) == []
    )


@pytest.mark.parametrize(("production", "keys"), [(True, ["systemPool.minCount"]), (False, [])])
def test_one_system_node_is_refused_in_production_only(*, production: bool, keys: list[str]) -> None:
    small = settings(production=production, systemPool={"minCount": 1})
    assert refused(rules.system_pool_problems(small, TODAY)) == keys
