"""From one plan to the arguments of each component; the only place that knows both.

Settings and arguments of the same meaning have the same name, so that whole groups are handed over as they are.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import pulumi
from pulumi_azure_native import resources

from components.agent_pools import AgentPoolsArgs
from components.aks_cluster import AksCluster
from components.aks_cluster_args import (
    AksClusterArgs,
    ApiAccessSpec,
    AutoscalerSpec,
    ClusterNetworkSpec,
    KubernetesSpec,
    SshSpec,
)
from components.container_registry import ContainerRegistry, ContainerRegistryArgs
from components.data_store import DataStore, DataStoreArgs
from components.kubeconfig import api_endpoint
from components.kubeflow.prerequisites import KubeflowPrerequisites, KubeflowPrerequisitesArgs
from components.kubeflow.storage import CheckpointClassSpec
from components.monitoring import Monitoring, MonitoringArgs
from components.network import Network, NetworkArgs
from components.pool_specs import AgentPoolSpec, SystemPoolSpec
from planning import AgentPool, Plan, Purpose
from planning.cluster_basis import cluster_basis
from planning.cost_basis import cost_basis
from planning.hardware import GPU
from planning.names import dns_label
from planning.quota import vcpu_quota
from planning.redundancy import blob_sku, disk_sku
from settings import CheckpointClass, SettingsModel
from settings import DataStore as DataStoreSettings


def network(plan: Plan, group: resources.ResourceGroup) -> NetworkArgs:
    """Arguments of the network."""
    return NetworkArgs(
        **_named(NetworkArgs, plan.settings.network),
        resource_group_name=group.name,
        location=plan.settings.location,
        dns_label=_dns_label(plan, group),
        tags=plan.settings.tags.as_dict(),
    )


def cluster(plan: Plan, group: resources.ResourceGroup, vnet: Network) -> AksClusterArgs:
    """Arguments of the cluster."""
    settings = plan.settings
    access = _named(ApiAccessSpec, settings.api_access)
    access["authorized_ip_ranges"] = _with_own(access["authorized_ip_ranges"], vnet)
    return AksClusterArgs(
        resource_group_name=group.name,
        resource_group_id=group.id,
        location=settings.location,
        kubernetes=KubernetesSpec(**_named(KubernetesSpec, settings.kubernetes)),
        network=ClusterNetworkSpec(**_named(ClusterNetworkSpec, settings.network)),
        api_access=ApiAccessSpec(**access),
        autoscaler=AutoscalerSpec(**_named(AutoscalerSpec, settings.autoscaler)),
        system_pool=SystemPoolSpec(
            **_named(SystemPoolSpec, settings.system_pool), subnet_id=vnet.subnet_ids[plan.system_pool.subnet]
        ),
        blob_driver=settings.data.checkpoints.enabled,
        ssh=SshSpec(**_named(SshSpec, settings.ssh)) if settings.ssh else None,
        tags=settings.tags.as_dict(),
    )


def registry(
    plan: Plan, group: resources.ResourceGroup, vnet: Network, puller: AksCluster
) -> ContainerRegistryArgs:
    """Arguments of the registry."""
    asked = _named(ContainerRegistryArgs, plan.settings.registry)
    asked["authorized_ip_ranges"] = _with_own(asked["authorized_ip_ranges"], vnet)
    return ContainerRegistryArgs(
        **asked,
        resource_group_name=group.name,
        location=plan.settings.location,
        puller_object_id=puller.kubelet_object_id,
        tags=plan.settings.tags.as_dict(),
    )


def data_store(plan: Plan, group: resources.ResourceGroup, home: AksCluster) -> DataStoreArgs | None:
    """Arguments of the data store; None for a stack that has none."""
    store = plan.settings.data.store
    if store is None:
        return None
    return DataStoreArgs(
        **_on_blobs(DataStoreArgs, store, plan),
        resource_group_name=group.name,
        location=plan.settings.location,
        oidc_issuer=home.oidc_issuer,
        tags=plan.settings.tags.as_dict(),
    )


def monitoring(plan: Plan, group: resources.ResourceGroup, watched: AksCluster) -> MonitoringArgs | None:
    """Arguments of the logs; None for a stack that collects none."""
    if not plan.settings.monitoring.logs:
        return None
    return MonitoringArgs(
        **_named(MonitoringArgs, plan.settings.monitoring),
        resource_group_name=group.name,
        location=plan.settings.location,
        cluster_id=watched.cluster_id,
        tags=plan.settings.tags.as_dict(),
    )


def pools(plan: Plan, group: resources.ResourceGroup, vnet: Network, home: AksCluster) -> AgentPoolsArgs:
    """Arguments of the user pools."""
    return AgentPoolsArgs(
        resource_group_name=group.name,
        cluster=home.managed_cluster,
        pools=[_pool(plan, pool, vnet) for pool in plan.user_pools],
        kubernetes_version=plan.settings.kubernetes.version,
        os_sku=plan.settings.kubernetes.os_sku,
        gpu_driver=plan.settings.gpu.driver,
        tags=plan.settings.tags.as_dict(),
    )


def prerequisites(plan: Plan, home: AksCluster) -> KubeflowPrerequisitesArgs:
    """Arguments of Charmed Kubeflow's prerequisites."""
    asked = _named(KubeflowPrerequisitesArgs, plan.settings.kubeflow)
    asked["storage_class"] |= {"sku": disk_sku(plan.settings)}
    return KubeflowPrerequisitesArgs(
        **asked,
        checkpoints=CheckpointClassSpec(
            **_on_blobs(CheckpointClassSpec, plan.settings.data.checkpoints, plan)
        ),
        cluster=home.managed_cluster,
        priorities=plan.priorities,
        pool_contract=json.dumps(plan.contract, indent=1),
        device_plugin=plan.settings.gpu.plugin == "devicePlugin"
        and any(pool.hardware == GPU for pool in plan.pools),
        gpu_slices=any(pool.gpu_instance_profile for pool in plan.pools),
        network_policies=plan.settings.network.policy != "none",
        protect=plan.settings.protect,
    )


