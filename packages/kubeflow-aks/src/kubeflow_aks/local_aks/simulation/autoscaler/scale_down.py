"""Which nodes to remove (cluster-autoscaler core/scaledown/planner)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from kubeflow_aks.local_aks.simulation.autoscaler.decisions import ScaleDown
from kubeflow_aks.local_aks.simulation.autoscaler.drainability import blocks, stays_behind
from kubeflow_aks.local_aks.simulation.autoscaler.model import Controller, Node, NodeGroup, Pod, Snapshot
from kubeflow_aks.local_aks.simulation.autoscaler.packing import Bin, place
from kubeflow_aks.local_aks.simulation.autoscaler.profile import Profile
from kubeflow_aks.local_aks.simulation.autoscaler.scale_up import occupied_bins, pods_by_node

DELETION_TAINT: Final = "ToBeDeletedByClusterAutoscaler"
_RECHECK_SECONDS: Final = 300.0
"""A node whose pods had nowhere to go is looked at again after 5 min (`--unremovable-node-recheck-timeout`)."""
_DRAIN_CANDIDATES: Final = 30
"""`--scale-down-non-empty-candidates-count`."""


@dataclass(frozen=True)
class _Unneeded:
    """A node that could go now."""

    node: Node
    group: NodeGroup
    empty: bool


@dataclass
class ScaleDownPlanner:
    """Remembers since when each node has been unneeded."""

    _since: dict[str, float] = field(default_factory=dict[str, float])
    _unremovable_until: dict[str, float] = field(default_factory=dict[str, float])
    _unneeded: list[_Unneeded] = field(default_factory=list[_Unneeded])

    def update(self, snapshot: Snapshot) -> None:
        """Look which nodes are unneeded now."""
        self._unneeded = list(self._find(snapshot))
        self._since = {
            candidate.node.name: self._since.get(candidate.node.name, snapshot.now)
            for candidate in self._unneeded
        }

    def moments(self, profile: Profile) -> Iterator[float]:
        """Simulated seconds at which a node was unneeded for long enough, or is looked at again."""
        for candidate in self._unneeded:
            yield self._since[candidate.node.name] + _patience(candidate.node, profile)
        yield from self._unremovable_until.values()

    def candidates(self) -> Mapping[str, int]:
        """How many nodes are not needed, by group."""
        return Counter(candidate.group.id for candidate in self._unneeded)

    def clear(self) -> None:
        """Forget everything, as the real one does while the cluster is unhealthy."""
        self._since.clear()
        self._unneeded.clear()

    def due(self, snapshot: Snapshot) -> list[ScaleDown]:
        """Nodes unneeded for long enough: empty ones in bulk, else one that must be drained.

        No group goes below its minimum, nodes already on their way out counted.
        """
        leaving = {node.name for node in snapshot.nodes if is_leaving(node)}
        spare = {
            group.id: group.target - group.min_size - sum(vm.name in leaving for vm in group.instances)
            for group in snapshot.groups
        }
        decisions: list[ScaleDown] = []
        empties = 0
        for candidate in sorted(self._unneeded, key=lambda candidate: not candidate.empty):
            if not candidate.empty and (decisions or leaving):
                break
            if not self._long_enough(candidate.node, snapshot) or spare[candidate.group.id] <= 0:
                continue
            if candidate.empty and empties == snapshot.profile.max_empty_bulk_delete:
                continue
            empties += candidate.empty
            spare[candidate.group.id] -= 1
            group = candidate.group
            decisions.append(ScaleDown(group.id, group.pool, candidate.node.name, candidate.empty))
        return decisions

    def _long_enough(self, node: Node, snapshot: Snapshot) -> bool:
        return self._since[node.name] + _patience(node, snapshot.profile) < snapshot.now

    def _find(self, snapshot: Snapshot) -> Iterator[_Unneeded]:
        groups = {vm.name: group for group in snapshot.groups for vm in group.instances}
        pods = pods_by_node(snapshot)
        occupied: list[tuple[Node, Sequence[Pod]]] = []
        for node in snapshot.nodes:
            if node.name not in groups or is_leaving(node) or node.scale_down_disabled:
                continue
            moving = [pod for pod in pods.get(node.name, ()) if not stays_behind(pod)]
            if not moving:
                yield _Unneeded(node, groups[node.name], empty=True)
            elif self._may_drain(node, pods[node.name], snapshot):
                occupied.append((node, moving))
        if occupied:
            for node in self._drainable(occupied, snapshot):
                yield _Unneeded(node, groups[node.name], empty=False)

    def _may_drain(self, node: Node, pods: Sequence[Pod], snapshot: Snapshot) -> bool:
        return (
            self._unremovable_until.get(node.name, snapshot.now) <= snapshot.now
            and not any(blocks(pod, snapshot.profile, snapshot.budgets) for pod in pods)
            and utilization(node, pods, snapshot) < snapshot.profile.scale_down_utilization_threshold
        )

    def _drainable(
        self, occupied: Sequence[tuple[Node, Sequence[Pod]]], snapshot: Snapshot
    ) -> Iterator[Node]:
        """Nodes whose pods fit elsewhere; a node that takes pods in this simulation stays."""
        bins: dict[str, Bin] = {
            box.node.name: box for box in occupied_bins(snapshot) if not is_leaving(box.node)
        }
        targets: set[str] = set()
        for node, moving in occupied[:_DRAIN_CANDIDATES]:
            if node.name in targets:
                continue
            box = bins.pop(node.name, None)
            others = [other.copy() for other in bins.values()]
            if place(moving, others):
                self._unremovable_until[node.name] = snapshot.now + _RECHECK_SECONDS
                if box is not None:
                    bins[node.name] = box
                continue
            targets |= {other.node.name for other in others if other.free != bins[other.node.name].free}
            bins = {other.node.name: other for other in others}
            yield node


def _patience(node: Node, profile: Profile) -> float:
    """Seconds that the node must be unneeded."""
    return profile.scale_down_unneeded_time if node.ready else profile.scale_down_unready_time


def utilization(node: Node, pods: Iterable[Pod], snapshot: Snapshot) -> float:
    """The larger of the requested shares of cores and memory, or the GPUs' alone on a GPU node (FAQ)."""
    totals: Counter[str] = Counter()
    for pod in pods:
        if not (snapshot.profile.ignore_daemonsets_utilization and pod.controller is Controller.DAEMON_SET):
            totals.update(dict(pod.scheduling.requests))
    names = ("nvidia.com/gpu",) if node.allocatable.get("nvidia.com/gpu") else ("cpu", "memory")
    return max(
        (totals[name] / node.allocatable[name] for name in names if node.allocatable.get(name)), default=0.0
    )


def is_leaving(node: Node) -> bool:
    """Whether scale-down already works on the node."""
    return any(taint.key == DELETION_TAINT for taint in node.taints)
