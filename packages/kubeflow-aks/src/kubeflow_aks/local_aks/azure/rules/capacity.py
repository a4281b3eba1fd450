"""Rules of how much a cluster holds: pools, nodes, and an address for each node and its pods.

A pool counts with the most nodes it may have, as Azure's own answers say ("the max-count from each nodepool is counted
towards this total", Azure/AKS-Construction#701, kubernetes-sigs/cloud-provider-azure#4158).
"""

from collections.abc import Mapping
from typing import Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.rules.networks import POD_CIDR
from kubeflow_aks.local_aks.azure.rules.rule import PoolRequest, Rule, rules, when
from kubeflow_aks.local_aks.azure.rules.subnets import prefixes, v4

_MOST_POOLS: Final = 100
_MOST_NODES: Final = 5000
_MOST_NODES_OF_FREE_TIER: Final = 1000
_ADDRESSES_OF_NODE: Final = 256
"""CNI Overlay gives each node a /24 (concepts-network-azure-cni-overlay.md, "IP address planning")."""
_RESERVED: Final = 5
"""Addresses that Azure keeps in each subnet ("Azure subnet FAQ")."""


def _most_nodes(pool: Json) -> int:
    return int(pool.get("maxCount" if pool.get("enableAutoScaling") else "count") or 0)


def _nodes(request: PoolRequest) -> int:
    return sum(map(_most_nodes, request.pools))


def _too_many(request: PoolRequest, limit: int, *, free: bool) -> Mapping[str, object] | None:
    in_tier = (arm.at(request.cluster, "sku.tier") or "Free") == "Free"
    return when(_nodes(request) > limit and (in_tier or not free), nodes=_nodes(request), limit=limit)


def _pod_range(request: PoolRequest) -> Mapping[str, object] | None:
    if not request.overlay:
        return None
    pods = v4(arm.at(request.cluster, "networkProfile.podCidr") or POD_CIDR)
    needed = _nodes(request) * _ADDRESSES_OF_NODE
    return when(
        needed > pods.num_addresses,
        needed=needed,
        available=pods.num_addresses,
        range=pods,
        name="networkProfile.podCIDR",
    )


def _subnet(request: PoolRequest) -> Mapping[str, object] | None:
    subnet_key = arm.key(str(request.body.get("vnetSubnetID") or ""))
    subnet = request.subnets.get(subnet_key)
    if subnet is None or not request.overlay:
        return None
    inside = [pool for pool in request.pools if arm.key(str(pool.get("vnetSubnetID") or "")) == subnet_key]
    needed = sum(map(_most_nodes, inside))
    ranges = prefixes(subnet)
    available = sum(part.num_addresses - _RESERVED for part in ranges)
    return when(
        needed > available,
        needed=needed,
        available=available,
        range=", ".join(map(str, ranges)),
        name=subnet["name"],
    )


CAPACITY_RULES: Final[tuple[Rule[PoolRequest], ...]] = rules(
    {
        "pools-number": lambda r: when(len(r.pools) > _MOST_POOLS, most=_MOST_POOLS),
        "nodes-number": lambda r: _too_many(r, _MOST_NODES, free=False),
        "nodes-number-free": lambda r: _too_many(r, _MOST_NODES_OF_FREE_TIER, free=True),
        "pod-range-capacity": _pod_range,
        "subnet-capacity": _subnet,
    }
)
