"""Lengths, patterns and ranges that azure-native's own Check enforces, taken over from the ARM specifications.

The provider reports these before anything is created (`validateProperty` in `provider.go`). Every other rule of
Azure is only reported by Azure, when the resource is put: see `rules`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER

_POOL_NAME: Final = r"^[a-z][a-z0-9]{0,11}$"
_CIDR: Final = r"^([0-9]{1,3}\.){3}[0-9]{1,3}(\/([0-9]|[1-2][0-9]|3[0-2]))?$"
_CLUSTER_NAME: Final = r"^[a-zA-Z0-9]$|^[a-zA-Z0-9][-_a-zA-Z0-9]{0,61}[a-zA-Z0-9]$"
_MAINTENANCE: Final = "azure-native:containerservice:MaintenanceConfiguration"
_ACCOUNT: Final = "azure-native:storage:StorageAccount"
_BLOBS: Final = "azure-native:storage:BlobServiceProperties"
_REGISTRY: Final = "azure-native:containerregistry:Registry"


@dataclass(frozen=True)
class Constraint:
    """What one property must satisfy. `[]` in a path stands for every element of a list."""

    type: str
    """Pulumi type token, or `*` for every type."""
    path: str
    pattern: str | None = None
    length: tuple[int, int] | None = None
    """Shortest and longest string."""
    range: tuple[int, int] | None = None
    """Lowest and highest number."""


def _of_pools(path: str, **limits: Any) -> tuple[Constraint, Constraint]:
    """One constraint for agent pools of their own and for inline ones."""
    return (
        Constraint(AGENT_POOL, path, **limits),
        Constraint(MANAGED_CLUSTER, f"agentPoolProfiles[].{path}", **limits),
    )


CONSTRAINTS: Final = (
    Constraint("*", "resourceGroupName", pattern=r"^[-\w\._\(\)]+$", length=(1, 90)),
    Constraint(AGENT_POOL, "agentPoolName", pattern=_POOL_NAME),
    Constraint(AGENT_POOL, "resourceName", pattern=_CLUSTER_NAME, length=(1, 63)),
    *_of_pools("osDiskSizeGB", range=(0, 2048)),
    *_of_pools("upgradeSettings.drainTimeoutInMinutes", range=(1, 1440)),
    *_of_pools("upgradeSettings.nodeSoakDurationInMinutes", range=(0, 30)),
    *_of_pools("networkProfile.allowedHostPorts[].portStart", range=(1, 65535)),
    *_of_pools("networkProfile.allowedHostPorts[].portEnd", range=(1, 65535)),
    Constraint(MANAGED_CLUSTER, "resourceName", pattern=_CLUSTER_NAME, length=(1, 63)),
    Constraint(MANAGED_CLUSTER, "agentPoolProfiles[].name", pattern=_POOL_NAME),
    Constraint(MANAGED_CLUSTER, "linuxProfile.adminUsername", pattern=r"^[A-Za-z][-A-Za-z0-9_]*$"),
    Constraint(MANAGED_CLUSTER, "networkProfile.podCidr", pattern=_CIDR),
    Constraint(MANAGED_CLUSTER, "networkProfile.serviceCidr", pattern=_CIDR),
    Constraint(
        MANAGED_CLUSTER,
        "networkProfile.dnsServiceIP",
        pattern=r"^(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)$",
    ),
    Constraint(
        MANAGED_CLUSTER, "networkProfile.loadBalancerProfile.managedOutboundIPs.count", range=(1, 100)
    ),
    Constraint(MANAGED_CLUSTER, "networkProfile.loadBalancerProfile.idleTimeoutInMinutes", range=(4, 120)),
    Constraint(
        MANAGED_CLUSTER, "networkProfile.natGatewayProfile.managedOutboundIPProfile.count", range=(1, 16)
    ),
    Constraint(MANAGED_CLUSTER, "networkProfile.natGatewayProfile.idleTimeoutInMinutes", range=(4, 120)),
    Constraint(_MAINTENANCE, "resourceName", pattern=_CLUSTER_NAME, length=(1, 63)),
    Constraint(_MAINTENANCE, "maintenanceWindow.durationHours", range=(4, 24)),
    Constraint(_MAINTENANCE, "maintenanceWindow.startTime", pattern=r"^\d{2}:\d{2}$"),
    Constraint(_MAINTENANCE, "maintenanceWindow.utcOffset", pattern=r"^(-|\+)[0-9]{2}:[0-9]{2}$"),
    Constraint(_MAINTENANCE, "maintenanceWindow.schedule.daily.intervalDays", range=(1, 7)),
    Constraint(_MAINTENANCE, "maintenanceWindow.schedule.weekly.intervalWeeks", range=(1, 4)),
    Constraint(_MAINTENANCE, "maintenanceWindow.schedule.absoluteMonthly.intervalMonths", range=(1, 6)),
    Constraint(_MAINTENANCE, "maintenanceWindow.schedule.absoluteMonthly.dayOfMonth", range=(1, 31)),
    Constraint(_MAINTENANCE, "maintenanceWindow.schedule.relativeMonthly.intervalMonths", range=(1, 6)),
    Constraint(_ACCOUNT, "accountName", length=(3, 24)),
    Constraint(_BLOBS, "containerDeleteRetentionPolicy.days", range=(1, 365)),
    Constraint(_BLOBS, "deleteRetentionPolicy.days", range=(1, 365)),
    Constraint("azure-native:storage:BlobContainer", "containerName", length=(3, 63)),
    Constraint(
        "azure-native:managedidentity:FederatedIdentityCredential",
        "federatedIdentityCredentialResourceName",
        pattern=r"^[a-zA-Z0-9]{1}[a-zA-Z0-9-_]{2,119}$",
    ),
    Constraint(_REGISTRY, "registryName", pattern=r"^[a-zA-Z0-9]*$", length=(5, 50)),
)
"""Sources: azure-rest-api-specs, containerservice 2025-09-01, containerregistry, storage,
managedidentity, and ARM's common types."""


