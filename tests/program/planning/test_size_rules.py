"""Rules of the VM sizes that pools use: known, not retired, able to be spot, fit for the system pool."""

from datetime import date
from typing import Any

import pytest

from components.arguments.mistakes import Mistake
from program.planning.rules.sizes import size_problems
from tests.program.planning.small_stack import GENERAL, GPU_SPOT, SPOT, TODAY, refused, settings


def problems(today: date = TODAY, **pool: Any) -> list[Mistake]:
    """The broken rules of one more pool."""
    return list(size_problems(settings(pools={"general": GENERAL, "work": {**SPOT, **pool}}), today))


def of_size(name: str, today: date = TODAY) -> list[str]:
    """What is expected instead of a spot pool's size."""
    return [problem.expected for problem in problems(today, vmSize=name)]


@pytest.mark.parametrize("name", ["Standard_D8s_v5", "Standard_E64ads_v5", "Standard_NC4as_T4_v3"])
def test_a_size_of_the_catalogue_is_taken(name: str) -> None:
    assert of_size(name) == []


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("standard_d8s_V5", "the spelling Standard_D8s_v5"),
        ("D8s_v5", "the spelling Standard_D8s_v5"),
        (" Standard_D8s_v5 ", "the spelling Standard_D8s_v5"),
        ("Standard_D8sv5", "the spelling Standard_D8s_v5"),
        ("Standard_B1s", "a size with at least 2 vCPU, because AKS takes no smaller one"),
        ("Standard_DS1_v2", "a size with at least 2 vCPU, because AKS takes no smaller one"),
        (
            "Standard_X1000_v1",
            "a size of the catalogue, or one that vmSizes describes; `./kubeflow-aks sizes` lists Azure's",
        ),
    ],
)
def test_an_unknown_size_is_refused_with_what_helps(name: str, allowed: str) -> None:
    assert of_size(name) == [allowed]


def test_a_size_that_is_almost_right_is_suggested() -> None:
    [allowed] = of_size("Standard_NC4as_T4_v4")
    assert "did you mean Standard_NC4as_T4_v3" in allowed


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
    [allowed] = of_size(name)
    assert allowed.startswith(f"a current size like {replacement}; Azure retired ")
    assert allowed.endswith(f" on {day}")


def test_a_size_is_called_retired_from_its_last_day_on() -> None:
    by_day = {day: of_size("Standard_NC6s_v3", day) for day in (date(2025, 9, 29), date(2025, 9, 30))}
    assert "retired" not in by_day[date(2025, 9, 29)][0]
    assert "retired" in by_day[date(2025, 9, 30)][0]


@pytest.mark.parametrize(
    "name", ["Standard_D8s_v3_Promo", "Standard_DS3_v2_Promo", "Standard_ND96asr_v4", "Standard_PB6s"]
)
def test_a_size_that_azure_sells_on_demand_only_is_no_spot_size(name: str) -> None:
    assert refused(problems(vmSize=name)) == ["pools.work.vmSize"]


@pytest.mark.parametrize("name", ["Standard_B4ms", "Standard_B16als_v2", "Standard_B8as_v2"])
def test_burstable_sizes_may_be_spot(name: str) -> None:
    assert of_size(name) == []


@pytest.mark.parametrize(
    ("name", "keys"), [("Standard_B4ms", ["systemPool.vmSize"]), ("Standard_D4s_v5", [])]
)
def test_aks_takes_no_burstable_system_pool(name: str, keys: list[str]) -> None:
    assert refused(size_problems(settings(systemPool={"vmSize": name}), TODAY)) == keys


@pytest.mark.parametrize("name", ["Standard_X1", "Standard_NC6s_v3"])
def test_a_fallback_is_of_a_size_that_azure_has(name: str) -> None:
    pools = {"general": GENERAL, "gpu": {**GPU_SPOT, "fallback": {"maxCount": 1, "vmSize": name}}}
    assert refused(size_problems(settings(pools=pools), TODAY)) == ["pools.gpu.fallback.vmSize"]


def test_a_fallback_need_not_be_a_spot_size() -> None:
    pools = {
        "general": GENERAL,
        "gpu": {**GPU_SPOT, "fallback": {"maxCount": 1, "vmSize": "Standard_ND96asr_v4"}},
    }
    assert refused(size_problems(settings(pools=pools), TODAY)) == []


@pytest.mark.parametrize("created", [None, "2027-03-31"])
def test_a_new_cluster_gets_no_retired_size(created: str | None) -> None:
    stack = settings(created=created, systemPool={"vmSize": "Standard_M192is_v2"})
    assert list(size_problems(stack, date(2027, 3, 30))) == []
    [problem] = size_problems(stack, date(2027, 3, 31))
    assert problem.expected == "a current size; Azure retired Standard_M192is_v2 on 2027-03-31"


@pytest.mark.parametrize("existing", [{"created": "2027-03-30"}, {"adopted": True}], ids=str)
def test_an_existing_cluster_keeps_a_size_that_was_retired_later(existing: dict[str, object]) -> None:
    stack = settings(systemPool={"vmSize": "Standard_M192is_v2"}, **existing)
    assert list(size_problems(stack, date(2027, 4, 1))) == []


def test_charmed_kubeflow_gets_no_arm_machines() -> None:
    arm = {**GENERAL, "vmSize": "Standard_D8ps_v5"}
    [problem] = size_problems(settings(pools={"general": arm}), TODAY)
    assert (problem.key, "amd64 only" in problem.expected) == ("pools.general.vmSize", True)
    tainted = settings(pools={"general": GENERAL, "arm": {**arm, "taints": ["team=vision:NoSchedule"]}})
    assert list(size_problems(tainted, TODAY)) == []


def test_a_gpu_that_a_stack_names_without_its_vendor_is_taken() -> None:
    described = {"Standard_X1": {"vcpus": 8, "memoryGib": 64, "gpus": 1, "gpu": "A100"}}
    pools = {"work": {**SPOT, "vmSize": "Standard_X1"}}
    assert refused(size_problems(settings(vmSizes=described, pools=pools), TODAY)) == []


@pytest.mark.parametrize("name", ["Standard_ND96isr_MI300X_v5", "Standard_NV36ads_A10_v5"])
def test_gpu_pools_are_of_nvidias_gpus(name: str) -> None:
    assert bool(of_size(name)) == ("MI300X" in name)


@pytest.mark.parametrize(
    ("name", "keys"), [("Standard_B4ms", ["pools.next.vmSize"]), ("Standard_D4ps_v5", [])]
)
def test_a_second_system_pool_is_held_to_the_same_sizes_as_the_first(name: str, keys: list[str]) -> None:
    following = {"vmSize": name, "minCount": 2, "maxCount": 3, "replaces": "system"}
    assert refused(size_problems(settings(pools={"general": GENERAL, "next": following}), TODAY)) == keys
