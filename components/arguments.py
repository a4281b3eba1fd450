"""From one plan to the arguments of each component; the only place that knows both."""

import json
from collections.abc import Sequence
from typing import Any, TypedDict

import pulumi
from pulumi_azure_native import resources

from components.agent_pools import AgentPoolsArgs, AgentPoolSpec
from components.aks_cluster import AksCluster
from components.aks_cluster_args import (
    AksClusterArgs,
    ApiAccessArgs,
    AutoscalerArgs,
    ClusterNetworkArgs,
    KubernetesArgs,
    MaintenanceArgs,
    SshArgs,
)
from components.container_registry import ContainerRegistryArgs
from components.kubeflow import KubeflowPrerequisites, KubeflowPrerequisitesArgs
from components.kubeflow.inotify import InotifyArgs
from components.kubeflow.storage import StorageClassArgs
from components.network import Network, NetworkArgs
from planning import AgentPool, Plan, Role
from planning.conventions import SPOT_KEY, WORKLOAD_LABEL
from planning.kubeconfig import api_endpoint
from planning.network_rules import dns_service_ip, subnets

NAMESPACE = "kubeflow-aks"
"""Namespace of our own objects; Juju refuses `kubeflow` and `controller-*` if they exist (ckf.md §2)."""


def network(plan: Plan, group: resources.ResourceGroup) -> NetworkArgs:
    """Arguments of the network."""
    settings = plan.settings.network
    return NetworkArgs(
        resource_group_name=group.name,
        location=plan.settings.location,
        cidr=settings.vnet_cidr,
        subnets={role.value: cidr for role, cidr in subnets(settings).items()},
        outbound_type=settings.outbound_type,
        route_table_id=settings.route_table_id,
        dns_label=plan.names.dns_label,
        tags=plan.settings.tags.as_dict(),
    )


def cluster(plan: Plan, group: resources.ResourceGroup, vnet: Network) -> AksClusterArgs:
    """Arguments of the cluster."""
    settings = plan.settings
    kubernetes, window, access, profile, ssh = (
        settings.kubernetes,
        settings.kubernetes.maintenance,
        settings.api_access,
        settings.autoscaler,
        settings.ssh,
    )
    return AksClusterArgs(
        resource_group_name=group.name,
        resource_group_id=group.id,
        location=settings.location,
        kubernetes=KubernetesArgs(
            version=kubernetes.version,
            support_plan=kubernetes.support_plan,
            tier=kubernetes.tier,
            upgrade_channel=kubernetes.upgrade_channel,
            node_os_upgrade_channel=kubernetes.node_os_upgrade_channel,
        ),
        maintenance=MaintenanceArgs(
            day=window.day,
            start_time=window.start_time,
            duration_hours=window.duration_hours,
            utc_offset=window.utc_offset,
        ),
        network=ClusterNetworkArgs(
            pod_cidr=settings.network.pod_cidr,
            service_cidr=settings.network.service_cidr,
            dns_service_ip=dns_service_ip(settings.network),
            outbound_type=settings.network.outbound_type,
        ),
        api_access=ApiAccessArgs(
            authorized_ip_ranges=_authorized_ip_ranges(access.authorized_ip_ranges, vnet),
            private_cluster=access.private_cluster,
            local_accounts=access.local_accounts,
            admin_group_object_ids=access.admin_group_object_ids,
            kubelogin_mode=access.kubelogin_mode,
        ),
        autoscaler=AutoscalerArgs(
            scan_interval=profile.scan_interval,
            max_node_provision_time=profile.max_node_provision_time,
            scale_down_delay_after_add=profile.scale_down_delay_after_add,
            scale_down_unneeded_time=profile.scale_down_unneeded_time,
            scale_down_utilization_threshold=profile.scale_down_utilization_threshold,
            balance_similar_node_groups=profile.balance_similar_node_groups,
            skip_nodes_with_local_storage=profile.skip_nodes_with_local_storage,
            skip_nodes_with_system_pods=profile.skip_nodes_with_system_pods,
            max_graceful_termination_sec=profile.max_graceful_termination_sec,
        ),
        system_pool=_pool(plan, plan.system_pool, vnet),
        ssh=SshArgs(admin_username=ssh.admin_username, public_key=ssh.public_key) if ssh else None,
        tags=settings.tags.as_dict(),
    )


