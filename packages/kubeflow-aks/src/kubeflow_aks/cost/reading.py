"""The resources of a stack that cost money: pools, their disks, and the other facilities of the cluster."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.model.idle import tail
from kubeflow_aks.cost.stack import Resource, Stack
from kubeflow_aks.json_values import at, entries, is_mapping, text
from kubeflow_aks.policy.plan import PlanError
from kubeflow_aks.policy.plan import read as read_plan

_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
_AGENT_POOL: Final = "azure-native:containerservice:AgentPool"
_ADDRESS: Final = "azure-native:network:PublicIPAddress"
_NAT: Final = "azure-native:network:NatGateway"
_REGISTRY: Final = "azure-native:containerregistry:Registry"
_WORKSPACE: Final = "azure-native:operationalinsights:Workspace"
_STORAGE: Final = "azure-native:storage:StorageAccount"
_LOGS: Final = "azure-native:monitor:DiagnosticSetting"
_RESOURCE_GROUP: Final = "azure-native:resources:ResourceGroup"
_BILLED: Final = frozenset({_CLUSTER, _AGENT_POOL, _ADDRESS, _NAT, _REGISTRY, _WORKSPACE, _STORAGE})
_FREE: Final = frozenset(
    {
        "azure-native:authorization:RoleAssignment",
        "azure-native:consumption:Budget",
        "azure-native:containerservice:MaintenanceConfiguration",
        "azure-native:costmanagement:Export",
        "azure-native:dashboard:Dashboard",
        "azure-native:dashboard:DashboardDefinition",
        "azure-native:managedidentity:FederatedIdentityCredential",
        "azure-native:managedidentity:UserAssignedIdentity",
        "azure-native:monitor:DataCollectionEndpoint",
        "azure-native:monitor:DataCollectionRule",
        "azure-native:monitor:DataCollectionRuleAssociation",
        _LOGS,
        "azure-native:network:VirtualNetwork",
        _RESOURCE_GROUP,
        "azure-native:storage:BlobContainer",
        "azure-native:storage:BlobServiceProperties",
    }
)
"""Types that are free; traffic through them is billed elsewhere."""

_WORKLOAD: Final = "kubeflow-aks/workload"
_AKS_TIMES: Final = {
    "scaleDownUnneededTime": 10 / 60,
    "scanInterval": 10 / 3600,
    "scaleDownDelayAfterAdd": 10 / 60,
}
_UNITS: Final = {"ms": 1 / 3_600_000, "s": 1 / 3600, "m": 1 / 60, "h": 1.0}
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_COUNTS: Final = 2**31


@dataclass(frozen=True)
class OsDisk:
    """The OS disk of each node of a pool; `size_gib` is None where AKS chooses it."""

    managed: bool
    size_gib: int | None


@dataclass(frozen=True)
class Pool:
    """One agent pool.

    Attributes:
        home: whether its nodes are there all the time: a system pool, or the one that hosts the platform.
        max_price: above which a spot VM is evicted, an hour in USD; None for no limit below the price on demand.
        fallback: name of the pool that takes over when spot is sold out; empty for none.
        gpus: of each node.
        workload: value of the label that work selects its nodes by; empty without one.
        sizes: the agent pools of a pool of several VM sizes, that which the autoscaler tries first at the head; the
            pool itself has the name that they share, the first one's size, and the nodes of all.
        keeps_disks: whether an evicted node is deallocated, so that its disk stays and is paid for.
    """

    name: str
    size: str
    spot: bool
    home: bool
    minimum: int
    maximum: int
    disk: OsDisk
    max_price: float | None = None
    fallback: str = ""
    gpus: int = 0
    workload: str = ""
    sizes: tuple[Pool, ...] = ()
    keeps_disks: bool = False

    @property
    def agent_pools(self) -> tuple[Pool, ...]:
        """The agent pools that it is: itself alone, or those of its sizes."""
        return self.sizes or (self,)


@dataclass(frozen=True)
class Facilities:
    """What a cluster has beside its nodes.

    Attributes:
        tier: of the control plane: `Free`, `Standard`, `Premium`.
        addresses: static public addresses, those that AKS makes for outbound traffic included.
        registries, storage: SKU of each.
        reserving: names of the pools that take their nodes from a capacity reservation group.
        logs: whether the control plane's logs are sent to a workspace, this stack's or another.
        retention_days: for which the stack's own workspace retains them; 0 where it has none.
        private: whether the API server is reached through a private endpoint.
        uncounted: types of Azure's that this program has no price for.
    """

    tier: str
    load_balancer: bool
    addresses: int
    nat_gateways: int
    registries: tuple[str, ...]
    logs: bool
    retention_days: int
    private: bool
    storage: tuple[str, ...]
    reserving: tuple[str, ...]
    uncounted: tuple[str, ...]


@dataclass(frozen=True)
class Cluster:
    """All of it.

    Attributes:
        region: None where neither the cluster nor its resource group names it.
        tail: hours for which the autoscaler leaves a node without work alone.
        delay: hours after it added a node for which it removes none.
        returns: whether a program in it moves work from fallbacks back to spot.
    """

    region: str | None
    pools: Mapping[str, Pool]
    tail: float
    delay: float
    facilities: Facilities
    returns: bool


def from_plan(plan: Mapping[str, Any]) -> Stack:
    """The stack of a plan document."""
    resources = (Resource(it["type"], it["name"], it["inputs"]) for it in plan["resources"])
    return Stack(plan["stack"], tuple(resources), plan["outputs"])


def from_file(path: Path) -> Stack:
    """The stack of a file `plan.json`.

    Raises:
        CostError: it is not there, or no plan document.
    """
    try:
        return from_plan(read_plan(path))
    except PlanError as error:
        raise CostError(str(error)) from None


def read_cluster(stack: Stack) -> Cluster:
    """What a stack registers, as far as it costs money.

    Raises:
        CostError: it has no cluster or several, or a pool lacks what is needed; one line for each mistake.
    """
    clusters = [it for it in stack.resources if it.type == _CLUSTER]
    if len(clusters) != 1:
        raise CostError(
            f"{stack.name}: {len(clusters)} clusters are not allowed; expected one ManagedCluster"
        )
    [managed] = clusters
    pools = _pools(stack, managed)
    return Cluster(
        region=text(managed.inputs.get("location")) or text(_group(stack).get("location")) or None,
        pools=pools,
        tail=_tail(managed.inputs.get("autoScalerProfile")),
        delay=_time(managed.inputs.get("autoScalerProfile"), "scaleDownDelayAfterAdd"),
        facilities=_facilities(stack.resources, managed),
        returns=at(stack.outputs, "clusterBasis", "kubeflow", "returnToSpot") is True,
    )


def _group(stack: Stack) -> Mapping[str, Any]:
    """The stack's resource group, where Azure puts a cluster without location; nothing where there are several."""
    groups = [it.inputs for it in stack.resources if it.type == _RESOURCE_GROUP]
    return groups[0] if len(groups) == 1 else {}


