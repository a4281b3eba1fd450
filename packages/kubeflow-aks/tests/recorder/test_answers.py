"""Answers in the shape of Azure's and Kubernetes' responses."""

import base64
from typing import Any

import pytest
import yaml
from pulumi.runtime import mocks

from kubeflow_aks.recorder.answers import JUJU_TOKEN, KUBECONFIG, Answers


def made(typ: str, **inputs: Any) -> tuple[str | None, dict[str, Any]]:
    return Answers().new_resource(mocks.MockResourceArgs(typ, "logical", inputs))


def invoked(token: str) -> dict[str, Any]:
    return Answers().call(mocks.MockCallArgs(token, {}, ""))


@pytest.mark.parametrize(
    ("typ", "key"),
    [
        ("azure-native:containerservice:ManagedCluster", "resourceName"),
        ("azure-native:network:VirtualNetwork", "virtualNetworkName"),
        ("azure-native:network:PublicIPAddress", "publicIpAddressName"),
        ("azure-native:containerregistry:Registry", "registryName"),
        ("azure-native:storage:BlobContainer", "containerName"),
    ],
)
def test_a_resource_has_its_physical_name_and_an_arm_id(typ: str, key: str) -> None:
    inputs: dict[str, Any] = {"identity": {"userAssignedIdentities": []}, key: "physical"}
    arm_id, outputs = made(typ, resourceGroupName="group", **inputs)
    assert outputs["name"] == "physical"
    assert (arm_id or "").startswith(
        "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/group/"
    )
    assert (arm_id or "").endswith("/physical")


def test_a_pool_is_named_as_itself_and_not_as_its_cluster() -> None:
    _, outputs = made("azure-native:containerservice:AgentPool", agentPoolName="pool", resourceName="aks")
    assert outputs["name"] == "pool"


def test_a_credential_is_named_as_itself_and_not_as_its_identity() -> None:
    names = {"federatedIdentityCredentialResourceName": "credential", "resourceName": "identity"}
    _, outputs = made("azure-native:managedidentity:FederatedIdentityCredential", **names)
    assert outputs["name"] == "credential"


def test_a_resource_without_a_physical_name_has_its_logical_one() -> None:
    arm_id, outputs = made("azure-native:containerregistry:Registry", resourceGroupName="group")
    assert outputs["name"] == "logical"
    assert (arm_id or "").endswith("/Registry/logical")


def test_a_resource_group_is_its_own_arm_id() -> None:
    arm_id, outputs = made("azure-native:resources:ResourceGroup", resourceGroupName="group")
    assert outputs["name"] == "group"
    assert (arm_id or "").endswith("/resourceGroups/group")


def test_a_cluster_answers_a_map_of_identities_for_a_list() -> None:
    identity = {"type": "UserAssigned", "userAssignedIdentities": ["one"]}
    _, outputs = made("azure-native:containerservice:ManagedCluster", identity=identity)
    assert outputs["identity"] == {"type": "UserAssigned", "userAssignedIdentities": {"one": {}}}


def test_an_address_with_a_dns_label_has_a_name() -> None:
    _, outputs = made(
        "azure-native:network:PublicIPAddress", location="westeurope", dnsSettings={"domainNameLabel": "kf"}
    )
    assert outputs["dnsSettings"]["fqdn"] == "kf.westeurope.cloudapp.azure.com"


def test_an_object_is_known_by_namespace_and_name() -> None:
    object_id, _ = made("kubernetes:core/v1:ConfigMap", metadata={"name": "map", "namespace": "space"})
    assert object_id == "space/map"


def test_the_secret_of_an_account_comes_filled() -> None:
    _, outputs = made("kubernetes:core/v1:Secret", metadata={"name": "s"})
    assert base64.b64decode(outputs["data"]["token"]).decode() == JUJU_TOKEN


def test_a_cluster_hands_out_its_kubeconfig() -> None:
    answer = invoked("azure-native:containerservice:listManagedClusterAdminCredentials")
    assert base64.b64decode(answer["kubeconfigs"][0]["value"]).decode() == KUBECONFIG
    assert yaml.safe_load(KUBECONFIG)["users"][0]["user"]["token"]


def test_any_other_invoke_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="no recorded answer for azure-native:x:y"):
        invoked("azure-native:x:y")
