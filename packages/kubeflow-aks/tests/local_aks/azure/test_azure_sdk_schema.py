"""Shapes read from the SDK; this also guards the private names they are read with."""

import pytest

from kubeflow_aks.local_aks.azure import sdk_schema
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER
from kubeflow_aks.local_aks.azure.types import TYPES, ArmType
from kubeflow_aks.local_aks.protocol.wire import UNKNOWN

INPUT_ONLY = {"resourceGroupName", "resourceName"}


@pytest.mark.parametrize("arm_type", TYPES.values(), ids=TYPES.keys())
def test_the_sdk_has_every_type_with_the_inputs_its_id_is_made_of(arm_type: ArmType) -> None:
    inputs = sdk_schema.input_fields(arm_type.pulumi)
    assert set(arm_type.path_inputs) <= set(inputs)
    assert {path.split(".")[0] for path in arm_type.force_new} <= set(inputs)
    assert ("location" in inputs) == arm_type.located


def test_the_api_version_is_the_one_the_sdk_documents() -> None:
    assert sdk_schema.api_version(MANAGED_CLUSTER) == "2025-09-01"
    assert sdk_schema.api_version("azure-native:resources:ResourceGroup") == "2024-03-01"


def test_a_type_of_another_package_has_no_api_version() -> None:
    with pytest.raises((LookupError, AttributeError)):
        sdk_schema.api_version("azure-native:containerservice:Nothing")


def test_a_preview_knows_nested_inputs_and_leaves_the_rest_of_their_object_open() -> None:
    preview = sdk_schema.preview(
        MANAGED_CLUSTER, {"oidcIssuerProfile": {"enabled": True}, "tags": {"a": "b"}}
    )
    assert preview["oidcIssuerProfile"] == {"enabled": True, "issuerURL": UNKNOWN}
    assert preview["tags"] == {"a": "b"}
    assert preview["identityProfile"] == UNKNOWN


def test_a_preview_does_not_show_a_list_where_azure_answers_a_map() -> None:
    identity = {"type": "UserAssigned", "userAssignedIdentities": ["id"]}
    preview = sdk_schema.preview(MANAGED_CLUSTER, {"identity": identity})
    assert preview["identity"]["userAssignedIdentities"] == UNKNOWN


def test_a_preview_keeps_unknowns_and_shows_no_input_that_is_no_output() -> None:
    preview = sdk_schema.preview(
        AGENT_POOL, {"resourceGroupName": "g", "nodeLabels": {"a": UNKNOWN}, "nodeTaints": None}
    )
    assert not INPUT_ONLY & set(preview)
    assert (preview["nodeLabels"], preview["nodeTaints"]) == ({"a": UNKNOWN}, UNKNOWN)


def test_a_projection_holds_inputs_only_in_the_shape_of_inputs() -> None:
    outputs = {
        "fqdn": "x",
        "identity": {
            "principalId": "p",
            "type": "UserAssigned",
            "userAssignedIdentities": {"id": {"clientId": "c"}},
        },
        "agentPoolProfiles": [{"name": "system", "nodeImageVersion": "x", "nodeLabels": {"a": "b"}}],
    }
    assert sdk_schema.project(MANAGED_CLUSTER, outputs) == {
        "identity": {"type": "UserAssigned", "userAssignedIdentities": ["id"]},
        "agentPoolProfiles": [{"name": "system", "nodeLabels": {"a": "b"}}],
    }