def _pools(stack: Stack, managed: Resource) -> dict[str, Pool]:
    contract = dict(_named(stack.outputs.get("poolContract")))
    wires = _named(managed.inputs.get("agentPoolProfiles"))
    order = list(contract)
    agents = [
        (str(it.inputs.get("agentPoolName") or it.name), it.inputs)  # else Pulumi names it after the resource
        for it in stack.resources
        if it.type == _AGENT_POOL
    ]
    wires += sorted(agents, key=lambda it: order.index(it[0]) if it[0] in contract else -1)
    problems: list[str] = []
    pools: dict[str, Pool] = {}
    for name, wire in wires:
        problems += _pool_problems(name, wire)
        if not problems:
            pools[name] = _pool(name, wire, contract.get(name, {}))
    if problems:
        raise CostError(*problems)
    return _grouped([_covered(pool, pools, contract) for pool in pools.values()], contract)


def _grouped(pools: Sequence[Pool], contract: Mapping[str, Mapping[str, Any]]) -> dict[str, Pool]:
    """The pools by name, those of several VM sizes as one."""
    groups: dict[str, list[Pool]] = {}
    for pool in pools:
        groups.setdefault(text(at(contract, pool.name, "pool")) or pool.name, []).append(pool)
    return {
        name: group[0] if [pool.name for pool in group] == [name] else _of_sizes(name, group)
        for name, group in groups.items()
    }


def _of_sizes(name: str, group: Sequence[Pool]) -> Pool:
    return replace(
        group[0],
        name=name,
        minimum=sum(pool.minimum for pool in group),
        maximum=sum(pool.maximum for pool in group),
        sizes=tuple(group),
    )


def _covered(pool: Pool, pools: Mapping[str, Pool], contract: Mapping[str, Mapping[str, Any]]) -> Pool:
    """The pool with the fallback that its work has: its own, or that of another pool for the same work."""
    labels = _labels(contract.get(pool.name))
    names = {name: text(at(contract, name, "pool")) or name for name in pools}
    if not pool.spot or pool.fallback in names.values():
        return pool
    for other in pools.values():
        required = _labels(contract.get(other.name))
        if required and not other.spot and not other.home and required.items() <= labels.items():
            return replace(pool, fallback=names[other.name])
    return replace(pool, fallback="")


def _pool_problems(name: str, wire: Mapping[str, Any]) -> Iterator[str]:
    if not text(wire.get("vmSize")):
        yield f"{name}.vmSize: {wire.get('vmSize')!r} is not allowed; expected the name of a VM size"
    least, most = _counts(wire)
    if least is None or most is None or not 0 <= least <= most:
        yield f"{name}.minCount, maxCount: {least!r}, {most!r} is not allowed; expected two counts, the smaller first"


