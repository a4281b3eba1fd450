"""Another team's program that has none of the components' code: the engine makes them in the plugin's process."""

from typing import Any, cast

import pulumi
from pulumi_azure_native import containerservice as aks
from pulumi_azure_native import resources


class AksCluster(pulumi.ComponentResource):
    """What a generated SDK holds of the component of that name."""

    def __init__(self, name: str, inputs: dict[str, Any]) -> None:
        outputs = dict.fromkeys(("name", "kubeconfig", "managedCluster"))
        super().__init__("kubeflow-aks:index:AksCluster", name, {**inputs, **outputs}, remote=True)

    @property
    @pulumi.getter
    def name(self) -> pulumi.Output[str]:
        """Name of the cluster."""
        return cast(Any, pulumi).get(self, "name")

    @property
    @pulumi.getter
    def kubeconfig(self) -> pulumi.Output[str]:
        """Secret: kubeconfig of a cluster admin."""
        return cast(Any, pulumi).get(self, "kubeconfig")

    @property
    @pulumi.getter(name="managedCluster")
    def managed_cluster(self) -> pulumi.Output[aks.ManagedCluster]:
        """The cluster itself."""
        return cast(Any, pulumi).get(self, "managedCluster")


class AgentPools(pulumi.ComponentResource):
    """What a generated SDK holds of the component of that name."""

    def __init__(self, name: str, inputs: dict[str, Any], opts: pulumi.ResourceOptions) -> None:
        super().__init__("kubeflow-aks:index:AgentPools", name, {**inputs, "names": None}, opts, remote=True)

    @property
    @pulumi.getter
    def names(self) -> pulumi.Output[list[str]]:
        """Names of the pools."""
        return cast(Any, pulumi).get(self, "names")


config = pulumi.Config()
location = config.get("location") or "westeurope"
group = resources.ResourceGroup("team", location=location)
cluster = AksCluster(
    "team",
    {
        "resourceGroupName": group.name,
        "resourceGroupId": group.id,
        "location": location,
        "kubernetes": {"maintenance": {"day": "Sunday"}},
        "systemPool": {"minCount": 1},
    },
)
pools = AgentPools(
    "team",
    {
        "resourceGroupName": group.name,
        "cluster": cluster.managed_cluster,
        "pools": [
            {"name": "general", "vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3},
            {
                "name": "spot",
                "vmSize": "Standard_D8ds_v5",
                "maxCount": 5,
                "priority": "Spot",
                "evictionPolicy": config.get("evictionPolicy"),
            },
        ],
    },
    pulumi.ResourceOptions(deleted_with=cluster),
)
pulumi.export("cluster", cluster.name)
pulumi.export("pools", pools.names)
pulumi.export("kubeconfig", cluster.kubeconfig)
