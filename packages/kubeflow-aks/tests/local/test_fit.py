"""`ckf_spot.pods.fit`, against the real scheduler: nodes as AKS makes them, and pods that fit or never do."""

from __future__ import annotations

import json
import uuid
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pytest

from ckf_spot import contract
from ckf_spot.agent_pool import AgentPool
from ckf_spot.pods import fit
from ckf_spot.pods.fit import Obstacle
from components.pools.node_reservations import allocatable
from kubeflow_aks.local_aks.simulation.vms import agent_pools, nodes
from tests.local.kubectl import Kubectl, Object, eventually

SPOT: Final = "kubernetes.azure.com/scalesetpriority"
REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
NO_MATCH: Final = "didn't match Pod's node affinity/selector"
NO_LABEL: Final = "didn't match pod topology spread constraints (missing required label)"
NO_NEIGHBOUR: Final = "didn't match pod affinity rules"


def container(**resources: Mapping[str, str]) -> Object:
    return {"name": "main", "image": "work", "resources": resources}


def spread(key: str, **more: Any) -> Object:
    """Pods that spread over the values of a label."""
    constraint = {"topologyKey": key, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", **more}
    return {"topologySpreadConstraints": [constraint]}


def beside(labels: Mapping[str, str], key: str = "kubernetes.io/hostname") -> Object:
    """Pods that must run beside others."""
    term = {"labelSelector": {"matchLabels": labels}, "topologyKey": key}
    return {"affinity": {"podAffinity": {REQUIRED: [term]}}}


def terms(*expressions: Object) -> Object:
    """A required node affinity of one term for each."""
    selectors = [{"matchExpressions": [expression]} for expression in expressions]
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": selectors}}}}


PODS: Final[Mapping[str, tuple[Object, str]]] = {
    "nothing": ({}, ""),
    "arch": ({"nodeSelector": {"kubernetes.io/arch": "amd64"}}, ""),
    "other-arch": ({"nodeSelector": {"kubernetes.io/arch": "arm64"}}, NO_MATCH),
    "os": ({"nodeSelector": {"beta.kubernetes.io/os": "linux"}}, ""),
    "other-os": ({"nodeSelector": {"kubernetes.io/os": "windows"}}, NO_MATCH),
    "region": ({"nodeSelector": {"topology.kubernetes.io/region": "westeurope"}}, ""),
    "other-region": ({"nodeSelector": {"topology.kubernetes.io/region": "us-east-1"}}, NO_MATCH),
    "zone": ({"nodeSelector": {"topology.kubernetes.io/zone": "westeurope-1"}}, ""),
    "other-zone": ({"nodeSelector": {"topology.kubernetes.io/zone": "us-east-1a"}}, NO_MATCH),
    "size": ({"nodeSelector": {"beta.kubernetes.io/instance-type": "Standard_D8ds_v5"}}, ""),
    "other-size": ({"nodeSelector": {"beta.kubernetes.io/instance-type": "p3.2xlarge"}}, NO_MATCH),
    "no-gpu": (terms({"key": "nvidia.com/gpu.present", "operator": "DoesNotExist"}), ""),
    "gpu": ({"nodeSelector": {"accelerator": "nvidia"}}, NO_MATCH),
    "host": ({"nodeSelector": {"kubernetes.io/hostname": "minikube"}}, NO_MATCH),
    "best-term": (
        terms(
            {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]},
            {"key": "kubernetes.azure.com/mode", "operator": "NotIn", "values": ["system"]},
        ),
        "",
    ),
    "no-term": (
        terms(
            {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]},
            {"key": "kubernetes.azure.com/mode", "operator": "NotIn", "values": ["user"]},
        ),
        NO_MATCH,
    ),
    "spread-over-hosts": (spread("kubernetes.io/hostname"), ""),
    "spread-over-spot": (spread(SPOT), NO_LABEL),
    "spread-over-spot-softly": (spread(SPOT, whenUnsatisfiable="ScheduleAnyway"), ""),
    "spread-over-spot-of-tolerated": (spread(SPOT, nodeTaintsPolicy="Honor"), NO_LABEL),
    "beside-itself": (beside({"row": "beside-itself"}), ""),
    "beside-itself-on-spot": (beside({"row": "beside-itself-on-spot"}, SPOT), NO_NEIGHBOUR),
    "cores": ({"containers": [container(requests={"cpu": "7820m"})]}, ""),
    "more-cores": ({"containers": [container(requests={"cpu": "8"})]}, "Insufficient cpu"),
    "cores-by-limit": ({"containers": [container(limits={"cpu": "10"})]}, "Insufficient cpu"),
    "cores-of-sidecar": (
        {
            "initContainers": [
                {**container(requests={"cpu": "5"}), "name": "side", "restartPolicy": "Always"},
                {**container(requests={"cpu": "4"}), "name": "init"},
            ]
        },
        "Insufficient cpu",
    ),
    "memory": ({"containers": [container(requests={"memory": "32Gi"})]}, "Insufficient memory"),
}
"""Specs by name, with a part of what the scheduler says; empty: it gives the pod a node."""


