"""VM sizes and retirements as data."""

import re
from collections.abc import Iterable

import pytest

from catalogue import VmSize, retired_series, vm_size, vm_sizes


def names(sizes: Iterable[VmSize]) -> set[str]:
    return {size.name for size in sizes}


SIZES = list(vm_sizes().values())
WITH_GPU = names(size for size in SIZES if size.gpus)


def test_a_size_is_found_by_its_name() -> None:
    size = vm_size("Standard_NC24ads_A100_v4")
    assert (size.vcpus, size.memory_gib, size.gpus, size.gpu) == (24, 220, 1, "A100 80 GB")
    assert (size.temp_gib, size.cache_gib, size.mig) == (64, 0, True)


def test_an_unknown_size_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        vm_size("Standard_X1")


def test_the_name_of_a_size_states_its_vcpus() -> None:
    wrong = (size for size in SIZES if not re.match(rf"Standard_[A-Z]+{size.vcpus}\D", size.name))
    assert names(wrong) == set()


def test_the_sizes_with_a_gpu_are_the_n_series() -> None:
    assert names(size for size in SIZES if size.name.startswith("Standard_N")) == WITH_GPU


def test_a_size_with_a_gpu_names_its_model() -> None:
    assert names(size for size in SIZES if size.gpu) == WITH_GPU


def test_only_a100_h100_and_h200_can_be_cut() -> None:
    able = names(size for size in SIZES if size.gpu and size.gpu.startswith(("A100", "H100", "H200")))
    assert names(size for size in SIZES if size.mig) == able


def test_no_size_of_the_catalogue_is_retired() -> None:
    assert names(size for size in SIZES if retired_series(size.name)) == set()


def test_an_ephemeral_disk_goes_to_the_larger_of_temporary_disk_and_cache() -> None:
    found = [vm_size(f"Standard_{name}").ephemeral_gib for name in ("D8s_v3", "D8ds_v5", "D8s_v5")]
    assert found == [200, 300, 0]


def test_a_retirement_is_found_whatever_the_case() -> None:
    found = retired_series("STANDARD_nc6S_V3")
    assert found
    assert (found.series, str(found.retired_on)) == ("NCv3 (V100)", "2025-09-30")


@pytest.mark.parametrize(
    "name", ["Standard_NC4as_T4_v3", "Standard_NC6s_v30", "Standard_NV6ads_A10_v5", "xStandard_NC6"]
)
def test_a_size_that_only_looks_alike_is_not_retired(name: str) -> None:
    assert retired_series(name) is None


@pytest.mark.parametrize(
    "name", ["NC6", "NC6s_v2", "NC6s_v3", "ND6s", "ND40rs_v2", "NV6", "NV12s_v3", "NV4as_v4"]
)
def test_a_retired_size_has_a_replacement_that_the_catalogue_knows(name: str) -> None:
    found = retired_series(f"Standard_{name}")
    assert found
    assert vm_size(found.replacement).gpus
