"""A stack in a company's hub-and-spoke landing zone: in its group, under its names, in the subnets of its spoke."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from datetime import date
from typing import Any, Final

import pytest

from components.azure.roles import NETWORK_CONTRIBUTOR, PRIVATE_DNS_ZONE_CONTRIBUTOR
from kubeflow_aks.local_aks.azure.arm import key
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER
from kubeflow_aks.local_aks.azure.timing import Timing
from kubeflow_aks.local_aks.azure.types import RESOURCE_GROUP, ROLE_ASSIGNMENT, TYPES, VIRTUAL_NETWORK
from kubeflow_aks.local_aks.engine import EngineError
from kubeflow_aks.tools import Tools
from tests.local.engine.deployment import SUBSCRIPTION, TODAY, Cluster, Deployment, deployment

_GROUP: Final = "rg-ml-prod-weu-001"
_SPOKE: Final = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg-net-weu/providers/Microsoft.Network"
_VNET: Final = f"{_SPOKE}/virtualNetworks/vnet-spoke-ml"
_HUB: Final = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg-hub-weu/providers/Microsoft.Network"
_ZONE: Final = f"{_HUB}/privateDnsZones/privatelink.westeurope.azmk8s.io"
_ROUTES: Final = f"{_HUB}/routeTables/hub"
_RANGES: Final = {
    "snet-system": "10.50.0.0/26",
    "snet-general": "10.50.0.64/26",
    "snet-batch": "10.50.4.0/22",
    "snet-nat": "10.50.1.0/29",
}
IDS: Final = {
    "system": f"{_VNET}/subnets/snet-system",
    "general": f"{_VNET}/subnets/snet-general",
    "cpu": f"{_VNET}/subnets/snet-batch",
    "gpu": f"{_VNET}/subnets/SNET-batch",
}
NETWORK: Final[Mapping[str, Any]] = {
    "outboundType": "userDefinedRouting",
    "routeTableId": _ROUTES,
    "subnetIds": IDS,
}
_COMPANY: Final[Mapping[str, Any]] = {
    "resourceGroup": _GROUP,
    "names": {"pattern": "<type>-ml-<stack>-weu-001", "registry": "crmlteam01"},
    "network": NETWORK,
    "apiAccess": {"privateCluster": True, "privateDnsZoneId": _ZONE},
    "monitoring": {"logs": ["kube-audit-admin"]},
}


def _put(stack: Deployment, token: str, arm_id: str, body: dict[str, Any]) -> None:
    """Makes a resource as the company's network team does, past Pulumi."""
    manager = ResourceManager(stack.azure, Timing(float("inf")), _today)
    manager.put(TYPES[token], arm_id, body)


def _today() -> date:
    return TODAY


def land(stack: Deployment) -> None:
    """Makes the group of the team and the spoke's network."""
    for group in (_GROUP, "rg-net-weu"):
        _put(
            stack,
            RESOURCE_GROUP,
            f"/subscriptions/{SUBSCRIPTION}/resourceGroups/{group}",
            {"location": "westeurope"},
        )
    subnets = [
        {"name": name, "addressPrefix": cidr, "routeTable": {"id": _ROUTES}} for name, cidr in _RANGES.items()
    ]
    body = {
        "location": "westeurope",
        "addressSpace": {"addressPrefixes": ["10.50.0.0/16"]},
        "subnets": subnets,
    }
    _put(stack, VIRTUAL_NETWORK, _VNET, body)


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster) -> Generator[Deployment]:
    """The `demo` stack in the landing zone."""
    with deployment(tmp_path_factory.mktemp("zone") / "run", tools, cluster, "demo", **_COMPANY) as stack:
        land(stack)
        stack.engine().up()
        yield stack


def test_all_resources_are_in_the_group_and_have_the_names_of_the_company(landed: Deployment) -> None:
    ours = {
        r.id.partition("/providers/")[2].partition("/")[2]
        for r in landed.azure.all()
        if f"/{_GROUP}/".lower() in r.id.lower() and r.type not in {AGENT_POOL, ROLE_ASSIGNMENT}
    }
    assert {name for name in ours if "/maintenanceConfigurations/" not in name} == {
        "userAssignedIdentities/id-aks-ml-demo-weu-001",
        "publicIPAddresses/pip-ingress-ml-demo-weu-001",
        "managedClusters/aks-ml-demo-weu-001",
        "registries/crmlteam01",
        "workspaces/log-ml-demo-weu-001",
        "managedClusters/aks-ml-demo-weu-001/providers/Microsoft.Insights/diagnosticSettings/diag-ml-demo-weu-001",
        "registries/crmlteam01/providers/Microsoft.Insights/diagnosticSettings/diag-ml-demo-weu-001",
    }
    [cluster] = landed.azure.all(MANAGED_CLUSTER)
    assert cluster.outputs["nodeResourceGroup"] == "rg-nodes-ml-demo-weu-001"
    assert cluster.outputs["dnsPrefix"] == "aks-ml-demo-weu-001"


