"""A spot VM being taken away, in the order in which AKS shows it.

Source: node-auto-drain.md; docs/facts/engine.md#the-eviction-sequence.
"""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import formatdate
from typing import Final

from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.autoscaler.model import Pod
from kubeflow_aks.local_aks.simulation.journal import Source
from kubeflow_aks.local_aks.simulation.live_cluster import Event, LiveCluster
from kubeflow_aks.local_aks.simulation.observer import View
from kubeflow_aks.local_aks.simulation.tasks.node_task import (
    KUBECTL_RETRY_SECONDS,
    Drain,
    NodeTask,
    NodeTasks,
)

NOTICE_SECONDS: Final = 30.0
"""Azure's notice before a spot VM is taken; at least, and best effort (docs/facts/aks.md#spot-pools)."""

DRAIN_TAINT: Final = {"key": "remediator.kubernetes.azure.com/unschedulable", "effect": "NoSchedule"}
CONDITIONS: Final = {"VMEventScheduled": "VMEventScheduled", "PreemptionScheduled": "SpotEvictionIncoming"}
"""The conditions that announce an eviction, and their reasons (docs/facts/aks.md#evictions)."""
_COMPONENT: Final = "simulated-spot-market"


class Eviction(NodeTask[None]):
    """One node's eviction. Whatever is not drained when the notice is over goes down with the VM."""

    def __init__(self, node: str, now: float, *, notice: bool = True) -> None:
        """The notice, if there is any, begins at simulated second `now`."""
        super().__init__(node)
        self.notice = notice
        self.gone_at = now + NOTICE_SECONDS if notice else now
        """Simulated second at which the VM is taken, drained or not."""
        self._announced = False
        self._drain = Drain(retry_seconds=KUBECTL_RETRY_SECONDS)

    @property
    def next_at(self) -> float:
        """Simulated second at which it goes on although nothing changed."""
        return min(self.gone_at, self._drain.next_at)

    def _advance(self, cluster: LiveCluster, pods: Sequence[Pod], now: float) -> None:
        if not self._announced:
            _announce(cluster, self.node)
            self._announced = True
            return
        self._drain.advance(cluster, pods, now)


class Evictions(NodeTasks[Eviction]):
    """All evictions under way."""

    def begin(self, node: str, now: float, *, notice: bool) -> None:
        """Take a node away, after the notice if there is any; it begins at simulated second `now`."""
        self._by_node[node] = Eviction(node, now, notice=notice)
        if notice:
            self._journal.write(
                Kind.EVICTION_NOTICE,
                Source.MARKET,
                pool=self._scale_sets.pool_of(node),
                node=node,
                seconds=NOTICE_SECONDS,
            )

    def resume(self, node: str, now: float) -> None:
        """Carry on with an eviction that an earlier simulation began; its notice begins again."""
        self._by_node[node] = Eviction(node, now)

    def advance(self, view: View, now: float) -> None:
        """Take the VMs whose notice is over, and drain the others."""
        self._take([eviction for eviction in self._by_node.values() if now >= eviction.gone_at], view)
        self._by_node = {
            node: eviction for node, eviction in self._by_node.items() if self._scale_sets.has(node)
        }
        for node, eviction in self._by_node.items():
            eviction.step(self._cluster, view.pods_on.get(node, ()), now)

    def _take(self, evictions: Sequence[Eviction], view: View) -> None:
        """The VMs are gone, with whatever still runs on them."""
        taken = [
            {
                "pool": self._scale_sets.pool_of(eviction.node),
                "node": eviction.node,
                "notice": eviction.notice,
                "pods": len(view.pods_on.get(eviction.node, ())),
            }
            for eviction in evictions
        ]
        self._scale_sets.delete([eviction.node for eviction in evictions], "evicted")
        for line in taken:
            self._journal.write(Kind.EVICTION, Source.MARKET, **line)


def vm_condition(type_: str, status: str, reason: str, message: str) -> dict[str, str]:
    """What node-problem-detector writes of a VM's scheduled events, now."""
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    times = {"lastTransitionTime": moment, "lastHeartbeatTime": moment}
    return {"type": type_, "status": status, "reason": reason, "message": message, **times}


def _announce(cluster: LiveCluster, node: str) -> None:
    """What node-problem-detector and AKS's node auto-drain put on the node: event, conditions, taint, cordon."""
    message = (
        f"Preempt Scheduled: {formatdate(time.time() + NOTICE_SECONDS, usegmt=True)}. DurationInSeconds: -1.  For more "
        "information, see https://aka.ms/aks/scheduledevents (simulated)"
    )
    cluster.taint_node(node, [DRAIN_TAINT], cordon=True)
    for type_, reason in CONDITIONS.items():
        cluster.set_condition(node, vm_condition(type_, "True", reason, message))
    cluster.record(
        Event(
            kind="Node",
            name=node,
            uid=node,
            reason="PreemptScheduled",
            message=message,
            warning=True,
            component=_COMPONENT,
        )
    )
