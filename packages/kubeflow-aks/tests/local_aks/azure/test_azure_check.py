"""Check completes inputs, and reports every mistake that it can judge without Azure."""

import re

import pytest
from azure_bodies import Json, cluster, spot_pool, system_pool
from azure_client import Client, Connect
from pulumi.runtime.proto import provider_pb2

from kubeflow_aks.local_aks.azure import constraints
from kubeflow_aks.local_aks.azure.check import body, without_nulls
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER
from kubeflow_aks.local_aks.azure.types import RESOURCE_GROUP
from kubeflow_aks.local_aks.protocol.wire import UNKNOWN

POOL = {"resourceGroupName": "kubeflow", "resourceName": "aks", "agentPoolName": "spot"}
CLUSTER = {"resourceGroupName": "kubeflow", "resourceName": "aks"}
ROLE = "azure-native:authorization:RoleAssignment"
MAINTENANCE = "azure-native:containerservice:MaintenanceConfiguration"
REGISTRY = "azure-native:containerregistry:Registry"
Autonaming = provider_pb2.CheckRequest.AutonamingOptions


@pytest.mark.parametrize(
    ("token", "inputs", "failure"),
    [
        (AGENT_POOL, {"agentPoolName": "a"}, "missing required property 'resourceGroupName'"),
        (AGENT_POOL, POOL | {"vmsize": "x"}, "'vmsize': unknown property"),
        (AGENT_POOL, POOL | {"upgradeSettings": {"surge": "1"}}, "'upgradeSettings.surge': unknown property"),
        (AGENT_POOL, POOL | {"mode": "Sytem"}, "'mode': 'Sytem' is not one of"),
        (AGENT_POOL, POOL | {"agentPoolName": "cpu-spot"}, "'agentPoolName' does not match expression"),
        (AGENT_POOL, POOL | {"osDiskSizeGB": 4096}, "'osDiskSizeGB' is too high (4096.000000 > 2048.000000)"),
        (AGENT_POOL, POOL | {"count": "two"}, "'count': 'two' does not fit"),
        (
            MANAGED_CLUSTER,
            CLUSTER | cluster(agentPoolProfiles=[system_pool(), system_pool(name="Bad")]),
            "'agentPoolProfiles[1].name' does not match expression '^[a-z][a-z0-9]{0,11}$'",
        ),
        (
            MANAGED_CLUSTER,
            CLUSTER | cluster(agentPoolProfiles=[system_pool(nodeLabel={})]),
            "'agentPoolProfiles[0].nodeLabel': unknown property",
        ),
        (
            MANAGED_CLUSTER,
            CLUSTER | cluster(networkProfile={"podCidr": "10.0.0.0/33"}),
            "'networkProfile.podCidr' does not match expression",
        ),
        (MAINTENANCE, CLUSTER | {"configName": "default"}, None),
        (
            MAINTENANCE,
            CLUSTER
            | {
                "configName": "default",
                "maintenanceWindow": {
                    "durationHours": 2,
                    "startTime": "02:00",
                    "schedule": {"daily": {"intervalDays": 1}},
                },
            },
            "'maintenanceWindow.durationHours' is too low (2.000000 < 4.000000)",
        ),
        (
            REGISTRY,
            {"resourceGroupName": "r", "registryName": "abc", "sku": {"name": "Basic"}},
            "'registryName' is too short (3): at least 5 characters required",
        ),
        (
            "azure-native:storage:StorageAccount",
            {
                "resourceGroupName": "r",
                "accountName": "a" * 25,
                "kind": "StorageV2",
                "sku": {"name": "Standard_ZRS"},
            },
            "'accountName' is too long (25): at most 24 characters allowed",
        ),
        (
            "azure-native:storage:BlobContainer",
            {"resourceGroupName": "r", "accountName": "abc", "containerName": "ml"},
            "'containerName' is too short (2): at least 3 characters required",
        ),
        (
            "azure-native:storage:BlobServiceProperties",
            {
                "resourceGroupName": "r",
                "accountName": "abc",
                "blobServicesName": "default",
                "containerDeleteRetentionPolicy": {"enabled": True, "days": 366},
            },
            "'containerDeleteRetentionPolicy.days' is too high (366.000000 > 365.000000)",
        ),
        (
            "azure-native:managedidentity:FederatedIdentityCredential",
            {
                "resourceGroupName": "r",
                "resourceName": "identity",
                "federatedIdentityCredentialResourceName": "a.b",
                "issuer": "https://issuer/",
                "subject": "s",
                "audiences": ["a"],
            },
            "'federatedIdentityCredentialResourceName' does not match expression",
        ),
        (RESOURCE_GROUP, {"resourceGroupName": "r" * 91}, "is too long (91): at most 90 characters allowed"),
    ],
)
def test_mistakes_that_need_no_azure_are_reported(
    client: Client, token: str, inputs: Json, failure: str | None
) -> None:
    failures = client.check(token, inputs)[1]
    if failure is None:
        assert failures == []
    else:
        assert any(failure in reported for reported in failures), failures


