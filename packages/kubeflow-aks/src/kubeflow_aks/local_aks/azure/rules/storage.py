"""Rules of storage accounts, containers and the federated credentials with which workloads reach them."""

import re
from collections.abc import Mapping
from typing import Any, Final

import aks_facts
from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import normal_location
from kubeflow_aks.local_aks.azure.rules.rule import ResourceRequest, Rule, rules, when
from kubeflow_aks.local_aks.azure.types import BLOB_CONTAINER, FEDERATED_CREDENTIAL, STORAGE_ACCOUNT

_ACCOUNT: Final = re.compile(r"[a-z0-9]{3,24}")
_PART: Final = re.compile(r"[a-z0-9]+")
_LENGTH: Final = range(3, 64)
_CREDENTIALS: Final = 20
_KINDS: Final = {
    "Standard": ("StorageV2", "Storage", "BlobStorage"),
    "Premium": ("BlockBlobStorage", "FileStorage"),
}


def _sku(body: Mapping[str, Any] | None) -> str:
    return str(arm.at(body or {}, "sku.name") or "")


def _bad_account_name(request: ResourceRequest) -> Mapping[str, object] | None:
    return when(request.type == STORAGE_ACCOUNT and not _ACCOUNT.fullmatch(request.name), name=request.name)


def _taken(request: ResourceRequest) -> Mapping[str, object] | None:
    taken = request.type == STORAGE_ACCOUNT and any(peer["name"] == request.name for peer in request.peers)
    return when(taken, name=request.name)


def _mismatched(request: ResourceRequest) -> Mapping[str, object] | None:
    if request.type != STORAGE_ACCOUNT:
        return None
    kind, sku = request.body.get("kind"), _sku(request.body)
    return when(kind not in _KINDS.get(sku.partition("_")[0], ()), kind=kind, sku=sku)


def _zoneless(request: ResourceRequest) -> Mapping[str, object] | None:
    if request.type != STORAGE_ACCOUNT:
        return None
    sku, location = _sku(request.body), normal_location(str(request.body.get("location")))
    region = aks_facts.region(location)
    return when("ZRS" in sku and region is not None and not region.zones, sku=sku, location=location)


def _converted(request: ResourceRequest) -> Mapping[str, object] | None:
    if request.type != STORAGE_ACCOUNT or request.existing is None:
        return None
    before, requested = _sku(request.existing), _sku(request.body)
    zonal = ("ZRS" in before) != ("ZRS" in requested)
    tier = before.partition("_")[0] != requested.partition("_")[0]
    return when(zonal or tier, name=request.name, before=before, requested=requested)


def _bad_container_name(request: ResourceRequest) -> Mapping[str, object] | None:
    parts = request.name.split("-")
    wrong = len(request.name) not in _LENGTH or not all(map(_PART.fullmatch, parts))
    return when(request.type == BLOB_CONTAINER and wrong, name=request.name)


def _siblings(request: ResourceRequest) -> list[Mapping[str, Any]]:
    identity = arm.parent_id_of(request.id) or ""
    return [peer for peer in request.peers if arm.within(str(peer["id"]), identity)]


def _federated_twice(request: ResourceRequest) -> Mapping[str, object] | None:
    if request.type != FEDERATED_CREDENTIAL:
        return None
    requested = (request.body.get("issuer"), request.body.get("subject"))
    return when(any((peer.get("issuer"), peer.get("subject")) == requested for peer in _siblings(request)))


STORAGE_RULES: Final[tuple[Rule[ResourceRequest], ...]] = rules(
    {
        "storage-account-name": _bad_account_name,
        "storage-account-taken": _taken,
        "storage-account-kind": _mismatched,
        "storage-account-zones": _zoneless,
        "storage-account-sku": _converted,
        "container-name": _bad_container_name,
        "federated-audience": lambda r: when(
            r.type == FEDERATED_CREDENTIAL and len(arm.listed(r.body, "audiences")) != 1
        ),
        "federated-twice": _federated_twice,
        "federated-most": lambda r: when(
            r.type == FEDERATED_CREDENTIAL and r.existing is None and len(_siblings(r)) >= _CREDENTIALS,
            most=_CREDENTIALS,
        ),
    }
)
