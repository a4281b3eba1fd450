"""Rules of every other resource, and of references between resources."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import ArmError, Json, normal_location
from kubeflow_aks.local_aks.azure.rules.rule import BAD_REQUEST, ResourceRequest, Rule, rules, when
from kubeflow_aks.local_aks.azure.types import (
    PUBLIC_IP,
    REGISTRY,
    ROLE_ASSIGNMENT,
    STORAGE_ACCOUNT,
    SUBNET,
    TYPES,
)

_GUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ZONAL: Final = (PUBLIC_IP, "azure-native:network:NatGateway")
_LABEL: Final = re.compile(r"[a-z][a-z0-9-]{1,61}[a-z0-9]")
_KNOWN: Final = {arm_type.arm.casefold() for arm_type in TYPES.values()}
_MOST_TAGS: Final = 50
_LONGEST_TAG: Final = 512
_LONGEST_TAG_OF_ACCOUNT: Final = 128
"""For storage accounts."""
_LONGEST_VALUE: Final = 256
_FORBIDDEN_IN_TAG: Final = frozenset("<>%&\\?/")
_IN_USE: Final = {
    SUBNET: (
        "InUseSubnetCannotBeDeleted",
        (
            "Subnet {name} is in use by {user} and cannot be deleted. In order to delete the subnet, delete all the "
            "resources within the subnet. See aka.ms/deletesubnet."
        ),
    ),
    PUBLIC_IP: (
        "PublicIPAddressCannotBeDeleted",
        "Public IP address {id} can not be deleted since it is still allocated to resource {user}.",
    ),
    "azure-native:network:NatGateway": (
        "InUseNatGatewayCannotBeDeleted",
        "NAT gateway {id} cannot be deleted because it is in use by {user}.",
    ),
    "azure-native:network:NetworkSecurityGroup": (
        "InUseNetworkSecurityGroupCannotBeDeleted",
        "Network security group {id} cannot be deleted because it is in use by the following resources: {user}.",
    ),
}
"""Answer to the DELETE of a resource another one refers to (microsoft/nav-arm-templates#161 quotes the subnet's)."""


def _moved(request: ResourceRequest) -> Mapping[str, object] | None:
    before, requested = (request.existing or {}).get("location"), request.body.get("location")
    moved = bool(before and requested) and normal_location(str(before)) != normal_location(str(requested))
    return when(
        moved,
        name=request.name,
        before=before,
        requested=requested,
        group=arm.name_of(arm.group_id_of(request.id) or ""),
    )


def _rezoned(request: ResourceRequest) -> Mapping[str, object] | None:
    before, requested = arm.listed(request.existing or {}, "zones"), arm.listed(request.body, "zones")
    changed = request.type in _ZONAL and request.existing is not None and sorted(before) != sorted(requested)
    return when(
        changed, id=request.id, before=",".join(before) or "NULL", requested=",".join(requested) or "NULL"
    )


def _granted(request: ResourceRequest) -> Mapping[str, object] | None:
    def grant(body: Json) -> tuple[str, str, str]:
        return (arm.key(str(body["scope"])), str(body["principalId"]), arm.key(str(body["roleDefinitionId"])))

    if request.type != ROLE_ASSIGNMENT or request.existing is not None:
        return None
    requested = grant(request.body | {"scope": request.id.rsplit("/providers/", 1)[0]})
    return when(any(grant(peer) == requested for peer in request.peers))


def _regranted(request: ResourceRequest) -> Mapping[str, object] | None:
    if request.type != ROLE_ASSIGNMENT or request.existing is None:
        return None
    return when(any(request.body[k] != request.existing[k] for k in ("principalId", "roleDefinitionId")))


def _label(request: ResourceRequest) -> str | None:
    """The domain name label of a public address, None without one."""
    return arm.at(request.body, "dnsSettings.domainNameLabel") if request.type == PUBLIC_IP else None


def _host(body: Json) -> str:
    location = normal_location(str(body.get("location")))
    return f"{arm.at(body, 'dnsSettings.domainNameLabel')}.{location}.cloudapp.azure.com"


def _host_taken(request: ResourceRequest) -> Mapping[str, object] | None:
    if _label(request) is None:
        return None
    return when(_host(request.body) in map(_host, request.peers), host=_host(request.body))


def _registry_taken(request: ResourceRequest) -> Mapping[str, object] | None:
    taken = {str(peer["name"]).casefold() for peer in request.peers}
    return when(request.type == REGISTRY and request.name.casefold() in taken, name=request.name.lower())


def _tags(request: ResourceRequest) -> Json:
    return dict(request.body.get("tags") or {})


def _bad_tag(request: ResourceRequest) -> Mapping[str, object] | None:
    longest = _LONGEST_TAG_OF_ACCOUNT if request.type == STORAGE_ACCOUNT else _LONGEST_TAG
    for name in _tags(request):
        if not name or len(name) > longest or _FORBIDDEN_IN_TAG & set(name):
            return {"name": name, "longest": longest}
    return None


RESOURCE_RULES: Final[tuple[Rule[ResourceRequest], ...]] = rules(
    {
        "location-stays": _moved,
        "zones-stay": _rezoned,
        "role-assignment-name": lambda r: when(
            r.type == ROLE_ASSIGNMENT and not _GUID.fullmatch(r.name), name=r.name
        ),
        "role-assigned-once": _granted,
        "role-assignment-stays": _regranted,
        "domain-label-form": lambda r: when(
            (label := _label(r)) is not None and not _LABEL.fullmatch(label), label=label
        ),
        "domain-label-taken": _host_taken,
        "registry-name-taken": _registry_taken,
        "tags-number": lambda r: when(len(_tags(r)) > _MOST_TAGS, number=len(_tags(r)), most=_MOST_TAGS),
        "tag-name": _bad_tag,
        "tag-value": lambda r: when(
            (name := next((n for n, v in _tags(r).items() if len(str(v)) > _LONGEST_VALUE), None))
            is not None,
            name=name,
        ),
    }
)


def references(value: Any) -> Iterator[str]:
    """Every id of a resource of a known type anywhere in a body."""
    match value:
        case str():
            if value.startswith("/subscriptions/") and arm.provider_type_of(value).casefold() in _KNOWN:
                yield value
        case dict():
            for item in value.values():  # pyright: ignore[reportUnknownVariableType]
                yield from references(item)
        case list():
            for item in value:  # pyright: ignore[reportUnknownVariableType]
                yield from references(item)
        case _:
            pass


def in_use(token: str, arm_id: str, user: str) -> ArmError | None:
    """The answer to the DELETE of a resource that another one refers to, None where that does not matter."""
    if token not in _IN_USE:
        return None
    code, message = _IN_USE[token]
    return ArmError(BAD_REQUEST, code, message.format(name=arm.name_of(arm_id), id=arm_id, user=user))
