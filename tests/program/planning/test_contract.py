"""The pool contract for data scientists' tools."""

from typing import Any

import pytest

from program.planning.contract import PoolContract
from tests.program.planning.given import GENERAL, SPOT, planned

POOLS: dict[str, Any] = {"general": GENERAL, "cpuspot": {**SPOT, "fallback": {"maxCount": 5}}, "lone": SPOT}


@pytest.fixture(scope="module")
def contract() -> dict[str, PoolContract]:
    return {pool["name"]: pool for pool in planned(pools=POOLS).contract}


def test_the_system_pool_is_left_out(contract: dict[str, PoolContract]) -> None:
    assert list(contract) == ["general", "cpuspot", "cpuod", "lone"]


def test_a_spot_pool_names_its_fallback(contract: dict[str, PoolContract]) -> None:
    assert [contract[name]["fallback"] for name in ("cpuspot", "lone", "cpuod")] == ["cpuod", None, None]


def test_a_pool_has_its_labels_and_taints(contract: dict[str, PoolContract]) -> None:
    assert contract["cpuspot"] == {
        "name": "cpuspot",
        "role": "cpu",
        "priority": "Spot",
        "vmSize": "Standard_D8ds_v5",
        "gpus": 0,
        "maxCount": 10,
        "labels": {"kubeflow-aks/workload": "cpu", "kubernetes.azure.com/scalesetpriority": "spot"},
        "taints": ["kubernetes.azure.com/scalesetpriority=spot:NoSchedule"],
        "fallback": "cpuod",
    }


def test_one_selector_covers_a_spot_pool_and_its_fallback(contract: dict[str, PoolContract]) -> None:
    labels = [contract[name]["labels"]["kubeflow-aks/workload"] for name in ("cpuspot", "cpuod")]
    assert labels == ["cpu", "cpu"]


@pytest.mark.parametrize(
    ("pool", "gpus"),
    [
        ({"vmSize": "Standard_NC4as_T4_v3"}, 1),
        ({"vmSize": "Standard_NC24ads_A100_v4", "gpuInstanceProfile": "MIG2g"}, 3),
    ],
)
def test_a_gpu_pool_tells_what_one_node_announces(pool: dict[str, Any], gpus: int) -> None:
    [found] = [
        entry
        for entry in planned(pools={"general": GENERAL, "work": {**SPOT, **pool}}).contract
        if entry["name"] == "work"
    ]
    assert found["gpus"] == gpus
