"""The arguments of each component, made from one plan; the only place that knows both.

Settings and arguments of the same meaning have the same name, so that whole groups are passed on as they are.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import pulumi
from pulumi_azure_native import resources

from aks_facts import charmed_kubeflow_releases
from components.cluster.aks_cluster import AksCluster
from components.cluster.aks_cluster_args import (
    AksClusterArgs,
    ApiAccessSpec,
    AutoscalerSpec,
    ClusterNetworkSpec,
    KubernetesSpec,
    SshSpec,
)
from components.cluster.kubeconfig import api_endpoint
from components.data_store.data_store import DataStore, DataStoreArgs
from components.kubeflow.prerequisites import KubeflowPrerequisites, KubeflowPrerequisitesArgs
from components.kubeflow.storage import CheckpointClassSpec
from components.monitoring.alert_rules import WatchedPool
from components.monitoring.alerting_args import AlertingArgs, AlertsSpec
from components.monitoring.monitoring import Monitoring, MonitoringArgs
from components.monitoring.monitoring_args import BudgetSpec
from components.network.network import Network, NetworkArgs
from components.pools.agent_pools import AgentPools, AgentPoolsArgs
from components.pools.pool_specs import AgentPoolSpec, SystemPoolSpec
from components.registry.container_registry import ContainerRegistry, ContainerRegistryArgs
from program.planning import AgentPool, Plan, Purpose
from program.planning.cluster_basis import cluster_basis
from program.planning.cost_basis import cost_basis
from program.planning.hardware import GPU, gpu_model
from program.planning.names import dns_label, given_names
from program.planning.node_prices import is_assumed, node_prices, on_demand_price
from program.planning.pools import fallback_name, reservation_groups
from program.planning.quota import vcpu_quota
from program.planning.redundancy import blob_sku, disk_sku
from program.settings import CheckpointClass, SettingsModel
from program.settings import DataStore as DataStoreSettings

ResourceGroup: TypeAlias = resources.ResourceGroup | pulumi.Output[resources.GetResourceGroupResult]
"""A new group, or one that is there already; both have `name` and `id`."""


def resource_group(plan: Plan) -> dict[str, Any] | None:
    """Arguments of a new resource group; None for a stack in one that is there already."""
    return None if plan.settings.resource_group else _common(plan, plan.names.resource_group)


def given_group(plan: Plan) -> pulumi.Output[resources.GetResourceGroupResult]:
    """The resource group that is there already; the run fails where it is not."""
    return resources.get_resource_group_output(resource_group_name=plan.names.resource_group)


def network(plan: Plan, group: ResourceGroup) -> NetworkArgs:
    """Arguments of the network."""
    return NetworkArgs(
        **_common(plan, group.name),
        **_named(NetworkArgs, plan.settings.network),
        dns_label=_dns_label(plan, group),
        vnet_name=plan.names.virtual_network,
        subnet_names=dict(plan.names.subnets),
        managed_by_aks=plan.settings.in_network_of_aks,
        nat_gateway_name=plan.names.nat_gateway,
        outbound_address_name=plan.names.outbound_address,
        ingress_address_name=plan.names.ingress_address,
    )


def cluster(plan: Plan, group: ResourceGroup, network: Network) -> AksClusterArgs:
    """Arguments of the cluster."""
    settings = plan.settings
    access = _named(ApiAccessSpec, settings.api_access)
    access["authorized_ip_ranges"] = _with_own(access["authorized_ip_ranges"], network)
    return AksClusterArgs(
        **_common(plan, group.name),
        resource_group_id=group.id,
        cluster_name=plan.names.cluster,
        dns_prefix=plan.names.dns_prefix,
        node_resource_group=plan.names.node_resource_group,
        identity_name=plan.names.identity,
        kubernetes=KubernetesSpec(**_named(KubernetesSpec, settings.kubernetes)),
        network=ClusterNetworkSpec(**_named(ClusterNetworkSpec, settings.network)),
        api_access=ApiAccessSpec(**access),
        autoscaler=AutoscalerSpec(**_named(AutoscalerSpec, settings.autoscaler)),
        system_pool=SystemPoolSpec(
            **_named(SystemPoolSpec, settings.system_pool),
            **_subnet(plan, plan.system_pool, network),
        ),
        capacity_reservation_groups=reservation_groups(plan.pools),
        blob_driver=settings.data.checkpoints.enabled,
        ssh=SshSpec(**_named(SshSpec, settings.ssh)) if settings.ssh else None,
        managed_prometheus=settings.alerts is not None,
        adopted=settings.adopted,
    )


def registry(
    plan: Plan, group: ResourceGroup, network: Network, cluster: AksCluster
) -> ContainerRegistryArgs:
    """Arguments of the registry."""
    registry = _named(ContainerRegistryArgs, plan.settings.registry)
    registry["authorized_ip_ranges"] = _with_own(registry["authorized_ip_ranges"], network)
    return ContainerRegistryArgs(
        **_common(plan, group.name),
        **registry,
        puller_object_id=cluster.kubelet_object_id,
        registry_name=None if plan.settings.registry.attach else plan.names.registry,
    )


def data_store(plan: Plan, group: ResourceGroup, cluster: AksCluster) -> DataStoreArgs | None:
    """Arguments of the data store; None for a stack without one."""
    store = plan.settings.data.store
    if store is None:
        return None
    named = _on_blobs(DataStoreArgs, store, plan)
    for namespace, profile in named["profiles"].items():
        profile["identity_name"] = plan.names.data_identities[namespace]
    return DataStoreArgs(
        **_common(plan, group.name),
        **named,
        account_name=plan.names.storage_account,
        oidc_issuer=cluster.oidc_issuer,
    )


def monitoring(
    plan: Plan, group: ResourceGroup, cluster: AksCluster, registry: ContainerRegistry
) -> MonitoringArgs | None:
    """Arguments of the monitoring; None for a stack that collects no logs and whose cost nobody watches."""
    monitoring, budget = plan.settings.monitoring, plan.settings.budget
    watched = budget if budget and budget.watched else None
    if not (monitoring.logs or monitoring.cost_export or watched):
        return None
    args = MonitoringArgs(
        **_common(plan, group.name),
        **_named(MonitoringArgs, monitoring),
        cluster_id=cluster.cluster_id,
        setting_name=plan.names.diagnostic_setting,
        node_resource_group_name=plan.names.node_resource_group,
        budget=BudgetSpec(**_named(BudgetSpec, watched)) if watched else None,
    )
    if monitoring.workspace is None:
        args["workspace_name"] = plan.names.log_workspace
    if plan.settings.registry.attach is None:  # the owner of another one decides on its logs
        args["registry_id"] = registry.registry_id
        if "diagnostic_setting" in given_names(plan.settings):  # a name is unique within its resource
            args["registry_setting_name"] = plan.names.diagnostic_setting
    return args


def alerting(plan: Plan, group: ResourceGroup, cluster: AksCluster) -> AlertingArgs | None:
    """Arguments of the alerts; None for a stack without."""
    alerts, autoscaler = plan.settings.alerts, plan.settings.autoscaler
    if alerts is None:
        return None
    prices = node_prices(plan.settings, plan.user_pools)
    times = {
        name: value
        for name in ("max_node_provision_time", "scale_down_unready_time")
        if (value := getattr(autoscaler, name)) is not None
    }
    return AlertingArgs(
        **_common(plan, group.name),
        **_named(AlertsSpec, alerts),
        **times,
        cluster_id=cluster.cluster_id,
        pools=[_watched(plan, pool, prices.get(pool.name)) for pool in plan.user_pools],
        eviction_handler=_handles_evictions(plan),
    )


def _watched(plan: Plan, pool: AgentPool, price: float | None) -> WatchedPool:
    watched = WatchedPool(
        name=pool.name,
        min_count=pool.min_count,
        max_count=pool.max_count,
        fallback=bool(pool.fallback_of),
        gpus=pool.hardware == GPU,
        spot=pool.spot,
    )
    if price is not None:
        watched["price"], watched["price_assumed"] = price, is_assumed(plan.settings, pool)
    if pool.spot and (on_demand := on_demand_price(plan.settings, pool)) is not None:
        watched["on_demand_price"] = on_demand
    return watched


def _handles_evictions(plan: Plan) -> bool:
    return plan.settings.kubeflow.eviction_handler and any(pool.spot for pool in plan.pools)


def pools(plan: Plan, group: ResourceGroup, network: Network, cluster: AksCluster) -> AgentPoolsArgs:
    """Arguments of the user pools."""
    return AgentPoolsArgs(
        **_common(plan, group.name),
        cluster=cluster.managed_cluster,
        pools=[_pool(plan, pool, network) for pool in plan.user_pools],
        kubernetes_version=plan.settings.kubernetes.version,
        os_sku=plan.settings.kubernetes.os_sku,
        gpu_driver=plan.settings.gpu.driver,
        adopted=plan.settings.adopted,
    )


def prerequisites(plan: Plan, pools: AgentPools) -> KubeflowPrerequisitesArgs:
    """Arguments of Charmed Kubeflow's prerequisites."""
    kubeflow = _named(KubeflowPrerequisitesArgs, plan.settings.kubeflow)
    kubeflow["storage_class"] |= {"sku": disk_sku(plan.settings)}
    kubeflow["eviction_handler"] = _handles_evictions(plan)
    kubeflow["return_to_spot"] &= any(pool.fallback_of for pool in plan.pools)
    return KubeflowPrerequisitesArgs(
        **kubeflow,
        checkpoints=CheckpointClassSpec(
            **_on_blobs(CheckpointClassSpec, plan.settings.data.checkpoints, plan)
        ),
        pools=pools.contract,
        device_plugin=plan.settings.gpu.plugin == "devicePlugin"
        and any(pool.hardware == GPU for pool in plan.pools),
        gpu_slices=any(pool.gpu_instance_profile for pool in plan.pools),
        gpu_time_slices=sorted({pool.gpu_time_slices for pool in plan.user_pools if pool.gpu_time_slices}),
        node_prices=node_prices(plan.settings, plan.user_pools),
        managed_prometheus=plan.settings.alerts is not None,
        network_policies=plan.settings.network.policy != "none",
        pipelines=charmed_kubeflow_releases()[plan.settings.kubeflow.release].pipelines,
        protect=plan.settings.protect,
    )


