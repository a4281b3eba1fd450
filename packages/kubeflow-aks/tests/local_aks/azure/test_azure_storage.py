"""Storage accounts, containers and federated credentials: what Azure takes, and what it refuses."""

import pytest
from azure_bodies import GROUP_ID, LOCATION, Json, arm, group, put, wall_clock
from hypothesis import given
from hypothesis import strategies as st
from test_azure_admission import refusal

from kubeflow_aks.local_aks.azure.arm import ArmError
from kubeflow_aks.local_aks.azure.constraints import violations
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.rules.rule import ResourceRequest
from kubeflow_aks.local_aks.azure.rules.storage import STORAGE_RULES
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure.types import (
    BLOB_CONTAINER,
    FEDERATED_CREDENTIAL,
    RESOURCE_GROUP,
    ROLE_ASSIGNMENT,
    STORAGE_ACCOUNT,
    TYPES,
)
from program.planning.rules.data import data_problems
from program.settings import parse

ACCOUNTS = f"{GROUP_ID}/providers/Microsoft.Storage/storageAccounts"
IDENTITIES = f"{GROUP_ID}/providers/Microsoft.ManagedIdentity/userAssignedIdentities"
AUDIENCE = "api://AzureADTokenExchange"
CONCURRENTLY = (
    "Concurrent Federated Identity Credentials writes under the same managed identity are not supported"
)


def account(sku: str = "Standard_ZRS", kind: str = "StorageV2") -> Json:
    return {"location": LOCATION, "kind": kind, "sku": {"name": sku}}


def credential(subject: str = "system:serviceaccount:a:run", *audiences: str) -> Json:
    return {"issuer": "https://issuer/", "subject": subject, "audiences": list(audiences or (AUDIENCE,))}


@pytest.fixture
def manager(azure: AzureState) -> ResourceManager:
    """Azure with a group, an account and two identities."""
    made = arm(azure)
    put(made, RESOURCE_GROUP, GROUP_ID, group())
    put(made, STORAGE_ACCOUNT, f"{ACCOUNTS}/kfdata", account())
    for name in ("one", "two"):
        identity = "azure-native:managedidentity:UserAssignedIdentity"
        put(made, identity, f"{IDENTITIES}/{name}", {"location": LOCATION})
    return made


@pytest.mark.parametrize(
    ("rule", "name", "body"),
    [
        ("storage-account-name", "kf", account()),
        ("storage-account-name", "kf-data", account()),
        ("storage-account-name", "kfdata0123456789012345678", account()),
        ("storage-account-kind", "fast", account("Premium_ZRS")),
        ("storage-account-kind", "slow", account("Standard_LRS", "BlockBlobStorage")),
        ("storage-account-zones", "west", account() | {"location": "West US"}),
        ("storage-account-sku", "kfdata", account("Standard_LRS")),
    ],
)
def test_an_account_is_refused(manager: ResourceManager, rule: str, name: str, body: Json) -> None:
    before = manager.get(f"{ACCOUNTS}/{name}")
    with pytest.raises(ArmError) as refused:
        put(manager, STORAGE_ACCOUNT, f"{ACCOUNTS}/{name}", body)
    refusal(rule, refused.value)
    assert manager.get(f"{ACCOUNTS}/{name}") == before


def test_an_accounts_name_is_free_once_in_all_of_azure(manager: ResourceManager) -> None:
    other = GROUP_ID + "2"
    put(manager, RESOURCE_GROUP, other, group())
    with pytest.raises(ArmError) as refused:
        put(manager, STORAGE_ACCOUNT, ACCOUNTS.replace(GROUP_ID, other) + "/kfdata", account())
    refusal("storage-account-taken", refused.value, "kfdata")


@pytest.mark.parametrize(
    "body", [account() | {"tags": {"a": "b"}}, account("Standard_GZRS"), account("Standard_RAGZRS")]
)
def test_an_account_may_be_changed_without_moving_its_data(manager: ResourceManager, body: Json) -> None:
    assert put(manager, STORAGE_ACCOUNT, f"{ACCOUNTS}/kfdata", body)["sku"]["name"] == body["sku"]["name"]


@pytest.mark.parametrize("name", ["ab", "Team", "team--a", "-team", "team-", "team_a", "a" * 64])
def test_a_container_is_refused(manager: ResourceManager, name: str) -> None:
    with pytest.raises(ArmError) as refused:
        put(manager, BLOB_CONTAINER, f"{ACCOUNTS}/kfdata/blobServices/default/containers/{name}", {})
    refusal("container-name", refused.value)


@pytest.mark.parametrize("name", ["abc", "team-a", "0-1", "a" * 63])
def test_a_container_needs_its_account_and_no_more(manager: ResourceManager, name: str) -> None:
    container = f"{ACCOUNTS}/kfdata/blobServices/default/containers/{name}"
    assert put(manager, BLOB_CONTAINER, container, {})["publicAccess"] == "None"
    with pytest.raises(ArmError, match="parent resource"):
        put(manager, BLOB_CONTAINER, container.replace("kfdata", "nowhere"), {})


