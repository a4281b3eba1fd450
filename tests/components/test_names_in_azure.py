"""Names in Azure that a team chooses itself, so that a component's own name is free to change."""

import pulumi
import pytest

from components.cluster.aks_cluster import AksCluster
from components.cluster.aks_cluster_args import AksClusterArgs
from components.data_store.data_store import DataStore, DataStoreArgs
from components.monitoring.monitoring import Monitoring, MonitoringArgs
from components.network.network import Network, NetworkArgs
from components.registry.container_registry import ContainerRegistry, ContainerRegistryArgs
from tests.components import sample_arguments
from tests.components.conftest import Cloud

IDENTITY = f"{sample_arguments.GROUP_ID}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/ours"
AKS_CLUSTER: AksClusterArgs = {
    **sample_arguments.CLUSTER,
    "cluster_name": "theirs",
    "dns_prefix": "api",
    "node_resource_group": "nodes",
    "identity_id": IDENTITY,
}
NETWORK = NetworkArgs(
    resource_group_name="group",
    location="westeurope",
    outbound_type="userAssignedNATGateway",
    vnet_name="their-vnet",
    ingress_address_name="their-ingress",
    outbound_address_name="their-outbound",
    nat_gateway_name="their-nat",
)
REGISTRY = ContainerRegistryArgs(
    resource_group_name="group",
    location="westeurope",
    puller_object_id="kubelet",
    registry_name="theirregistry",
)
STORE = DataStoreArgs(
    resource_group_name="group",
    location="westeurope",
    oidc_issuer="https://issuer",
    account_name="theiraccount",
    profiles={"vision": {"identity_name": "their-identity"}},
)
MONITORING = MonitoringArgs(
    resource_group_name="group",
    location="westeurope",
    cluster_id=f"{sample_arguments.GROUP_ID}/providers/Microsoft.ContainerService/managedClusters/aks",
    logs=["guard"],
    workspace_name="their-logs",
    setting_name="their-setting",
    node_resource_group_name="nodes",
    budget={"monthly": 100.0, "start_date": "2026-12-01", "emails": ["ml@example.com"]},
    budget_name="their-budget",
)


@pytest.fixture(scope="module", autouse=True)
def components(cloud: Cloud) -> None:
    """One of each with names of its own, and a cluster of which only the start of its names is given."""
    start = pulumi.Output.from_input("theirs")
    AksCluster("start", {**sample_arguments.CLUSTER, "cluster_name": start}, cloud.opts)
    AksCluster("kf", AKS_CLUSTER, cloud.opts)
    Network("network", NETWORK, cloud.opts)
    ContainerRegistry("registry", REGISTRY, cloud.opts)
    DataStore("store", STORE, cloud.opts)
    Monitoring("logs", MONITORING, cloud.opts)


@pytest.mark.parametrize(
    ("resource", "key", "expected"),
    [
        ("start", "resourceName", "theirs"),
        ("start", "dnsPrefix", "theirs"),
        ("start", "nodeResourceGroup", "theirs-nodes"),
        ("start-identity", "resourceName", "theirs-identity"),
        ("kf", "dnsPrefix", "api"),
        ("kf", "nodeResourceGroup", "nodes"),
        ("network-vnet", "virtualNetworkName", "their-vnet"),
        ("network-ingress", "publicIpAddressName", "their-ingress"),
        ("network-outbound", "publicIpAddressName", "their-outbound"),
        ("network-nat", "natGatewayName", "their-nat"),
        ("registry", "registryName", "theirregistry"),
        ("store", "accountName", "theiraccount"),
        ("store-vision-data", "resourceName", "their-identity"),
        ("logs-logs", "workspaceName", "their-logs"),
        ("logs-control-plane", "name", "their-setting"),
        ("logs-budget", "budgetName", "their-budget"),
    ],
)
def test_a_name_given_is_the_name_in_azure(cloud: Cloud, resource: str, key: str, expected: str) -> None:
    assert cloud.inputs(resource)[key] == expected


def test_an_identity_given_is_the_cluster_s_and_none_is_made(cloud: Cloud) -> None:
    assert not {"kf-identity", "kf-network"} & set(cloud.names("kf"))
    assert cloud.inputs("kf")["identity"]["userAssignedIdentities"] == [IDENTITY]
