"""Work on one node that goes on beside everything else, as each machine's own agent does it on Azure."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

from local_aks.simulation.autoscaler.model import Pod
from local_aks.simulation.cluster import Cluster

T_co = TypeVar("T_co", covariant=True)


class NodeTask(ABC, Generic[T_co]):
    """A sequence of calls about one node, continued step by step without holding up the simulation."""

    def __init__(self, node: str) -> None:
        self.node = node
        self._running: Future[T_co] | None = None

    def step(self, cluster: Cluster, pods: Sequence[Pod], now: float) -> T_co | None:
        """Go on unless the last step's calls still run.

        Args:
            cluster: the control plane.
            pods: the pods bound to the node.
            now: simulated seconds.

        Returns:
            What the last step came to; None while that is not known.
        """
        last = self._running
        if last is not None and not last.done():
            return None
        self._running = cluster.submit(lambda: self._advance(cluster, pods, now))
        return None if last is None else last.result()

    @abstractmethod
    def _advance(self, cluster: Cluster, pods: Sequence[Pod], now: float) -> T_co:
        """Make the calls that are due, on another thread; only one of a task's steps runs at a time."""
