"""The cluster that components are given: a resource in the same program, an Output in a plugin."""

import pulumi
from pulumi_azure_native import containerservice as aks


def name_of(cluster: pulumi.Input[aks.ManagedCluster]) -> pulumi.Output[str]:
    """The cluster's name, once it exists."""
    return pulumi.Output.from_input(cluster).apply(lambda made: made.name)


def version_of(cluster: pulumi.Input[aks.ManagedCluster]) -> pulumi.Output[str | None]:
    """The Kubernetes version that the cluster is set to, once it exists."""
    return pulumi.Output.from_input(cluster).apply(lambda made: made.kubernetes_version)