def test_a_role_may_be_assigned_on_a_container(manager: ResourceManager) -> None:
    container = f"{ACCOUNTS}/kfdata/blobServices/default/containers/team-a"
    right = (
        f"{container}/providers/Microsoft.Authorization/roleAssignments/8f6e3a52-6d56-4f0e-9a57-0d4c1f1c5f01"
    )
    body = {"principalId": "p", "roleDefinitionId": "/data", "principalType": "ServicePrincipal"}
    with pytest.raises(ArmError, match="was not found"):
        put(manager, ROLE_ASSIGNMENT, right, body)
    put(manager, BLOB_CONTAINER, container, {})
    assert put(manager, ROLE_ASSIGNMENT, right, body)["scope"] == container


def test_an_account_takes_its_containers_along(manager: ResourceManager) -> None:
    container = f"{ACCOUNTS}/kfdata/blobServices/default/containers/team-a"
    put(manager, BLOB_CONTAINER, container, {})
    operation = manager.delete(TYPES[STORAGE_ACCOUNT], f"{ACCOUNTS}/kfdata")
    assert operation
    manager.wait(operation)
    assert manager.get(container) is None


def test_a_credential_has_one_audience(manager: ResourceManager) -> None:
    with pytest.raises(ArmError) as refused:
        put(
            manager,
            FEDERATED_CREDENTIAL,
            f"{IDENTITIES}/one/federatedIdentityCredentials/sa-run",
            credential("s", AUDIENCE, "b"),
        )
    refusal("federated-audience", refused.value)


def test_an_identity_trusts_a_subject_once_and_two_identities_may_both(manager: ResourceManager) -> None:
    put(manager, FEDERATED_CREDENTIAL, f"{IDENTITIES}/one/federatedIdentityCredentials/sa-run", credential())
    put(manager, FEDERATED_CREDENTIAL, f"{IDENTITIES}/two/federatedIdentityCredentials/sa-run", credential())
    put(manager, FEDERATED_CREDENTIAL, f"{IDENTITIES}/one/federatedIdentityCredentials/sa-run", credential())
    with pytest.raises(ArmError) as refused:
        put(
            manager,
            FEDERATED_CREDENTIAL,
            f"{IDENTITIES}/one/federatedIdentityCredentials/sa-two",
            credential(),
        )
    refusal("federated-twice", refused.value)


def test_an_identity_has_at_most_twenty_credentials(manager: ResourceManager) -> None:
    held = f"{IDENTITIES}/one/federatedIdentityCredentials"
    for number in range(20):
        put(manager, FEDERATED_CREDENTIAL, f"{held}/sa-{number}", credential(f"s{number}"))
    with pytest.raises(ArmError) as refused:
        put(manager, FEDERATED_CREDENTIAL, f"{held}/sa-20", credential("s20"))
    refusal("federated-most", refused.value)
    put(manager, FEDERATED_CREDENTIAL, f"{held}/sa-19", credential("another"))


@pytest.mark.usefixtures("manager")
def test_no_two_credentials_of_an_identity_are_written_at_once(azure: AzureState) -> None:
    slow = arm(azure, clock=wall_clock())
    held = f"{IDENTITIES}/one/federatedIdentityCredentials"
    slow.put(TYPES[FEDERATED_CREDENTIAL], f"{held}/sa-run", credential())
    with pytest.raises(ArmError, match=CONCURRENTLY):
        slow.put(TYPES[FEDERATED_CREDENTIAL], f"{held}/sa-two", credential("two"))
    with pytest.raises(ArmError, match=CONCURRENTLY):
        slow.delete(TYPES[FEDERATED_CREDENTIAL], f"{held}/sa-run")
    slow.put(
        TYPES[FEDERATED_CREDENTIAL], f"{IDENTITIES}/two/federatedIdentityCredentials/sa-run", credential()
    )


@given(name=st.text("ab0-_A.", max_size=5) | st.text("a-", min_size=60, max_size=66))
def test_azure_takes_the_containers_of_exactly_the_namespaces_that_the_program_takes(name: str) -> None:
    raw: Json = {"tags": {"owner": "ml", "environment": "dev"}, "data": {"store": {"profiles": {name: {}}}}}
    container = f"{ACCOUNTS}/kfdata/blobServices/default/containers/{name}"
    request = ResourceRequest(type=BLOB_CONTAINER, id=container, body={}, existing=None, peers=())
    refused = [rule.id for rule in STORAGE_RULES if rule.broken(request) is not None]
    assert bool(refused) == any(data_problems(parse(raw)))


@given(account=st.text("ab0-_A.", max_size=5) | st.text("a.", min_size=112, max_size=120))
def test_every_service_account_that_the_program_takes_has_a_credential_that_azure_takes(account: str) -> None:
    profiles = {"team": {"serviceAccounts": [account]}}
    raw: Json = {"tags": {"owner": "ml", "environment": "dev"}, "data": {"store": {"profiles": profiles}}}
    if any(data_problems(parse(raw))):
        return
    name = f"sa-{account.replace('.', '_')}"
    assert violations(FEDERATED_CREDENTIAL, {"federatedIdentityCredentialResourceName": name}) == []
