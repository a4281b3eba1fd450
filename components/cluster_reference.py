"""The cluster that components are given: a resource in the same program, an Output in a plugin."""

import pulumi
from pulumi.resource import DependencyResource
from pulumi_azure_native import containerservice as aks


def name_of(cluster: pulumi.Input[aks.ManagedCluster]) -> pulumi.Output[str]:
    """The cluster's name, once it exists."""
    return pulumi.Output.from_input(cluster).apply(lambda found: found.name)


def version_of(cluster: pulumi.Input[aks.ManagedCluster]) -> pulumi.Output[str | None]:
    """The Kubernetes version that the cluster is set to, once it exists."""
    return pulumi.Output.from_input(cluster).apply(lambda found: found.kubernetes_version)


def resource_of(cluster: pulumi.Input[aks.ManagedCluster]) -> pulumi.Resource:
    """The cluster as `deleted_with` takes it.

    In a component that runs for a program in another process the cluster is an Output, which `deleted_with` does not
    accept; it needs only the URN of a resource.
    """
    if isinstance(cluster, pulumi.Resource):
        return cluster
    found = DependencyResource("")
    found.__dict__["urn"] = pulumi.Output.from_input(cluster).apply(lambda resource: resource.urn)
    return found
