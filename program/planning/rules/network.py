"""Address ranges that Azure takes, that do not overlap and have room for the pools; the engine of network policies.

Source: concepts-network-azure-cni-overlay.md, concepts-network-cni-overview.md, docs/facts/aks.md#network-policy.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from ipaddress import IPv4Network
from typing import Final

from aks_facts import kubernetes_versions
from components.arguments.mistakes import Mistake
from components.azure.arm_ids import ROUTE_TABLE, SUBNET, arm_id_mistakes, group_of, name_of, parent_id
from components.azure.cidr import PRIVATE, ipv4_range, is_in, overlap_mistakes, range_mistakes, well_formed
from components.network.network_checks import (
    NODE_PREFIX,
    inside_mistakes,
    reserved_mistakes,
    route_table_mistakes,
    service_mistakes,
    size_mistakes,
)
from program.planning.pools import AgentPool
from program.settings import Network, Settings, Subnets

AZURE_ENDS: Final = date(2028, 9, 30)
"""Last day of Azure's own engine on Linux ("Retirement: Azure Network Policy Manager on Linux nodes")."""
_AZURE_RESERVED = 5
"""Addresses that Azure reserves in every subnet ("Azure subnet FAQ")."""
_LONGEST_GROUP = 63
_CLUSTER_RANGES = ("network.vnetCidr", "network.podCidr", "network.serviceCidr")
"""Subnets lie inside the first, so a mistake of it is not repeated for each of them."""


def network_problems(settings: Settings, pools: tuple[AgentPool, ...]) -> Iterator[Mistake]:
    """Ranges are well-formed and do not overlap, subnets lie inside the network, and every node has an address."""
    ranges = _ranges(settings.network, made=settings.makes_network)
    parsed = well_formed(ranges)
    for key, text in ranges.items():
        yield from range_mistakes(key, text, _EXAMPLES[key])
    for key in filter(parsed.__contains__, _CLUSTER_RANGES):
        yield from reserved_mistakes(key, parsed[key], _EXAMPLES[key])
    yield from _overlap_problems(parsed)
    yield from _room_problems(parsed, pools)
    yield from _given_problems(settings.network)
    yield from _unmade_problems(settings)
    if service := parsed.get("network.serviceCidr"):
        yield from service_mistakes("network.serviceCidr", service)
    yield from _outbound_problems(settings)


def network_warnings(settings: Settings) -> Iterator[str]:
    """Subnets whose ranges are not known, and public ranges inside the cluster, which Microsoft does not support.

    AKS compares the former itself when it makes a cluster (docs/facts/aks.md#network). Source of the latter:
    concepts-network-azure-cni-overlay.md, "Kubernetes DNS service IP address".
    """
    network = settings.network
    if network.subnet_ids is not None and not settings.exists:
        yield (
            "network.subnetIds: the ranges of these subnets are not known here, so neither their room for the nodes "
            "nor overlaps with podCidr and serviceCidr are checked; `./kubeflow-aks quota` compares them with the help "
            "of `az`, and AKS when it makes the cluster; set created then"
        )
    ranges = _ranges(network, made=settings.makes_network)
    for key, text in ((key, ranges[key]) for key in _CLUSTER_RANGES if key in ranges):
        if not is_in(ipv4_range(text), PRIVATE):
            yield (
                f"{key} is {text}: not a private range, so Microsoft does not support it and the cluster cannot reach "
                "the internet's hosts of these addresses; take one of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16"
            )


def subnets(network: Network) -> dict[str, str]:
    """Range of each subnet, by name."""
    return dict(network.subnets)


def _ranges(network: Network, *, made: bool = True) -> dict[str, str]:
    """Every range of a stack, by key; those of a network that is there already are not known here."""
    return {
        **({"network.vnetCidr": network.vnet_cidr} if made else {}),
        "network.podCidr": network.pod_cidr,
        "network.serviceCidr": network.service_cidr,
        **{f"network.subnets.{name}": cidr for name, cidr in subnets(network).items() if made},
    }


_EXAMPLES = _ranges(Network())
"""What a message offers for each range: the defaults, which go together."""


def _overlap_problems(ranges: Mapping[str, IPv4Network]) -> Iterator[Mistake]:
    vnet = ranges.get("network.vnetCidr")
    inside = {key: net for key, net in ranges.items() if key.startswith("network.subnets.")}
    for key, net in inside.items():
        if vnet:
            yield from inside_mistakes(key, net, vnet, at="network.")
    outside = {key: net for key, net in ranges.items() if key not in inside}
    for group in (inside, outside):
        yield from overlap_mistakes(group)


