"""The stand-in answers as the recording of the real provider does, except where provider and API have moved on.

The recording is of azure-native 2.90.0 with container service API 2023-04-01; the stand-in speaks for 3.29.0 with
API 2025-09-01. `ALLOWED` lists every difference there may be, with the reason.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from azure_client import Client, Connect

Json = dict[str, Any]

RECORDING: Json = json.loads((Path(__file__).parent / "data" / "azure-native-aks-recording.json").read_text())
GROUP, CLUSTER, POOL = (
    "resources:ResourceGroup",
    "containerservice:ManagedCluster",
    "containerservice:AgentPool",
)
CHECKED_IN_3 = "Check adds it since 3.0 (provider.go, applyDefaults)"
ALLOWED: dict[str, dict[str, str]] = {
    GROUP: {
        "azureApiVersion": "default API version of 3.29",
    },
    CLUSTER: {
        "azureApiVersion": "default API version of 3.29",
        "eTag": "output of API 2025-09-01, as SDK 3.29 declares it",
        "resourceUID": "output of API 2025-09-01, as SDK 3.29 declares it",
        "autoUpgradeProfile.nodeOSUpgradeChannel": "new, default NodeImage (docs/facts/aks.md#platform-features)",
        "kubernetesVersion": "AKS's default version moves on",
        "currentKubernetesVersion": "AKS's default version moves on",
        "oidcIssuerProfile.enabled": "on by default since Kubernetes 1.34 (docs/facts/aks.md#platform-features)",
        "oidcIssuerProfile.issuerURL": "on by default since Kubernetes 1.34 (docs/facts/aks.md#platform-features)",
        "agentPoolProfiles[0].eTag": "output of API 2025-09-01, as SDK 3.29 declares it",
        "agentPoolProfiles[0].orchestratorVersion": "AKS's default version moves on",
        "agentPoolProfiles[0].currentOrchestratorVersion": "AKS's default version moves on",
        "fqdn": "random part of the name",
        "azurePortalFQDN": "random part of the name",
        "identity.principalId": "made up",
        "identity.tenantId": "made up",
        "identityProfile.kubeletidentity.clientId": "made up",
        "identityProfile.kubeletidentity.objectId": "made up",
        "networkProfile.loadBalancerProfile.effectiveOutboundIPs[0].id": "made up",
    },
    POOL: {
        "azureApiVersion": "default API version of 3.29",
        "eTag": "output of API 2025-09-01, as SDK 3.29 declares it",
        "orchestratorVersion": "AKS's default version moves on",
        "currentOrchestratorVersion": "AKS's default version moves on",
    },
}
"""Paths of outputs that may differ from the recording, by type, with the reason."""


@pytest.fixture
def replayed(connect: Connect) -> dict[str, tuple[Json, str, Json]]:
    """Checked inputs, id and outputs of every recorded resource, from the recorded calls."""
    client = connect(**RECORDING["Configure"]["args"])
    answers: dict[str, tuple[Json, str, Json]] = {}
    for kind in (GROUP, CLUSTER, POOL):
        recorded, token = RECORDING[kind], f"azure-native:{kind}"
        olds = recorded.get("checked") or recorded["check_news"] | recorded["checked_adds"]
        inputs, failures = client.check(token, recorded["check_news"], olds)
        assert failures == []
        answers[kind] = (inputs, *client.create(token, inputs))
    return answers


def leaves(value: Any, path: str = "") -> dict[str, Any]:
    """Every plain value of a body by its path; empty objects and lists count as values."""
    match value:
        case dict() if value:
            parts = [leaves(v, f"{path}.{k}" if path else str(k)) for k, v in value.items()]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        case list() if value:
            parts = [leaves(v, f"{path}[{i}]") for i, v in enumerate(value)]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        case _:
            return {path: value}
    return {k: v for part in parts for k, v in part.items()}


def differences(kind: str, outputs: Json) -> dict[str, tuple[Any, Any]]:
    """Paths at which outputs differ from the recording, with both values."""
    recorded, ours = leaves(RECORDING[kind]["outputs"]), leaves(outputs)
    empty = {path for path, value in recorded.items() if value in ({}, [])}
    return {
        path: (recorded.get(path), ours.get(path))
        for path in sorted(recorded.keys() | ours.keys())
        if recorded.get(path) != ours.get(path) and not (path in empty and path not in ours)
    }


def test_configure_answers_as_recorded(client: Client) -> None:
    assert client.configured.supportsPreview
    assert client.configured.supports_autonaming_configuration
    assert not client.configured.acceptSecrets
    assert not client.configured.acceptOutputs
    assert not client.configured.acceptResources


@pytest.mark.parametrize("kind", [GROUP, CLUSTER, POOL])
def test_check_adds_what_was_recorded_and_the_api_version_of_provider_3(
    kind: str, replayed: dict[str, tuple[Json, str, Json]]
) -> None:
    recorded = RECORDING[kind]
    expected = recorded.get("checked") or recorded["check_news"] | recorded["checked_adds"]
    inputs = replayed[kind][0]
    assert inputs.pop("azureApiVersion"), CHECKED_IN_3
    assert inputs == expected


@pytest.mark.parametrize("kind", [GROUP, CLUSTER, POOL])
def test_created_resources_have_the_recorded_ids(
    kind: str, replayed: dict[str, tuple[Json, str, Json]]
) -> None:
    assert replayed[kind][1] == RECORDING[kind]["id"]


@pytest.mark.parametrize("kind", [GROUP, CLUSTER, POOL])
def test_outputs_differ_from_the_recording_only_where_allowed(
    kind: str, replayed: dict[str, tuple[Json, str, Json]]
) -> None:
    unexplained = {p: d for p, d in differences(kind, replayed[kind][2]).items() if p not in ALLOWED[kind]}
    assert unexplained == {}


@pytest.mark.parametrize("kind", [GROUP, CLUSTER, POOL])
def test_every_allowed_difference_is_one(kind: str, replayed: dict[str, tuple[Json, str, Json]]) -> None:
    assert set(ALLOWED[kind]) == set(differences(kind, replayed[kind][2]))


@pytest.mark.parametrize("kind", [GROUP, CLUSTER, POOL])
def test_outputs_hold_no_copy_of_the_inputs_since_provider_3(
    kind: str, replayed: dict[str, tuple[Json, str, Json]]
) -> None:
    assert "__inputs" not in replayed[kind][2]  # provider.go, checkpointObjectVersioned: removed in v3


def test_names_are_made_up_in_the_recorded_form(client: Client) -> None:
    inputs, _ = client.check("azure-native:resources:ResourceGroup", {}, name="rg")
    recorded = RECORDING[GROUP]["checked"]["resourceGroupName"]
    assert inputs["resourceGroupName"].startswith("rg")
    assert len(inputs["resourceGroupName"]) == len(recorded)
    assert int(inputs["resourceGroupName"].removeprefix("rg"), 16) >= 0


def test_the_output_type_of_a_pool_is_its_arm_type(replayed: dict[str, tuple[Json, str, Json]]) -> None:
    assert replayed[POOL][2]["type"] == "Microsoft.ContainerService/managedClusters/agentPools"
    assert replayed[POOL][0]["type"] == "VirtualMachineScaleSets"
