"""Rules of the network around a cluster: the cluster's own ranges and the subnets of a virtual network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, ip_network
from typing import Any, Final

from local_aks.azure import arm
from local_aks.azure.arm import Json
from local_aks.azure.rules.rule import ClusterRequest, Rule, invalid, when

_POD_CIDR: Final = "10.244.0.0/16"
_SERVICE_CIDR: Final = "10.0.0.0/16"
_DNS_SERVICE_IP: Final = "10.0.0.10"


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
    given = [subnet.get("addressPrefix"), *arm.listed(subnet, "addressPrefixes")]
    return tuple(_v4(str(prefix)) for prefix in given if prefix)


def _v4(text: str) -> IPv4Network:
    network = ip_network(text, strict=False)
    return network if isinstance(network, IPv4Network) else IPv4Network("0.0.0.0/32")


def _service_range(request: ClusterRequest) -> IPv4Network:
    return _v4(request.get("networkProfile.serviceCidr") or _SERVICE_CIDR)


def _subnet_ranges(request: ClusterRequest) -> Iterator[IPv4Network]:
    for subnet in request.pool_subnets():
        yield from prefixes(subnet)


def _service_overlap(request: ClusterRequest) -> Mapping[str, object] | None:
    service = _service_range(request)
    for subnet in _subnet_ranges(request):
        if service.overlaps(subnet):
            return {"service": service, "subnet": subnet}
    return None


def _pod_overlap(request: ClusterRequest) -> Mapping[str, object] | None:
    if request.get("networkProfile.networkPluginMode") != "overlay":
        return None
    pods = _v4(request.get("networkProfile.podCidr") or _POD_CIDR)
    for other in (_service_range(request), *_subnet_ranges(request)):
        if pods.overlaps(other):
            return {"pods": pods, "other": other}
    return None


def _dns_service(request: ClusterRequest) -> Mapping[str, object] | None:
    address = IPv4Address(request.get("networkProfile.dnsServiceIP") or _DNS_SERVICE_IP)
    service = _service_range(request)
    taken = (service.network_address, service.network_address + 1)
    return when(address not in service or address in taken, address=address, service=service)


def _custom_network(request: ClusterRequest) -> str:
    """Name of the first inline pool with a subnet of its own, empty without one."""
    return next((str(pool.get("name")) for pool in request.pools if pool.get("vnetSubnetID")), "")


def _no_gateway(request: ClusterRequest) -> Mapping[str, object] | None:
    if request.get("networkProfile.outboundType") != "userAssignedNATGateway":
        return None
    subnets = request.pool_subnets()
    return when(not subnets or any("natGateway" not in subnet for subnet in subnets))


CLUSTER_NETWORK_RULES: Final[tuple[Rule[ClusterRequest], ...]] = (
    Rule(
        id="overlay-needs-azure-cni",
        code="InvalidParameter",
        message=invalid("networkProfile.networkPluginMode", "Mode overlay needs networkPlugin azure."),
        broken=lambda r: when(
            r.get("networkProfile.networkPluginMode") == "overlay"
            and r.get("networkProfile.networkPlugin") != "azure"
        ),
        source="managedClusters.json 2025-09-01, networkPluginMode",
    ),
    Rule(
        id="cilium-policy-needs-cilium",
        code="InvalidParameter",
        message=invalid("networkProfile.networkPolicy", "Policy cilium needs networkDataplane cilium."),
        broken=lambda r: when(
            r.get("networkProfile.networkPolicy") == "cilium"
            and r.get("networkProfile.networkDataplane") != "cilium"
        ),
        source="managedClusters.json 2025-09-01, networkPolicy",
    ),
    Rule(
        id="service-range-overlap",
        code="ServiceCidrOverlapExistingSubnetsCidr",
        message="The specified service CIDR {service} is conflicted with an existing subnet CIDR {subnet}",
        broken=_service_overlap,
        source="Azure/azure-cli#20810",
        quoted=True,
    ),
    Rule(
        id="pod-range-overlap",
        code="InvalidParameter",
        message=invalid("networkProfile.podCidr", "{pods} overlaps with {other}."),
        broken=_pod_overlap,
        source='concepts-network-azure-cni-overlay.md, "IP address planning"',
    ),
    Rule(
        id="dns-service-address",
        code="InvalidParameter",
        message=invalid(
            "networkProfile.dnsServiceIP", "{address} must lie in {service} and not be its first address."
        ),
        broken=_dns_service,
        source="managedClusters.json 2025-09-01, dnsServiceIP; azure-cni-overview.md",
    ),
    Rule(
        id="managed-gateway-own-network",
        code="InvalidParameter",
        message="Outbound type is managedNATGateway but agent pool '{pool}' is using custom VNet, which is not "
        "allowed.",
        broken=lambda r: when(
            r.get("networkProfile.outboundType") == "managedNATGateway" and bool(_custom_network(r)),
            pool=_custom_network(r),
        ),
        source="MicrosoftDocs/azure-docs#83858, kubernetes-sigs/cluster-api-provider-azure#5429",
        quoted=True,
    ),
    Rule(
        id="own-gateway-on-subnet",
        code="InvalidParameter",
        message="Outbound type is userAssignedNATGateway but a subnet of the agent pools has no NAT gateway.",
        broken=_no_gateway,
        source='nat-gateway.md, "user-assigned"',
    ),
)


def _outside(request: SubnetRequest) -> Mapping[str, object] | None:
    space = [_v4(prefix) for prefix in arm.listed(request.network, "addressSpace.addressPrefixes")]
    inside = all(any(part.subnet_of(whole) for whole in space) for part in request.ranges)
    return when(not inside, name=request.name, network=request.network["name"])


def _overlap(request: SubnetRequest) -> Mapping[str, object] | None:
    others = [part for sibling in request.siblings for part in prefixes(sibling)]
    overlaps = any(part.overlaps(other) for part in request.ranges for other in others)
    return when(overlaps, name=request.name, network=request.network["name"])


def _taken_away(request: SubnetRequest) -> Mapping[str, object] | None:
    gone = [part for part in prefixes(request.existing or {}) if part not in request.ranges]
    return when(request.occupied and bool(gone), name=request.name, prefix=gone[0] if gone else "")


_VALID_RULES: Final = tuple(
    Rule[SubnetRequest](
        id=rule_id,
        code="NetcfgInvalidSubnet",
        message="Subnet '{name}' is not valid in virtual network '{network}'.",
        broken=broken,
        source="Azure/azure-cli#10917, hashicorp/terraform-provider-azurerm#11525",
        quoted=True,
    )
    for rule_id, broken in (("subnet-inside-network", _outside), ("subnet-overlap", _overlap))
)
SUBNET_RULES: Final[tuple[Rule[SubnetRequest], ...]] = (
    *_VALID_RULES,
    Rule(
        id="prefix-in-use",
        code="InUsePrefixCannotBeDeleted",
        message="IpPrefix {prefix} on Subnet {name} has active allocations and cannot be deleted.",
        broken=_taken_away,
        source="hashicorp/terraform-provider-azurerm#11211",
        quoted=True,
    ),
)
