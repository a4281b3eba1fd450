"""The data store in a whole stack: owners, protection, and outputs."""

from functools import cache

from kubeflow_aks.recorder.run import Record, record
from tests.program.whole.records import AS_OF, pool_contract, recorded
from tests.program.whole.test_protection import waits_for
from tests.program.whole.test_tags import tagged

STORAGE = "azure-native:storage:"
CREDENTIAL = "azure-native:managedidentity:FederatedIdentityCredential"


@cache
def with_teams(
    *, preview: bool = False, location: str = "westeurope", disks: str = "StandardSSD_ZRS"
) -> Record:
    """Dev with a data store for two teams."""
    profiles = {"team-a": {}, "team-b": {"serviceAccounts": ["default-editor", "nightly"]}}
    extra = {
        "data": {"store": {"profiles": profiles}},
        "kubeflow": {"storageClass": {"sku": disks}},
        "location": location,
        "asOf": AS_OF,
    }
    return record("dev", preview=preview, extra=extra)


def test_a_stack_that_asks_for_none_has_none() -> None:
    made = recorded("dev").resources.values()
    assert [resource.urn for resource in made if resource.type.startswith(STORAGE)] == []
    assert "dataStore" not in recorded("dev").outputs


def test_a_destroy_deletes_nothing_before_it_comes_to_something_protected() -> None:
    recording = with_teams()
    later = {resource.urn for resource in waits_for(recording, pool_contract(recording))}
    made = {
        resource.urn
        for resource in recording.resources.values()
        if resource.type.startswith((STORAGE, CREDENTIAL))
    }
    assert made
    assert made <= later


def test_every_taggable_resource_has_the_tags_of_the_stack() -> None:
    by_type = tagged(with_teams())
    assert len({str(tags) for tags in by_type.values()}) == 1
    assert any(":StorageAccount::" in urn for urn in by_type)


def test_the_clusters_issuer_vouches_for_the_service_accounts() -> None:
    credentials = with_teams().of(CREDENTIAL)
    assert {credential.inputs["subject"] for credential in credentials} == {
        "system:serviceaccount:team-a:default-editor",
        "system:serviceaccount:team-b:default-editor",
        "system:serviceaccount:team-b:nightly",
    }
    assert {credential.inputs["issuer"] for credential in credentials} == {
        "https://westeurope.oic.example.invalid/"
    }


def test_a_preview_shows_the_store_though_it_knows_no_issuer_yet() -> None:
    [account] = with_teams(preview=True).of(f"{STORAGE}StorageAccount")
    assert account.inputs["sku"] == {"name": "Standard_ZRS"}
    assert {credential.inputs["issuer"] for credential in with_teams(preview=True).of(CREDENTIAL)} == {None}


def test_where_there_are_no_zones_class_and_account_do_without() -> None:
    recording = with_teams(location="westus", disks="StandardSSD_LRS")
    [account] = recording.of(f"{STORAGE}StorageAccount")
    classes = recording.of("kubernetes:storage.k8s.io/v1:StorageClass")
    [checkpoints] = [resource for resource in classes if resource.name.endswith("-checkpoints")]
    assert account.inputs["sku"] == {"name": "Standard_LRS"}
    assert checkpoints.inputs["parameters"]["skuName"] == "Standard_LRS"


def test_outputs_name_the_account_and_whose_client_id_is_whose() -> None:
    assert with_teams().outputs["dataStore"] == {
        "account": "kubeflowaksdev",
        "clientIds": {
            "team-a": "kubeflow-aks-dev-team-a-data-client",
            "team-b": "kubeflow-aks-dev-team-b-data-client",
        },
    }


def test_without_the_class_the_driver_is_off_and_nothing_is_made() -> None:
    recording = record("dev", extra={"data": {"checkpoints": {"enabled": False}}, "asOf": AS_OF})
    cluster = recording.one("azure-native:containerservice:ManagedCluster")
    assert cluster.inputs["storageProfile"] == {"blobCSIDriver": {"enabled": False}}
    assert recording.outputs["checkpointClass"] == ""
    classes = recording.of("kubernetes:storage.k8s.io/v1:StorageClass")
    assert [resource.inputs["provisioner"] for resource in classes] == ["disk.csi.azure.com"]