def test_outputs_name_what_there_is(landed: Deployment) -> None:
    outputs = landed.engine().outputs().values
    assert (outputs["resourceGroup"], outputs["clusterName"]) == (_GROUP, "aks-ml-demo-weu-001")
    assert outputs["ingressAnnotations"] == {
        "service.beta.kubernetes.io/azure-load-balancer-resource-group": _GROUP,
        "service.beta.kubernetes.io/azure-pip-name": "pip-ingress-ml-demo-weu-001",
        "service.beta.kubernetes.io/azure-dns-label-name": outputs["ingressFqdn"].partition(".")[0],
    }


def test_nodes_are_in_the_subnets_of_the_spoke(landed: Deployment) -> None:
    subnet_ids = {pool.outputs["name"]: pool.inputs["vnetSubnetID"] for pool in landed.azure.all(AGENT_POOL)}
    batch = {"cpuspot": "cpu", "cpuod": "cpu", "gpuspot": "gpu", "gpuod": "gpu"}
    subnets = {"system": "system", "general": "general", **batch}
    assert subnet_ids == {pool: IDS[subnet] for pool, subnet in subnets.items()}
    assert [vnet.id for vnet in landed.azure.all(VIRTUAL_NETWORK)] == [_VNET]


def test_the_cluster_may_use_the_spoke_and_write_to_its_zone(landed: Deployment) -> None:
    principal = landed.azure.all("azure-native:managedidentity:UserAssignedIdentity")[0].outputs[
        "principalId"
    ]
    granted = {
        (key(r.outputs["scope"]), r.inputs["roleDefinitionId"].rpartition("/")[2])
        for r in landed.azure.all(ROLE_ASSIGNMENT)
        if r.inputs["principalId"] == principal
    }
    group = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/{_GROUP}"
    networks = {group, _ROUTES, _VNET, *IDS.values()}
    assert granted == {
        *((key(scope), NETWORK_CONTRIBUTOR) for scope in networks),
        (key(_ZONE), PRIVATE_DNS_ZONE_CONTRIBUTOR),
    }


def test_the_zone_is_the_clusters(landed: Deployment) -> None:
    [cluster] = landed.azure.all(MANAGED_CLUSTER)
    access = cluster.inputs["apiServerAccessProfile"]
    assert (access["privateDNSZone"], access["enablePrivateCluster"]) == (_ZONE, True)


def test_a_second_up_changes_nothing_and_protects_from_another_name_that_replaces_its_resource(
    landed: Deployment,
) -> None:
    other = {"names": {**_COMPANY["names"], "cluster": "aks-other"}}
    assert landed.engine(protect=True).up().changed() == ()
    with pytest.raises(EngineError, match="unable to replace resource"):
        landed.engine(protect=True, **other).preview()
    assert landed.engine().up().changed() == ()
    steps = [step for step in landed.engine(**other).preview().changed() if step.type == MANAGED_CLUSTER]
    assert "update-replace" in {step.differences.get("resourceName") for step in steps}


def test_destroy_leaves_what_the_company_owns(landed: Deployment) -> None:
    landed.engine().destroy()
    groups = {f"/subscriptions/{SUBSCRIPTION}/resourceGroups/{name}" for name in (_GROUP, "rg-net-weu")}
    assert {r.id for r in landed.azure.all()} == {
        *groups,
        _VNET,
        *(f"{_VNET}/subnets/{name}" for name in _RANGES),
    }
    assert landed.engine().export().get("resources", []) == []


def test_azure_refuses_a_spoke_without_the_gateway_that_nodes_go_out_by(landed: Deployment) -> None:
    natted = landed.engine(network={"outboundType": "userAssignedNATGateway", "subnetIds": IDS})
    with pytest.raises(EngineError, match="a subnet of the agent pools has no NAT gateway"):
        natted.up()
    natted.destroy()
