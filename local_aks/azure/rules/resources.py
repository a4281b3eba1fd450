"""Rules of every other resource, and of references between resources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from local_aks.azure import arm
from local_aks.azure.arm import ArmError, Json
from local_aks.azure.diff import normal_location
from local_aks.azure.rules.rule import BAD_REQUEST, Rule, when
from local_aks.azure.types import ROLE_ASSIGNMENT, SUBNET, TYPES

_CONFLICT: Final = 409
_GUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_MAINTENANCE: Final = "azure-native:containerservice:MaintenanceConfiguration"
_WINDOWS: Final = ("default", "aksManagedAutoUpgradeSchedule", "aksManagedNodeOSUpgradeSchedule")
_ZONAL: Final = ("azure-native:network:PublicIPAddress", "azure-native:network:NatGateway")
_KNOWN: Final = {arm_type.arm.casefold() for arm_type in TYPES.values()}
_IN_USE: Final = {
    SUBNET: (
        "InUseSubnetCannotBeDeleted",
        (
            "Subnet {name} is in use by {user} and cannot be deleted. In order to delete the subnet, delete all the "
            "resources within the subnet. See aka.ms/deletesubnet."
        ),
    ),
    "azure-native:network:PublicIPAddress": (
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


@dataclass(frozen=True, kw_only=True)
class ResourceRequest:
    """A PUT of any resource."""

    type: str
    """Pulumi type token."""
    id: str
    body: Json
    existing: Json | None
    peers: tuple[Json, ...]
    """Bodies of the other resources of the type."""

    @property
    def name(self) -> str:
        """Name of the resource."""
        return arm.name_of(self.id)


def _moved(request: ResourceRequest) -> Mapping[str, object] | None:
    had, wanted = (request.existing or {}).get("location"), request.body.get("location")
    moved = bool(had and wanted) and normal_location(str(had)) != normal_location(str(wanted))
    return when(
        moved, name=request.name, had=had, wanted=wanted, group=arm.name_of(arm.group_id_of(request.id) or "")
    )


def _rezoned(request: ResourceRequest) -> Mapping[str, object] | None:
    had, wanted = arm.listed(request.existing or {}, "zones"), arm.listed(request.body, "zones")
    changed = request.type in _ZONAL and request.existing is not None and sorted(had) != sorted(wanted)
    return when(changed, id=request.id, had=",".join(had) or "NULL", wanted=",".join(wanted) or "NULL")


def _granted(request: ResourceRequest) -> Mapping[str, object] | None:
    def grant(body: Json) -> tuple[str, str, str]:
        return (arm.key(str(body["scope"])), str(body["principalId"]), arm.key(str(body["roleDefinitionId"])))

    if request.type != ROLE_ASSIGNMENT or request.existing is not None:
        return None
    wanted = grant(request.body | {"scope": request.id.rsplit("/providers/", 1)[0]})
    return when(any(grant(peer) == wanted for peer in request.peers))


def _regranted(request: ResourceRequest) -> Mapping[str, object] | None:
    if request.type != ROLE_ASSIGNMENT or request.existing is None:
        return None
    return when(any(request.body[k] != request.existing[k] for k in ("principalId", "roleDefinitionId")))


RESOURCE_RULES: Final[tuple[Rule[ResourceRequest], ...]] = (
    Rule(
        id="location-stays",
        status=_CONFLICT,
        code="InvalidResourceLocation",
        message="The resource '{name}' already exists in location '{had}' in resource group '{group}'. A resource "
        "with the same name cannot be created in location '{wanted}'. Please select a new resource name.",
        broken=_moved,
        source='"Common deployment errors"',
    ),
    Rule(
        id="zones-stay",
        code="ResourceAvailabilityZonesCannotBeModified",
        message="Resource {id} has an existing availability zone constraint {had} and the request has availability "
        "zone constraint {wanted}, which do not match. Zones cannot be added/updated/removed once the resource is "
        "created.",
        broken=_rezoned,
        source='"Public IP addresses", availability zones',
    ),
    Rule(
        id="role-assignment-name",
        code="InvalidRoleAssignmentId",
        message="The role assignment ID '{name}' is not valid. The role assignment ID must be a GUID.",
        broken=lambda r: when(r.type == ROLE_ASSIGNMENT and not _GUID.fullmatch(r.name), name=r.name),
        source='"Azure RBAC troubleshooting"; docs/facts/aks.md#identity-and-registry',
    ),
    Rule(
        id="role-assigned-once",
        status=_CONFLICT,
        code="RoleAssignmentExists",
        message="The role assignment already exists.",
        broken=_granted,
        source="ansible-collections/azure#1137",
        quoted=True,
    ),
    Rule(
        id="role-assignment-stays",
        code="RoleAssignmentUpdateNotPermitted",
        message="Tenant ID, application ID, principal ID, and scope are not allowed to be updated.",
        broken=_regranted,
        source="Azure/Azure-Landing-Zones#2040",
        quoted=True,
    ),
    Rule(
        id="maintenance-name",
        code="InvalidParameter",
        message="Maintenance configuration name '{name}' is not supported. Supported names are: {names}.",
        broken=lambda r: when(
            r.type == _MAINTENANCE and r.name not in _WINDOWS, name=r.name, names=", ".join(_WINDOWS)
        ),
        source="planned-maintenance.md (docs/facts/aks.md#kubernetes-versions)",
    ),
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


def dangling(arm_id: str, missing: str) -> ArmError:
    """The answer to a PUT that refers to a resource Azure does not have (MicrosoftDocs/azure-docs#81734)."""
    return ArmError(
        BAD_REQUEST,
        "InvalidResourceReference",
        f"Resource {missing} referenced by resource {arm_id} was not found. Please make sure that the referenced "
        "resource exists, and that both resources are in the same region.",
    )


def in_use(token: str, arm_id: str, user: str) -> ArmError | None:
    """The answer to the DELETE of a resource that another one refers to, None where that does not matter."""
    if token not in _IN_USE:
        return None
    code, message = _IN_USE[token]
    return ArmError(BAD_REQUEST, code, message.format(name=arm.name_of(arm_id), id=arm_id, user=user))
