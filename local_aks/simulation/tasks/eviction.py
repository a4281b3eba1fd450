"""A spot VM being taken away, in the order in which AKS shows it (engine.md §5.2, node-auto-drain.md)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from local_aks.simulation.autoscaler.model import Pod
from local_aks.simulation.cluster import Cluster, Event
from local_aks.simulation.tasks.drain import Drain
from local_aks.simulation.tasks.node_task import NodeTask

NOTICE_SECONDS: Final = 30.0
"""Azure's notice before a spot VM is taken; at least, and best effort (aks.md §1.1)."""

DRAIN_TAINT: Final = {"key": "remediator.kubernetes.azure.com/unschedulable", "effect": "NoSchedule"}
CONDITION: Final = "VMEventScheduled"
_RETRY_SECONDS: Final = 5.0
"""`kubectl drain` asks again after 5 s where a budget refuses."""
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
        self._drain = Drain(retry_seconds=_RETRY_SECONDS)

    def _advance(self, cluster: Cluster, pods: Sequence[Pod], now: float) -> None:
        if not self._announced:
            _announce(cluster, self.node)
            self._announced = True
            return
        self._drain.advance(cluster, pods, now)


def _announce(cluster: Cluster, node: str) -> None:
    """What node-problem-detector and AKS's node auto-drain put on the node: event, condition, taint, cordon."""
    message = "Preempt Scheduled (simulated): the spot VM will be deleted"
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    cluster.taint_node(node, [DRAIN_TAINT], cordon=True)
    cluster.set_condition(
        node,
        {
            "type": CONDITION,
            "status": "True",
            "reason": "VMEventScheduled",
            "message": message,
            "lastTransitionTime": moment,
            "lastHeartbeatTime": moment,
        },
    )
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
