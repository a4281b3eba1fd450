"""Rules of single agent pools: names, sizes, counts, spot, disks, MIG, fallbacks, the system pool."""

import pytest

from program.planning.rules import pools as rules
from tests.program.planning.small_stack import GENERAL, GPU_SPOT, SPOT, candidate, refused, settings


@pytest.mark.parametrize("name", ["a", "cpu2", "abcdefghijkl"])
def test_a_pool_name_is_up_to_twelve_lower_case_letters_and_digits(name: str) -> None:
    assert refused(rules.name_problems(candidate(name, SPOT))) == []


@pytest.mark.parametrize("name", ["", "2cpu", "Cpu", "cpu-spot", "cpu_spot", "abcdefghijklm", "cpu\n"])
def test_any_other_pool_name_is_refused(name: str) -> None:
    assert refused(rules.name_problems(candidate(name, SPOT))) == [f"pools.{name}"]


def test_the_name_that_aks_keeps_is_refused_for_every_pool() -> None:
    assert refused(rules.name_problems(candidate("aksmanagedap", SPOT))) == ["pools.aksmanagedap"]
    assert refused(rules.name_problems(candidate("aksmanaged", SPOT))) == []
    system = settings(systemPool={"name": "aksmanagedap"})
    assert refused(rules.system_pool_problems(system)) == ["systemPool.name"]


def test_a_pool_name_leaves_room_for_that_of_its_fallback() -> None:
    named = {length: candidate("a" * length, SPOT, fallback={"maxCount": 1}) for length in (10, 11)}
    assert refused(rules.name_problems(named[10])) == []
    assert refused(rules.name_problems(named[11])) == ["pools." + "a" * 11]


def test_fewest_nodes_are_at_most_most_nodes() -> None:
    assert refused(rules.pool_problems(candidate("work", SPOT, minCount=10))) == []
    assert refused(rules.pool_problems(candidate("work", SPOT, minCount=11))) == ["pools.work.minCount"]


@pytest.mark.parametrize(
    "field", [{"evictionPolicy": "Delete"}, {"maxPrice": -1}, {"fallback": {"maxCount": 1}}]
)
def test_a_regular_pool_has_no_spot_settings(field: dict[str, object]) -> None:
    [key] = field
    assert refused(rules.spot_only_problems(candidate("general", GENERAL, **field))) == [
        f"pools.general.{key}"
    ]
    assert refused(rules.spot_only_problems(candidate("work", SPOT, **field))) == []


def test_an_ephemeral_disk_fits_on_the_size() -> None:
    fits = candidate("work", SPOT, osDisk={"type": "Ephemeral", "sizeGib": 300})
    too_large = candidate("work", SPOT, osDisk={"type": "Ephemeral", "sizeGib": 301})
    assert refused(rules.os_disk_problems(fits)) == []
    assert refused(rules.os_disk_problems(too_large)) == ["pools.work.osDisk.sizeGib"]


def test_a_cache_can_hold_an_ephemeral_disk_that_the_temporary_disk_cannot() -> None:
    pool = candidate("work", SPOT, vmSize="Standard_D8s_v3", osDisk={"type": "Ephemeral", "sizeGib": 200})
    assert refused(rules.os_disk_problems(pool)) == []


def test_a_size_without_local_storage_takes_no_ephemeral_disk() -> None:
    pool = candidate("work", SPOT, vmSize="Standard_D8s_v5", osDisk={"type": "Ephemeral"})
    assert refused(rules.os_disk_problems(pool)) == ["pools.work.osDisk.type"]


@pytest.mark.parametrize(
    ("size", "room"),
    [
        ("Standard_NC4as_T4_v3", 144),  # its cache, not its 176 GiB temporary disk
        ("Standard_NC24ads_A100_v4", 256),  # its cache, not its 64 GiB temporary disk
        ("Standard_D2ads_v6", 110),  # its NVMe disk
    ],
)
def test_azure_decides_which_local_disk_holds_the_os(size: str, room: int) -> None:
    keys = {
        gib: refused(
            rules.os_disk_problems(
                candidate("work", SPOT, vmSize=size, osDisk={"type": "Ephemeral", "sizeGib": gib})
            )
        )
        for gib in (room, room + 1)
    }
    assert keys == {room: [], room + 1: ["pools.work.osDisk.sizeGib"]}


def test_a_disk_whose_room_nobody_knows_is_not_refused() -> None:
    disk = {"type": "Ephemeral", "sizeGib": 512}
    pool = candidate("work", SPOT, vmSize="Standard_E8ads_v5", osDisk=disk)
    assert refused(rules.os_disk_problems(pool)) == []


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


@pytest.mark.parametrize("name", ["Standard_D8_v3", "Standard_A8_v2"])
def test_some_sizes_have_no_encryption_at_host(name: str) -> None:
    def refusals(**fields: object) -> list[str]:
        return refused(rules.pool_problems(candidate("work", SPOT, **fields)))

    assert refusals(vmSize=name) == refusals(vmSize="Standard_D8s_v3", encryptionAtHost=True) == []
    assert refusals(vmSize=name, encryptionAtHost=True) == ["pools.work.encryptionAtHost"]
    fallback = {"maxCount": 1, "vmSize": name}
    assert refusals(encryptionAtHost=True, fallback=fallback) == ["pools.work.encryptionAtHost"]


def test_a_size_that_no_source_tells_of_may_have_encryption_at_host() -> None:
    pool = candidate("work", SPOT, vmSize="Standard_D8s_v6", encryptionAtHost=True)
    assert pool.size
    assert pool.size.encryption_at_host is None
    assert list(rules.pool_problems(pool)) == []


def test_the_system_pool_has_encryption_at_host_where_its_size_has_it() -> None:
    pool = {"vmSize": "Standard_D8_v3", "encryptionAtHost": True}
    assert refused(rules.system_pool_problems(settings(systemPool=pool))) == ["systemPool.encryptionAtHost"]
    assert list(rules.system_pool_problems(settings(systemPool={"encryptionAtHost": True}))) == []
    described = {"Standard_D8_v3": {"encryptionAtHost": True}}
    assert list(rules.system_pool_problems(settings(systemPool=pool, vmSizes=described))) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", "System"), ("vmSize", "Standard_D2s_v5"), ("vmSize", "Standard_NC4as_T4_v3"), ("minCount", 4)],
)
def test_a_system_pool_out_of_bounds_is_refused(field: str, value: object) -> None:
    problems = rules.system_pool_problems(settings(systemPool={field: value}))
    assert refused(problems) == [f"systemPool.{field}"]


@pytest.mark.parametrize(("gib", "keys"), [(4, []), (3.9, ["systemPool.vmSize"])])
def test_a_system_pool_has_4_gib(gib: float, keys: list[str]) -> None:
    described = {"Standard_X1": {"vcpus": 4, "memoryGib": gib}}
    stack = settings(vmSizes=described, systemPool={"vmSize": "Standard_X1"})
    assert refused(rules.system_pool_problems(stack)) == keys


def test_a_system_pool_of_four_vcpu_is_enough() -> None:
    assert refused(rules.system_pool_problems(settings(systemPool={"vmSize": "Standard_D4s_v5"}))) == []


@pytest.mark.parametrize(("production", "keys"), [(True, ["systemPool.minCount"]), (False, [])])
def test_one_system_node_is_refused_in_production_only(*, production: bool, keys: list[str]) -> None:
    small = settings(production=production, systemPool={"minCount": 1})
    assert refused(rules.system_pool_problems(small)) == keys
