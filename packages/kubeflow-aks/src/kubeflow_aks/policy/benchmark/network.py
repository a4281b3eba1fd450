"""The cluster's network, public addresses and DNS servers."""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_address, ip_network
from typing import Any, Final

from kubeflow_aks.policy.benchmark.names import NETWORK, PUBLIC_ADDRESS, SUBNET
from kubeflow_aks.policy.benchmark.values import Inputs, at, in_turn, is_set, items, must_be, of_type, on
from kubeflow_aks.policy.rule import Resource
from kubeflow_aks.policy.rules.resources import CLUSTER
from kubeflow_aks.policy.table import PerResource, rules

_LARGEST_PREFIX: Final = 23
_WITHOUT_GROUP: Final = (
    "GatewaySubnet",
    "AzureFirewallSubnet",
    "AzureFirewallManagementSubnet",
    "RouteServerSubnet",
)
_ZONES: Final = {"1", "2", "3"}


def _subnets(inputs: Inputs) -> Iterator[tuple[str, Any]]:
    for subnet in items(inputs, "subnets"):
        yield f"subnet {at(subnet, 'name')}", subnet


def _large_subnets(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    """Subnets that are too small for their pods, which need no addresses there with overlay and kubenet."""
    profiles = [at(it.inputs, "networkProfile") for it in of_type(resources, CLUSTER)]
    if not any(
        at(it, "networkPlugin") == "azure" and at(it, "networkPluginMode") != "overlay" for it in profiles
    ):
        return iter(())

    def small(network: Resource) -> Iterator[str]:
        for what, subnet in _subnets(network.inputs):
            prefix = at(subnet, "addressPrefix") or next(iter(items(subnet, "addressPrefixes")), None)
            if prefix and ip_network(prefix).prefixlen > _LARGEST_PREFIX:
                yield f"{what} is {prefix}; expected /{_LARGEST_PREFIX} or larger"

    return in_turn(of_type(resources, NETWORK), small)


def _security_groups(resource: Resource) -> Iterator[str]:
    """Subnets without a security group, of a network or alone; some of Azure's own subnets cannot have one."""
    subnets: Iterable[tuple[str, Any]] = ()
    if resource.kind == NETWORK:
        subnets = _subnets(resource.inputs)
    elif resource.kind == SUBNET:
        name = at(resource.inputs, "subnetName") or resource.name
        subnets = [(f"subnet {name}", {**resource.inputs, "name": name})]
    for what, subnet in subnets:
        if at(subnet, "name") not in _WITHOUT_GROUP and not is_set(at(subnet, "networkSecurityGroup.id")):
            yield f"{what} has no network security group"


def _zone_redundant(inputs: Inputs) -> Iterator[str]:
    zones = items(inputs, "zones")
    if {str(zone) for zone in zones} != _ZONES and str(at(inputs, "sku.name")).casefold() == "standard":
        yield f"zones is {', '.join(map(str, zones)) or 'not set'}; expected 1, 2, 3"


def _two_dns_servers(inputs: Inputs) -> Iterator[str]:
    if len(servers := items(inputs, "dhcpOptions.dnsServers")) == 1:
        yield f"dhcpOptions.dnsServers has only {servers[0]}; expected two, or none for Azure's own"


def _local_dns(inputs: Inputs) -> Iterator[str]:
    servers = items(inputs, "dhcpOptions.dnsServers")
    prefixes = items(inputs, "addressSpace.addressPrefixes")
    for peering in items(inputs, "virtualNetworkPeerings"):
        prefixes = [*prefixes, *items(peering, "remoteAddressSpace.addressPrefixes")]
    ranges = [ip_network(prefix) for prefix in prefixes]
    if servers and not any(ip_address(servers[0]) in it for it in ranges):
        yield f"dhcpOptions.dnsServers begins with {servers[0]}, which is neither in this network nor in a peered one"


RULES: Final = rules(
    {
        "aks-network-policy": on(
            CLUSTER, must_be("networkProfile.networkPolicy", "calico", "cilium", "azure")
        ),
        "aks-azure-cni": on(CLUSTER, must_be("networkProfile.networkPlugin", "azure")),
        "aks-standard-load-balancer": on(CLUSTER, must_be("networkProfile.loadBalancerSku", "standard")),
        "aks-large-subnets": _large_subnets,
        "subnet-security-groups": PerResource(_security_groups),
        "address-in-zones": on(PUBLIC_ADDRESS, _zone_redundant),
        "network-two-dns-servers": on(NETWORK, _two_dns_servers),
        "network-local-dns": on(NETWORK, _local_dns),
    }
)
