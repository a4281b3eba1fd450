"""The provider protocol: the engine's requests, and azure-native's answers."""

import base64
import json
import time
from typing import Any

import grpc
import pytest
from azure_bodies import (
    CLUSTER_ID,
    GROUP_ID,
    KUBECONFIG,
    LOCATION,
    TODAY,
    Json,
    cluster,
    spot_pool,
    system_pool,
    with_cluster,
)
from azure_client import TOKEN, Client, Connect
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2, status_pb2

from kubeflow_aks.local_aks.azure.faults import Fault
from kubeflow_aks.local_aks.azure.server import serve
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.azure.types import RESOURCE_GROUP, TYPES
from kubeflow_aks.local_aks.protocol import wire
from kubeflow_aks.local_aks.protocol.server import Server
from kubeflow_aks.local_aks.protocol.wire import UNKNOWN

GROUP = {"resourceGroupName": "kubeflow", "location": LOCATION}
IN_GROUP = {"resourceGroupName": "kubeflow"}
IN_CLUSTER = IN_GROUP | {"resourceName": "aks"}
POOL = IN_CLUSTER | {"agentPoolName": "spot"}
IDENTITY = "azure-native:managedidentity:UserAssignedIdentity"
USER_CREDENTIALS = "azure-native:containerservice:listManagedClusterUserCredentials"
ADMIN_CREDENTIALS = "azure-native:containerservice:listManagedClusterAdminCredentials"


def status_of(error: grpc.RpcError) -> tuple[grpc.StatusCode, str]:
    call: Any = error
    return call.code(), call.details()


def left_behind(error: grpc.RpcError) -> provider_pb2.ErrorResourceInitFailed:
    """The resource so far in the error of a failed call."""
    call: Any = error
    metadata = dict(call.trailing_metadata())
    status = status_pb2.Status.FromString(metadata["grpc-status-details-bin"])
    detail = provider_pb2.ErrorResourceInitFailed()
    assert status.details[0].Unpack(detail)
    return detail


def test_the_server_listens_on_this_machine_only_and_stops(azure: AzureState) -> None:
    server = serve(azure, token=TOKEN, kubeconfig=str)
    client = Client(server.port)
    assert client.version() == "3.29.0"
    server.stop()
    with pytest.raises(grpc.RpcError):
        client.version()
    client.close()


def test_a_taken_port_is_an_error(azure: AzureState, provider: Server) -> None:
    with pytest.raises(OSError, match=f"port {provider.port} on 127.0.0.1 is taken"):
        serve(azure, provider.port, token=TOKEN, kubeconfig=str)


def test_handshake_is_unimplemented_as_recorded(client: Client) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        client.stub.Handshake(provider_pb2.ProviderHandshakeRequest(engine_address="127.0.0.1:1"))
    assert status_of(refused.value)[0] == grpc.StatusCode.UNIMPLEMENTED


def test_schema_and_mappings_are_stubs(client: Client) -> None:
    assert json.loads(client.stub.GetSchema(provider_pb2.GetSchemaRequest()).schema)["name"] == "azure-native"
    assert client.stub.GetMapping(provider_pb2.GetMappingRequest()).provider == ""
    assert client.stub.DiffConfig(provider_pb2.DiffRequest()).replaces == []
    checked = client.stub.CheckConfig(provider_pb2.CheckRequest(news=wire.encode({"location": "x"})))
    assert wire.decode(checked.inputs) == {"location": "x"}


@pytest.mark.parametrize(
    "token", ["azure-native:storage:Queue", "azure-native:containerservice/v20250901:AgentPool"]
)
def test_a_type_it_does_not_know_is_an_error(client: Client, token: str) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        client.check(token, {})
    assert status_of(refused.value) == (
        grpc.StatusCode.UNKNOWN,
        f"Resource type {token} not found: the local Azure does not have it",
    )


def test_a_function_it_does_not_know_is_an_error(client: Client) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        client.invoke("azure-native:authorization:getClientToken")
    assert "getClientToken not found" in status_of(refused.value)[1]


@pytest.mark.parametrize("token", TYPES)
def test_a_preview_knows_the_inputs_and_nothing_that_azure_makes_up(client: Client, token: str) -> None:
    _, outputs = client.create(token, {"tags": {"owner": "me"}}, preview=True)
    assert outputs["name"] == UNKNOWN
    if "tags" in outputs:
        assert outputs["tags"] == {"owner": "me"}


def test_a_preview_creates_nothing(client: Client, azure: AzureState) -> None:
    assert client.create(RESOURCE_GROUP, GROUP, preview=True)[0] == ""
    assert azure.all() == []


