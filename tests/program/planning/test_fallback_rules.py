"""Rules of fallbacks: whether the work of a spot pool fits the pool that stands in for it."""

from typing import Any

import pytest

from program.planning.rules import fallbacks as rules
from tests.program.planning.small_stack import GENERAL, GPU_SPOT, SPOT, candidate, refused, settings

KEY = "pools.work.fallback.vmSize"


def refusals(spot: str, fallback: str | None) -> list[str]:
    replacement = {"maxCount": 1, "vmSize": fallback}
    return refused(rules.fallback_problems(candidate("work", SPOT, vmSize=spot, fallback=replacement)))


@pytest.mark.parametrize(
    ("spot", "fallback"),
    [
        ("Standard_D8ds_v5", "Standard_NC4as_T4_v3"),
        ("Standard_NC4as_T4_v3", "Standard_D8s_v5"),
        ("Standard_NC24ads_A100_v4", "Standard_NC4as_T4_v3"),
        ("Standard_NC24ads_A100_v4", "Standard_ND96asr_v4"),
        ("Standard_NV36ads_A10_v5", "Standard_NV18ads_A10_v5"),
    ],
)
def test_a_fallback_on_which_work_fails_is_refused(spot: str, fallback: str) -> None:
    assert refusals(spot, fallback) == [KEY]


@pytest.mark.parametrize(
    ("spot", "fallback"),
    [
        ("Standard_D8ds_v5", None),
        ("Standard_D8ds_v5", "Standard_D16s_v5"),
        ("Standard_D32ds_v5", "Standard_D2s_v5"),
        ("Standard_NC4as_T4_v3", "Standard_NC8as_T4_v3"),
        ("Standard_NC64as_T4_v3", "Standard_NC4as_T4_v3"),
        ("Standard_NC4as_T4_v3", "Standard_NC24ads_A100_v4"),
        ("Standard_ND96asr_v4", "Standard_NC24ads_A100_v4"),
        ("Standard_NC24ads_A100_v4", "Standard_NC8ads_A10_v4"),  # nobody says how much memory its GPU has
        ("Standard_X1", "Standard_NC4as_T4_v3"),
        ("Standard_NC24ads_A100_v4", "Standard_X1"),
    ],
)
def test_a_fallback_on_which_work_runs_is_taken(spot: str, fallback: str | None) -> None:
    assert refusals(spot, fallback) == []


def warned(pool: dict[str, Any], fallback: str | None) -> list[str]:
    work = {**pool, "fallback": {"maxCount": 1, "vmSize": fallback}}
    return list(rules.fallback_warnings(settings(pools={"general": GENERAL, "work": work})))


def test_a_smaller_fallback_is_warned_of_with_the_numbers() -> None:
    [warning] = warned({**SPOT, "vmSize": "Standard_D32ds_v5"}, "Standard_D2s_v5")
    assert warning == (
        f"{KEY} is Standard_D2s_v5: it has 2 vCPU and 8 GiB, Standard_D32ds_v5 has 32 vCPU and 128 GiB; a pod that "
        "needs more than the fallback has waits until spot is back, so choose a size at least as large, or keep pods "
        "that small"
    )


def test_a_fallback_with_fewer_gpus_is_warned_of() -> None:
    [warning] = warned({**GPU_SPOT, "vmSize": "Standard_NC64as_T4_v3"}, "Standard_NC16as_T4_v3")
    assert (
        "it has 1 GPU and 16 vCPU and 110 GiB, Standard_NC64as_T4_v3 has 4 GPU and 64 vCPU and 440 GiB; "
        in warning
    )


def test_another_gpu_is_warned_of() -> None:
    [warning] = warned({**GPU_SPOT}, "Standard_NC24ads_A100_v4")
    assert warning == (
        f"{KEY} is Standard_NC24ads_A100_v4: work made for NVIDIA T4 runs on NVIDIA A100 while spot is sold out; "
        "make sure that it works on both"
    )


def test_a_fallback_of_the_same_size_or_a_larger_one_needs_no_warning() -> None:
    assert warned({**SPOT}, None) == []
    assert warned({**SPOT}, "Standard_D16s_v5") == []
    assert warned({**GPU_SPOT}, "Standard_NC8as_T4_v3") == []
    assert warned({**GPU_SPOT, "vmSize": "Standard_NV18ads_A10_v5"}, "Standard_NV36ads_A10_v5") == []
    assert warned({**SPOT}, "Standard_X1") == []


@pytest.mark.parametrize(("fields", "warned"), [({}, True), ({"fallback": {"maxCount": 5}}, False)])
def test_a_return_to_spot_without_a_fallback_is_warned_of(fields: dict[str, Any], warned: bool) -> None:
    pools = {"general": GENERAL, "work": {**SPOT, **fields}}
    stack = settings(pools=pools, kubeflow={"returnToSpot": True})
    text = (
        "kubeflow.returnToSpot moves nothing, because no spot pool has a fallback: leave it out, or add one"
    )
    assert (text in rules.fallback_warnings(stack)) is warned