def registry(plan: Plan, group: resources.ResourceGroup, puller: AksCluster) -> ContainerRegistryArgs:
    """Arguments of the registry."""
    return ContainerRegistryArgs(
        resource_group_name=group.name,
        location=plan.settings.location,
        puller_object_id=puller.kubelet_object_id,
        attach=plan.settings.registry.attach,
        sku=plan.settings.registry.sku,
        tags=plan.settings.tags.as_dict(),
    )


def pools(plan: Plan, group: resources.ResourceGroup, vnet: Network, home: AksCluster) -> AgentPoolsArgs:
    """Arguments of the user pools."""
    return AgentPoolsArgs(
        resource_group_name=group.name,
        cluster_name=home.name,
        pools=[_pool(plan, pool, vnet) for pool in plan.user_pools],
        gpu_driver=plan.settings.gpu.driver,
        tags=plan.settings.tags.as_dict(),
    )


def prerequisites(plan: Plan) -> KubeflowPrerequisitesArgs:
    """Arguments of Charmed Kubeflow's prerequisites."""
    settings = plan.settings.kubeflow
    limits, storage = settings.inotify, settings.storage_class
    return KubeflowPrerequisitesArgs(
        namespace=NAMESPACE,
        priorities=plan.priorities,
        pool_contract=json.dumps(plan.contract, indent=1),
        storage_class=StorageClassArgs(
            name=storage.name, sku=storage.sku, reclaim_policy=storage.reclaim_policy
        ),
        general_labels={WORKLOAD_LABEL: plan.general_pool.labels[WORKLOAD_LABEL]},
        inotify=InotifyArgs(
            max_user_instances=limits.max_user_instances, max_user_watches=limits.max_user_watches
        )
        if limits.enabled
        else None,
        device_plugin=plan.settings.gpu.plugin == "devicePlugin"
        and any(p.role is Role.GPU for p in plan.pools),
        spot_taint_key=SPOT_KEY,
        guards=settings.guards,
        argo_retries=settings.argo_retries,
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
    ConfigMaps are changed in place, so that the autoscaler never misses its priority map (engine.md §2).
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
) -> dict[str, Any]:
    """What a stack tells people and the next tools. The kubeconfig and Juju's token are secrets."""
    prefix = "service.beta.kubernetes.io/azure"
    # The address is no secret, though the kubeconfig it stands in is.
    api = pulumi.Output.unsecret(home.kubeconfig.apply(api_endpoint))
    return {
        "clusterName": home.name,
        "resourceGroup": group.name,
        "fqdn": home.fqdn,
        "kubeconfig": home.kubeconfig,
        "poolContract": plan.contract,
        "jujuEndpoint": api.apply(lambda endpoint: endpoint.server),
        "jujuCaCertificate": api.apply(lambda endpoint: endpoint.ca_certificate),
        "jujuToken": kubeflow.juju_token,
        "storageClass": kubeflow.storage_class,
        "ingressFqdn": vnet.ingress_fqdn,
        "ingressAnnotations": {
            f"{prefix}-load-balancer-resource-group": group.name,
            f"{prefix}-pip-name": vnet.ingress_address_name,
            f"{prefix}-dns-label-name": plan.names.dns_label,
        },
    }


def _authorized_ip_ranges(ranges: Sequence[str], vnet: Network) -> list[pulumi.Input[str]]:
    """The ranges and the nodes' own way out: AKS adds its load balancer's address, but no NAT gateway's (aks.md §5)."""
    own = [pulumi.Output.concat(vnet.outbound_address, "/32")] if ranges and vnet.outbound_address else []
    return [*ranges, *own]


def _pool(plan: Plan, pool: AgentPool, vnet: Network) -> AgentPoolSpec:
    return AgentPoolSpec(
        name=pool.name,
        vm_size=pool.vm_size,
        spot=pool.spot,
        gpu=pool.role is Role.GPU,
        min_count=pool.min_count,
        max_count=pool.max_count,
        labels=dict(pool.labels),
        taints=pool.taints,
        os_disk_type=pool.os_disk_type,
        os_disk_gib=pool.os_disk_gib,
        zones=pool.zones,
        max_pods=pool.max_pods,
        subnet_id=vnet.subnet_ids[pool.role.value],
        eviction_policy=pool.eviction_policy,
        max_price=pool.max_price,
        gpu_instance_profile=pool.gpu_instance_profile,
        protect=plan.settings.protect and pool.role is Role.GENERAL,
    )
