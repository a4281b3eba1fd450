"""The data store on its own: an account without keys, and an identity for each namespace that reaches no other."""

import pulumi
import pytest

from components.data_store.data_store import DataStore, DataStoreArgs
from tests.components.conftest import Cloud, value

ISSUER = "https://westeurope.oic.example.invalid/t/c/"
ARGS = DataStoreArgs(
    resource_group_name="group",
    location="westeurope",
    oidc_issuer=ISSUER,
    profiles={"team-a": {"service_accounts": ["default-editor", "my.sa"]}, "team-b": {}},
    tags={"owner": "ml"},
)
BLOB_DATA_CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"


@pytest.fixture(scope="module", autouse=True)
def store(cloud: Cloud) -> DataStore:
    """The store that tests read unless they make one of their own."""
    opts = pulumi.ResourceOptions.merge(cloud.opts, pulumi.ResourceOptions(protect=True))
    return DataStore("kf-dev", ARGS, opts)


def test_the_account_takes_no_keys_and_shows_nothing_to_the_public(cloud: Cloud) -> None:
    body = cloud.inputs("kfdev")
    assert (body["allowSharedKeyAccess"], body["allowBlobPublicAccess"]) == (False, False)
    assert (body["enableHttpsTrafficOnly"], body["minimumTlsVersion"]) == (True, "TLS1_2")
    assert (body["kind"], body["sku"]) == ("StorageV2", {"name": "Standard_ZRS"})
    assert (body["location"], body["tags"]) == ("westeurope", {"owner": "ml"})


def test_checkpoints_are_renamed_in_one_step(cloud: Cloud) -> None:
    assert cloud.inputs("kfdev")["isHnsEnabled"] is True


def test_a_premium_account_is_of_the_kind_that_azure_has_for_it(cloud: Cloud) -> None:
    DataStore("fast", {**ARGS, "sku": "Premium_ZRS"}, cloud.opts)
    body = cloud.inputs("fast")
    assert (body["kind"], body["sku"]["name"]) == ("BlockBlobStorage", "Premium_ZRS")


def test_a_long_name_leaves_room_for_the_providers_suffix_and_stays_its_own(cloud: Cloud) -> None:
    names = [
        value(DataStore(name, {**ARGS, "profiles": {}}, cloud.opts).account_name)
        for name in ("kubeflow-aks-production-a", "kubeflow-aks-production-b")
    ]
    assert len(set(names)) == 2
    assert all(name.isalnum() and len(name) == 16 for name in names)


def test_deleted_containers_come_back_and_deleted_checkpoints_are_not_paid_on(cloud: Cloud) -> None:
    body = cloud.inputs("kf-dev-blobs")
    assert body["containerDeleteRetentionPolicy"] == {"enabled": True, "days": 7}
    assert body["deleteRetentionPolicy"] == {"enabled": False}


def test_each_namespace_has_a_private_container_of_its_name(cloud: Cloud) -> None:
    body = cloud.inputs("kf-dev-team-a")
    assert (body["containerName"], body["publicAccess"]) == ("team-a", "None")


def test_an_identity_reaches_its_own_container_and_no_more(cloud: Cloud) -> None:
    body = cloud.inputs("kf-dev-team-a-access")
    assert body["scope"].endswith("/BlobContainer/team-a")
    assert body["roleDefinitionId"].endswith(f"/roleDefinitions/{BLOB_DATA_CONTRIBUTOR}")
    assert (body["principalId"], body["principalType"]) == (
        "kf-dev-team-a-data-principal",
        "ServicePrincipal",
    )


def test_a_service_account_of_the_cluster_may_be_the_identity(cloud: Cloud) -> None:
    body = cloud.inputs("kf-dev-team-a.sa-my_sa")
    assert body["subject"] == "system:serviceaccount:team-a:my.sa"
    assert (body["issuer"], body["audiences"]) == (ISSUER, ["api://AzureADTokenExchange"])
    assert body["federatedIdentityCredentialResourceName"] == "sa-my_sa"


def test_a_namespace_that_says_no_more_lets_kubeflows_own_account(cloud: Cloud) -> None:
    assert (
        cloud.inputs("kf-dev-team-b.sa-default-editor")["subject"]
        == "system:serviceaccount:team-b:default-editor"
    )


def test_credentials_of_one_identity_are_written_one_after_the_other(cloud: Cloud) -> None:
    assert [
        urn
        for urn in cloud.options("kf-dev-team-a.sa-my_sa").dependencies
        if urn.endswith("::kf-dev-team-a.sa-default-editor")
    ]


@pytest.mark.parametrize("name", ["kfdev", "kf-dev-blobs", "kf-dev-team-a"])
def test_data_is_protected(cloud: Cloud, name: str) -> None:
    assert cloud.options(name).protect


@pytest.mark.parametrize("suffix", ["-data", "-access", ".sa-default-editor"])
def test_what_can_be_made_anew_is_not_protected(cloud: Cloud, suffix: str) -> None:
    assert not cloud.options(f"kf-dev-team-a{suffix}").protect


def test_outputs_name_account_and_client_ids(store: DataStore) -> None:
    assert value(store.account_name) == "kfdev"
    for team in ("team-a", "team-b"):
        assert value(store.client_ids[team]) == f"kf-dev-{team}-data-client"