def test_creating_what_exists_fails_as_azure_native_does(client: Client) -> None:
    client.create(RESOURCE_GROUP, GROUP)
    with pytest.raises(grpc.RpcError) as refused:
        client.create(RESOURCE_GROUP, GROUP)
    assert status_of(refused.value)[1] == f"cannot create already existing resource '{GROUP_ID}'"


def test_azure_refuses_in_the_form_of_azure_native(client: Client) -> None:
    client.create(RESOURCE_GROUP, GROUP)
    with pytest.raises(grpc.RpcError) as refused:
        client.create(MANAGED_CLUSTER, IN_CLUSTER | cluster(agentPoolProfiles=[]))
    assert status_of(refused.value) == (
        grpc.StatusCode.UNKNOWN,
        'Status=400 Code="InvalidParameter" Message="Required parameter agentPoolProfiles is missing (null)."',
    )


def test_read_answers_live_state_and_refreshes_the_inputs_that_drifted(
    client: Client, azure: AzureState
) -> None:
    with_cluster(azure)
    inputs = POOL | spot_pool(nodeLabels=spot_pool()["nodeLabels"] | {"team": "a"})
    arm_id, outputs = client.create(AGENT_POOL, inputs)
    stored = azure.get(arm_id)
    assert stored
    stored.outputs.update(
        nodeLabels=spot_pool()["nodeLabels"] | {"team": "b"}, maxCount=9, nodeImageVersion="new"
    )
    azure.put(stored)
    _, refreshed, drifted = client.read(AGENT_POOL, arm_id, inputs, outputs)
    assert (refreshed["maxCount"], refreshed["nodeImageVersion"]) == (9, "new")
    assert drifted == inputs | {"maxCount": 9, "nodeLabels": spot_pool()["nodeLabels"] | {"team": "b"}}


def test_read_without_drift_leaves_the_inputs_alone(client: Client, azure: AzureState) -> None:
    with_cluster(azure)
    inputs = POOL | spot_pool()
    arm_id, outputs = client.create(AGENT_POOL, inputs)
    assert client.read(AGENT_POOL, arm_id, inputs, outputs)[1:] == (outputs, inputs)


def test_read_of_what_is_gone_is_empty(client: Client) -> None:
    assert client.read(RESOURCE_GROUP, GROUP_ID, GROUP, {}) == ("", {}, {})


def test_importing_reads_the_inputs_from_the_id_and_live_state(client: Client, azure: AzureState) -> None:
    with_cluster(azure)
    _, _, inputs = client.read(MANAGED_CLUSTER, CLUSTER_ID, {}, {})
    assert (inputs["resourceGroupName"], inputs["resourceName"], inputs["dnsPrefix"]) == (
        "kubeflow",
        "aks",
        "kubeflow",
    )
    assert "fqdn" not in inputs


def test_refreshing_a_cluster_pulls_pools_of_their_own_into_its_inputs(client: Client) -> None:
    client.create(RESOURCE_GROUP, GROUP)
    inputs = IN_CLUSTER | cluster()
    arm_id, outputs = client.create(MANAGED_CLUSTER, inputs)
    client.create(AGENT_POOL, POOL | spot_pool())
    _, _, refreshed = client.read(MANAGED_CLUSTER, arm_id, inputs, outputs)
    assert [pool["name"] for pool in refreshed["agentPoolProfiles"]] == [
        "system",
        "spot",
    ]  # docs/facts/pulumi.md#inline-and-separate-pools


def test_an_update_in_preview_keeps_name_and_location_known(client: Client, azure: AzureState) -> None:
    with_cluster(azure)
    outputs = {"name": "aks", "location": LOCATION, "fqdn": "x"}
    preview = client.update(MANAGED_CLUSTER, CLUSTER_ID, IN_CLUSTER | cluster(), outputs, preview=True)
    assert (preview["name"], preview["location"], preview["fqdn"]) == ("aks", LOCATION, UNKNOWN)


def test_an_update_changes_live_state(client: Client, azure: AzureState) -> None:
    with_cluster(azure)
    outputs = client.update(MANAGED_CLUSTER, CLUSTER_ID, IN_CLUSTER | cluster(tags={"owner": "me"}))
    assert outputs["tags"] == {"owner": "me"}
    assert outputs["azureApiVersion"] == "2025-09-01"


def test_deleting_twice_succeeds(client: Client, azure: AzureState) -> None:
    client.create(RESOURCE_GROUP, GROUP)
    client.delete(RESOURCE_GROUP, GROUP_ID)
    client.delete(RESOURCE_GROUP, GROUP_ID)
    assert azure.all() == []


