"""The subnets of others that a stack's nodes go to, compared with what the stack needs of them."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network
from typing import Any, Final

from kubeflow_aks.clients.az import Az
from kubeflow_aks.clients.virtual_networks import Subnet, VirtualNetwork, virtual_network
from kubeflow_aks.json_values import at
from kubeflow_aks.recorder.run import Record
from kubeflow_aks.text.columns import table

_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
_AGENT_POOL: Final = "azure-native:containerservice:AgentPool"
_AKS: Final = "Microsoft.ContainerService/managedClusters"
_SURGE: Final = "1"
"""Surge of a pool whose request has none (the same page)."""
_SMALLEST_API: Final = 28
"""Prefix of the smallest subnet that an API server takes (api-server-vnet-integration.md)."""


def needed_addresses(recorded: Record) -> dict[str, int]:
    """Most nodes at once in each subnet whose id is known, by that id as it is first written: those of others.

    An upgrade adds nodes to regular pools, and never to spot pools; with CNI Overlay a node takes one address.
    """
    [cluster] = recorded.of(_CLUSTER)
    pools = [*cluster.inputs["agentPoolProfiles"], *(pool.inputs for pool in recorded.of(_AGENT_POOL))]
    needed: Counter[str] = Counter()
    spelt: dict[str, str] = {}
    for pool in pools:
        subnet = pool.get("vnetSubnetID")
        if isinstance(subnet, str) and subnet.startswith("/subscriptions/"):
            needed[spelt.setdefault(subnet.lower(), subnet)] += int(pool["maxCount"]) + _surge(pool)
    return dict(needed)


def _surge(pool: Mapping[str, Any]) -> int:
    """Nodes that an upgrade adds, by the pool's request; AKS rounds a share up (upgrade-aks-node-pools-rolling.md)."""
    if pool.get("scaleSetPriority") == "Spot":
        return 0
    surge, most = str(at(pool, "upgradeSettings", "maxSurge") or _SURGE), int(pool["maxCount"])
    share = surge.removesuffix("%")
    return min(most, int(surge) if share == surge else math.ceil(most * int(share) / 100))


def subnets_compared(az: Az, recorded: Record, width: int) -> tuple[list[str], bool]:
    """Lines about the subnets of others, none for a stack with a network of its own; and whether all is well.

    Raises:
        AzError: the network can't be read.
    """
    needed = needed_addresses(recorded)
    if not needed:
        return [], True
    [cluster] = recorded.of(_CLUSTER)
    network = virtual_network(az, next(iter(needed)).rsplit("/", 2)[0])
    rows: list[tuple[str, ...]] = [("Subnet", "Range", "Needed", "Free", "")]
    rows += [_row(arm_id, count, network.subnets.get(arm_id.lower())) for arm_id, count in needed.items()]
    findings = [*_findings(network, needed, cluster.inputs)]
    enough = not findings and all(row[-1] == "enough" for row in rows[1:])
    return [line for row in table(rows, width) for line in row] + findings, enough


def _row(arm_id: str, needed: int, subnet: Subnet | None) -> tuple[str, ...]:
    if subnet is None:
        return arm_id.rpartition("/")[2], "–", str(needed), "–", "not in the network"
    lack = needed - subnet.free
    ranges = ", ".join(map(str, subnet.ranges))
    return subnet.name, ranges, str(needed), str(subnet.free), f"{lack} more needed" if lack > 0 else "enough"


def _findings(
    network: VirtualNetwork, needed: Mapping[str, int], cluster: Mapping[str, Any]
) -> Iterator[str]:
    """What else AKS refuses, a line each."""
    profile: Mapping[str, Any] = cluster["networkProfile"]
    used = [subnet for arm_id in needed if (subnet := network.subnets.get(arm_id.lower()))]
    yield from _overlaps("podCidr", profile["podCidr"], network.ranges, "the network")
    every = [cidr for subnet in network.subnets.values() for cidr in subnet.ranges]
    yield from _overlaps("serviceCidr", profile["serviceCidr"], every, "subnet")
    outbound = profile["outboundType"]
    for subnet in used:
        if outbound == "userAssignedNATGateway" and not subnet.nat_gateway:
            yield f"{subnet.name} has no NAT gateway, by which its nodes are to go out"
        if outbound == "userDefinedRouting" and not subnet.route_table:
            yield f"{subnet.name} has no route table, by which its nodes are to go out"
        if subnet.delegations:
            yield f"{subnet.name} is delegated to {', '.join(subnet.delegations)}; nodes need one that is not"
    api_subnet = str(cluster["apiServerAccessProfile"].get("subnetId") or "")
    if api_subnet:
        yield from _api_findings(api_subnet.rpartition("/")[2], network.subnets.get(api_subnet.lower()))


def _api_findings(name: str, subnet: Subnet | None) -> Iterator[str]:
    if subnet is None:
        yield f"{name} for the API server is not in the network"
    elif _AKS not in subnet.delegations:
        yield f"{name} for the API server is not delegated to {_AKS}"
    elif all(cidr.prefixlen > _SMALLEST_API for cidr in subnet.ranges):
        yield f"{name} for the API server is smaller than /{_SMALLEST_API}"


def _overlaps(
    key: str, text: str, others: tuple[IPv4Network, ...] | list[IPv4Network], what: str
) -> Iterator[str]:
    for other in others:
        if IPv4Network(text).overlaps(other):
            yield f"network.{key} {text} overlaps {what} {other}"
