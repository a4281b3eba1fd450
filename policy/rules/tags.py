"""Tags of Azure resources, by which cost and owner are found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from policy.rule import Resource, Rule
from policy.rules.seen import tags

_AZURE: Final = "azure-native:"
UNTAGGABLE: Final = frozenset(
    {
        "azure-native:authorization:RoleAssignment",
        "azure-native:authorization:RoleDefinition",
        "azure-native:containerservice:MaintenanceConfiguration",
        "azure-native:managedidentity:FederatedIdentityCredential",
        "azure-native:monitor:DiagnosticSetting",
        "azure-native:network:Route",
        "azure-native:network:SecurityRule",
        "azure-native:network:Subnet",
        "azure-native:network:VirtualNetworkPeering",
        "azure-native:storage:BlobContainer",
        "azure-native:storage:BlobServiceProperties",
        "azure-native:storage:ManagementPolicy",
    }
)
"""Types that Azure lets nobody tag (the providers' schema has no `tags`)."""
_WANTED: Final = ("owner", "environment")


def _tagged(resource: Resource) -> Iterator[str]:
    if not resource.kind.startswith(_AZURE) or resource.kind in UNTAGGABLE:
        return
    if missing := [name for name in _WANTED if not tags(resource).get(name)]:
        yield f"no tag {' and '.join(missing)}"


RULES: Final = (
    Rule(
        "azure-resources-are-tagged",
        "Each Azure resource that can have tags says who owns it and which environment it belongs to.",
        "docs/reference/settings.md#tags",
        severity="low",
        each=_tagged,
    ),
)
