"""The virtual machine scale sets behind the agent pools: VMs that are created, boot, fail and go."""

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Final

from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.autoscaler.model import Instance
from kubeflow_aks.local_aks.simulation.cluster import Cluster
from kubeflow_aks.local_aks.simulation.journal import Journal, Source
from kubeflow_aks.local_aks.simulation.market import Market, Supply
from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool, Azure
from kubeflow_aks.local_aks.simulation.vms.capacity import allocatable, capacity
from kubeflow_aks.local_aks.simulation.vms.nodes import (
    instance_index,
    node,
    node_name,
    scale_set_name,
    taint,
    vm_size,
)

ALLOCATION_ERROR: Final = "OutOfResources.AllocationFailed"
"""Error class and code that the autoscaler sees for a VM that Azure has no capacity for."""


@dataclass(frozen=True, kw_only=True)
class Timings:
    """Simulated seconds; neither is promised by Azure, both are what people usually see."""

    boot: float = 90.0
    """Time from the request for a VM to its registered node."""
    allocation_error: float = 15.0
    """Time from the request for a VM to the error where it is sold out."""


class State(StrEnum):
    """What Azure says of a VM."""

    CREATING = "creating"
    RUNNING = "running"
    FAILED = "failed"


@dataclass
class VirtualMachine:
    """One VM; its name is its node's."""

    name: str
    index: int
    pool: AgentPool
    created: float | None
    """Simulated seconds; None for a node that was there before the simulation."""
    version: str
    """Kubernetes version of its kubelet."""
    supply: Supply = Supply.AVAILABLE
    state: State = State.CREATING


