"""Another team's program: its own subscription, two clusters of its own, and one that others own."""

import base64
import sys
from pathlib import Path
from typing import Any

import pulumi
import pulumi_azure_native as azure
import pulumi_kubernetes as kubernetes
from pulumi_azure_native import containerservice as aks

sys.path.append(str(Path(__file__).resolve().parents[6]))  # the folder that holds components/

from components.azure.aliases import without_version_aliases
from components.cluster.aks_cluster import AksCluster
from components.data_store.data_store import DataStore
from components.kubeflow.prerequisites import KubeflowPrerequisites
from components.network.network import Network
from components.pools.agent_pools import AgentPools
from components.pools.pool_specs import AgentPoolSpec
from components.registry.container_registry import ContainerRegistry

LOCATION = "westeurope"
SUBSCRIPTION = "00000000-0000-0000-0000-0000000000aa"
SPOT = AgentPoolSpec(
    name="spot", vm_size="Standard_D8ds_v5", max_count=3, priority="Spot", eviction_policy="Delete"
)

config = pulumi.Config()
old, name = config.get("renamedFrom"), config.get("name") or "team-one"
token = pulumi.Config("azure-native").require_secret("clientSecret")
ours = azure.Provider("ours", subscription_id=SUBSCRIPTION, client_secret=token)


class Platform(pulumi.ComponentResource):
    """What the team puts its components under, later."""

    def __init__(self) -> None:
        super().__init__("team:index:Platform", "platform", {}, pulumi.ResourceOptions(providers=[ours]))


def tagged(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
    """A transformation, as teams use them for tags; an auditor changes them, so that they are left alone."""
    if args.type_ != "azure-native:containerservice:ManagedCluster":
        return None
    props: dict[str, Any] = {**args.props, "tags": {"owner": config.get("owner") or "team"}}
    args.opts.ignore_changes = [*(args.opts.ignore_changes or []), "tags"]
    return pulumi.ResourceTransformationResult(props, args.opts)


def moved() -> pulumi.ResourceOptions:
    """Options of a component that may have had another name, and no parent."""
    if not config.get_bool("parent"):
        alias = [pulumi.Alias(name=old)] if old else []
        return pulumi.ResourceOptions(providers=[ours], aliases=alias, transformations=[tagged])
    alias = [pulumi.Alias(name=old or name, parent=pulumi.ROOT_STACK_RESOURCE)]
    return pulumi.ResourceOptions(parent=platform, aliases=alias, transformations=[tagged])


pulumi.runtime.register_stack_transformation(without_version_aliases)
platform = Platform() if config.get_bool("parent") else None
group = azure.resources.ResourceGroup(
    "team", resource_group_name="team", location=LOCATION, opts=pulumi.ResourceOptions(provider=ours)
)
network = Network(
    name,
    {
        "resource_group_name": group.name,
        "location": LOCATION,
        "vnet_name": "team-vnet",
        "ingress_address_name": "team-ingress",
    },
    moved(),
)
cluster = AksCluster(
    name,
    {
        "resource_group_name": group.name,
        "location": LOCATION,
        "resource_group_id": group.id,
        "cluster_name": "team",
        "system_pool": {"subnet_id": network.subnet_ids["system"]},
    },
    moved(),
)
second = AksCluster(
    "second",
    {"resource_group_name": group.name, "location": LOCATION, "resource_group_id": group.id},
    pulumi.ResourceOptions(providers=[ours]),
)
in_ours = pulumi.ResourceOptions.merge(moved(), pulumi.ResourceOptions(deleted_with=cluster))
AgentPools(
    name, {"resource_group_name": group.name, "cluster": cluster.managed_cluster, "pools": [SPOT]}, in_ours
)
ContainerRegistry(
    name,
    {"resource_group_name": group.name, "location": LOCATION, "puller_object_id": cluster.kubelet_object_id},
    moved(),
)
profiles: Any = {"vision": {"identity_name": "team-vision"}}
DataStore(
    name,
    {
        "resource_group_name": group.name,
        "location": LOCATION,
        "oidc_issuer": cluster.oidc_issuer,
        "profiles": profiles,
    },
    moved(),
)

theirs = aks.ManagedCluster.get("theirs", config.require("cluster"))
their_group = "owners"
AgentPools("in-theirs", {"resource_group_name": their_group, "cluster": theirs, "pools": [SPOT]})
credentials = aks.list_managed_cluster_admin_credentials_output(
    resource_group_name=their_group, resource_name="their-cluster"
)
kubeconfig = credentials.kubeconfigs.apply(lambda answers: base64.b64decode(answers[0].value).decode())
inside = kubernetes.Provider("theirs", kubeconfig=kubeconfig, cluster_identifier=config.require("cluster"))
KubeflowPrerequisites(
    "in-theirs",
    {"pools": [], "protect": False, "namespace": "team-in-theirs"},
    pulumi.ResourceOptions(provider=inside),
)
pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("second", second.kubeconfig)
