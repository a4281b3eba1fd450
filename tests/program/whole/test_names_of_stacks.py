"""A stack in a group that is there already, with names and subnets of a company, as the program makes it."""

from __future__ import annotations

from typing import Any, Final

import pytest

from kubeflow_aks.cost import reading
from kubeflow_aks.recorder.document import plan_document
from kubeflow_aks.recorder.run import Record, record
from tests.program.whole.records import CLUSTER, GROUP

_NET: Final = (
    "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/net/providers/Microsoft.Network"
)
_COMPANY: Final[dict[str, Any]] = {
    "resourceGroup": "rg-ml-dev-weu-001",
    "names": {"pattern": "<type>-ml-<stack>-weu-001"},
    "network": {
        "subnetIds": dict.fromkeys(
            ("system", "general", "cpu", "gpu"), f"{_NET}/virtualNetworks/spoke/subnets/nodes"
        )
    },
    "monitoring": {"logs": ["kube-audit-admin"]},
    "data": {"store": {"profiles": {"vision": {}}}},
}


@pytest.fixture(scope="module")
def company() -> Record:
    """The `dev` stack there."""
    return record("dev", extra=_COMPANY)


def test_neither_group_nor_network_is_made(company: Record) -> None:
    assert company.of(GROUP) == []
    assert company.of("azure-native:network:VirtualNetwork") == []
    assert "azure-native:resources:getResourceGroup" in company.invokes


def test_every_resource_is_in_the_group_that_is_there(company: Record) -> None:
    groups = {
        r.inputs["resourceGroupName"] for r in company.resources.values() if "resourceGroupName" in r.inputs
    }
    assert groups == {company.outputs["resourceGroup"]} == {"rg-ml-dev-weu-001"}


def test_every_name_in_azure_is_by_the_pattern(company: Record) -> None:
    keys = (
        "resourceName",
        "publicIpAddressName",
        "registryName",
        "accountName",
        "workspaceName",
        "nodeResourceGroup",
    )
    names = {
        "MaintenanceConfiguration",
        "AgentPool",
        "FederatedIdentityCredential",
    }  # children of another resource
    named = {
        str(r.inputs[key])
        for r in company.resources.values()
        for key in keys
        if key in r.inputs and r.type.rpartition(":")[2] not in names
    }
    assert named == {
        "aks-ml-dev-weu-001",
        "rg-nodes-ml-dev-weu-001",
        "id-aks-ml-dev-weu-001",
        "id-data-vision-ml-dev-weu-001",
        "pip-ingress-ml-dev-weu-001",
        "crmldevweu001",
        "stmldevweu001",
        "log-ml-dev-weu-001",
    }
    settings = company.of("azure-native:monitor:DiagnosticSetting")  # one of the cluster, one of the registry
    assert [setting.inputs["name"] for setting in settings] == ["diag-ml-dev-weu-001"] * 2


def test_the_names_of_pulumi_s_resources_are_as_ever(company: Record) -> None:
    assert company.one(CLUSTER).name == "kubeflow-aks-dev"


def test_a_bill_knows_the_region(company: Record) -> None:
    assert reading.read_cluster(reading.from_plan(plan_document(company))).region == "westeurope"


def test_what_others_own_gets_no_name_by_the_pattern() -> None:
    registry = _NET.replace("Microsoft.Network", "Microsoft.ContainerRegistry/registries/shared")
    workspace = _NET.replace("Microsoft.Network", "Microsoft.OperationalInsights/workspaces/shared")
    shared = {
        **_COMPANY,
        "registry": {"attach": registry},
        "monitoring": {"logs": ["kube-audit-admin"], "workspace": workspace},
    }
    made = record("dev", extra=shared)
    assert made.of("azure-native:containerregistry:Registry") == []
    assert made.of("azure-native:operationalinsights:Workspace") == []
