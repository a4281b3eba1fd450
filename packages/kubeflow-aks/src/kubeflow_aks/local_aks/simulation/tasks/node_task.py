"""Work on one node that goes on beside everything else, as each machine's own agent does it on Azure; the drain."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import Any, Final, Generic, TypeVar

from kubeflow_aks.local_aks.simulation.autoscaler.drainability import stays_behind
from kubeflow_aks.local_aks.simulation.autoscaler.model import Pod
from kubeflow_aks.local_aks.simulation.cluster import Cluster
from kubeflow_aks.local_aks.simulation.journal import Journal
from kubeflow_aks.local_aks.simulation.vms.scale_sets import ScaleSets

KUBECTL_RETRY_SECONDS: Final = 5.0
"""`kubectl drain` retries after 5 s where a budget refuses."""

T_co = TypeVar("T_co", covariant=True)


class NodeTask(ABC, Generic[T_co]):
    """A sequence of calls about one node, continued step by step without holding up the simulation."""

    def __init__(self, node: str) -> None:
        self.node = node
        self._running: Future[T_co] | None = None

    def step(self, cluster: Cluster, pods: Sequence[Pod], now: float) -> T_co | None:
        """Go on unless the last step's calls still run.

        Returns what the last step came to; None while that is not known. `pods` are bound to the node.
        """
        last = self._running
        if last is not None and not last.done():
            return None
        self._running = cluster.submit(lambda: self._advance(cluster, pods, now))
        return None if last is None else last.result()

    @property
    def next_at(self) -> float:
        """Simulated second at which it goes on although nothing changed; by default the very next step."""
        return -math.inf

    @abstractmethod
    def _advance(self, cluster: Cluster, pods: Sequence[Pod], now: float) -> T_co:
        """Make the calls that are due, on another thread; only one of a task's steps runs at a time."""


Task = TypeVar("Task", bound=NodeTask[Any])


class NodeTasks(Generic[Task]):
    """All tasks of a kind under way."""

    def __init__(self, cluster: Cluster, scale_sets: ScaleSets, journal: Journal) -> None:
        self._cluster = cluster
        self._scale_sets = scale_sets
        self._journal = journal
        self._by_node: dict[str, Task] = {}

    def __contains__(self, node: object) -> bool:
        return node in self._by_node

    def next_at(self) -> float:
        """Simulated second at which one of them goes on although nothing changed; `inf` without any."""
        return min((task.next_at for task in self._by_node.values()), default=math.inf)


class Drain:
    """The pods of one node, evicted through the eviction API, with retries where a budget refuses.

    DaemonSet and mirror pods stay, as with `kubectl drain`.
    """

    def __init__(self, *, retry_seconds: float) -> None:
        """`retry_seconds`: how long to wait after a refusal, in simulated seconds."""
        self._retry_seconds = retry_seconds
        self._tried: dict[str, float] = {}
        self._refused: set[str] = set()

    @property
    def refused(self) -> bool:
        """Whether a PodDisruptionBudget refused a pod at the last attempt."""
        return bool(self._refused)

    @property
    def next_at(self) -> float:
        """Simulated second at which the eviction of a refused pod is tried again; `inf` where none was refused."""
        return min((self._tried[uid] + self._retry_seconds for uid in self._refused), default=math.inf)

    def advance(self, cluster: Cluster, pods: Iterable[Pod], now: float) -> None:
        """Evict the pods that are still there and were not tried lately."""
        moving = {pod.uid: pod for pod in pods if not stays_behind(pod)}
        self._refused &= moving.keys()
        for uid, pod in moving.items():
            if uid in self._tried and now < self._tried[uid] + self._retry_seconds:
                continue
            self._tried[uid] = now
            if cluster.evict(pod.namespace, pod.name, pod.uid):
                self._refused.discard(uid)
            else:
                self._refused.add(uid)
