"""Which pools take a pod, as the scheduler would say."""

from typing import Any

import pytest
from made import CPU, FALLBACK, GPU_TAINT, POOLS, SPOT, pod

from ckf_spot import Pools
from ckf_spot.pods.fit import obstacles
from ckf_spot.where import parse

WORKLOADS = Pools(tuple(POOLS.values()))
EVERYTHING = {"operator": "Exists"}


def takers(raw: Any) -> set[str]:
    """Names of the pools that take a pod."""
    spec = parse.pod(raw).spec
    return {pool.name for pool in POOLS.values() if not obstacles(spec, pool)}


@pytest.mark.parametrize(
    ("spec", "pools"),
    [
        ({}, {"general"}),
        ({"tolerations": [SPOT]}, {"general", "cpuspot"}),
        ({"tolerations": [SPOT, FALLBACK]}, {"general", "cpuspot", "cpuod"}),
        ({"tolerations": [EVERYTHING]}, set(POOLS)),
        ({"tolerations": [{**SPOT, "operator": "Equal", "value": "spot"}]}, {"general", "cpuspot"}),
        ({"tolerations": [{"key": SPOT["key"], "value": "spot"}]}, {"general", "cpuspot"}),
        ({"tolerations": [{**SPOT, "operator": "Equal", "value": "no"}]}, {"general"}),
        ({"tolerations": [{**SPOT, "effect": "NoExecute"}]}, {"general"}),
        ({"tolerations": [EVERYTHING], "nodeSelector": CPU}, {"cpuspot", "cpuod"}),
        ({"tolerations": [EVERYTHING], "gpus": 1}, {"gpuspot", "gpuod"}),
        ({"tolerations": [EVERYTHING], "gpus": 2}, set[str]()),
        ({"tolerations": [EVERYTHING], "nodeSelector": {"kubernetes.azure.com/priority": "regular"}},
         {"general", "cpuod", "gpuod"}),
        ({"tolerations": [EVERYTHING], "nodeSelector": {"node.kubernetes.io/instance-type": "Standard_D8ds_v5"}},
         {"cpuspot", "cpuod"}),
    ],
)  # fmt: skip
def test_taints_labels_and_gpus_decide(spec: Any, pools: set[str]) -> None:
    assert takers(pod("p", **spec)) == pools


@pytest.mark.parametrize("workload", ["cpu", "gpu"])
@pytest.mark.parametrize(
    ("placing", "spot"),
    [({"prefer": "spot"}, {True, False}), ({"require": "spot"}, {True}), ({"require": "on-demand"}, {False})],
)
def test_a_placement_of_ckf_spot_is_taken_by_just_its_pools(
    workload: str, placing: Any, spot: set[bool]
) -> None:
    placement = WORKLOADS[workload].placement(**placing)
    tolerations = [*placement.tolerations, GPU_TAINT]
    raw = pod("p", tolerations=tolerations, affinity={"nodeAffinity": placement.node_affinity})
    expected = {pool.name for pool in POOLS.values() if pool.workload == workload and pool.spot in spot}
    assert takers(raw) == expected