def kubernetes_provider(cluster: AksCluster) -> dict[str, Any]:
    """Arguments of the provider for objects in the cluster.

    The identifier never changes: without it a new address of the API server would replace every object.
    ConfigMaps are changed in place, so that the autoscaler never misses its priority map. Both are measured in
    packages/kubeflow-aks/tests/local/kubernetes, against a recording of the real provider.
    """
    return {
        "kubeconfig": cluster.kubeconfig,
        "cluster_identifier": cluster.cluster_id,
        "enable_config_map_mutable": True,
    }


def outputs(  # noqa: PLR0917 - one for each component
    plan: Plan,
    group: ResourceGroup,
    network: Network,
    cluster: AksCluster,
    pools: AgentPools,
    kubeflow: KubeflowPrerequisites,
    registry: ContainerRegistry,
    store: DataStore | None,
    monitoring: Monitoring | None,
) -> dict[str, Any]:
    """The outputs of a stack, for people and other tools. The kubeconfig and Juju's token are secrets."""
    prefix = "service.beta.kubernetes.io/azure"
    # The address is public, though the kubeconfig that contains it is secret.
    api = pulumi.Output.unsecret(cluster.kubeconfig.apply(api_endpoint))
    data = {"dataStore": {"account": store.account_name, "clientIds": store.client_ids}} if store else {}
    logs = {"logWorkspace": monitoring.workspace_id} if monitoring and plan.settings.monitoring.logs else {}
    return {
        **data,
        **logs,
        "clusterName": cluster.name,
        "resourceGroup": group.name,
        "fqdn": cluster.fqdn,
        "kubeconfig": cluster.kubeconfig,
        "poolContract": pools.contract,
        "vcpuQuota": vcpu_quota(plan.pools),
        "costBasis": cost_basis(plan.settings),
        "clusterBasis": cluster_basis(plan.settings, stack=pulumi.get_stack()),
        "jujuEndpoint": api.apply(lambda endpoint: endpoint.server),
        "jujuCaCertificate": api.apply(lambda endpoint: endpoint.ca_certificate),
        "jujuToken": kubeflow.juju_token,
        "storageClass": kubeflow.storage_class,
        "checkpointClass": kubeflow.checkpoint_class,
        "registryId": registry.registry_id,
        "ingressFqdn": network.ingress_fqdn,
        "ingressAnnotations": {
            f"{prefix}-load-balancer-resource-group": group.name,
            f"{prefix}-pip-name": network.ingress_address_name,
            f"{prefix}-dns-label-name": _dns_label(plan, group),
        },
    }


