"""VM sizes and retirements as data."""

import re
from collections.abc import Iterable

import pytest

from aks_facts import VmSize, restricted_families, retired_series, vm_size, vm_sizes


def names(sizes: Iterable[VmSize]) -> set[str]:
    return {size.name for size in sizes}


SIZES = list(vm_sizes().values())
WITH_GPU = names(size for size in SIZES if size.gpus)


def test_a_size_is_found_by_its_name() -> None:
    size = vm_size("Standard_NC24ads_A100_v4")
    assert (size.vcpus, size.memory_gib, size.gpus, size.gpu, size.mig) == (24, 220, 1, "NVIDIA A100", True)
    assert (size.family, size.architecture, size.spot) == ("StandardNCADSA100v4Family", "x64", True)


def test_memory_may_be_a_fraction() -> None:
    assert vm_size("Standard_M8-2ms").memory_gib == 218.75


def test_an_unknown_size_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        vm_size("Standard_X1")


def test_a_constrained_size_takes_the_quota_of_its_parent() -> None:
    sizes = [vm_size(f"Standard_{name}") for name in ("E8-2ads_v5", "E8ads_v5", "NC4as_T4_v3")]
    assert [(size.vcpus, size.quota_vcpus) for size in sizes] == [(2, 8), (8, 8), (4, 4)]


def test_every_size_has_a_family_and_at_least_2_vcpu() -> None:
    assert names(size for size in SIZES if not size.family or size.vcpus < 2 or size.memory_gib < 2) == set()


def test_the_sizes_with_a_gpu_are_of_the_n_series() -> None:
    fpga = {"Standard_NP10s", "Standard_NP20s", "Standard_NP40s"}
    assert names(size for size in SIZES if size.name.startswith("Standard_N")) - fpga == WITH_GPU


def test_a_size_with_a_gpu_names_its_model() -> None:
    assert names(size for size in SIZES if size.gpu) == WITH_GPU


def test_only_a100_h100_and_h200_can_be_cut() -> None:
    able = names(size for size in SIZES if size.gpu and re.match("NVIDIA (A100|H100|H200)", size.gpu))
    assert names(size for size in SIZES if size.mig is not False) == able


def test_no_size_of_the_catalogue_is_retired() -> None:
    assert names(size for size in SIZES if retired_series(size.name)) == set()


def test_every_restricted_family_is_one_of_the_catalogue() -> None:
    assert set(restricted_families()) <= {size.family for size in SIZES}


@pytest.mark.parametrize(
    ("name", "gib"),
    [
        ("D8s_v3", 200),  # cache, larger than the temporary disk
        ("NC4as_T4_v3", 144),  # cache, smaller than the temporary disk
        ("NC24ads_A100_v4", 256),  # cache; its NVMe disks are of a generation that takes no OS disk there
        ("D8ds_v5", 300),  # temporary disk
        ("D8ds_v6", 440),  # NVMe
        ("D96ads_v6", 2040),  # NVMe, more than Azure takes
        ("D8s_v5", 0),  # no local disk
        ("L8s_v3", 80),  # temporary disk, though it has NVMe as well
        ("B12ms", None),  # no source has the size of its cache
    ],
)
def test_an_ephemeral_disk_goes_where_azure_puts_it(name: str, gib: int | None) -> None:
    assert vm_size(f"Standard_{name}").ephemeral_gib == gib


def test_a_retirement_is_found_whatever_the_case() -> None:
    retired = retired_series("STANDARD_nc6S_V3")
    assert retired
    assert (retired.series, str(retired.retired_on)) == ("NCv3 (V100)", "2025-09-30")


@pytest.mark.parametrize(
    "name", ["Standard_NC4as_T4_v3", "Standard_NC6s_v30", "Standard_NV6ads_A10_v5", "xStandard_NC6"]
)
def test_a_size_that_only_looks_alike_is_not_retired(name: str) -> None:
    assert retired_series(name) is None


@pytest.mark.parametrize("name", ["DC4s_v2", "DC8_v2", "DC4as_cc_v5", "EC8ads_cc_v5"])
def test_a_retired_confidential_size_has_a_replacement_that_the_catalogue_knows(name: str) -> None:
    retired = retired_series(f"Standard_{name}")
    assert retired
    assert vm_size(retired.replacement).retirement is None


@pytest.mark.parametrize("name", ["NC6", "NC6s_v2", "NC6s_v3", "ND6s", "NV6", "NV12s_v3", "NV4as_v4"])
def test_a_retired_size_has_a_replacement_that_the_catalogue_knows(name: str) -> None:
    retired = retired_series(f"Standard_{name}")
    assert retired
    assert vm_size(retired.replacement).gpus
