"""Settings reach the components by their names, so every setting must be an argument or be used up by planning."""

from collections.abc import Iterable

import pytest

from components.aks_cluster_args import (
    ApiAccessSpec,
    AutoscalerSpec,
    ClusterNetworkSpec,
    KubernetesSpec,
    MaintenanceSpec,
    SshSpec,
)
from components.container_registry import ContainerRegistryArgs
from components.data_store import DataProfileSpec, DataStoreArgs
from components.kubeflow.inotify import InotifySpec
from components.kubeflow.prerequisites import KubeflowPrerequisitesArgs
from components.kubeflow.storage import CheckpointClassSpec, StorageClassSpec
from components.monitoring import MonitoringArgs
from components.network import NetworkArgs
from components.pool_specs import AgentPoolSpec, OsDiskSpec, SystemPoolSpec
from settings import (
    ApiAccess,
    Autoscaler,
    CheckpointClass,
    DataStore,
    Inotify,
    Kubeflow,
    Kubernetes,
    MaintenanceWindow,
    Monitoring,
    Network,
    OsDisk,
    Profile,
    Registry,
    SettingsModel,
    Ssh,
    StorageClass,
    SystemPool,
    UserPool,
)


@pytest.mark.parametrize(
    ("settings", "arguments", "used_up"),
    [
        (ApiAccess, [ApiAccessSpec], ()),
        (Autoscaler, [AutoscalerSpec], ()),
        (CheckpointClass, [CheckpointClassSpec], ()),
        (DataStore, [DataStoreArgs], ()),
        (Inotify, [InotifySpec], ()),
        (Kubeflow, [KubeflowPrerequisitesArgs], ("release", "dns_label")),
        (Kubernetes, [KubernetesSpec], ()),
        (MaintenanceWindow, [MaintenanceSpec], ()),
        (Monitoring, [MonitoringArgs], ()),
        (Network, [NetworkArgs, ClusterNetworkSpec], ()),
        (OsDisk, [OsDiskSpec], ()),
        (Profile, [DataProfileSpec], ()),
        (Registry, [ContainerRegistryArgs], ()),
        (Ssh, [SshSpec], ()),
        (StorageClass, [StorageClassSpec], ()),
        (SystemPool, [SystemPoolSpec], ()),
        (UserPool, [AgentPoolSpec], ("workload", "fallback", "replaces")),
    ],
)
def test_a_setting_has_an_argument_of_its_name_or_is_used_up_by_planning(
    settings: type[SettingsModel], arguments: list[type], used_up: Iterable[str]
) -> None:
    named = {name for spec in arguments for name in spec.__annotations__}
    assert set(settings.model_fields) - named == set(used_up)
