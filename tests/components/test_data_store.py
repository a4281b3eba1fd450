"""The data store on its own: an account without keys, and an identity for each namespace that reaches no other."""

# pyright: reportUntypedFunctionDecorator=false, reportUnknownMemberType=false

from typing import Any

import pulumi
import pytest

from components.data_store.data_store import DataStore, DataStoreArgs
from tests.components.conftest import Cloud

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
    return cloud.build(lambda: DataStore("kf-dev", ARGS, opts))


@pulumi.runtime.test
def test_the_account_takes_no_keys_and_shows_nothing_to_the_public(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert (body["allowSharedKeyAccess"], body["allowBlobPublicAccess"]) == (False, False)
        assert (body["enableHttpsTrafficOnly"], body["minimumTlsVersion"]) == (True, "TLS1_2")
        assert (body["kind"], body["sku"]) == ("StorageV2", {"name": "Standard_ZRS"})
        assert (body["location"], body["tags"]) == ("westeurope", {"owner": "ml"})

    return cloud.request("kfdev").apply(check)


@pulumi.runtime.test
def test_checkpoints_are_renamed_in_one_step(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["isHnsEnabled"] is True

    return cloud.request("kfdev").apply(check)


@pulumi.runtime.test
def test_a_premium_account_is_of_the_kind_that_azure_has_for_it(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert (body["kind"], body["sku"]["name"]) == ("BlockBlobStorage", "Premium_ZRS")

    DataStore("fast", {**ARGS, "sku": "Premium_ZRS"}, cloud.opts)
    return cloud.request("fast").apply(check)


@pulumi.runtime.test
def test_a_long_name_leaves_room_for_the_providers_suffix_and_stays_its_own(cloud: Cloud) -> Any:
    first, second = (
        DataStore(name, {**ARGS, "profiles": {}}, cloud.opts).account_name
        for name in ("kubeflow-aks-production-a", "kubeflow-aks-production-b")
    )

    def check(names: list[Any]) -> None:
        assert len(set(names)) == 2
        assert all(name.isalnum() and len(name) == 16 for name in names)

    return pulumi.Output.all(first, second).apply(check)


@pulumi.runtime.test
def test_deleted_containers_come_back_and_deleted_checkpoints_are_not_paid_on(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["containerDeleteRetentionPolicy"] == {"enabled": True, "days": 7}
        assert body["deleteRetentionPolicy"] == {"enabled": False}

    return cloud.request("kf-dev-blobs").apply(check)


@pulumi.runtime.test
def test_each_namespace_has_a_private_container_of_its_name(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert (body["containerName"], body["publicAccess"]) == ("team-a", "None")

    return cloud.request("kf-dev-team-a").apply(check)


@pulumi.runtime.test
def test_an_identity_reaches_its_own_container_and_no_more(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["scope"].endswith("/BlobContainer/team-a")
        assert body["roleDefinitionId"].endswith(f"/roleDefinitions/{BLOB_DATA_CONTRIBUTOR}")
        assert (body["principalId"], body["principalType"]) == (
            "kf-dev-team-a-data-principal",
            "ServicePrincipal",
        )

    return cloud.request("kf-dev-team-a-access").apply(check)


@pulumi.runtime.test
def test_a_service_account_of_the_cluster_may_be_the_identity(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["subject"] == "system:serviceaccount:team-a:my.sa"
        assert (body["issuer"], body["audiences"]) == (ISSUER, ["api://AzureADTokenExchange"])
        assert body["federatedIdentityCredentialResourceName"] == "sa-my_sa"

    return cloud.request("kf-dev-team-a.sa-my_sa").apply(check)


@pulumi.runtime.test
def test_a_namespace_that_says_no_more_lets_kubeflows_own_account(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["subject"] == "system:serviceaccount:team-b:default-editor"

    return cloud.request("kf-dev-team-b.sa-default-editor").apply(check)


@pulumi.runtime.test
def test_credentials_of_one_identity_are_written_one_after_the_other(cloud: Cloud) -> Any:
    def check(request: Any) -> None:
        assert [urn for urn in request.dependencies if urn.endswith("::kf-dev-team-a.sa-default-editor")]

    return cloud.options("kf-dev-team-a.sa-my_sa").apply(check)


@pulumi.runtime.test
@pytest.mark.parametrize("name", ["kfdev", "kf-dev-blobs", "kf-dev-team-a"])
def test_data_is_protected(cloud: Cloud, name: str) -> Any:
    def check(request: Any) -> None:
        assert request.protect

    return cloud.options(name).apply(check)


@pulumi.runtime.test
@pytest.mark.parametrize("suffix", ["-data", "-access", ".sa-default-editor"])
def test_what_can_be_made_anew_is_not_protected(cloud: Cloud, suffix: str) -> Any:
    def check(request: Any) -> None:
        assert not request.protect

    return cloud.options(f"kf-dev-team-a{suffix}").apply(check)


@pulumi.runtime.test
def test_outputs_name_account_and_client_ids(store: DataStore) -> Any:
    def check(values: list[Any]) -> None:
        assert values == ["kfdev", "kf-dev-team-a-data-client", "kf-dev-team-b-data-client"]

    ids = store.client_ids
    return pulumi.Output.all(store.account_name, ids["team-a"], ids["team-b"]).apply(check)
