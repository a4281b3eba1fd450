"""The source of each type's answers is the one in `types` and in the documentation."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from azure_bodies import Json, put, with_cluster, with_network, without
from test_azure_conformance import RECORDING
from test_azure_responses import REQUESTS

from kubeflow_aks.local_aks.azure import sdk_schema
from kubeflow_aks.local_aks.azure.state import DIAGNOSTIC_SETTING, AzureState
from kubeflow_aks.local_aks.azure.types import (
    BLOB_CONTAINER,
    FEDERATED_CREDENTIAL,
    LOG_WORKSPACE,
    STORAGE_ACCOUNT,
    TYPES,
    Evidence,
)

PAGE = Path(__file__).parents[5] / "docs" / "local-aks.md"
OWN = frozenset(
    {
        *("id", "name", "type", "etag", "resourceGuid", "provisioningState"),
        *("principalId", "clientId", "tenantId"),
        *("scope", "createdOn", "createdBy", "updatedOn", "updatedBy"),
        *("loginServer", "creationDate"),
        *("customerId", "createdDate", "modifiedDate"),
        *("creationTime", "lastModifiedTime", "primaryEndpoints", "primaryLocation"),
    }
)
"""Each resource has values of its own there, which nobody can tell beforehand."""
OPTIONAL: dict[str, tuple[str, ...]] = {
    "azure-native:network:PublicIPAddress": ("dnsSettings", "publicIPAllocationMethod", "sku"),
    "azure-native:authorization:RoleAssignment": ("principalType",),
}
"""What the requests of the other tests say and need not."""
PARENTS = {
    FEDERATED_CREDENTIAL: ("azure-native:managedidentity:UserAssignedIdentity",),
    BLOB_CONTAINER: (STORAGE_ACCOUNT,),
    DIAGNOSTIC_SETTING: (LOG_WORKSPACE,),
    "azure-native:dashboard:DashboardDefinition": ("azure-native:dashboard:Dashboard",),
    "azure-native:storage:BlobServiceProperties": (STORAGE_ACCOUNT,),
}
"""What must be there before, beside cluster and network."""
UNRECORDED = [token for token, arm_type in TYPES.items() if arm_type.evidence is not Evidence.RECORDING]


def test_the_recorded_types_are_those_of_the_recording() -> None:
    claimed = {token for token, arm_type in TYPES.items() if arm_type.evidence is Evidence.RECORDING}
    assert claimed == {f"azure-native:{kind}" for kind in RECORDING if ":" in kind}


def _schema_defaults(token: str) -> Json:
    """Defaults of the API schema by wire name: the SDK's values for properties that a program omits."""
    package, module, name = token.split(":")
    sdk = importlib.import_module(f"pulumi_{package.replace('-', '_')}.{module}")
    source = inspect.getsource(getattr(sdk, f"{name}Args").__init__)
    defaults = re.findall(r"if (\w+) is None:\n +\1 = (.+)", source)
    return {_wire_name(python): ast.literal_eval(value) for python, value in defaults}


def _wire_name(python: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), python)


@pytest.mark.parametrize("token", UNRECORDED)
def test_what_azure_adds_is_the_apis_default_or_has_another_source(azure: AzureState, token: str) -> None:
    manager = with_cluster(azure)
    with_network(manager)
    for parent in PARENTS.get(token, ()):
        put(manager, parent, *REQUESTS[parent])
    arm_id, request = REQUESTS[token]
    body = without(request, *OPTIONAL.get(token, ()))
    answer = put(manager, token, arm_id, body)
    added = {name: value for name, value in answer.items() if name not in OWN | body.keys() and value != []}
    defaults = _schema_defaults(token)
    assert {name: defaults[name] for name in added if name in defaults} == {
        name: value for name, value in added.items() if name in defaults
    }
    assert added.keys() - defaults.keys() == TYPES[token].other_evidence.keys()


@pytest.mark.parametrize("token", TYPES)
def test_what_prices_and_rates_something_else_is_a_property_of_the_type(token: str) -> None:
    assert TYPES[token].other_evidence.keys() <= sdk_schema.output_fields(token).keys()
    assert TYPES[token].evidence not in TYPES[token].other_evidence.values()


def test_the_page_has_the_source_of_every_types_answers() -> None:
    assert "\n".join(_table()) in PAGE.read_text(encoding="utf-8")


def _table() -> Iterator[str]:
    yield "| Type | Rests on | But for |"
    yield "|---|---|---|"
    for arm_type in TYPES.values():
        others: dict[str, list[str]] = {}
        for name, evidence in arm_type.other_evidence.items():
            others.setdefault(evidence.value, []).append(f"`{name}`")
        but_for = "; ".join(f"{', '.join(names)}: {value}" for value, names in others.items())
        yield f"| `{arm_type.pulumi.removeprefix('azure-native:')}` | {arm_type.evidence.value} | {but_for} |"


def test_every_kind_of_evidence_is_explained_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [kind.value for kind in Evidence if f"**{kind.value}**" not in text] == []
