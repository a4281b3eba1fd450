"""The sizes that a stack adds to the catalogue, or corrects."""

import pytest

import aks_facts
from program.planning.hardware import GPU
from program.planning.rules.sizes import described_size_problems
from program.planning.sizes import sizes
from tests.program.planning.small_stack import GENERAL, SPOT, planned, refused, settings

NEW = "Standard_D8ds_v99"


def test_a_stack_without_sizes_of_its_own_has_the_catalogue() -> None:
    assert sizes(settings()) == aks_facts.vm_sizes()


def test_a_size_that_the_catalogue_lacks_is_planned_from_its_numbers() -> None:
    described = {"vcpus": 8, "memoryGib": 32, "ephemeralGib": 100, "family": "standardDdsv99Family"}
    plan = planned(vmSizes={NEW: described}, pools={"general": GENERAL, "new": {**SPOT, "vmSize": NEW}})
    [pool] = [pool for pool in plan.pools if pool.name == "new"]
    assert (pool.size.vcpus, pool.size.family) == (8, "standardDdsv99Family")
    assert (pool.os_disk.type, pool.os_disk.size_gib) == ("Ephemeral", 100)


def test_a_size_with_gpus_makes_a_gpu_pool() -> None:
    described = {"vcpus": 24, "memoryGib": 220, "gpus": 2}
    plan = planned(vmSizes={NEW: described}, pools={"general": GENERAL, "new": {**SPOT, "vmSize": NEW}})
    [pool] = [pool for pool in plan.pools if pool.name == "new"]
    assert (pool.hardware, pool.size.gpus) == (GPU, 2)


def test_a_size_of_the_catalogue_is_corrected_in_what_the_stack_says() -> None:
    corrected = sizes(settings(vmSizes={"Standard_D8s_v5": {"memoryGib": 31.5}}))["Standard_D8s_v5"]
    listed = aks_facts.vm_size("Standard_D8s_v5")
    assert (corrected.memory_gib, corrected.vcpus, corrected.family) == (31.5, 8, listed.family)
    assert aks_facts.vm_size("Standard_D8s_v5").memory_gib == 32


@pytest.mark.parametrize(
    ("described", "missing"),
    [({"vcpus": 8, "memoryGib": 32}, []), ({"vcpus": 8}, ["memoryGib"]), ({}, ["vcpus", "memoryGib"])],
)
def test_a_new_size_needs_vcpu_and_memory(described: dict[str, float], missing: list[str]) -> None:
    keys = refused(described_size_problems(settings(vmSizes={NEW: described})))
    assert keys == [f"vmSizes.{NEW}.{key}" for key in missing]


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("standard_d8s_v5", "the spelling Standard_D8s_v5"),
        ("D8s_v5", "the spelling Standard_D8s_v5"),
        ("large", "the name of a VM size as Azure has it, like Standard_D8s_v5"),
    ],
)
def test_a_size_of_the_stack_has_azures_name(name: str, allowed: str) -> None:
    [problem] = described_size_problems(settings(vmSizes={name: {"vcpus": 8, "memoryGib": 32}}))
    assert (problem.key, problem.value, problem.expected) == ("vmSizes", name, allowed)


@pytest.mark.parametrize(
    ("name", "fields", "keys"),
    [
        (NEW, {"gpus": 1, "gpu": "NVIDIA X", "gpuMemoryGib": 40, "mig": True}, []),
        (NEW, {"gpus": 0, "mig": False}, []),
        (NEW, {"gpu": "NVIDIA X"}, [f"vmSizes.{NEW}.gpus"]),
        (NEW, {"gpus": 0, "gpuMemoryGib": 40}, [f"vmSizes.{NEW}.gpus"]),
        ("Standard_NC4as_T4_v3", {"gpuMemoryGib": 15}, []),
        ("Standard_D8s_v5", {"mig": True}, ["vmSizes.Standard_D8s_v5.gpus"]),
    ],
)
def test_what_is_reported_of_gpus_comes_with_their_number(
    name: str, fields: dict[str, object], keys: list[str]
) -> None:
    stack = settings(vmSizes={name: {"vcpus": 8, "memoryGib": 32, **fields}})
    assert refused(described_size_problems(stack)) == keys
