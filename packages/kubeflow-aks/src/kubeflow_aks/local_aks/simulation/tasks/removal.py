"""A node being removed on purpose: by scale-down, or because its pool shrinks or goes (CA core/scaledown/actuation)."""

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.autoscaler.drainability import ends_with_node, stays_behind
from kubeflow_aks.local_aks.simulation.autoscaler.model import Pod
from kubeflow_aks.local_aks.simulation.autoscaler.scale_down import DELETION_TAINT
from kubeflow_aks.local_aks.simulation.cluster import Cluster
from kubeflow_aks.local_aks.simulation.journal import Source
from kubeflow_aks.local_aks.simulation.observer import View
from kubeflow_aks.local_aks.simulation.tasks.node_task import Drain, NodeTask, NodeTasks

_DELAY_AFTER_TAINT: Final = 5.0
"""`--node-delete-delay-after-taint`: by then the scheduler has placed what it had decided before."""
_EVICTION_SECONDS: Final = 120.0
"""`--max-pod-eviction-time`: how long refused evictions are tried again."""
_RETRY_SECONDS: Final = 10.0
"""The real autoscaler's pause between two tries of an eviction."""
_HEADROOM_SECONDS: Final = 30.0
"""What a pod may take beyond its grace period (PodEvictionHeadroom)."""


class Outcome(StrEnum):
    """Where a removal stands."""

    UNDER_WAY = "under way"
    DONE = "done"
    """The node is empty and can be deleted."""
    FAILED = "failed"
    """Its pods did not leave, or came when it was to be deleted as empty; the node stays."""


class Removal(NodeTask[Outcome]):
    """One node's removal."""

    def __init__(self, node: str, *, grace_seconds: float, forced: bool, empty: bool) -> None:
        """A removal that starts with its first step.

        Args:
            node: its name.
            grace_seconds: the profile's `maxGracefulTerminationSec`.
            forced: the VM goes even when pods don't leave, as when its pool is deleted.
            empty: nobody is to be drained; a pod that was placed before the taint keeps the node (`deleteNodesAsync`).
        """
        super().__init__(node)
        self._forced = forced
        self._empty = empty
        self._grace_seconds = grace_seconds
        self._looks_at: float | None = None
        self._looked = False
        self._drain = Drain(retry_seconds=_RETRY_SECONDS)

    def step(self, cluster: Cluster, pods: Sequence[Pod], now: float) -> Outcome | None:
        """Go on; a node on which a pod was placed since the last look is not done."""
        outcome = super().step(cluster, pods, now)
        late = outcome is Outcome.DONE and not self._forced and not _may_go(pods)
        return Outcome.UNDER_WAY if late else outcome

    @property
    def next_at(self) -> float:
        """Simulated second at which it goes on although nothing changed; `-inf` for the very next step."""
        return self._looks_at if self._looks_at is not None and not self._looked else -math.inf

    def _advance(self, cluster: Cluster, pods: Sequence[Pod], now: float) -> Outcome:
        if self._looks_at is None:
            taint = {"key": DELETION_TAINT, "value": str(int(now)), "effect": "NoSchedule"}
            cluster.taint_node(self.node, [taint])
            self._looks_at = now + _DELAY_AFTER_TAINT
        elapsed = now - self._looks_at
        if elapsed < 0:
            return Outcome.UNDER_WAY
        self._looked = True
        if _may_go(pods):
            return Outcome.DONE
        if self._empty and not all(stays_behind(pod) for pod in pods):
            return self._give_up(cluster)
        limit = _EVICTION_SECONDS if self._drain.refused else self._grace_seconds + _HEADROOM_SECONDS
        if elapsed < limit:
            self._drain.advance(cluster, pods, now)
            return Outcome.UNDER_WAY
        if self._forced:
            return Outcome.DONE
        return self._give_up(cluster)

    def _give_up(self, cluster: Cluster) -> Outcome:
        cluster.untaint_node(self.node, [DELETION_TAINT])
        return Outcome.FAILED


class Removals(NodeTasks[Removal]):
    """All removals under way."""

    def begin(self, node: str, *, grace_seconds: float, forced: bool, empty: bool) -> None:
        """Remove a node according to a `Removal`, unless it is being removed already."""
        if node not in self._by_node:
            self._by_node[node] = Removal(node, grace_seconds=grace_seconds, forced=forced, empty=empty)

    def advance(self, view: View, now: float) -> bool:
        """Go on with all of them, and delete the VMs of those that are done; whether one failed."""
        outcomes = {
            node: removal.step(self._cluster, view.pods_on.get(node, ()), now)
            for node, removal in self._by_node.items()
            if self._scale_sets.has(node)
        }
        done = [node for node, outcome in outcomes.items() if outcome is Outcome.DONE]
        failed = [node for node, outcome in outcomes.items() if outcome is Outcome.FAILED]
        self._scale_sets.delete(done, "removed")
        for node in failed:
            pool = self._scale_sets.pool_of(node)
            self._journal.write(Kind.SCALE_DOWN_FAILED, Source.AUTOSCALER, pool=pool, node=node)
        going_on = outcomes.keys() - {*done, *failed}
        self._by_node = {node: removal for node, removal in self._by_node.items() if node in going_on}
        return bool(failed)


def _may_go(pods: Sequence[Pod]) -> bool:
    """Whether a node with these pods can be deleted."""
    return all(ends_with_node(pod) for pod in pods)
