"""ARM ids of resources that are used and not created ("Naming rules and restrictions for Azure resources")."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ..arguments.mistakes import Mistake
from .azure_names import OF_SERVICES

GUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_GROUP: Final = re.compile(r"[-\w.()]{0,89}[-\w()]")
_FORM: Final = "/subscriptions/<subscription>/resourceGroups/<group>/providers"


@dataclass(frozen=True)
class Kind:
    """A type of resource, and what its names look like."""

    path: str
    """What follows `providers` in its id, names in angle brackets; the last one is its own, others its parents'."""
    name: re.Pattern[str]
    """Form of its name, and of its parents'."""
    name_in_words: str

    @property
    def form(self) -> str:
        """The whole id, names in angle brackets."""
        return f"{_FORM}/{self.path}"


ROUTE_TABLE: Final = Kind(
    "Microsoft.Network/routeTables/<name>",
    re.compile(r"[a-z0-9]([-\w.]{0,78}\w)?", re.ASCII | re.IGNORECASE),
    "1 to 80 letters, digits, underscores, periods and hyphens",
)
REGISTRY: Final = Kind(
    "Microsoft.ContainerRegistry/registries/<name>",
    re.compile(r"[a-z0-9]{5,50}", re.IGNORECASE),
    "5 to 50 letters and digits",
)
RESERVATION_GROUP: Final = Kind(
    "Microsoft.Compute/capacityReservationGroups/<name>",
    re.compile(r"[a-z0-9]([-\w.]{0,78}\w)?", re.ASCII | re.IGNORECASE),
    "1 to 80 letters, digits, underscores, periods and hyphens",
)
WORKSPACE: Final = Kind(
    "Microsoft.OperationalInsights/workspaces/<name>",
    re.compile(r"[a-z0-9][-a-z0-9]{2,61}[a-z0-9]", re.ASCII | re.IGNORECASE),
    "4 to 63 letters, digits and inner hyphens",
)
SUBNET: Final = Kind(
    "Microsoft.Network/virtualNetworks/<network>/subnets/<name>",
    re.compile(rf"{OF_SERVICES}[a-z0-9]([-\w.]{{0,61}}\w)?", re.ASCII | re.IGNORECASE),
    "1 to 63 letters, digits, underscores, periods and hyphens and is none that Azure keeps for a gateway, firewall, "
    "bastion or route server",
)
"""Subnet of nodes with CNI Overlay, which takes 63 characters of Azure's 80 (concepts-network-azure-cni-overlay.md)."""
PRIVATE_DNS_ZONE: Final = Kind(
    "Microsoft.Network/privateDnsZones/<name>",
    re.compile(r"([-a-z0-9_]{1,63}\.)+[-a-z0-9_]{1,63}", re.ASCII | re.IGNORECASE),
    "2 to 34 labels with periods between them",
)
IDENTITY: Final = Kind(
    "Microsoft.ManagedIdentity/userAssignedIdentities/<name>",
    re.compile(r"[a-z0-9][-\w]{2,127}", re.ASCII | re.IGNORECASE),
    "3 to 128 letters, digits, underscores and hyphens",
)
CONTAINER: Final = Kind(
    "Microsoft.Storage/storageAccounts/<account>/blobServices/default/containers/<name>",
    re.compile(r"[a-z0-9](-?[a-z0-9]){2,62}"),
    "3 to 63 lower-case letters, digits and single inner hyphens",
)
ACTION_GROUP: Final = Kind(
    "Microsoft.Insights/actionGroups/<name>",
    re.compile(r"[^/&%?+]{1,260}"),
    "1 to 260 characters, none of / & % ? +",
)
CLUSTER: Final = Kind(
    "Microsoft.ContainerService/managedClusters/<name>",
    re.compile(r"[a-z0-9]([-\w]{0,61}[a-z0-9])?", re.ASCII | re.IGNORECASE),
    "1 to 63 letters, digits, underscores and hyphens",
)


def group_id_mistakes(key: str, text: str) -> Iterator[Mistake]:
    """An id that names no resource group."""
    if not re.fullmatch(r"/subscriptions/[^/]+/resourceGroups/[^/]+", text, re.IGNORECASE):
        yield Mistake(key, text, "/subscriptions/<subscription>/resourceGroups/<group>")


def arm_id_mistakes(key: str, text: str, kind: Kind) -> Iterator[Mistake]:
    """An id that names no such resource, whatever the case of its letters, which Azure ignores."""
    form = f"{_FORM}/{kind.path}"
    parts, expected = text.split("/"), form.split("/")
    fixed = [index for index, part in enumerate(expected) if not part.startswith("<")]
    if len(parts) != len(expected) or any(parts[i].lower() != expected[i].lower() for i in fixed):
        yield Mistake(key, text, form)
        return
    subscription, group, *names = (parts[i] for i in range(len(expected)) if i not in fixed)
    if not GUID.fullmatch(subscription):
        yield Mistake(key, text, f"{form} whose subscription is a GUID, not {subscription!r}")
    elif not _GROUP.fullmatch(group):
        yield Mistake(key, text, f"{form} whose group is a name that Azure allows, not {group!r}")
    else:
        for name in names:
            if not kind.name.fullmatch(name):
                yield Mistake(key, text, f"{form} whose name has {kind.name_in_words}, unlike {name!r}")
                return


def parent_id(text: str) -> str:
    """The id of what a resource is part of, such as a subnet's virtual network."""
    return text.rsplit("/", 2)[0]


def name_of(text: str) -> str:
    """The last name in an id."""
    return text.rpartition("/")[2]


def group_of(text: str) -> str:
    """The name of the resource group in an id."""
    return text.split("/")[4]


def subscription_of(text: str) -> str:
    """The subscription in an id, a GUID."""
    return text.split("/")[2]
