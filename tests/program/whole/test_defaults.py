"""A component with its required arguments only makes what the program makes of a stack with defaults only."""

from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
import pytest
from pulumi_azure_native import resources

from components.cluster.aks_cluster import AksCluster
from components.kubeflow.prerequisites import KubeflowPrerequisites
from components.network.network import Network
from components.pools.agent_pools import AgentPools
from components.pools.pool_specs import AgentPoolSpec
from components.registry.container_registry import ContainerRegistry
from kubeflow_aks.recorder.monitor import Resource
from kubeflow_aks.recorder.run import Record, record
from tests.program.whole.records import AS_OF, GROUP, PROVIDER

NAME = "kubeflow-aks-dev"
LOCATION = "westeurope"
DIFFERS = {
    # Subnets of a component used alone are where the caller says; names, tags and texts come from the plan.
    "azure-native:network:PublicIPAddress": {"dnsSettings"},
    "azure-native:containerservice:AgentPool": {"vnetSubnetID", "nodeLabels", "nodeTaints"},
    "kubernetes:core/v1:ConfigMap": {"data"},
}


def alone() -> None:
    """A program of another team: the components with what they cannot do without."""
    group = resources.ResourceGroup(NAME, resource_group_name=NAME, location=LOCATION)
    Network(NAME, {"resource_group_name": group.name, "location": LOCATION})
    cluster = AksCluster(
        NAME, {"resource_group_name": group.name, "resource_group_id": group.id, "location": LOCATION}
    )
    ContainerRegistry(
        NAME,
        {
            "resource_group_name": group.name,
            "location": LOCATION,
            "puller_object_id": cluster.kubelet_object_id,
        },
    )
    regular = AgentPoolSpec(name="general", vm_size="Standard_D8s_v5", min_count=2, max_count=3, protect=True)
    spot = AgentPoolSpec(
        name="gpuspot",
        vm_size="Standard_NC4as_T4_v3",
        gpus=1,
        priority="Spot",
        eviction_policy="Delete",
        max_count=4,
    )
    AgentPools(
        NAME,
        {"resource_group_name": group.name, "cluster": cluster.managed_cluster, "pools": [regular, spot]},
    )
    provider = kubernetes.Provider(NAME, kubeconfig=cluster.kubeconfig)
    KubeflowPrerequisites(NAME, {"pools": []}, pulumi.ResourceOptions(provider=provider))


def by_name(recording: Record) -> dict[tuple[str, str], Resource]:
    return {(resource.type, resource.name): resource for resource in recording.resources.values()}


@pytest.fixture(scope="module")
def both() -> list[tuple[Resource, Resource]]:
    """Each resource of the components used alone, and what the program makes of the same name."""
    mine = by_name(record("dev", program=alone))
    programs = by_name(record("dev", extra={"systemPool": {}, "registry": {}, "asOf": AS_OF}))
    return [
        (resource, programs[key])
        for key, resource in mine.items()
        if resource.custom and resource.type not in {GROUP, PROVIDER}
    ]


def inputs(resource: Resource) -> dict[str, Any]:
    """The inputs, without tags and those that must differ."""
    left_out = {"tags", *DIFFERS.get(resource.type, ())}
    stated = {key: value for key, value in resource.inputs.items() if key not in left_out}
    for profile in stated.get("agentPoolProfiles", ()):
        profile.pop("tags", None)
        profile.pop("vnetSubnetID", None)
    return stated


def test_every_kind_of_resource_is_compared(both: list[tuple[Resource, Resource]]) -> None:
    kinds = {alone.type.split(":")[1] for alone, _ in both}
    assert kinds >= {
        "containerservice",
        "network",
        "containerregistry",
        "authorization",
        "managedidentity",
        "core/v1",
    }


def test_what_is_left_out_has_the_default_of_the_settings(both: list[tuple[Resource, Resource]]) -> None:
    for alone, program in both:
        assert inputs(alone) == inputs(program), alone.urn
