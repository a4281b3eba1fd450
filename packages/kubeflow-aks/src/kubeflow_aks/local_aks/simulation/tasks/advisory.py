"""Azure's advice that it may take a spot VM: a condition of the node, and nothing else.

Whether an eviction follows is the schedule's; without one the advice is false, and ends.

Source: spot-eviction-risk-notifications (docs/facts/aks.md#evictions); `Azure/karpenter-provider-azure#1829`, the
condition and its message.
"""

import uuid
from collections.abc import Sequence
from typing import Final

from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.autoscaler.model import Pod
from kubeflow_aks.local_aks.simulation.journal import Source
from kubeflow_aks.local_aks.simulation.live_cluster import LiveCluster
from kubeflow_aks.local_aks.simulation.observer import View
from kubeflow_aks.local_aks.simulation.tasks.eviction import CONDITIONS, vm_condition
from kubeflow_aks.local_aks.simulation.tasks.node_task import NodeTask, NodeTasks

STANDS_SECONDS: Final = 900.0
"""How long false advice stands: our choice, the longest time before an eviction
(`Azure/karpenter-provider-azure#1770`)."""
_CONDITION: Final = "PreemptionScheduled"
_REASON: Final = CONDITIONS[_CONDITION]


class Advisory(NodeTask[None]):
    """One node's advice."""

    def __init__(self, node: str, now: float) -> None:
        """It begins at simulated second `now`."""
        super().__init__(node)
        self.ends = now + STANDS_SECONDS
        """Simulated second at which it is over, unless the VM is taken before."""
        self.event = str(uuid.uuid4()).upper()
        self._announced = False

    @property
    def next_at(self) -> float:
        """Simulated second at which it goes on although nothing changed."""
        return self.ends if self._announced else super().next_at

    def _advance(self, cluster: LiveCluster, pods: Sequence[Pod], now: float) -> None:  # noqa: ARG002
        if not self._announced:
            link = "For more information, see https://aka.ms/aks/scheduledevents (simulated)"
            message = f"SpotRebalanceRecommendation Advisory: . {link}. EventId: {self.event}"
            cluster.set_condition(self.node, vm_condition(_CONDITION, "True", _REASON, message))
            self._announced = True
        elif now >= self.ends:
            over = vm_condition(_CONDITION, "False", "NoVMEventScheduled", "VM has no scheduled event")
            cluster.set_condition(self.node, over)


class Advisories(NodeTasks[Advisory]):
    """All advice that stands."""

    def begin(self, node: str, now: float) -> None:
        """Advise of a node's end from simulated second `now` on."""
        self._by_node[node] = advisory = Advisory(node, now)
        pool = self._scale_sets.pool_of(node)
        self._journal.write(Kind.ADVISORY, Source.MARKET, pool=pool, node=node, event=advisory.event)

    def end(self, node: str) -> None:
        """Forget a node's advice, because an eviction begins or it is over."""
        self._by_node.pop(node, None)

    def advance(self, view: View, now: float) -> None:
        """Write what began, and what is over."""
        self._by_node = {node: task for node, task in self._by_node.items() if self._scale_sets.has(node)}
        for node, advisory in list(self._by_node.items()):
            over = now >= advisory.ends
            advisory.step(self._cluster, view.pods_on.get(node, ()), now)
            if over:
                self._journal.write(
                    Kind.ADVISORY_OVER, Source.MARKET, pool=self._scale_sets.pool_of(node), node=node
                )
                self.end(node)
