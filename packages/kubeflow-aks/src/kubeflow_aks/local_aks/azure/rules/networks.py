"""Rules of a cluster's own address ranges and of its way out, judged when it is made: none of them ever changes."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, IPv4Network
from typing import Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.rules.rule import ClusterRequest, Rule, invalid, when
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


NETWORK_RULES: Final[tuple[Rule[ClusterRequest], ...]] = (
    Rule(
        id="overlay-needs-azure-cni",
        message=invalid("networkProfile.networkPluginMode", "Mode overlay needs networkPlugin azure."),
        broken=lambda r: when(_overlay(r) and r.get("networkProfile.networkPlugin") != "azure"),
        source="managedClusters.json 2025-09-01, networkPluginMode",
    ),
    Rule(
        id="cilium-policy-needs-cilium",
        code="NetworkPolicyNotSupported",
        message="Network Policy cilium requires NetworkDataplane cilium",
        broken=lambda r: when(
            r.get("networkProfile.networkPolicy") == "cilium"
            and r.get("networkProfile.networkDataplane") != "cilium"
        ),
        quotes="AdminTurnedDevOps/DevOps-The-Hard-Way-Azure#1",
    ),
    Rule(
        id="cilium-needs-cilium-policy",
        code="BadRequest",
        message="Cilium dataplane requires network policy cilium.",
        broken=lambda r: when(
            r.get("networkProfile.networkDataplane") == "cilium"
            and r.get("networkProfile.networkPolicy") != "cilium"
        ),
        quotes="Azure/AKS-Construction#535, Azure/bicep-registry-modules#3361",
    ),
    Rule(
        id="reserved-range",
        message=invalid("{parameter}", "{range} overlaps with {reserved}, which is reserved for AKS."),
        broken=_reserved,
        source='concepts-network-cni-overview.md, "Prerequisites"; Azure/AKS#2234, MicrosoftDocs/azure-aks-docs#447',
    ),
    Rule(
        id="service-range-size",
        message=invalid("networkProfile.serviceCidr", "{service} must be smaller than /12."),
        broken=lambda r: when(_service_range(r).prefixlen < _WIDEST_SERVICE_RANGE, service=_service_range(r)),
        source='concepts-network-azure-cni-overlay.md, "Kubernetes service address range"',
    ),
    Rule(
        id="service-range-overlap",
        code="ServiceCidrOverlapExistingSubnetsCidr",
        message="The specified service CIDR {service} is conflicted with an existing subnet CIDR {subnet}",
        broken=_service_overlap,
        quotes="Azure/azure-cli#20810; every subnet of the network counts: Azure/AKS#1117",
    ),
    Rule(
        id="pod-range-overlap",
        message=invalid("networkProfile.podCidr", "{pods} overlaps with {other}."),
        broken=_pod_overlap,
        source='concepts-network-azure-cni-overlay.md, "IP address planning"',
    ),
    Rule(
        id="pod-range-in-network",
        code="NetworkProfileCIDROverlapVNET",
        message="NetworkProfile CIDR {pods} overlaps with reserved VNET CIDR {space}",
        broken=_pods_in_network,
        quotes="Azure/AKS-Construction#403, Azure-Samples/graphrag-accelerator#211",
    ),
    Rule(
        id="own-network-names",
        message=invalid(
            "agentPoolProfile.vnetSubnetID", "'{name}' is longer than 63 characters, so it is no node label."
        ),
        broken=_long_name,
        source='concepts-network-azure-cni-overlay.md, "Limitations with Azure CNI Overlay"',
    ),
    Rule(
        id="dns-service-address",
        message=invalid(
            "networkProfile.dnsServiceIP", "{address} must lie in {service} and not be its first address."
        ),
        broken=_dns_service,
        source="managedClusters.json 2025-09-01, dnsServiceIP; azure-cni-overview.md",
    ),
    Rule(
        id="managed-gateway-own-network",
        message="Outbound type is managedNATGateway but agent pool '{pool}' is using custom VNet, which is not "
        "allowed.",
        broken=lambda r: when(
            r.get("networkProfile.outboundType") == "managedNATGateway" and bool(_custom_network(r)),
            pool=_custom_network(r),
        ),
        quotes="MicrosoftDocs/azure-docs#83858, kubernetes-sigs/cluster-api-provider-azure#5429",
    ),
    Rule(
        id="own-routes-own-network",
        message="Outbound type is userDefinedRouting but the agent pools are in no virtual network of their own.",
        broken=lambda r: when(
            r.get("networkProfile.outboundType") == "userDefinedRouting" and not r.subnet_ids
        ),
        source='egress-outboundtype.md, "userDefinedRouting"',
    ),
    Rule(
        id="own-gateway-on-subnet",
        message="Outbound type is userAssignedNATGateway but a subnet of the agent pools has no NAT gateway.",
        broken=_no_gateway,
        source='nat-gateway.md, "user-assigned"',
    ),
)