def _common(plan: Plan, group: pulumi.Input[str]) -> dict[str, Any]:
    """The arguments that the group itself and all components in it have."""
    tags = plan.settings.tags.as_dict()
    return {"resource_group_name": group, "location": plan.settings.location, "tags": tags}


def _with_own(ranges: Sequence[str], network: Network) -> list[pulumi.Input[str]]:
    """The ranges, a single address as one of them, and the address of the NAT gateway if there is one.

    AKS itself adds its load balancer's address only, a registry neither. Source: MicrosoftDocs/azure-aks-docs,
    articles/aks/api-server-authorized-ip-ranges.md (2026-08-21).
    """
    gateway = (
        [pulumi.Output.concat(network.outbound_address, "/32")] if ranges and network.outbound_address else []
    )
    return [*(text if "/" in text else f"{text}/32" for text in ranges), *gateway]


def _dns_label(plan: Plan, group: ResourceGroup) -> pulumi.Input[str]:
    return plan.settings.kubeflow.dns_label or group.id.apply(
        lambda arm_id: dns_label(plan.names.base, arm_id)
    )


def _pool(plan: Plan, pool: AgentPool, network: Network) -> AgentPoolSpec:
    settings = _named(AgentPoolSpec, pool)
    settings["fallback"] = fallback_name(pool.pool) if pool.fallback else None
    return AgentPoolSpec(
        **settings,
        gpus=pool.size.gpus,
        gpu_model=gpu_model(pool.size),
        vcpus=pool.size.vcpus,
        memory_gib=pool.size.memory_gib,
        architecture="arm64" if pool.size.architecture == "arm64" else "amd64",
        **_subnet(plan, pool, network),
        mode="System" if pool.purpose is Purpose.SYSTEM else "User",
        protect=plan.settings.protect and pool.purpose is Purpose.GENERAL and not pool.replaced_by,
    )


def _subnet(plan: Plan, pool: AgentPool, network: Network) -> dict[str, Any]:
    """The subnet of a pool; none in the network that AKS makes."""
    return {} if plan.settings.in_network_of_aks else {"subnet_id": network.subnet_ids[pool.subnet]}


def _on_blobs(
    arguments: type[Mapping[str, object]], settings: CheckpointClass | DataStoreSettings, plan: Plan
) -> dict[str, Any]:
    """The arguments of blob storage, with a kind of storage account that the region has."""
    return _named(arguments, settings) | {"sku": blob_sku(settings.sku, plan.settings.location)}


def _named(arguments: type[Mapping[str, object]], settings: SettingsModel) -> dict[str, Any]:
    """The settings that have the name of an argument of this TypedDict."""
    return settings.model_dump(include=set(arguments.__annotations__))