class ScaleSets:
    """All VMs of all pools, and the Node objects of those that run."""

    def __init__(
        self, azure: Azure, cluster: Cluster, market: Market, journal: Journal, timings: Timings
    ) -> None:
        self._azure = azure
        self._cluster = cluster
        self._market = market
        self._journal = journal
        self._timings = timings
        self._pools: dict[str, AgentPool] = {}
        self._machines: dict[str, VirtualMachine] = {}
        self._retired: set[str] = set()
        self._resized: set[str] = set()

    def sync(self, pools: Iterable[AgentPool], nodes: Mapping[str, str], now: float) -> None:
        """Follow Azure's pools at simulated second `now`.

        A new pool gets its `count` at once, and an autoscaled one at least its minimum; a pool without
        autoscaling is kept at `count`. Changed labels and taints reach the nodes there are. Nodes of an
        earlier simulation are adopted; `nodes` has the kubelet's version (`v1.34.4`) of every registered one by name.
        Nodes that must go are in `retired` then.
        """
        current = {pool.name: pool for pool in pools}
        for name in sorted(self._pools.keys() - current.keys()):
            self._journal.write(Kind.POOL_REMOVED, Source.SCALE_SET, pool=name)
            del self._pools[name]
            self._retire(self._all_of(name))
        for pool in current.values():
            before = self._pools.get(pool.name)
            if before is not None and before.machine == pool.machine:
                self._update(before, pool)
                self._pools[pool.name] = pool
                is_new = False
            else:
                self._retire(self._all_of(pool.name))
                self._pools[pool.name] = pool
                self._announce(pool)
                self._adopt(pool, nodes)
                is_new = True
            self._resize(pool, now, is_new=is_new)

    @property
    def retired(self) -> list[str]:
        """Names of VMs whose pool is gone, was replaced by other machines or shrank: to be removed now."""
        return sorted(self._retired)

    def record_counts(self) -> None:
        """Tell Azure the sizes that changed; a pool being deleted has none any more."""
        for name in sorted(self._resized & self._pools.keys()):
            with suppress(LookupError):
                self._azure.set_count(self._pools[name].cluster_id, name, len(self._all_of(name)))
        self._resized.clear()

    def instances(self, pool: str) -> tuple[Instance, ...]:
        """The pool's VMs as the autoscaler sees them."""
        return tuple(
            Instance(machine.name, ALLOCATION_ERROR if machine.state is State.FAILED else None)
            for machine in self._all_of(pool)
        )

    def machines(self) -> list[VirtualMachine]:
        """A copy of every VM; safe to call from any thread."""
        return [replace(machine) for machine in list(self._machines.values())]

    def running(self, pool: str) -> list[str]:
        """Names of the pool's nodes."""
        return [machine.name for machine in self._all_of(pool) if machine.state is State.RUNNING]

    def behind(self, pool: str) -> list[str]:
        """Names of the pool's nodes that run another version than the pool, the oldest node first."""
        version = self._pools[pool].kubernetes_version
        machines = sorted(self._all_of(pool), key=lambda machine: machine.index)
        return [m.name for m in machines if m.state is State.RUNNING and m.version != version]

    def has(self, node: str) -> bool:
        """Whether a VM of that name exists, on its way out or not."""
        return node in self._machines

    def requested_at(self, node: str) -> float | None:
        """Simulated second at which the VM was requested; None when unknown."""
        machine = self._machines.get(node)
        return machine.created if machine else None

    def pool_of(self, node: str) -> str:
        """Name of the VM's pool, empty when there is no such VM."""
        machine = self._machines.get(node)
        return machine.pool.name if machine else ""

    def grow(self, pool: str, target: int, now: float) -> None:
        """Ask for VMs until the pool has `target`."""
        missing = target - len(self._all_of(pool))
        if missing > 0:
            for index in self._azure.claim_instances(scale_set_name(self._pools[pool]), missing):
                self._create(self._pools[pool], index, now)
        self._resized.add(pool)

    def delete(self, nodes: Iterable[str], cause: str) -> None:
        """Take VMs and their Node objects away; nothing happens for a VM that is gone already."""
        machines = [self._machines[name] for name in nodes if name in self._machines]
        self._cluster.together(partial(self._cluster.delete_node, machine.name) for machine in machines)
        for machine in machines:
            del self._machines[machine.name]
            if machine.name not in self._retired:
                self._resized.add(machine.pool.name)
            self._retired.discard(machine.name)
            self._write(Kind.NODE_GONE, machine, cause=cause)

    def advance(self, now: float) -> None:
        """Let VMs boot or fail."""
        waiting = [machine for machine in self._machines.values() if machine.state is State.CREATING]
        booted = [
            machine
            for machine in waiting
            if self._is_over(machine, Supply.AVAILABLE, self._timings.boot, now)
        ]
        nodes = [node(machine.pool, machine.index) for machine in booted]
        self._cluster.together(partial(self._cluster.create_node, body) for body in nodes)
        for machine in booted:
            machine.state = State.RUNNING
            self._write(Kind.NODE_REGISTERED, machine)
        for machine in waiting:
            if self._is_over(machine, Supply.SOLD_OUT, self._timings.allocation_error, now):
                machine.state = State.FAILED
                detail = f"{machine.pool.vm_size} is sold out"
                self._write(
                    Kind.SOLD_OUT, machine, source=Source.MARKET, detail=detail, error=ALLOCATION_ERROR
                )

    def next_at(self) -> float:
        """Simulated second at which the next VM boots or fails; `inf` where none will."""
        after = {Supply.AVAILABLE: self._timings.boot, Supply.SOLD_OUT: self._timings.allocation_error}
        return min(
            (
                machine.created + after[machine.supply]
                for machine in self._machines.values()
                if machine.state is State.CREATING and machine.created is not None and machine.supply in after
            ),
            default=math.inf,
        )

    def _is_over(self, machine: VirtualMachine, supply: Supply, seconds: float, now: float) -> bool:
        """Whether what a VM of this supply comes to happens now."""
        return machine.supply is supply and machine.created is not None and now - machine.created >= seconds

    def _all_of(self, pool: str) -> list[VirtualMachine]:
        return [
            machine
            for machine in self._machines.values()
            if machine.pool.name == pool and machine.name not in self._retired
        ]

    def _retire(self, machines: Iterable[VirtualMachine]) -> None:
        self._retired.update(machine.name for machine in machines)

    def _adopt(self, pool: AgentPool, nodes: Mapping[str, str]) -> None:
        for name, kubelet in sorted(nodes.items()):
            index = instance_index(pool, name)
            if index is not None and name not in self._machines:
                version = kubelet.removeprefix("v")
                self._machines[name] = VirtualMachine(name, index, pool, None, version, state=State.RUNNING)

    def _update(self, before: AgentPool, pool: AgentPool) -> None:
        """Bring changed labels and taints to the pool's nodes, as AKS does (use-labels.md, use-node-taints.md).

        Where a label changes into how many time slices a GPU is shared, another device plugin runs on the node.
        """
        if before.labels != pool.labels:
            gone: Mapping[str, None] = dict.fromkeys(before.labels.keys() - pool.labels.keys())
            for name in self.running(pool.name):
                self._cluster.label_node(name, {**gone, **pool.labels})
        if before.time_slices != pool.time_slices:
            size = vm_size(pool)
            for name in self.running(pool.name):
                self._cluster.set_resources(name, capacity(pool, size), allocatable(pool, size))
        if before.taints != pool.taints:
            new = [taint(text) for text in pool.taints]
            old = {taint(text)["key"] for text in before.taints} - {entry["key"] for entry in new}
            for name in self.running(pool.name):
                self._cluster.untaint_node(name, sorted(old))
                self._cluster.taint_node(name, new)
        for machine in self._all_of(pool.name):
            machine.pool = pool

    def _resize(self, pool: AgentPool, now: float, *, is_new: bool) -> None:
        machines = self._all_of(pool.name)
        target = max(pool.count, pool.min_count)
        if len(machines) < target and (is_new or not pool.autoscaled):
            self.grow(pool.name, target, now)
        elif not pool.autoscaled:
            newest_first = sorted(machines, key=lambda machine: machine.index, reverse=True)
            self._retire(newest_first[: len(machines) - target])

    def _create(self, pool: AgentPool, index: int, now: float) -> None:
        name = node_name(pool, index)
        supply = self._market.supply(pool.name)
        self._machines[name] = VirtualMachine(name, index, pool, now, pool.kubernetes_version, supply)
        self._write(Kind.NODE_CREATING, self._machines[name])

    def _announce(self, pool: AgentPool) -> None:
        self._journal.write(
            Kind.POOL_ADDED,
            Source.SCALE_SET,
            pool=pool.name,
            spot=pool.spot,
            vmSize=pool.vm_size,
            minCount=pool.min_count,
            maxCount=pool.max_count,
            autoscaled=pool.autoscaled,
        )

    def _write(
        self, kind: Kind, machine: VirtualMachine, *, source: Source = Source.SCALE_SET, **more: str
    ) -> None:
        self._journal.write(kind, source, pool=machine.pool.name, node=machine.name, **more)
