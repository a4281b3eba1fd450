"""Rules of the ranges of a network and of a cluster in it. Pure: planning calls the same without the SDKs.

Source: concepts-network-azure-cni-overlay.md, concepts-network-cni-overview.md.
"""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network
from typing import Final

from ..arguments.mistakes import Mistake
from ..azure.cidr import RESERVED, well_formed

NODE_PREFIX: Final = 24
"""CNI Overlay gives each node a /24 of the pod range (concepts-network-azure-cni-overlay.md)."""
_MIN_SERVICE_PREFIX: Final = 12
_MAX_SUBNET_PREFIX: Final = 29
"""The smallest subnet that Azure makes ("Azure Virtual Network FAQ")."""


def reserved_mistakes(key: str, net: IPv4Network, example: str) -> Iterator[Mistake]:
    """A range that shares addresses with those that Azure keeps."""
    if shared := [str(reserved) for reserved in RESERVED if net.overlaps(reserved)]:
        expected = f"a range like {example}, apart from what Azure reserves: {', '.join(shared)}"
        yield Mistake(key, str(net), expected)


def inside_mistakes(key: str, net: IPv4Network, vnet: IPv4Network, *, at: str = "") -> Iterator[Mistake]:
    """A subnet lies inside its network, whose range is `vnetCidr` of the group `at`."""
    if not net.subnet_of(vnet):
        yield Mistake(key, str(net), f"a range inside {at}vnetCidr {vnet}")


def size_mistakes(key: str, net: IPv4Network) -> Iterator[Mistake]:
    """A subnet is not smaller than Azure makes it."""
    if net.prefixlen > _MAX_SUBNET_PREFIX:
        yield Mistake(key, str(net), f"a range of /{_MAX_SUBNET_PREFIX} or larger")


def service_mistakes(key: str, net: IPv4Network) -> Iterator[Mistake]:
    """The range of the services has a size that AKS takes, with room for the tenth address."""
    if not _MIN_SERVICE_PREFIX < net.prefixlen <= NODE_PREFIX:
        yield Mistake(key, str(net), "a range between /13 and /24")


def vnet_mistakes(examples: Mapping[str, str], vnet: str, *subnets: str) -> Iterator[Mistake]:
    """A network and its subnets; those in another form than a range's are another rule's.

    Args:
        examples: an example by key, that of the network first.
        vnet: its range.
        subnets: theirs.
    """
    key, *keys = examples
    parsed = well_formed(dict(zip(examples, (vnet, *subnets), strict=True)))
    network = parsed.get(key)
    if network:
        yield from reserved_mistakes(key, network, examples[key])
    for subnet in filter(parsed.__contains__, keys):
        if network:
            yield from inside_mistakes(subnet, parsed[subnet], network)
        yield from size_mistakes(subnet, parsed[subnet])


def cluster_range_mistakes(examples: Mapping[str, str], pods: str, services: str) -> Iterator[Mistake]:
    """The ranges of pods and services, as `vnet_mistakes` has those of a network."""
    parsed = well_formed(dict(zip(examples, (pods, services), strict=True)))
    for key, net in parsed.items():
        yield from reserved_mistakes(key, net, examples[key])
    pod_key, service_key = examples
    if (net := parsed.get(pod_key)) and net.prefixlen > NODE_PREFIX:
        yield Mistake(
            pod_key, pods, f"a range of /{NODE_PREFIX} or larger, because each node takes a /24 of it"
        )
    if net := parsed.get(service_key):
        yield from service_mistakes(service_key, net)


def route_table_mistakes(
    outbound_type: str, route_table_id: str | None, *, at: str = ""
) -> Iterator[Mistake]:
    """Subnets have a route table where it is the way out."""
    if outbound_type == "userDefinedRouting" and route_table_id is None:
        expected = f"the ARM id of a route table, because {at}outboundType is userDefinedRouting"
        yield Mistake(f"{at}routeTableId", None, expected)
