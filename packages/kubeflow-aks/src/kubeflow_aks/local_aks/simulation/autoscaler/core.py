"""One loop of the simulated autoscaler, in the real one's order (core/static_autoscaler.go, RunOnce)."""

import math
import random
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from kubeflow_aks.local_aks.simulation.autoscaler.decisions import Decision, Notice, NotTriggered, ScaleUp
from kubeflow_aks.local_aks.simulation.autoscaler.model import Node, Snapshot
from kubeflow_aks.local_aks.simulation.autoscaler.profile import Profile
from kubeflow_aks.local_aks.simulation.autoscaler.registry import ScaleUpRegistry
from kubeflow_aks.local_aks.simulation.autoscaler.scale_down import ScaleDownPlanner
from kubeflow_aks.local_aks.simulation.autoscaler.scale_up import (
    Plan,
    new_until,
    plan_scale_up,
    restore_minimum,
)
from kubeflow_aks.local_aks.simulation.autoscaler.status import StatusReport

MAX_NODES_TOTAL: Final = 5000
"""AKS's limit of nodes in a cluster (docs/facts/aks.md#names-counts-and-limits)."""

_NEVER: Final = float("-inf")


class Autoscaler:
    """Decides from snapshots; what it remembers between loops is its own and in memory, like the real one's."""

    def __init__(self, *, seed: int = 0, max_nodes_total: int = MAX_NODES_TOTAL) -> None:
        """`seed` settles ties between groups, which the real autoscaler settles at random."""
        self._rng = random.Random(seed)  # noqa: S311 - repeatable on purpose
        self._max_nodes_total = max_nodes_total
        self._registry = ScaleUpRegistry()
        self._planner = ScaleDownPlanner()
        self._report = StatusReport()
        self._last_scale_up = _NEVER
        self._last_scale_down = _NEVER
        self._last_scale_down_failure = _NEVER
        self._snapshot: Snapshot | None = None
        self._last_messages: frozenset[Notice | NotTriggered] = frozenset()

    def decide(self, snapshot: Snapshot) -> list[Decision]:
        """What to do now, in order. No I/O; call it once each scan interval."""
        snapshot, decisions = self._registry.update(snapshot)
        self._snapshot = snapshot
        if not _healthy(snapshot.nodes, snapshot.profile):
            self._planner.clear()
            return [*decisions, *self._once([Notice("ClusterUnhealthy", "Cluster is unhealthy")])]
        plan = plan_scale_up(
            snapshot,
            backing_off=lambda group: self._registry.backing_off(group, snapshot.now),
            max_nodes_total=self._max_nodes_total,
            rng=self._rng,
        )
        decisions += self._once([*plan.notices, *plan.not_triggered])
        if plan.scale_up is not None:
            return [*decisions, self._scale_up(plan.scale_up, snapshot)]
        decisions += self._scale_down(snapshot, plan)
        minimum = restore_minimum(snapshot, lambda group: self._registry.backing_off(group, snapshot.now))
        return [*decisions, *(self._scale_up(decision, snapshot) for decision in minimum)]

    def status(self, now: datetime) -> str:
        """The report on the last loop, at a time of the wall clock (`autoscaler.status`); empty before the first."""
        snapshot = self._snapshot
        if snapshot is None:
            return ""
        return self._report.text(
            snapshot,
            scale_up=lambda group: self._registry.status(group, snapshot.now),
            candidates=self._planner.candidates(),
            unhealthy=lambda nodes: not _healthy([*nodes], snapshot.profile),
            now=now,
        )

    def next_at(self, since: float) -> float:
        """The first moment that the passing of time alone could change a decision.

        Every comparison with the time that `decide` makes has its moment here; one too many costs a look, one too
        few would be missed.

        Args:
            since: simulated second of the last look; earlier moments are behind us.
        """
        if self._snapshot is None:
            return since
        profile = self._snapshot.profile
        moments = [
            *self._delays(profile),
            *self._registry.moments(profile),
            *self._planner.moments(profile),
            *(
                moment
                for pod in self._snapshot.pods
                if pod.node is None
                for moment in new_until(pod, profile)
            ),
        ]
        return min((moment for moment in moments if moment >= since), default=math.inf)

    def scale_down_failed(self, now: float) -> None:
        """A node could not be drained: leave scale-down alone for `scaleDownDelayAfterFailure`."""
        self._last_scale_down_failure = now

    def _scale_up(self, decision: ScaleUp, snapshot: Snapshot) -> ScaleUp:
        expected_by = snapshot.now + snapshot.profile.max_node_provision_time
        self._registry.scaled_up(decision.group, decision.target - decision.current, expected_by)
        self._last_scale_up = snapshot.now
        return decision

    def _scale_down(self, snapshot: Snapshot, plan: Plan) -> list[Decision]:
        self._planner.update(snapshot)
        if plan.waiting or max(self._delays(snapshot.profile)) > snapshot.now:
            return []
        removals = self._planner.due(snapshot)
        if removals:
            self._last_scale_down = snapshot.now
        return [*removals]

    def _delays(self, profile: Profile) -> tuple[float, ...]:
        """Simulated seconds until which scale-down waits after other changes."""
        return (
            self._last_scale_up + profile.scale_down_delay_after_add,
            self._last_scale_down + profile.scale_down_delay_after_delete,
            self._last_scale_down_failure + profile.scale_down_delay_after_failure,
        )

    def _once(self, messages: Sequence[Notice | NotTriggered]) -> list[Decision]:
        """The messages that the last loop did not have; Kubernetes counts repeated events of the real one."""
        fresh = [message for message in messages if message not in self._last_messages]
        self._last_messages = frozenset(messages)
        return [*fresh]


def _healthy(nodes: Sequence[Node], profile: Profile) -> bool:
    unready = sum(not node.ready for node in nodes)
    return (
        unready <= profile.ok_total_unready_count
        or unready <= profile.max_total_unready_percentage / 100 * len(nodes)
    )
