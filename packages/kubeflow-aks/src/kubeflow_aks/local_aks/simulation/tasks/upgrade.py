"""Nodes that follow their pool's Kubernetes version, one after the other in each pool.

On demand a new node comes first, and an old one is cordoned and drained (upgrade-aks-cluster.md); with `maxSurge` 0 no
node comes first (upgrade-aks-node-pools-rolling.md). Larger numbers, time limits and soak are not simulated. A spot
node is cordoned and evicted with a notice, without an extra node or a drain (spot-node-pool.md, "Upgrade a Spot node
pool").
"""

import math
from collections.abc import Container, Mapping, Sequence

from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.autoscaler.drainability import ends_with_node
from kubeflow_aks.local_aks.simulation.autoscaler.model import Pod
from kubeflow_aks.local_aks.simulation.cluster import Cluster
from kubeflow_aks.local_aks.simulation.journal import Journal, Source
from kubeflow_aks.local_aks.simulation.observer import View
from kubeflow_aks.local_aks.simulation.tasks.eviction import NOTICE_SECONDS
from kubeflow_aks.local_aks.simulation.tasks.node_task import KUBECTL_RETRY_SECONDS, Drain, NodeTask
from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool
from kubeflow_aks.local_aks.simulation.vms.scale_sets import ScaleSets


class Upgrade(NodeTask[bool]):
    """One node on its way out; whether it can go."""

    def __init__(self, node: str, now: float, *, spot: bool) -> None:
        """It begins at simulated second `now`."""
        super().__init__(node)
        self._gone_at = now + NOTICE_SECONDS if spot else None
        self._cordoned = False
        self._drain = Drain(retry_seconds=KUBECTL_RETRY_SECONDS)

    def _advance(self, cluster: Cluster, pods: Sequence[Pod], now: float) -> bool:
        if not self._cordoned:
            cluster.taint_node(self.node, [], cordon=True)
            self._cordoned = True
            return False
        if self._gone_at is not None:
            return now >= self._gone_at
        self._drain.advance(cluster, pods, now)
        return all(ends_with_node(pod) for pod in pods)


class Upgrades:
    """All pools whose nodes are behind."""

    def __init__(self, cluster: Cluster, scale_sets: ScaleSets, journal: Journal) -> None:
        self._cluster = cluster
        self._scale_sets = scale_sets
        self._journal = journal
        self._by_pool: dict[str, Upgrade] = {}
        self._surging: set[str] = set()

    def advance(
        self, pools: Mapping[str, AgentPool], leaving: Container[str], view: View, now: float
    ) -> None:
        """Go on in each pool; nodes that are `leaving` for another reason are left to that."""
        self._by_pool = {
            pool: task for pool, task in self._by_pool.items() if self._scale_sets.has(task.node)
        }
        for pool in pools.values():
            if task := self._by_pool.get(pool.name):
                if task.step(self._cluster, view.pods_on.get(task.node, ()), now):
                    self._replace(pool, task.node, now)
            elif behind := [node for node in self._scale_sets.behind(pool.name) if node not in leaving]:
                self._begin(pool, behind[0], now)

    def next_at(self) -> float:
        """`-inf`, the very next step, while one is under way, else `inf`."""
        return -math.inf if self._by_pool or self._surging else math.inf

    def _begin(self, pool: AgentPool, node: str, now: float) -> None:
        running, total = len(self._scale_sets.running(pool.name)), len(self._scale_sets.instances(pool.name))
        if pool.surges and pool.name not in self._surging:
            self._scale_sets.grow(pool.name, total + 1, now)
            self._surging.add(pool.name)
        elif pool.spot or running == total:
            self._surging.discard(pool.name)
            self._by_pool[pool.name] = Upgrade(node, now, spot=pool.spot)
            self._journal.write(
                Kind.UPGRADE, Source.SCALE_SET, pool=pool.name, node=node, to=pool.kubernetes_version
            )

    def _replace(self, pool: AgentPool, node: str, now: float) -> None:
        """The machine comes back with the new version: as the extra one that came before, or at once."""
        size = len(self._scale_sets.instances(pool.name))
        self._scale_sets.delete([node], "upgraded")
        if not pool.surges:
            self._scale_sets.grow(pool.name, size, now)
