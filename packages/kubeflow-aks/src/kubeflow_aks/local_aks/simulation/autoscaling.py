"""The simulated autoscaler at work: what it is shown, when it looks, and that its decisions are carried out."""

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from kubeflow_aks.local_aks.simulation.actuator import Actuator
from kubeflow_aks.local_aks.simulation.autoscaler.core import Autoscaler
from kubeflow_aks.local_aks.simulation.autoscaler.model import Node, NodeGroup, Snapshot, Taint
from kubeflow_aks.local_aks.simulation.autoscaler.profile import Profile
from kubeflow_aks.local_aks.simulation.autoscaler.scale_down import DELETION_TAINT, is_leaving
from kubeflow_aks.local_aks.simulation.azure_reader import AzureReader
from kubeflow_aks.local_aks.simulation.observer import Observer, View
from kubeflow_aks.local_aks.simulation.tasks.removal import Removals
from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool
from kubeflow_aks.local_aks.simulation.vms.nodes import scale_set_name
from kubeflow_aks.local_aks.simulation.vms.scale_sets import ScaleSets

_NEVER: Final = float("-inf")
_STATUS_SECONDS: Final = 10.0
"""Wall seconds between two reports; the real one writes one in each of its loops, every 10 s."""


class Autoscaling:
    """Lets the autoscaler decide once each scan interval."""

    def __init__(
        self,
        azure: AzureReader,
        observer: Observer,
        actuator: Actuator,
        scale_sets: ScaleSets,
        removals: Removals,
        *,
        seed: int,
    ) -> None:
        """`seed` settles the autoscaler's ties."""
        self._azure = azure
        self._observer = observer
        self._actuator = actuator
        self._scale_sets = scale_sets
        self._removals = removals
        self._autoscaler = Autoscaler(seed=seed)
        self._next_scan = _NEVER
        self._interval = Profile().scan_interval
        self._autoscaled = False
        self._next_status = _NEVER
        self._reported_pools: frozenset[str] = frozenset()

    def scale_down_failed(self, now: float) -> None:
        """A node could not be drained; the autoscaler waits a while before it removes another."""
        self._autoscaler.scale_down_failed(now)

    @property
    def next_scan(self) -> float:
        """Simulated second of the next look."""
        return self._next_scan

    def next_at(self, *, unseen: bool) -> float:
        """Simulated second of the next look that could decide something; `unseen` is whether anything changed."""
        if not self._autoscaled:
            return math.inf
        if unseen:
            return self._next_scan
        return self._first_scan(self._autoscaler.next_at(self._next_scan - self._interval))

    def pass_scans(self, until: float) -> None:
        """Take the looks before `until` for done."""
        self._next_scan = self._first_scan(until)

    def _first_scan(self, since: float) -> float:
        """The first look from then on."""
        if since <= self._next_scan or math.isinf(since) or math.isinf(self._next_scan):
            return max(since, self._next_scan)
        return self._next_scan + math.ceil((since - self._next_scan) / self._interval) * self._interval

    def advance(self, pools: Mapping[str, AgentPool], profile: Profile, view: View, now: float) -> None:
        """Decide and act, if it is time and a pool is autoscaled at all."""
        self._autoscaled = any(pool.autoscaled for pool in pools.values())
        if now < self._next_scan or not self._autoscaled:
            return
        self._interval = profile.scan_interval
        self._next_scan = now + self._interval
        decisions = self._autoscaler.decide(self._snapshot(pools, profile, view, now))
        for removed in self._actuator.carry_out(decisions, pools, view.pods, now):
            self._removals.begin(
                removed.node,
                grace_seconds=profile.max_graceful_termination_sec,
                forced=False,
                empty=removed.empty,
            )
        self._publish_status(frozenset(name for name, pool in pools.items() if pool.autoscaled))

    def _publish_status(self, pools: frozenset[str]) -> None:
        """Write the report as often as the real one by the wall clock, without waiting for it.

        A new or deleted pool is reported at once: at this speed the next reader would miss it.
        """
        if time.monotonic() < self._next_status and pools == self._reported_pools:
            return
        self._reported_pools = pools
        self._next_status = time.monotonic() + _STATUS_SECONDS
        now = datetime.now(UTC)
        self._actuator.publish_status(self._autoscaler.status(now), str(now))

    def _snapshot(self, pools: Mapping[str, AgentPool], profile: Profile, view: View, now: float) -> Snapshot:
        return Snapshot(
            now=now,
            profile=profile,
            groups=tuple(self._group(pool) for pool in pools.values() if pool.autoscaled),
            nodes=tuple(self._with_taint(node) for node in view.nodes if self._exists(node, pools)),
            pods=view.pods,
            daemon_sets=self._observer.daemon_sets(),
            budgets=self._observer.budgets(),
            priorities=self._observer.priorities(),
        )

    def _group(self, pool: AgentPool) -> NodeGroup:
        return NodeGroup(
            id=scale_set_name(pool),
            pool=pool.name,
            min_size=pool.min_count,
            max_size=pool.max_count,
            template=self._azure.template(pool.name),
            instances=self._scale_sets.instances(pool.name),
        )

    def _exists(self, node: Node, pools: Mapping[str, AgentPool]) -> bool:
        """Whether a node is still there: a Node object outlives its VM for a moment."""
        return (
            self._scale_sets.has(node.name) or node.labels.get("kubernetes.azure.com/agentpool") not in pools
        )

    def _with_taint(self, node: Node) -> Node:
        """A node that is being removed has the taint for the autoscaler, also while its removal only begins."""
        if node.name not in self._removals or is_leaving(node):
            return node
        return replace(node, taints=(*node.taints, Taint(DELETION_TAINT, "NoSchedule")))