class KubernetesProviderArgs(TypedDict):
    """Arguments of the Kubernetes provider."""

    kubeconfig: pulumi.Input[str]
    cluster_identifier: pulumi.Input[str]
    enable_config_map_mutable: bool


def kubernetes_provider(home: AksCluster) -> KubernetesProviderArgs:
    """Arguments of the provider for objects in the cluster.

    The identifier is one for life: without it a new address of the API server would replace every object.
    ConfigMaps are changed in place, so that the autoscaler never misses its priority map. Both are measured in
    tests/local/kubernetes, against a recording of the real provider.
    """
    return KubernetesProviderArgs(
        kubeconfig=home.kubeconfig, cluster_identifier=home.cluster_id, enable_config_map_mutable=True
    )


def outputs(
    plan: Plan,
    group: resources.ResourceGroup,
    vnet: Network,
    home: AksCluster,
    kubeflow: KubeflowPrerequisites,
    *,
    images: ContainerRegistry,
    store: DataStore | None,
    logs: Monitoring | None,
) -> dict[str, Any]:
    """What a stack tells people and the next tools. The kubeconfig and Juju's token are secrets."""
    prefix = "service.beta.kubernetes.io/azure"
    # The address is no secret, though the kubeconfig it stands in is.
    api = pulumi.Output.unsecret(home.kubeconfig.apply(api_endpoint))
    data = {"dataStore": {"account": store.account_name, "clientIds": store.client_ids}} if store else {}
    kept = {"logWorkspace": logs.workspace_id} if logs else {}
    return {
        **data,
        **kept,
        "clusterName": home.name,
        "resourceGroup": group.name,
        "fqdn": home.fqdn,
        "kubeconfig": home.kubeconfig,
        "poolContract": plan.contract,
        "vcpuQuota": vcpu_quota(plan.pools),
        "costBasis": cost_basis(plan.settings),
        "clusterBasis": cluster_basis(plan.settings, stack=pulumi.get_stack()),
        "jujuEndpoint": api.apply(lambda endpoint: endpoint.server),
        "jujuCaCertificate": api.apply(lambda endpoint: endpoint.ca_certificate),
        "jujuToken": kubeflow.juju_token,
        "storageClass": kubeflow.storage_class,
        "checkpointClass": kubeflow.checkpoint_class,
        "registryId": images.registry_id,
        "ingressFqdn": vnet.ingress_fqdn,
        "ingressAnnotations": {
            f"{prefix}-load-balancer-resource-group": group.name,
            f"{prefix}-pip-name": vnet.ingress_address_name,
            f"{prefix}-dns-label-name": _dns_label(plan, group),
        },
    }


def _with_own(ranges: Sequence[str], vnet: Network) -> list[pulumi.Input[str]]:
    """The ranges and the nodes' own way out: AKS adds its load balancer's address, but no NAT gateway's.

    Source: MicrosoftDocs/azure-aks-docs, articles/aks/api-server-authorized-ip-ranges.md (2026-08-21). A registry adds
    neither.
    """
    own = [pulumi.Output.concat(vnet.outbound_address, "/32")] if ranges and vnet.outbound_address else []
    return [*ranges, *own]


def _dns_label(plan: Plan, group: resources.ResourceGroup) -> pulumi.Input[str]:
    return plan.settings.kubeflow.dns_label or group.id.apply(
        lambda arm_id: dns_label(plan.names.base, arm_id)
    )


def _pool(plan: Plan, pool: AgentPool, vnet: Network) -> AgentPoolSpec:
    return AgentPoolSpec(
        **_named(AgentPoolSpec, pool),
        gpu=pool.hardware == GPU,
        subnet_id=vnet.subnet_ids[pool.subnet],
        mode="System" if pool.purpose is Purpose.SYSTEM else "User",
        protect=plan.settings.protect and pool.purpose is Purpose.GENERAL and not pool.replaced_by,
    )


def _on_blobs(
    arguments: type[Mapping[str, object]], settings: CheckpointClass | DataStoreSettings, plan: Plan
) -> dict[str, Any]:
    """Those settings, with the kind of storage account that suits the region."""
    return _named(arguments, settings) | {"sku": blob_sku(settings.sku, plan.settings.location)}


def _named(arguments: type[Mapping[str, object]], settings: SettingsModel) -> dict[str, Any]:
    """The settings that have the name of an argument; the names of TypedDicts are those of their annotations."""
    return settings.model_dump(include=set(arguments.__annotations__))