def test_user_assigned_identities_go_in_as_a_list_and_come_out_as_a_map(client: Client) -> None:
    client.create(RESOURCE_GROUP, GROUP)
    identity, outputs = client.create(
        IDENTITY, IN_CLUSTER | {"location": LOCATION, "resourceName": "control"}
    )
    assigned: Json = {"type": "UserAssigned", "userAssignedIdentities": [identity]}
    _, answer = client.create(MANAGED_CLUSTER, IN_CLUSTER | cluster(identity=assigned))
    assert answer["identity"]["userAssignedIdentities"] == {
        identity: {"clientId": outputs["clientId"], "principalId": outputs["principalId"]}
    }


def test_a_custom_kubelet_identity_is_answered_with_its_own_principal(client: Client) -> None:
    client.create(RESOURCE_GROUP, GROUP)
    identity, outputs = client.create(
        IDENTITY, IN_CLUSTER | {"location": LOCATION, "resourceName": "kubelet"}
    )
    custom = {"kubeletidentity": {"resourceId": identity}}
    _, answer = client.create(MANAGED_CLUSTER, IN_CLUSTER | cluster(identityProfile=custom))
    assert answer["identityProfile"]["kubeletidentity"]["objectId"] == outputs["principalId"]


def test_the_oidc_issuer_has_an_address(client: Client, azure: AzureState) -> None:
    with_cluster(azure)
    outputs = client.update(
        MANAGED_CLUSTER, CLUSTER_ID, IN_CLUSTER | cluster(oidcIssuerProfile={"enabled": True})
    )
    assert outputs["oidcIssuerProfile"]["issuerURL"].startswith("https://westeurope.oic.prod-aks.azure.com/")


@pytest.mark.parametrize(
    ("token", "name"), [(USER_CREDENTIALS, "clusterUser"), (ADMIN_CREDENTIALS, "clusterAdmin")]
)
def test_credentials_are_the_kubeconfig(client: Client, azure: AzureState, token: str, name: str) -> None:
    with_cluster(azure)
    (credentials,) = client.invoke(token, **IN_CLUSTER)["kubeconfigs"]
    assert credentials["name"] == name
    assert base64.b64decode(credentials["value"]).decode() == KUBECONFIG


def test_the_kubeconfig_is_never_written_to_disk(client: Client, azure: AzureState) -> None:
    with_cluster(azure)
    client.invoke(USER_CREDENTIALS, **IN_CLUSTER)
    written = "".join(file.read_text() for file in azure.root.iterdir())
    assert "s3cr3t" not in written
    assert base64.b64encode(KUBECONFIG.encode()).decode() not in written


def test_without_local_accounts_there_are_no_admin_credentials(client: Client, azure: AzureState) -> None:
    with_cluster(azure, disableLocalAccounts=True, aadProfile={"managed": True})
    assert client.invoke(USER_CREDENTIALS, **IN_CLUSTER)["kubeconfigs"]
    with pytest.raises(grpc.RpcError) as refused:
        client.invoke(ADMIN_CREDENTIALS, **IN_CLUSTER)
    assert status_of(refused.value)[1] == (
        f"request failed {CLUSTER_ID}/listClusterAdminCredential: "
        'Status=400 Code="BadRequest" Message="Getting static credential is not allowed because this cluster is set '
        'to disable local accounts."'
    )


def test_credentials_take_no_unknown_argument(client: Client) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        client.invoke(USER_CREDENTIALS, **IN_CLUSTER, cluster="aks")
    assert "unknown argument 'cluster'" in status_of(refused.value)[1]


def test_the_client_config_names_the_configured_subscription(connect: Connect) -> None:
    client = connect(subscriptionId="11111111-1111-1111-1111-111111111111")
    config = client.invoke("azure-native:authorization:getClientConfig")
    assert config["subscriptionId"] == "11111111-1111-1111-1111-111111111111"
    assert set(config) == {"clientId", "objectId", "subscriptionId", "tenantId"}


def test_a_group_that_this_azure_does_not_know_is_others_and_takes_resources(connect: Connect) -> None:
    client = connect(location="northeurope")
    group = client.invoke("azure-native:resources:getResourceGroup", resourceGroupName="rg-theirs")
    assert (group["name"], group["location"]) == ("rg-theirs", "northeurope")
    assert (
        client.invoke("azure-native:resources:getResourceGroup", resourceGroupName="RG-theirs")["id"]
        == group["id"]
    )


