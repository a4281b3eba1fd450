"""The cluster as components take it: known at once in a program, an Output where another process made it."""

import pulumi
from pulumi.resource import DependencyResource
from pulumi_azure_native import containerservice as aks


def name_of(cluster: pulumi.Input[aks.ManagedCluster]) -> pulumi.Output[str]:
    """The cluster's name, once it exists."""
    return pulumi.Output.from_input(cluster).apply(lambda found: found.name)


def version_of(cluster: pulumi.Input[aks.ManagedCluster]) -> pulumi.Output[str | None]:
    """The Kubernetes version that the cluster was told, once it runs it."""
    return pulumi.Output.from_input(cluster).apply(lambda found: found.kubernetes_version)


def resource_of(cluster: pulumi.Input[aks.ManagedCluster]) -> pulumi.Resource:
    """The cluster as `deleted_with` takes it.

    In a component that runs for a program in another process the cluster is an Output, for which `deleted_with` has no
    room; all it asks of a resource is the URN.
    """
    if isinstance(cluster, pulumi.Resource):
        return cluster
    found = DependencyResource("")
    found.__dict__["urn"] = pulumi.Output.from_input(cluster).apply(lambda resource: resource.urn)
    return found
