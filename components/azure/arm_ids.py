"""ARM ids of resources that are used and not created ("Naming rules and restrictions for Azure resources")."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ..arguments.limits import Form, text_mistakes
from ..arguments.mistakes import Mistake
from . import azure_names

GUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FORM: Final = "/subscriptions/<subscription>/resourceGroups/<group>/providers"


@dataclass(frozen=True)
class Kind:
    """A type of resource, and what its names look like."""

    path: str
    """What follows `providers` in its id, names in angle brackets; the last one is its own, others its parents'."""
    name: Form
    """Form of its name, and of its parents'."""

    @property
    def form(self) -> str:
        """The whole id, names in angle brackets."""
        return f"{_FORM}/{self.path}"


ACTION_GROUP: Final = Kind("Microsoft.Insights/actionGroups/<name>", azure_names.ACTION_GROUP)
CLUSTER: Final = Kind("Microsoft.ContainerService/managedClusters/<name>", azure_names.CLUSTER)
CONTAINER: Final = Kind(
    "Microsoft.Storage/storageAccounts/<account>/blobServices/default/containers/<name>",
    azure_names.CONTAINER,
)
IDENTITY: Final = Kind("Microsoft.ManagedIdentity/userAssignedIdentities/<name>", azure_names.IDENTITY)
PRIVATE_DNS_ZONE: Final = Kind("Microsoft.Network/privateDnsZones/<name>", azure_names.PRIVATE_DNS_ZONE)
REGISTRY: Final = Kind("Microsoft.ContainerRegistry/registries/<name>", azure_names.REGISTRY)
RESERVATION_GROUP: Final = Kind(
    "Microsoft.Compute/capacityReservationGroups/<name>", azure_names.NETWORK_PART
)
ROUTE_TABLE: Final = Kind("Microsoft.Network/routeTables/<name>", azure_names.NETWORK_PART)
SUBNET: Final = Kind("Microsoft.Network/virtualNetworks/<network>/subnets/<name>", azure_names.SUBNET)
WORKSPACE: Final = Kind("Microsoft.OperationalInsights/workspaces/<name>", azure_names.WORKSPACE)


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
    elif any(text_mistakes(key, azure_names.RESOURCE_GROUP, group)):
        yield Mistake(key, text, f"{form} whose group is a name that Azure allows, not {group!r}")
    else:
        for name in names:
            if any(text_mistakes(key, kind.name, name)):
                yield Mistake(key, text, f"{form} whose name has {kind.name['form']}, unlike {name!r}")
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
