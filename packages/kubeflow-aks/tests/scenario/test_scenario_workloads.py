"""The demo's work is made as the product's documents say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubeflow_aks.local_aks.simulation.autoscaler.model import Taint
from kubeflow_aks.local_aks.simulation.autoscaler.parse import parse_node, parse_scheduling
from kubeflow_aks.local_aks.simulation.autoscaler.predicates import why_not
from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool
from kubeflow_aks.local_aks.simulation.vms.nodes import template_node
from kubeflow_aks.scenario.contract_pools import ContractPool, WorkloadPools
from kubeflow_aks.scenario.workloads import platform_and_jobs
from tests.local_aks.simulation.simulated import pool as azure_pool
from tests.scenario.recorded import recorded

POOLS = {pool.name: pool for pool in recorded().pools}
CPU = WorkloadPools("cpu", (POOLS["cpuspot"],), (POOLS["cpuod"],))
GPU = WorkloadPools("gpu", (POOLS["gpuspot"],), (POOLS["gpuod"],))


def _pod(job: platform_and_jobs.Object) -> dict[str, Any]:
    return job["spec"]["template"]["spec"]


def _node(pool: ContractPool) -> Any:
    wire = azure_pool(
        pool.name,
        vmSize=pool.vm_size,
        nodeLabels={"kubeflow-aks/workload": pool.workload},
        nodeTaints=list(pool.taints),
        **({"scaleSetPriority": "Spot"} if pool.spot else {}),
    )
    return parse_node(template_node(AgentPool.from_wire(wire)))


@pytest.mark.parametrize("lane", [CPU, GPU], ids=["cpu", "gpu"])
def test_a_job_fits_every_pool_of_its_lane_and_no_other(lane: WorkloadPools) -> None:
    scheduling = parse_scheduling(_pod(platform_and_jobs.job("work", "batch", lane, 1)))
    nodes = {name: _node(pool) for name, pool in POOLS.items()}
    fits = {name for name, node in nodes.items() if not why_not(scheduling, node, node.allocatable)}
    assert fits == {pool.name for pool in lane.pools}


def test_the_platform_tolerates_nothing() -> None:
    for obj in (*platform_and_jobs.platform(), platform_and_jobs.notebook()):
        assert "tolerations" not in obj["spec"]["template"]["spec"]


def test_tolerations_carry_no_value() -> None:
    """A GPU taint's value would make two of AKS's admission plugins undo each other at every update."""
    tolerations = _pod(platform_and_jobs.job("train", "gpu", GPU, 1))["tolerations"]
    assert {(entry["key"], entry["operator"]) for entry in tolerations} == {
        ("kubernetes.azure.com/scalesetpriority", "Exists"),
        ("nvidia.com/gpu", "Exists"),
        ("kubeflow-aks/fallback", "Exists"),
    }
    assert "value" not in json.dumps(tolerations)


def test_evictions_do_not_count_and_one_failure_ends_a_task() -> None:
    spec = platform_and_jobs.job("work", "batch", CPU, 4)["spec"]
    assert spec["podFailurePolicy"]["rules"] == [
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    ]
    assert spec["backoffLimitPerIndex"] == 0
    assert spec["template"]["spec"]["restartPolicy"] == "Never"


def test_two_cpu_tasks_fill_a_node_and_three_do_not_fit() -> None:
    requests = dict(parse_scheduling(_pod(platform_and_jobs.job("work", "batch", CPU, 1))).requests)
    free = _node(POOLS["cpuspot"]).allocatable["cpu"]
    assert 2 * requests["cpu"] <= free < 3 * requests["cpu"]


def test_a_gpu_task_takes_all_gpus_of_a_node() -> None:
    assert _pod(platform_and_jobs.job("train", "gpu", GPU, 1))["containers"][0]["resources"] == {
        "requests": {"cpu": "1", "nvidia.com/gpu": "1"},
        "limits": {"nvidia.com/gpu": "1"},
    }


@pytest.mark.parametrize(("lane", "nodes", "tasks"), [(CPU, 2, 4), (CPU, 99, 10), (GPU, 1, 1), (GPU, 99, 2)])
def test_there_are_never_more_tasks_than_both_spot_and_fallback_can_hold(
    lane: WorkloadPools, nodes: int, tasks: int
) -> None:
    assert platform_and_jobs.tasks_for(lane, nodes) == tasks


def test_the_stray_pod_tolerates_spot_in_the_platforms_namespace() -> None:
    pod = platform_and_jobs.stray(CPU)
    scheduling = parse_scheduling(pod["spec"])
    assert pod["metadata"]["namespace"] == "kubeflow"
    spot = Taint("kubernetes.azure.com/scalesetpriority", "NoSchedule", "spot")
    assert any(toleration.key == spot.key for toleration in scheduling.tolerations)


def test_everything_the_demo_makes_carries_its_label() -> None:
    """What an earlier demo left is found by it, and nothing else is touched."""
    made = [
        *platform_and_jobs.platform(),
        platform_and_jobs.notebook(),
        platform_and_jobs.job("work", "batch", CPU, 1),
        platform_and_jobs.stray(CPU),
    ]
    for obj in made:
        assert platform_and_jobs.PART in obj["metadata"]["labels"]
        if "template" in obj["spec"]:
            assert platform_and_jobs.PART in obj["spec"]["template"]["metadata"]["labels"]


def test_the_namespaces_carry_no_demo_label() -> None:
    assert all(
        platform_and_jobs.PART not in obj["metadata"]["labels"] for obj in platform_and_jobs.namespaces()
    )
