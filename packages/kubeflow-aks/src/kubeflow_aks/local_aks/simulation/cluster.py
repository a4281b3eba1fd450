"""The simulation's view of the Kubernetes control plane; `live_cluster` beside it has the real one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Event:
    """A Kubernetes event about a node, a pod or the autoscaler's ConfigMap."""

    kind: str
    name: str
    namespace: str = ""
    uid: str = ""
    reason: str
    message: str
    warning: bool = False
    component: str


class Cluster(Protocol):
    """Reads are the latest known state as API objects; writes on what is gone already do nothing.

    Every method raises `KubeError`: `UnavailableError` while the control plane does not answer, `ApiError` for what
    it refuses.
    """

    def nodes(self) -> Sequence[dict[str, Any]]:
        """All Node objects."""
        ...

    def pods(self) -> Sequence[dict[str, Any]]:
        """All Pod objects; an object that did not change is the same object as before."""
        ...

    def take_deleted_pods(self) -> Sequence[dict[str, Any]]:
        """Pods deleted since the last call, as they were at the end: a pod may end and go between two looks."""
        ...

    def daemon_sets(self) -> Sequence[dict[str, Any]]:
        """All DaemonSet objects."""
        ...

    def disruption_budgets(self) -> Sequence[dict[str, Any]]:
        """All PodDisruptionBudget objects."""
        ...

    def priorities(self) -> str | None:
        """The priority expander's text, empty where the ConfigMap lacks the key, None without the ConfigMap."""
        ...

    def create_node(self, node: Mapping[str, Any]) -> None:
        """Create a Node with its status; one of the same name is left as it is."""
        ...

    def delete_node(self, name: str) -> None:
        """Delete a Node."""
        ...

    def taint_node(self, name: str, taints: Sequence[Mapping[str, str]], *, cordon: bool = False) -> None:
        """Add taints, or replace those of the same key; `cordon` also makes the node unschedulable."""
        ...

    def untaint_node(self, name: str, keys: Sequence[str]) -> None:
        """Remove the taints of these keys."""
        ...

    def label_node(self, name: str, labels: Mapping[str, str | None]) -> None:
        """Set labels; None removes one."""
        ...

    def set_resources(self, name: str, capacity: Mapping[str, str], allocatable: Mapping[str, str]) -> None:
        """Set what a node has, and what of it pods may have, as quantities."""
        ...

    def set_condition(self, name: str, condition: Mapping[str, str]) -> None:
        """Set a condition of a Node's status, by its `type`."""
        ...

    def evict(self, namespace: str, name: str, uid: str) -> bool:
        """Evict a pod through the eviction API, unless it gave way to another of its name.

        False when a PodDisruptionBudget refuses (429), or the API because there are several (500).
        """
        ...

    def record(self, event: Event) -> None:
        """Publish an event."""
        ...

    def write_status(self, text: str, moment: str) -> None:
        """Write the autoscaler's report, and when that was."""
        ...

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Start work that nobody waits for: one eviction takes the API server 100 ms, many at once hardly more."""
        ...

    def together(self, work: Iterable[Callable[[], object]]) -> None:
        """Do all of it at once, before whatever was submitted, and wait for the end; raises the first error."""
        ...
