"""A virtual network and its subnets, as `az network vnet show` prints them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, ip_network
from typing import Any, Final

from kubeflow_aks.clients.az import Az

_RESERVED: Final = 5
"""Addresses that Azure keeps in every subnet ("Azure subnet FAQ")."""


@dataclass(frozen=True)
class Subnet:
    """One subnet.

    Attributes:
        id: ARM id.
        ranges: of IPv4.
        used: addresses that something has.
        nat_gateway, route_table: ARM ids; empty for none.
        delegations: services that it is given to, such as `Microsoft.ContainerService/managedClusters`.
    """

    id: str
    ranges: tuple[IPv4Network, ...]
    used: int
    nat_gateway: str
    route_table: str
    delegations: tuple[str, ...]

    @property
    def name(self) -> str:
        """The last part of its id."""
        return self.id.rpartition("/")[2]

    @property
    def free(self) -> int:
        """Addresses that nothing has."""
        return max(sum(block.num_addresses for block in self.ranges) - _RESERVED - self.used, 0)


@dataclass(frozen=True)
class VirtualNetwork:
    """A network with its subnets, by id in lower case."""

    ranges: tuple[IPv4Network, ...]
    subnets: Mapping[str, Subnet]


def virtual_network(az: Az, arm_id: str) -> VirtualNetwork:
    """The network of an ARM id, as the caller of `az` may read it.

    Raises:
        AzError: no answer, or an unexpected one.
    """
    words = ("network", "vnet", "show", "--ids", arm_id)
    network = az.json(*words)
    try:
        subnets = [_subnet(subnet) for subnet in network["subnets"]]
        return VirtualNetwork(
            tuple(_v4(network["addressSpace"]["addressPrefixes"])),
            {subnet.id.lower(): subnet for subnet in subnets},
        )
    except (LookupError, TypeError, ValueError, AttributeError):
        raise az.unexpected(*words) from None


def _subnet(document: Mapping[str, Any]) -> Subnet:
    return Subnet(
        id=str(document["id"]),
        ranges=tuple(_v4([document.get("addressPrefix"), *(document.get("addressPrefixes") or ())])),
        used=len(document.get("ipConfigurations") or ()),
        nat_gateway=_id(document.get("natGateway")),
        route_table=_id(document.get("routeTable")),
        delegations=tuple(str(delegation["serviceName"]) for delegation in document.get("delegations") or ()),
    )


def _id(reference: Any) -> str:
    """The id of what a subnet refers to; empty for nothing."""
    return str(reference["id"]) if reference else ""


def _v4(texts: list[str | None]) -> Iterator[IPv4Network]:
    """The IPv4 ranges among texts, each once."""
    for text in dict.fromkeys(filter(None, texts)):
        network = ip_network(str(text))
        if isinstance(network, IPv4Network):
            yield network
