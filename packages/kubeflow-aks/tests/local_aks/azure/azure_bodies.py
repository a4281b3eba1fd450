"""Requests to Azure that it accepts, for tests to spoil."""

import time
from collections.abc import Callable
from datetime import date
from typing import Any

from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.azure.timing import Timing
from kubeflow_aks.local_aks.azure.types import RESOURCE_GROUP, SUBNET, TYPES
from tests.stepped.manual_clock import ManualClock

TODAY = date(2026, 11, 21)
LOCATION = "westeurope"
KUBECONFIG = "apiVersion: v1\nkind: Config\nusers: [{name: admin, user: {token: s3cr3t}}]\n"
SUBSCRIPTION = "/subscriptions/00000000-0000-0000-0000-000000000000"
GROUP_ID = f"{SUBSCRIPTION}/resourceGroups/kubeflow"
CLUSTER_ID = (
    f"{SUBSCRIPTION}/resourcegroups/kubeflow/providers/Microsoft.ContainerService/managedClusters/aks"
)
VNET_ID = f"{GROUP_ID}/providers/Microsoft.Network/virtualNetworks/vnet"
SPOT_LABEL = {"kubernetes.azure.com/scalesetpriority": "spot"}
SPOT_TAINT = "kubernetes.azure.com/scalesetpriority=spot:NoSchedule"

Json = dict[str, Any]


def pool_id(name: str) -> str:
    return f"{CLUSTER_ID}/agentPools/{name}"


def group() -> Json:
    return {"location": LOCATION}


def system_pool(**changes: Any) -> Json:
    return {
        "name": "system",
        "mode": "System",
        "type": "VirtualMachineScaleSets",
        "vmSize": "Standard_D4s_v5",
        "count": 2,
        **changes,
    }


def cluster(**changes: Any) -> Json:
    return {
        "location": LOCATION,
        "dnsPrefix": "kubeflow",
        "kubernetesVersion": "1.34",
        "identity": {"type": "SystemAssigned"},
        "agentPoolProfiles": [system_pool()],
        **changes,
    }


def user_pool(**changes: Any) -> Json:
    return {
        "mode": "User",
        "type": "VirtualMachineScaleSets",
        "vmSize": "Standard_D8s_v5",
        "count": 1,
        **changes,
    }


def spot_pool(**changes: Any) -> Json:
    return {
        "mode": "User",
        "type": "VirtualMachineScaleSets",
        "vmSize": "Standard_D8s_v5",
        "count": 0,
        "enableAutoScaling": True,
        "minCount": 0,
        "maxCount": 4,
        "scaleSetPriority": "Spot",
        "scaleSetEvictionPolicy": "Delete",
        "spotMaxPrice": -1,
        "nodeLabels": dict(SPOT_LABEL),
        "nodeTaints": [SPOT_TAINT],
        **changes,
    }


def without(body: Json, *names: str) -> Json:
    return {k: v for k, v in body.items() if k not in names}


def wall_clock() -> ManualClock:
    """The wall clock of a test, which moves it: nothing is over before, however slow the machine is."""
    clock = ManualClock()
    clock.advance(time.time())
    return clock


def arm(
    state: AzureState, *, clock: ManualClock | None = None, today: Callable[[], date] = lambda: TODAY
) -> ResourceManager:
    """An Azure that takes no time, or with a clock as long as Azure does."""
    timing = Timing(float("inf")) if clock is None else Timing(1.0, clock.now)
    return ResourceManager(state, timing, today)


def put(manager: ResourceManager, token: str, arm_id: str, body: Json) -> Json:
    """PUT a resource, wait for it, and read it back."""
    manager.wait(manager.put(TYPES[token], arm_id, body))
    answer = manager.get(arm_id)
    assert answer is not None
    return answer


def with_cluster(state: AzureState, **changes: Any) -> ResourceManager:
    """An Azure with a group and a cluster in it."""
    manager = arm(state)
    put(manager, RESOURCE_GROUP, GROUP_ID, group())
    put(manager, MANAGED_CLUSTER, CLUSTER_ID, cluster(**changes))
    return manager


def with_network(manager: ResourceManager, prefix: str = "10.20.1.0/24") -> str:
    """Add a virtual network with one subnet; the subnet's id."""
    network = {"location": LOCATION, "addressSpace": {"addressPrefixes": ["10.0.0.0/8"]}}
    put(manager, "azure-native:network:VirtualNetwork", VNET_ID, network)
    return str(put(manager, SUBNET, f"{VNET_ID}/subnets/pools", {"addressPrefix": prefix})["id"])


def put_pool(manager: ResourceManager, name: str, body: Json) -> Json:
    return put(manager, AGENT_POOL, pool_id(name), body)