def violations(token: str, inputs: Json) -> list[str]:
    """Check's messages about inputs, one sentence each; unknown values pass."""
    return [
        sentence
        for constraint in CONSTRAINTS
        if constraint.type in ("*", token)
        for path, value in _values(inputs, constraint.path.split("."), "")
        for sentence in _broken(constraint, path, value)
    ]


def _values(value: Any, steps: list[str], path: str) -> Iterator[tuple[str, Any]]:
    """Every value at a path, with the path as it is spelt in a message."""
    if not steps:
        yield path, value
        return
    name = steps[0].removesuffix("[]")
    if not isinstance(value, dict) or name not in value:
        return
    here = f"{path}.{name}" if path else name
    if steps[0] == name:
        yield from _values(value[name], steps[1:], here)
    elif isinstance(value[name], list):
        for index, item in enumerate(arm.listed(value, name)):  # pyright: ignore[reportUnknownArgumentType]
            yield from _values(item, steps[1:], f"{here}[{index}]")


def _broken(constraint: Constraint, path: str, value: object) -> Iterator[str]:
    if isinstance(value, str):
        shortest, longest = constraint.length or (0, len(value))
        if len(value) < shortest:
            yield f"'{path}' is too short ({len(value)}): at least {shortest} characters required"
        if len(value) > longest:
            yield f"'{path}' is too long ({len(value)}): at most {longest} characters allowed"
        if constraint.pattern and not re.search(constraint.pattern, value):
            yield f"'{path}' does not match expression '{constraint.pattern}'"
    elif isinstance(value, int | float) and constraint.range:
        lowest, highest = constraint.range
        if value < lowest:
            yield f"'{path}' is too low ({value:f} < {lowest:f})"
        if value > highest:
            yield f"'{path}' is too high ({value:f} > {highest:f})"
