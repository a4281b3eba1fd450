"""Rules of storage accounts, containers and the federated credentials with which workloads reach them."""

import re
from collections.abc import Mapping
from typing import Any, Final

import aks_facts
from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import normal_location
from kubeflow_aks.local_aks.azure.rules.rule import ResourceRequest, Rule, when
from kubeflow_aks.local_aks.azure.types import BLOB_CONTAINER, FEDERATED_CREDENTIAL, STORAGE_ACCOUNT

_CONFLICT: Final = 409
_ACCOUNT: Final = re.compile(r"[a-z0-9]{3,24}")
_PART: Final = re.compile(r"[a-z0-9]+")
_LENGTH: Final = range(3, 64)
_CREDENTIALS: Final = 20
_FEDERATION: Final = "workload-identity-federation-considerations.md"
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
    had, requested = _sku(request.existing), _sku(request.body)
    zonal = ("ZRS" in had) != ("ZRS" in requested)
    tier = had.partition("_")[0] != requested.partition("_")[0]
    return when(zonal or tier, name=request.name, had=had, requested=requested)


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


STORAGE_RULES: Final[tuple[Rule[ResourceRequest], ...]] = (
    Rule(
        id="storage-account-name",
        code="AccountNameInvalid",
        message="{name} is not a valid storage account name. Storage account name must be between 3 and 24 characters "
        "in length and use numbers and lower-case letters only.",
        broken=_bad_account_name,
        source='"Storage account overview"',
    ),
    Rule(
        id="storage-account-taken",
        status=_CONFLICT,
        code="StorageAccountAlreadyTaken",
        message="The storage account named {name} is already taken.",
        broken=_taken,
        source='"Common deployment errors"',
    ),
    Rule(
        id="storage-account-kind",
        code="InvalidRequestPropertyValue",
        message="The value '{sku}' is not allowed for property sku.name with kind '{kind}'.",
        broken=_mismatched,
        source='"Storage account overview"',
    ),
    Rule(
        id="storage-account-zones",
        code="SkuNotAvailableInRegion",
        message="The SKU {sku} is not available in region {location}, which has no availability zones.",
        broken=_zoneless,
        source='"Azure Storage redundancy"',
    ),
    Rule(
        id="storage-account-sku",
        code="InvalidRequestPropertyValue",
        message="The SKU of storage account {name} cannot be changed from {had} to {requested} by an update; start an "
        "account migration, or copy the data to another account.",
        broken=_converted,
        source='"Start-AzStorageAccountMigration"',
    ),
    Rule(
        id="container-name",
        code="InvalidResourceName",
        message="The container name '{name}' is not valid: 3 to 63 lower-case letters, numbers and single hyphens, a "
        "letter or number first and last.",
        broken=_bad_container_name,
        source='"Naming containers, blobs and metadata"',
    ),
    Rule(
        id="federated-audience",
        code="BadRequest",
        message="Federated identity credentials must have exactly one audience.",
        broken=lambda r: when(r.type == FEDERATED_CREDENTIAL and len(arm.listed(r.body, "audiences")) != 1),
        source=_FEDERATION,
    ),
    Rule(
        id="federated-twice",
        code="BadRequest",
        message="Issuer and subject combination already exists for this Managed Identity.",
        broken=_federated_twice,
        quotes=f"{_FEDERATION}; Azure/bicep-types-az#2029",
    ),
    Rule(
        id="federated-most",
        code="BadRequest",
        message="A managed identity has at most {most} federated identity credentials.",
        broken=lambda r: when(
            r.type == FEDERATED_CREDENTIAL and r.existing is None and len(_siblings(r)) >= _CREDENTIALS,
            most=_CREDENTIALS,
        ),
        source=_FEDERATION,
    ),
)
