"""Rules of virtual networks and their subnets ("Azure Virtual Network FAQ")."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, ip_network
from typing import Any, Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.rules.rule import ResourceRequest, Rule, rules, when
from kubeflow_aks.local_aks.azure.types import SUBNET, VIRTUAL_NETWORK

_FORBIDDEN: Final = tuple(
    map(
        IPv4Network,
        ("224.0.0.0/4", "255.255.255.255/32", "127.0.0.0/8", "169.254.0.0/16", "168.63.129.16/32"),
    )
)
"""Multicast, broadcast, loopback, link-local, and Azure's own DNS."""
_SMALLEST: Final = 29


@dataclass(frozen=True, kw_only=True)
class SubnetRequest:
    """A PUT of a subnet."""

    name: str
    body: Json
    network: Json
    """Body of its virtual network."""
    siblings: tuple[Json, ...]
    """Bodies of the network's other subnets."""
    existing: Json | None = None
    """Its body before the request."""
    occupied: bool = False
    """Whether nodes have addresses in it."""

    @property
    def ranges(self) -> tuple[IPv4Network, ...]:
        """Its address ranges."""
        return prefixes(self.body)


def prefixes(subnet: Mapping[str, Any]) -> tuple[IPv4Network, ...]:
    """The IPv4 ranges of a subnet."""
    texts = [subnet.get("addressPrefix"), *arm.listed(subnet, "addressPrefixes")]
    return tuple(v4(str(prefix)) for prefix in texts if prefix)


def spaces(network: Mapping[str, Any]) -> tuple[IPv4Network, ...]:
    """The IPv4 address space of a virtual network."""
    return tuple(v4(str(prefix)) for prefix in arm.listed(network, "addressSpace.addressPrefixes"))


def v4(text: str) -> IPv4Network:
    """An IPv4 range; for an IPv6 one a range that nothing overlaps."""
    network = ip_network(text, strict=False)
    return network if isinstance(network, IPv4Network) else IPv4Network("0.0.0.0/32")


def _outside(request: SubnetRequest) -> Mapping[str, object] | None:
    inside = all(any(part.subnet_of(whole) for whole in spaces(request.network)) for part in request.ranges)
    return when(not inside, name=request.name, network=request.network["name"])


def _overlap(request: SubnetRequest) -> Mapping[str, object] | None:
    others = [part for sibling in request.siblings for part in prefixes(sibling)]
    overlaps = any(part.overlaps(other) for part in request.ranges for other in others)
    return when(overlaps, name=request.name, network=request.network["name"])


def _taken_away(request: SubnetRequest) -> Mapping[str, object] | None:
    gone = [part for part in prefixes(request.existing or {}) if part not in request.ranges]
    return when(request.occupied and bool(gone), name=request.name, prefix=gone[0] if gone else "")


def _malformed(request: ResourceRequest) -> Mapping[str, object] | None:
    """Judged for every resource, before anything reads the ranges."""
    ranges = {
        VIRTUAL_NETWORK: arm.listed(request.body, "addressSpace.addressPrefixes"),
        SUBNET: [request.body.get("addressPrefix"), *arm.listed(request.body, "addressPrefixes")],
    }.get(request.type, [])
    for prefix in filter(None, ranges):
        try:
            ip_network(str(prefix), strict=False)
        except ValueError:
            return {"prefix": prefix, "id": request.id}
        if "/" not in str(prefix):
            return {"prefix": prefix, "id": request.id}
    return None


def _forbidden(request: ResourceRequest) -> Mapping[str, object] | None:
    for space in spaces(request.body) if request.type == VIRTUAL_NETWORK else ():
        for part in _FORBIDDEN:
            if space.overlaps(part):
                return {"space": space, "part": part}
    return None


def _too_small(request: SubnetRequest) -> Mapping[str, object] | None:
    small = [part for part in request.ranges if part.prefixlen > _SMALLEST]
    return when(bool(small), name=request.name, range=next(iter(small), ""))


ADDRESS_RULES: Final[tuple[Rule[ResourceRequest], ...]] = rules(
    {
        "address-prefix-form": _malformed,
        "address-space-allowed": _forbidden,
    }
)
SUBNET_RULES: Final[tuple[Rule[SubnetRequest], ...]] = rules(
    {
        "subnet-inside-network": _outside,
        "subnet-overlap": _overlap,
        "subnet-size": _too_small,
        "prefix-in-use": _taken_away,
    }
)
