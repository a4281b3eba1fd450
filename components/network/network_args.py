"""Arguments of `Network`."""

from typing import Annotated, Final, Required, TypedDict

from ..arguments.choices import OutboundType
from ..arguments.declaration import Argument, Input, TextsByName

SUBNETS: Final = {
    "system": "10.224.0.0/24",
    "general": "10.224.1.0/24",
    "cpu": "10.224.4.0/22",
    "gpu": "10.224.8.0/22",
}
"""Ranges of the subnets where none are given."""


class NetworkArgs(TypedDict, total=False):
    """Arguments of `Network`."""

    resource_group_name: Required[Input[str]]
    """Resource group of everything in it."""
    location: Required[Input[str]]
    """Azure region."""
    vnet_name: Input[str]
    """Name of the virtual network in Azure. Default: the component's name and -vnet."""
    ingress_address_name: Input[str]
    """Name of the ingress's public address in Azure. Default: the component's name and -ingress."""
    outbound_address_name: Input[str]
    """Name of the NAT gateway's public address in Azure. Default: the component's name and -outbound."""
    nat_gateway_name: Input[str]
    """Name of the NAT gateway in Azure. Default: the component's name and -nat."""
    vnet_cidr: Annotated[
        Input[str], Argument("10.224.0.0/16", "our choice; docs/facts/aks.md#network", unit="CIDR")
    ]
    """Range of the virtual network."""
    subnets: dict[str, Input[str]]
    """Range of each subnet, by name. Default: system, general, cpu and gpu, in 10.224.0.0/20."""
    subnet_names: dict[str, Input[str]]
    """Name of each subnet in Azure, by its name here. Default: the same."""
    subnet_ids: dict[str, Input[str]] | None
    """ARM id of each subnet, by name, where others own the network: none is made. Default: one is made."""
    managed_by_aks: bool
    """Whether the nodes are in the network that AKS makes with its cluster: none is made here. Default: false."""
    outbound_type: OutboundType
    """Way to the internet, same as the cluster's. Default: loadBalancer; userAssignedNATGateway makes a NAT gateway
    where it makes the network."""
    route_table_id: Input[str] | None
    """ARM id of the route table of every subnet that is made. Default: none."""
    dns_label: Input[str]
    """First part of the ingress's public name, unique in the region. Default: the address has no name."""
    tags: TextsByName
    """Tags of every taggable child."""