def test_rules_of_aks_are_not_checks(client: Client) -> None:
    bad = spot_pool(mode="System", spotMaxPrice=0.1234567, nodeLabels={"kubernetes.azure.com/x": "y"})
    assert client.check(AGENT_POOL, POOL | bad)[1] == []


def test_unknown_values_pass_anywhere(client: Client) -> None:
    inputs = POOL | {
        "resourceGroupName": UNKNOWN,
        "nodeLabels": {"a": UNKNOWN},
        "nodeTaints": [UNKNOWN],
        "mode": UNKNOWN,
    }
    checked, failures = client.check(AGENT_POOL, inputs)
    assert failures == []
    assert checked == inputs | {"azureApiVersion": "2025-09-01"}


def test_properties_that_are_null_are_not_there(client: Client) -> None:
    checked, failures = client.check(AGENT_POOL, POOL | {"tags": None, "upgradeSettings": {"maxSurge": None}})
    assert failures == []
    assert checked == POOL | {"upgradeSettings": {}, "azureApiVersion": "2025-09-01"}


def test_one_seed_gives_one_name(client: Client) -> None:
    assert client.check(RESOURCE_GROUP, {})[0] == client.check(RESOURCE_GROUP, {})[0]


def test_a_name_once_made_up_stays(client: Client) -> None:
    old = {"resourceGroupName": "rg0badcafe", "__createBeforeDelete": True}
    checked, _ = client.check(RESOURCE_GROUP, {}, old)
    assert (checked["resourceGroupName"], checked["__createBeforeDelete"]) == ("rg0badcafe", True)


def test_a_nested_resource_takes_the_logical_name(client: Client) -> None:
    checked, _ = client.check(AGENT_POOL, CLUSTER, name="gpu")
    assert checked["agentPoolName"] == "gpu"
    assert "__createBeforeDelete" not in checked


def test_a_role_assignment_is_named_by_a_guid(client: Client) -> None:
    checked, _ = client.check(ROLE, {"scope": "/s", "principalId": "p", "roleDefinitionId": "r"})
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", checked["roleAssignmentName"])


def test_the_autonaming_of_the_stack_is_followed(client: Client) -> None:
    proposed = Autonaming(mode=Autonaming.PROPOSE, proposed_name="kubeflow-dev")
    assert client.check(RESOURCE_GROUP, {}, autonaming=proposed)[0]["resourceGroupName"] == "kubeflow-dev"


def test_without_autonaming_a_name_is_required(client: Client) -> None:
    _, failures = client.check(RESOURCE_GROUP, {}, autonaming=Autonaming(mode=Autonaming.DISABLE))
    assert failures == ["missing required property 'resourceGroupName'"]


def test_without_a_configured_location_the_groups_is_taken(connect: Connect) -> None:
    client = connect()
    client.create(RESOURCE_GROUP, {"resourceGroupName": "kubeflow", "location": "northeurope"})
    assert client.check(MANAGED_CLUSTER, CLUSTER)[0]["location"] == "northeurope"
    assert client.check(MANAGED_CLUSTER, {"resourceGroupName": UNKNOWN})[0]["location"] == UNKNOWN


def test_without_any_location_check_requires_one(connect: Connect) -> None:
    _, failures = connect().check(RESOURCE_GROUP, {})
    assert failures == [
        (
            "missing required property 'location'. Either set it explicitly or configure it with "
            "'pulumi config set azure-native:location <value>'."
        )
    ]


def test_pools_have_no_location(client: Client) -> None:
    assert "location" not in client.check(AGENT_POOL, POOL)[0]


def test_a_body_is_the_inputs_without_what_check_keeps_for_itself() -> None:
    assert body({"a": 1, "__createBeforeDelete": True, "azureApiVersion": "x"}) == {"a": 1}


def test_nulls_are_dropped_at_any_depth_of_objects() -> None:
    assert without_nulls({"a": None, "b": {"c": None, "d": 0}}) == {"b": {"d": 0}}


def test_constraints_are_met_by_what_azure_takes() -> None:
    assert constraints.violations(MANAGED_CLUSTER, CLUSTER | cluster()) == []
