"""A module of the program's own."""

import base64
from typing import Any

import pulumi
from pulumi_azure_native import containerservice as aks
from pulumi_azure_native import resources


def cluster(group: resources.ResourceGroup, location: str) -> aks.ManagedCluster:
    """A cluster with one system pool."""
    return aks.ManagedCluster(
        "cluster",
        resource_group_name=group.name,
        resource_name_="cluster",
        location=location,
        dns_prefix="example",
        node_resource_group="example-nodes",
        kubernetes_version="1.34",
        identity=aks.ManagedClusterIdentityArgs(type=aks.ResourceIdentityType.SYSTEM_ASSIGNED),
        agent_pool_profiles=[
            aks.ManagedClusterAgentPoolProfileArgs(
                name="system", mode="System", vm_size="Standard_D4s_v5", count=2, os_type="Linux"
            )
        ],
    )


def pool(group: resources.ResourceGroup, of: aks.ManagedCluster, settings: dict[str, Any]) -> aks.AgentPool:
    """A pool of spot machines."""
    return aks.AgentPool(
        "spot",
        resource_group_name=group.name,
        resource_name_=of.name,
        agent_pool_name="spot",
        mode="User",
        vm_size=settings["vmSize"],
        enable_auto_scaling=True,
        count=0,
        min_count=0,
        max_count=settings["maxCount"],
        scale_set_priority="Spot",
        node_taints=["kubernetes.azure.com/scalesetpriority=spot:NoSchedule"],
        node_labels={"kubernetes.azure.com/scalesetpriority": "spot"},
    )


def kubeconfig(group: resources.ResourceGroup, of: aks.ManagedCluster) -> pulumi.Output[str]:
    """The administrator's kubeconfig, secret."""
    credentials = aks.list_managed_cluster_admin_credentials_output(
        resource_group_name=group.name, resource_name=of.name
    )
    text = credentials.apply(lambda answer: base64.b64decode(answer.kubeconfigs[0].value).decode())
    return pulumi.Output.secret(text)