def _counts(wire: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """The least and the most nodes; a pool without autoscaling has as many as `count`."""
    if wire.get("enableAutoScaling"):
        return _count(wire.get("minCount")), _count(wire.get("maxCount"))
    return _count(wire.get("count")), _count(wire.get("count"))


def _pool(name: str, wire: Mapping[str, Any], contract: Mapping[str, Any]) -> Pool:
    least, most = _counts(wire)
    spot = wire.get("scaleSetPriority") == "Spot"
    limit = _number(wire.get("spotMaxPrice"))
    return Pool(
        name=name,
        size=wire["vmSize"],
        spot=spot,
        home=not spot and (wire.get("mode") == "System" or _hosts(wire, contract)),
        minimum=least or 0,
        maximum=most or 0,
        disk=OsDisk(wire.get("osDiskType") != "Ephemeral", _count(wire.get("osDiskSizeGB")) or None),
        max_price=limit if limit is not None and limit > 0 else None,
        fallback=text(contract.get("fallback")),
        gpus=_count(contract.get("gpus")) or 0,
        workload=text(at(contract, "labels", _WORKLOAD)),
        keeps_disks=spot and wire.get("scaleSetEvictionPolicy") == "Deallocate",
    )


def _hosts(wire: Mapping[str, Any], contract: Mapping[str, Any]) -> bool:
    """Whether the platform runs there: by the contract; without one, where pods without tolerations can run."""
    return contract["role"] == "general" if "role" in contract else not wire.get("nodeTaints")


def _tail(profile: object) -> float:
    """Hours from a node's last step to its end."""
    return tail(_time(profile, "scaleDownUnneededTime"), _time(profile, "scanInterval"))


def _time(profile: object, key: str) -> float:
    """Hours of one of the autoscaler's settings; AKS's value where it is not set (`cluster-autoscaler-overview.md`)."""
    time = hours(at(profile, key))
    return _AKS_TIMES[key] if time is None else time


def hours(duration: object) -> float | None:
    """Hours of a duration as the autoscaler writes it, `10m` or `1h30m`; None for anything else."""
    parts = _DURATION.findall(text(duration))
    if not parts or "".join(number + unit for number, unit in parts) != duration:
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _facilities(resources: Sequence[Resource], managed: Resource) -> Facilities:
    """A cluster with a standard load balancer has it for the platform's ingress, whatever carries outbound traffic."""
    kinds = Counter(it.type for it in resources)
    network = managed.inputs.get("networkProfile")
    outbound = at(network, "outboundType") or "loadBalancer"
    managed_ips = _count(at(network, "loadBalancerProfile", "managedOutboundIPs", "count"))
    retention = [_count(it.inputs.get("retentionInDays")) or 0 for it in resources if it.type == _WORKSPACE]
    counted = _BILLED | _FREE
    return Facilities(
        tier=text(at(managed.inputs, "sku", "tier")) or "Free",
        load_balancer=at(network, "loadBalancerSku") != "basic",
        addresses=kinds[_ADDRESS] + ((managed_ips or 1) if outbound == "loadBalancer" else 0),
        nat_gateways=kinds[_NAT] + (outbound == "managedNATGateway"),
        registries=tuple(_skus(resources, _REGISTRY)),
        logs=bool(kinds[_WORKSPACE] or kinds[_LOGS]),
        retention_days=max(retention, default=0),
        private=at(managed.inputs, "apiServerAccessProfile", "enablePrivateCluster") is True,
        storage=tuple(_skus(resources, _STORAGE)),
        reserving=tuple(
            sorted(
                str(it.inputs.get("agentPoolName") or it.name)
                for it in resources
                if it.type == _AGENT_POOL and it.inputs.get("capacityReservationGroupID")
            )
        ),
        uncounted=tuple(
            sorted(kind for kind in kinds if kind.startswith("azure-native:") and kind not in counted)
        ),
    )


def _skus(resources: Sequence[Resource], kind: str) -> Iterator[str]:
    for it in resources:
        if it.type == kind:
            yield text(at(it.inputs, "sku", "name"))


def _number(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    except OverflowError:
        return None


def _count(value: object) -> int | None:
    """A whole number of 32 bits, as Azure's counts are; the engine hands over each number as a float."""
    number = _number(value)
    return int(number) if number is not None and number.is_integer() and abs(number) < _COUNTS else None


def _named(value: object) -> list[tuple[str, Mapping[str, Any]]]:
    """The objects of a list with their names."""
    return [(str(at(it, "name")), it if is_mapping(it) else {}) for it in entries(value)]


def _labels(pool: object) -> Mapping[str, Any]:
    labels = at(pool, "labels")
    return labels if is_mapping(labels) else {}
