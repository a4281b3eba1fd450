"""The autoscaler's priority map."""

import re
from typing import Any

import pytest
import yaml

from program.planning.expander import scale_set_pattern
from tests.program.planning.given import GENERAL, GPU_SPOT, SPOT, planned

MIXED = {
    "gpuspot": {**GPU_SPOT, "fallback": {"maxCount": 2}},
    "general": GENERAL,
    "cpuspot": {**SPOT, "fallback": {"maxCount": 5}},
    "batch": {**GENERAL, "taints": ["team=vision:NoSchedule"]},
}


def levels(pools: dict[str, Any]) -> dict[int, list[str]]:
    return yaml.safe_load(planned(pools=pools).priorities)


def test_spot_stands_above_on_demand_and_cpu_above_gpu() -> None:
    assert levels(MIXED) == {
        40: ["^aks-cpuspot-[0-9]+-vmss$"],
        30: ["^aks-gpuspot-[0-9]+-vmss$"],
        20: ["^aks-batch-[0-9]+-vmss$", "^aks-cpuod-[0-9]+-vmss$"],
        10: ["^aks-gpuod-[0-9]+-vmss$"],
        1: [".*"],
    }


def test_the_text_goes_from_the_highest_level_to_the_catch_all() -> None:
    lines = planned(pools=MIXED).priorities.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["40:", "30:", "20:", "10:", "1:"]


def test_a_level_without_pools_is_left_out() -> None:
    assert list(levels({"general": GENERAL})) == [1]


@pytest.mark.parametrize(
    "name", ["aks-gpuspot-12345678-vmss", "aks-mygpu-12345678-vmss", "aks-gpu-x-vmss", "aks-gpu-1-vmss2"]
)
def test_a_pattern_is_anchored(name: str) -> None:
    assert re.search(scale_set_pattern("gpu"), name) is None


def test_a_pattern_finds_the_scale_set_aks_makes() -> None:
    assert re.search(scale_set_pattern("gpu"), "aks-gpu-12345678-vmss")