@dataclass(frozen=True)
class Pool:
    """A pool of one node, as the simulation makes it and as the pool contract has it."""

    simulated: agent_pools.AgentPool
    contract: AgentPool


@pytest.fixture
def pool(kubectl: Kubectl) -> Generator[Pool]:
    """An on-demand pool of this test alone, with its node."""
    name = f"p{uuid.uuid4().hex[:8]}"
    simulated = agent_pools.AgentPool(
        name=name,
        cluster_id="/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c",
        location="westeurope",
        node_resource_group="nodes",
        kubernetes_version="1.34",
        vm_size="Standard_D8ds_v5",
        mode="User",
        spot=False,
        autoscaled=True,
        count=1,
        min_count=0,
        max_count=1,
        labels={"kubeflow-aks/workload": name},
        taints=(f"test={name}:NoSchedule",),
        zones=("1",),
        max_pods=110,
        os_sku="Ubuntu",
        os_disk_type="Managed",
        os_disk_gb=None,
        gpu_slices=1,
        time_slices=1,
        tags={},
        surges=True,
    )
    entry = {
        "name": name,
        "role": "cpu",
        "priority": "Regular",
        "vmSize": simulated.vm_size,
        "gpus": 0,
        "maxCount": 1,
        "labels": simulated.labels,
        "taints": simulated.taints,
        "fallback": None,
        "region": simulated.location,
        "zones": simulated.zones,
        "architecture": "amd64",
        "allocatable": allocatable(8, 32, simulated.max_pods),
    }
    [read] = contract.parse(json.dumps([entry]), "pools.json")
    node = nodes.node(simulated, 0)
    kubectl.apply(node)
    yield Pool(simulated, read)
    kubectl.run("delete", "node", node["metadata"]["name"])


def test_the_scheduler_says_the_same(kubectl: Kubectl, pool: Pool) -> None:
    tolerations = [{"key": "test", "value": pool.simulated.name}]
    specs: dict[str, Object] = {}
    for name, (spec, _) in PODS.items():
        selector = {**spec.get("nodeSelector", {}), "agentpool": pool.simulated.name}
        specs[name] = {
            "containers": [container()],
            **spec,
            "nodeSelector": selector,
            "tolerations": tolerations,
        }
    pods: list[Object] = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"row": name}}, "spec": spec}
        for name, spec in specs.items()
    ]
    kubectl.apply(*pods)
    messages = eventually(lambda: _messages(kubectl, len(pods)))
    for name, (_, expected) in PODS.items():
        assert (expected in messages[name]) if expected else not messages[name], (name, messages[name])
    judged = {name: fit.judged(spec, pool.contract, {"row": name}) for name, spec in specs.items()}
    assert {name: bool(results) for name, results in judged.items()} == {
        name: bool(message) for name, message in messages.items()
    }
    assert all(isinstance(one, Obstacle) for results in judged.values() for one in results)


def test_what_a_class_that_is_not_there_does_to_a_pod(kubectl: Kubectl) -> None:
    spec = {"containers": [container()]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "refused"}}
    for field, message in (
        ("priorityClassName", "no PriorityClass with name other was found"),
        ("runtimeClassName", 'RuntimeClass "other" not found'),
    ):
        with pytest.raises(AssertionError, match=message):
            kubectl.apply({**pod, "spec": {**spec, field: "other"}})


def _messages(kubectl: Kubectl, count: int) -> dict[str, str]:
    """What the scheduler says of each pod, empty where it has a node; none before it has looked at all of them."""
    messages = {
        pod["metadata"]["name"]: condition.get("message", "")
        for pod in kubectl.pods()
        for condition in pod["status"].get("conditions", ())
        if condition["type"] == "PodScheduled"
    }
    return messages if len(messages) == count else {}
