"""Rules of a cluster's own address ranges and of its way out, judged when it is made: none of them ever changes."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, IPv4Network
from typing import Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.rules.rule import ClusterRequest, Rule, rules, when
from kubeflow_aks.local_aks.azure.rules.subnets import prefixes, spaces, v4

POD_CIDR: Final = "10.244.0.0/16"
"""The pod range of a cluster that names none."""
_SERVICE_CIDR: Final = "10.0.0.0/16"
_DNS_SERVICE_IP: Final = "10.0.0.10"
_RESERVED: Final = tuple(
    map(IPv4Network, ("169.254.0.0/16", "172.30.0.0/16", "172.31.0.0/16", "192.0.2.0/24"))
)
_WIDEST_SERVICE_RANGE: Final = 13
_LONGEST_NAME: Final = 63


def _overlay(request: ClusterRequest) -> bool:
    return request.get("networkProfile.networkPluginMode") == "overlay"


def _service_range(request: ClusterRequest) -> IPv4Network:
    return v4(request.get("networkProfile.serviceCidr") or _SERVICE_CIDR)


def _pod_range(request: ClusterRequest) -> IPv4Network:
    return v4(request.get("networkProfile.podCidr") or POD_CIDR)


def _ranges(request: ClusterRequest) -> Iterator[tuple[str, IPv4Network]]:
    """Every range of a cluster, with the parameter that names it."""
    yield "networkProfile.serviceCidr", _service_range(request)
    if _overlay(request):
        yield "networkProfile.podCidr", _pod_range(request)
    for network in request.pool_networks():
        yield from (("agentPoolProfile.vnetSubnetID", space) for space in spaces(network))


def _reserved(request: ClusterRequest) -> Mapping[str, object] | None:
    for parameter, part in _ranges(request) if request.new else ():
        for reserved in _RESERVED:
            if part.overlaps(reserved):
                return {"parameter": parameter, "range": part, "reserved": reserved}
    return None


def _service_overlap(request: ClusterRequest) -> Mapping[str, object] | None:
    service = _service_range(request)
    networks = request.pool_networks() if request.new else []
    subnets = [subnet for network in networks for subnet in network.get("subnets", [])]
    for part in [part for subnet in subnets for part in prefixes(subnet)]:
        if service.overlaps(part):
            return {"service": service, "subnet": part}
    return None


def _pod_overlap(request: ClusterRequest) -> Mapping[str, object] | None:
    pods, service = _pod_range(request), _service_range(request)
    return when(_overlay(request) and pods.overlaps(service), pods=pods, other=service)


def _pods_in_network(request: ClusterRequest) -> Mapping[str, object] | None:
    pods = _pod_range(request)
    for space in [space for network in request.pool_networks() for space in spaces(network)]:
        if request.new and _overlay(request) and pods.overlaps(space):
            return {"pods": pods, "space": space}
    return None


def _long_name(request: ClusterRequest) -> Mapping[str, object] | None:
    for subnet_id in request.subnet_ids if request.new and _overlay(request) else ():
        network_id = str(arm.parent_id_of(subnet_id))
        for arm_id in (subnet_id, network_id, str(arm.group_id_of(network_id))):
            if len(arm.name_of(arm_id)) > _LONGEST_NAME:
                return {"name": arm.name_of(arm_id)}
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
    subnets = request.pool_subnets()  # those of others that this Azure does not know may have one
    return when(not request.subnet_ids or any("natGateway" not in subnet for subnet in subnets))


NETWORK_RULES: Final[tuple[Rule[ClusterRequest], ...]] = rules(
    {
        "overlay-needs-azure-cni": lambda r: when(
            _overlay(r) and r.get("networkProfile.networkPlugin") != "azure"
        ),
        "cilium-policy-needs-cilium": lambda r: when(
            r.get("networkProfile.networkPolicy") == "cilium"
            and r.get("networkProfile.networkDataplane") != "cilium"
        ),
        "cilium-needs-cilium-policy": lambda r: when(
            r.get("networkProfile.networkDataplane") == "cilium"
            and r.get("networkProfile.networkPolicy") != "cilium"
        ),
        "reserved-range": _reserved,
        "service-range-size": lambda r: when(
            _service_range(r).prefixlen < _WIDEST_SERVICE_RANGE, service=_service_range(r)
        ),
        "service-range-overlap": _service_overlap,
        "pod-range-overlap": _pod_overlap,
        "pod-range-in-network": _pods_in_network,
        "own-network-names": _long_name,
        "dns-service-address": _dns_service,
        "managed-gateway-own-network": lambda r: when(
            r.get("networkProfile.outboundType") == "managedNATGateway" and bool(_custom_network(r)),
            pool=_custom_network(r),
        ),
        "own-routes-own-network": lambda r: when(
            r.get("networkProfile.outboundType") == "userDefinedRouting" and not r.subnet_ids
        ),
        "own-gateway-on-subnet": _no_gateway,
    }
)