def _room_problems(ranges: Mapping[str, IPv4Network], pools: tuple[AgentPool, ...]) -> Iterator[Mistake]:
    pods = ranges.get("network.podCidr")
    nodes = sum(pool.most_nodes for pool in pools)
    if pods:
        room = 2 ** (NODE_PREFIX - pods.prefixlen) if pods.prefixlen <= NODE_PREFIX else 0
        if room < nodes:
            yield Mistake(
                "network.podCidr",
                str(pods),
                f"room for a /24 for each of {nodes} nodes; this range has room for {room}",
            )
    for name in Subnets.model_fields:
        net = ranges.get(f"network.subnets.{name}")
        needed = sum(pool.most_nodes for pool in pools if pool.subnet == name)
        too_small = list(size_mistakes(f"network.subnets.{name}", net)) if net else []
        yield from too_small
        if net and not too_small and net.num_addresses - _AZURE_RESERVED < needed:
            room = max(net.num_addresses - _AZURE_RESERVED, 0)
            yield Mistake(
                f"network.subnets.{name}",
                str(net),
                f"room for {needed} nodes; this range has room for {room}",
            )


def _given_problems(network: Network) -> Iterator[Mistake]:
    """Subnets that others own are of one network.

    Source: node-pool-unique-subnet.md, "Limitations", concepts-network-azure-cni-overlay.md, the same.
    """
    if network.subnet_ids is None:
        return
    ids = dict[str, str](network.subnet_ids)
    wrong = [m for name, text in ids.items() for m in _subnet_mistakes(f"network.subnetIds.{name}", text)]
    yield from wrong
    first = ids["system"]
    for name, text in ids.items() if not wrong else ():
        if parent_id(text).lower() != parent_id(first).lower():
            yield Mistake(
                f"network.subnetIds.{name}",
                text,
                f"a subnet of the network of network.subnetIds.system, {name_of(parent_id(first))}; a cluster has one",
            )


def _unmade_problems(settings: Settings) -> Iterator[Mistake]:
    """No ranges of a new network where the nodes are in one that is there already."""
    network = settings.network
    if settings.makes_network:
        return
    because = (
        "network.subnetIds, because that network is its owner's"
        if network.subnet_ids is not None
        else "adopted, because the network is there already"
    )
    for key, name in (("network.vnetCidr", "vnet_cidr"), ("network.subnets", "subnets")):
        if name in network.model_fields_set:
            value = network.vnet_cidr if name == "vnet_cidr" else subnets(network)
            yield Mistake(key, value, f"no value with {because}")


def _subnet_mistakes(key: str, text: str) -> Iterator[Mistake]:
    """A text that is not the id of a subnet which nodes with CNI Overlay take: its names become labels of theirs."""
    mistakes = list(arm_id_mistakes(key, text, SUBNET))
    yield from mistakes
    if not mistakes and len(group_of(text)) > _LONGEST_GROUP:
        yield Mistake(
            key,
            text,
            f"a group of at most {_LONGEST_GROUP} characters, because CNI Overlay makes a label of its name",
        )


def _outbound_problems(settings: Settings) -> Iterator[Mistake]:
    """The route table that is the way out, and no other; that of an adopted cluster may be unknown."""
    network = settings.network
    routed = network.outbound_type == "userDefinedRouting"
    if not settings.adopted:
        yield from route_table_mistakes(network.outbound_type, network.route_table_id, at="network.")
    if not routed and network.route_table_id is not None:
        yield Mistake(
            "network.routeTableId",
            network.route_table_id,
            "no value unless network.outboundType is userDefinedRouting",
        )
    elif network.route_table_id is not None:
        yield from arm_id_mistakes("network.routeTableId", network.route_table_id, ROUTE_TABLE)


def network_policy_problems(settings: Settings) -> Iterator[Mistake]:
    """No new cluster gets the engine that ends."""
    if settings.network.policy == "azure" and not settings.adopted:
        yield Mistake(
            "network.policy",
            "azure",
            f"cilium, calico or none, because Azure's own engine ends on {AZURE_ENDS}",
        )


def network_policy_warnings(settings: Settings) -> Iterator[str]:
    """No engine in production, or one whose own support ends before that of Kubernetes."""
    policy, version = settings.network.policy, settings.kubernetes.version
    if policy == "none" and settings.production:
        yield (
            "network.policy is none in production: nothing enforces network policies, so every pod reaches every other "
            "one; set cilium before the cluster is made, and see docs/how-to/choose-a-network-policy-engine.md for one "
            "that runs"
        )
    if policy == "calico" and settings.kubernetes.support_plan == "AKSLongTermSupport":
        support = kubernetes_versions().get(version)
        end = f", on {support.standard_until}" if support else ""
        yield (
            f"network.policy is calico with long-term support: once community support of Kubernetes {version} ends"
            f"{end}, Calico has the support terms of its maker Tigera, and its version must still support that "
            "Kubernetes; review both, or take cilium"
        )
    if policy == "azure":
        yield (
            f"network.policy is azure: Azure ends this engine on {AZURE_ENDS}; move to Cilium before, as in "
            "docs/how-to/choose-a-network-policy-engine.md"
        )
