"""Settings and plan become arguments: nothing is lost, and what planning allows no component refuses."""

import contextlib
from collections import defaultdict
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from components.cluster.aks_cluster_args import (
    ApiAccessSpec,
    AutoscalerSpec,
    ClusterNetworkSpec,
    KubernetesSpec,
    MaintenanceSpec,
    SshSpec,
)
from components.data_store.data_store import DataProfileSpec, DataStoreArgs
from components.kubeflow.inotify import InotifySpec
from components.kubeflow.prerequisites import KubeflowPrerequisitesArgs
from components.kubeflow.prerequisites_args import HeadroomSpec, HoursSpec
from components.kubeflow.storage import CheckpointClassSpec, StorageClassSpec
from components.monitoring.monitoring_args import BudgetSpec, CostExportSpec, MonitoringArgs
from components.network.network import NetworkArgs
from components.pools.agent_pools import rules
from components.pools.pool_specs import AgentPoolSpec, OsDiskSpec, SystemPoolSpec
from components.registry.container_registry import ContainerRegistryArgs
from program import arguments
from program.settings import (
    ApiAccess,
    CheckpointClass,
    DataStore,
    Kubernetes,
    Network,
    OsDisk,
    Registry,
    SettingsError,
    SettingsModel,
    UserPool,
)
from program.settings.cluster import Autoscaler, CostExport, MaintenanceWindow, Monitoring, Ssh
from program.settings.cost import Budget
from program.settings.data import Profile
from program.settings.kubeflow import Inotify, Kubeflow, StorageClass
from program.settings.pools import Headroom, HeadroomHours, SystemPool
from tests.components.sample_arguments import SUBNET_ID
from tests.program.planning.small_stack import GENERAL, planned

PAIRS: list[tuple[type[SettingsModel], list[type], tuple[str, ...]]] = [
    (ApiAccess, [ApiAccessSpec], ()),
    (Autoscaler, [AutoscalerSpec], ()),
    (Budget, [BudgetSpec], ()),
    (CheckpointClass, [CheckpointClassSpec], ()),
    (CostExport, [CostExportSpec], ()),
    (DataStore, [DataStoreArgs], ()),
    (Headroom, [HeadroomSpec], ()),
    (HeadroomHours, [HoursSpec], ()),
    (Inotify, [InotifySpec], ()),
    (Kubeflow, [KubeflowPrerequisitesArgs], ("release", "options", "dns_label")),
    (Kubernetes, [KubernetesSpec], ("accept_unvalidated",)),
    (MaintenanceWindow, [MaintenanceSpec], ()),
    (Monitoring, [MonitoringArgs], ()),
    (Network, [NetworkArgs, ClusterNetworkSpec], ()),
    (OsDisk, [OsDiskSpec], ()),
    (Profile, [DataProfileSpec], ()),
    (Registry, [ContainerRegistryArgs], ()),
    (Ssh, [SshSpec], ()),
    (StorageClass, [StorageClassSpec], ()),
    (SystemPool, [SystemPoolSpec], ()),
    (UserPool, [AgentPoolSpec], ("workload", "vm_sizes", "headroom", "replaces")),
]
"""Models of settings, the arguments they become, and what only planning uses."""


@pytest.mark.parametrize(("settings", "specs", "used_up"), PAIRS)
def test_a_setting_has_an_argument_of_its_name_or_is_used_up_by_planning(
    settings: type[SettingsModel], specs: list[type], used_up: Iterable[str]
) -> None:
    named = {name for spec in specs for name in spec.__annotations__}
    assert set(settings.model_fields) - named == set(used_up)


POOLS: dict[str, dict[str, Any]] = {
    "spot": {"vmSize": "Standard_D8ds_v5", "priority": "Spot", "maxCount": 3},
    "gpu": {"vmSize": "Standard_NC24ads_A100_v4", "maxCount": 3},
    "tainted": {"vmSize": "Standard_D8ds_v5", "maxCount": 3, "taints": ["team=a:NoSchedule"]},
    "described": {"vmSize": "Standard_Own", "priority": "Spot", "maxCount": 3},
    "system": {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3, "replaces": "system"},
    "host": {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3, "replaces": "general"},
}
EDITS: list[dict[str, Any]] = [
    {},
    {"priority": "Spot"},
    {"minCount": 0},
    {"minCount": 4},
    {"maxPods": 10},
    {"maxPods": 29},
    {"maxPrice": 0.5},
    {"evictionPolicy": "Deallocate"},
    {"osDisk": {"type": "Ephemeral"}},
    {"osDisk": {"type": "Ephemeral", "sizeGib": 64}, "evictionPolicy": "Deallocate"},
    {"zones": ["1", "1"]},
    {"taints": ["team=b:NoSchedule"]},
    {"gpuInstanceProfile": "MIG1g"},
]
"""Settings of an allowed form, each of which some of those pools may have."""


@pytest.mark.parametrize("name", ["work", "Work", "aksmanagedap"])
@pytest.mark.parametrize("pool", POOLS)
def test_a_pool_that_planning_allows_is_allowed_by_the_component(pool: str, name: str) -> None:
    for edit in EDITS:
        changed = {"general": GENERAL, name: POOLS[pool] | edit}
        with contextlib.suppress(SettingsError):
            plan = planned(pools=changed, vmSizes={"Standard_Own": {"vcpus": 8, "memoryGib": 32}})
            args = arguments.pools(plan, *cast(Any, _azure()))
            assert [
                mistake for rule in rules(args) if rule.now for mistake in rule.mistakes(rule.values)
            ] == [], edit


def test_each_of_those_pools_and_most_of_their_edits_are_allowed_somewhere() -> None:
    def allowed(pool: dict[str, Any]) -> bool:
        sizes = {"Standard_Own": {"vcpus": 8, "memoryGib": 32}}
        with contextlib.suppress(SettingsError):
            return bool(planned(pools={"general": GENERAL, "work": pool}, vmSizes=sizes))
        return False

    assert [name for name, pool in POOLS.items() if not allowed(pool)] == []
    nowhere = [edit for edit in EDITS if not any(allowed(pool | edit) for pool in POOLS.values())]
    assert nowhere == [{"minCount": 4}, EDITS[9], {"zones": ["1", "1"]}]


def _azure() -> tuple[SimpleNamespace, SimpleNamespace, SimpleNamespace]:
    """Group, network and cluster, as far as the arguments of pools need them."""
    network = SimpleNamespace(subnet_ids=defaultdict(lambda: SUBNET_ID))
    return SimpleNamespace(name="group"), network, SimpleNamespace(managed_cluster=None)
