"""Draining a node: its pods are evicted through the eviction API, and asked again where a budget refuses."""

from collections.abc import Iterable

from local_aks.simulation.autoscaler.drainability import stays_behind
from local_aks.simulation.autoscaler.model import Pod
from local_aks.simulation.cluster import Cluster


class Drain:
    """The pods of one node on their way out; DaemonSet and mirror pods stay, as with `kubectl drain`."""

    def __init__(self, *, retry_seconds: float) -> None:
        """`retry_seconds`: how long to wait after a refusal, in simulated seconds."""
        self._retry_seconds = retry_seconds
        self._asked: dict[str, float] = {}
        self._refused: set[str] = set()

    @property
    def refused(self) -> bool:
        """Whether a PodDisruptionBudget refused a pod at the last asking."""
        return bool(self._refused)

    def advance(self, cluster: Cluster, pods: Iterable[Pod], now: float) -> None:
        """Evict the pods that are still there and were not asked lately."""
        moving = {pod.uid: pod for pod in pods if not stays_behind(pod)}
        self._refused &= moving.keys()
        for uid, pod in moving.items():
            if uid in self._asked and now < self._asked[uid] + self._retry_seconds:
                continue
            self._asked[uid] = now
            if cluster.evict(pod.namespace, pod.name, pod.uid):
                self._refused.discard(uid)
            else:
                self._refused.add(uid)