def test_provider_instances_keep_their_own_configuration(connect: Connect) -> None:
    north, south = connect(location="northeurope"), connect(location="southcentralus")
    assert north.check(RESOURCE_GROUP, {})[0]["location"] == "northeurope"
    assert south.check(RESOURCE_GROUP, {})[0]["location"] == "southcentralus"


def test_a_throttled_request_is_sent_again(client: Client, azure: AzureState) -> None:
    azure.plan_faults([Fault(type=RESOURCE_GROUP, times=3, status=429, retry_after=30)])
    assert client.create(RESOURCE_GROUP, GROUP)[0] == GROUP_ID


def test_a_conflict_of_aks_is_not_sent_again(client: Client, azure: AzureState) -> None:
    azure.plan_faults([Fault(type=RESOURCE_GROUP, status=409)])
    with pytest.raises(grpc.RpcError) as refused:
        client.create(RESOURCE_GROUP, GROUP)
    assert 'Status=409 Code="OperationNotAllowed"' in status_of(refused.value)[1]
    assert client.create(RESOURCE_GROUP, GROUP)[0] == GROUP_ID


def test_a_failed_operation_returns_what_exists(client: Client, azure: AzureState) -> None:
    with_cluster(azure)
    azure.plan_faults([Fault(type=AGENT_POOL, stage="operation", status=500)])
    with pytest.raises(grpc.RpcError) as failed:
        client.create(AGENT_POOL, POOL | spot_pool())
    detail = left_behind(failed.value)
    assert detail.id == f"{CLUSTER_ID}/agentPools/spot"
    assert wire.decode(detail.properties)["provisioningState"] == "Failed"
    assert wire.decode(detail.inputs) == POOL | spot_pool()
    assert detail.reasons == [
        'Status=500 Code="InternalServerError" Message="Planned fault: Internal Server Error."'
    ]


def test_a_deletion_that_fails_is_not_sent_again(client: Client, azure: AzureState) -> None:
    client.create(RESOURCE_GROUP, GROUP)
    azure.plan_faults([Fault(method="DELETE", type=RESOURCE_GROUP, stage="operation", status=500)])
    with pytest.raises(grpc.RpcError) as failed:
        client.delete(RESOURCE_GROUP, GROUP_ID)
    assert 'Status=500 Code="InternalServerError"' in status_of(failed.value)[1]
    assert azure.get(GROUP_ID)


def test_cancelling_a_create_returns_what_exists(azure: AzureState) -> None:
    with_cluster(azure)
    server = serve(azure, token=TOKEN, kubeconfig=str, speed=1.0, today=lambda: TODAY)
    client, other = Client(server.port), Client(server.port)
    creating = client.stub.Create.future(
        provider_pb2.CreateRequest(
            urn=f"urn:pulumi:dev::p::{AGENT_POOL}::r", properties=wire.encode(POOL | spot_pool())
        )
    )
    while azure.get(f"{CLUSTER_ID}/agentPools/spot") is None:
        time.sleep(0.01)
    while not creating.done():  # a cancel that comes before the wait has begun is lost
        other.cancel()
        time.sleep(0.01)
    with pytest.raises(grpc.RpcError) as failed:
        creating.result()
    assert wire.decode(left_behind(failed.value).properties)["provisioningState"] == "Creating"
    client.stub.GetPluginInfo(empty_pb2.Empty())
    server.stop()
    client.close()
    other.close()


def test_a_pool_is_replaced_for_its_vm_size_and_updated_for_the_rest(client: Client) -> None:
    old = POOL | spot_pool()
    replaced = client.diff(AGENT_POOL, old, old | {"vmSize": "Standard_D16s_v5"})
    updated = client.diff(AGENT_POOL, old, old | {"osDiskSizeGB": 256, "scaleSetPriority": "Regular"})
    assert (list(replaced.replaces), replaced.deleteBeforeReplace) == (["vmSize"], True)
    assert (list(updated.replaces), sorted(updated.diffs)) == ([], ["osDiskSizeGB", "scaleSetPriority"])


def test_a_made_up_name_lets_the_replacement_be_created_first(client: Client) -> None:
    old = {"resourceGroupName": "rg1", "location": "a", "__createBeforeDelete": True}
    difference = client.diff(RESOURCE_GROUP, old, old | {"location": "b"})
    assert (list(difference.replaces), difference.deleteBeforeReplace) == (["location"], False)


def test_nothing_changed_is_no_difference(client: Client) -> None:
    old = IN_CLUSTER | cluster(agentPoolProfiles=[system_pool()])
    difference = client.diff(MANAGED_CLUSTER, old, dict(old))
    assert difference.changes == provider_pb2.DiffResponse.DIFF_NONE
