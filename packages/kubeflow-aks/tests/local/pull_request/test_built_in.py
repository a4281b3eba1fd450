"""What is known of Kubernetes' own kinds without an API server, held against a real one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import NoSuchKindError
from kubeflow_aks.clients.kubernetes.objects import Kind, Object, at, fields, is_object, items
from kubeflow_aks.local_aks.kubernetes_provider import built_in, built_in_types
from kubeflow_aks.local_aks.kubernetes_provider.file_cluster import FileCluster

OPAQUE: Final = ("IntOrString", "RawExtension", "FieldsV1", "JSON")
"""Definitions that an SDK has as anything."""
REQUIRED_OTHERWISE: Final = {
    "io.k8s.api.apps.v1.ControllerRevision": {"data", "revision"},
    "io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern": {"status"},
    "io.k8s.api.core.v1.ProjectedVolumeSource": {"sources"},
    "io.k8s.api.discovery.v1.EndpointSlice": {"endpoints"},
    "io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration": {"limitResponse"},
    "io.k8s.api.networking.v1.NetworkPolicySpec": {"podSelector"},
    "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec": {
        "policyName",
        "validationActions",
    },
    "io.k8s.api.rbac.v1.RoleRef": {"apiGroup"},
}
"""Fields that only one of both calls required, by definition: it matters where one is empty and no object."""
KINDS: Final = sorted(
    (kind for kind in built_in.kinds() if not kind.kind.endswith(("List", "Patch"))), key=str
)


@pytest.fixture(scope="module")
def api(kubeconfig: Path) -> ApiServer:
    return ApiServer.of(kubeconfig)


def _served(api: ApiServer) -> list[Kind]:
    kinds: list[Kind] = []
    for kind in KINDS:
        try:
            api.served(kind)
        except NoSuchKindError:
            continue
        kinds.append(kind)
    return kinds


def test_kinds_are_served_alike(api: ApiServer, tmp_path: Path) -> None:
    kept, served = FileCluster(tmp_path / "objects.json"), _served(api)
    assert len(served) > 50
    assert {kind: kept.served(kind) for kind in served} == {kind: api.served(kind) for kind in served}


def test_an_api_server_knows_no_kind_of_its_own_that_the_sdk_lacks(api: ApiServer) -> None:
    groups = ["", *(str(at(group, "name")) for group in items(api.read("/apis").get("groups")))]
    stable = [Kind(group, version, "") for group in groups for version in ("v1", "v2")]
    theirs = {
        Kind(place.group, place.version, str(at(entry, "kind")))
        for place in stable
        for entry in items(api.read(_root(place)).get("resources"))
        if "/" not in str(at(entry, "name")) and {"create", "list"} <= set(items(at(entry, "verbs")))
    }
    assert len(theirs) > 50
    assert theirs - built_in.kinds() == set()


def test_types_are_alike(api: ApiServer) -> None:
    different: dict[str, list[str]] = {}
    for kind in _served(api):
        ours = at(built_in_types.document(kind), "components", "schemas")
        theirs = at(api.types(kind), "components", "schemas")
        for name, definition in ours.items():
            if name.startswith("io.k8s.api.") and (
                differences := list(_differences(name, definition, theirs.get(name)))
            ):
                different[name] = differences
    assert different == {}


def _differences(name: str, ours: Object, theirs: Object | None) -> Iterator[str]:
    """What differs in the fields that both have; an SDK may be newer than an API server, and has no status."""
    if theirs is None:
        return
    mine, other = fields(ours.get("properties")), fields(theirs.get("properties"))
    for field in sorted(other.keys() - mine.keys() - {"status"}):
        yield f"{field} is missing"
    for field in sorted(mine.keys() & other.keys() - {"apiVersion", "kind"}):
        if _shape(mine[field]) != _shape(other[field]):
            yield f"{field}: {_shape(mine[field])} is {_shape(other[field])}"
    required = set(items(ours.get("required"))) ^ set(items(theirs.get("required")))
    if odd := required - REQUIRED_OTHERWISE.get(name, set()) - {"spec"}:  # an object is kept when it is empty
        yield f"required: {odd}"


def _shape(schema: Any) -> Any:
    """A type in short: its name, or what it is a list or mapping of."""
    alternatives = [schema, *items(at(schema, "allOf"))]
    for reference in (str(at(alternative, "$ref") or "") for alternative in alternatives):
        if reference:
            name = reference.rpartition("/")[2]
            return "anything" if name.endswith(OPAQUE) else "string" if name.endswith("Time") else name
    type_ = at(schema, "type")
    if type_ == "array":
        return ["list", _shape(at(schema, "items"))]
    if is_object(at(schema, "additionalProperties")):
        return ["map", _shape(at(schema, "additionalProperties"))]
    return type_ or "anything"


def _root(kind: Kind) -> str:
    return f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
