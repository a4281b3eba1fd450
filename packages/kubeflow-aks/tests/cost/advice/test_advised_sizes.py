"""Which sizes can stand in for which."""

import pytest

from aks_facts import ondemand_prices, vm_sizes
from kubeflow_aks.cost.advice.kinds.pools import alike, generation, kind
from kubeflow_aks.cost.reading import OsDisk, Pool


def pool(size: str, *, spot: bool = True, local: bool = True) -> Pool:
    disk = OsDisk(managed=not local, size_gib=128)
    return Pool(name="p", size=size, spot=spot, home=not spot, minimum=0, maximum=5, disk=disk)


@pytest.mark.parametrize(
    "name", ["Standard_D8ds_v5", "Standard_E8ds_v5", "Standard_D16ads_v5", "Standard_F8s_v2"]
)
@pytest.mark.parametrize("region", ["westeurope", "eastus"])
def test_another_size_does_the_same(name: str, region: str) -> None:
    size, requested = vm_sizes()[name], pool(name, local=bool(vm_sizes()[name].ephemeral_gib))
    sizes = alike(size, requested, region)
    assert sizes
    for other in sizes:
        assert other.name != name
        assert (other.vcpus, other.gpus, other.architecture) == (size.vcpus, size.gpus, size.architecture)
        assert other.memory_gib >= size.memory_gib
        assert generation(other) >= generation(size)
        assert other.spot
        assert (other.ephemeral_gib or 0) >= (128 if size.ephemeral_gib else 0)
        assert region in ondemand_prices(other.name)


@pytest.mark.parametrize(
    ("name", "is_kind"),
    [
        ("Standard_D8ds_v5", ""),
        ("Standard_E8ds_v5", ""),
        ("Standard_B8ms", "B"),
        ("Standard_DC8ads_v5", "DC"),
        ("Standard_NC4as_T4_v3", "NC"),
    ],
)
def test_burstable_confidential_and_gpu_sizes_are_kinds_of_their_own(name: str, is_kind: str) -> None:
    assert kind(vm_sizes()[name]) == is_kind


def test_another_gpu_is_no_stand_in() -> None:
    sizes = alike(vm_sizes()["Standard_NC4as_T4_v3"], pool("Standard_NC4as_T4_v3"), "westeurope")
    assert all(other.gpu == vm_sizes()["Standard_NC4as_T4_v3"].gpu for other in sizes)


def test_a_local_disk_counts_for_a_size_that_costs_a_little_more() -> None:
    sizes = alike(vm_sizes()["Standard_D8s_v5"], pool("Standard_D8s_v5", local=False), "westeurope")
    assert any(other.ephemeral_gib for other in sizes)
