"""Nodes, pods and events of a cluster, kept up to date by watches."""

import time
from collections.abc import Callable, Sequence
from typing import Final

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import UnavailableError
from kubeflow_aks.clients.kubernetes.informer import Informer
from kubeflow_aks.clients.kubernetes.objects import Kind, Object, at, fields, items, name_of, namespace_of
from kubeflow_aks.drill.stage import NAMESPACE
from kubeflow_aks.scenario.contract_pools import POOL_LABEL
from kubeflow_aks.scenario.workloads.stage import PLATFORM_NAMESPACE

_NAMESPACES: Final = frozenset({NAMESPACE, PLATFORM_NAMESPACE, "kube-system"})
"""Pods of other namespaces are read for one thing only: whether a node runs them."""
_OWNERS_EVERYWHERE: Final = frozenset({"DaemonSet", "Node"})
_HEADROOM: Final = "kubeflow-aks-headroom"
"""Namespace of placeholders, which are nobody's work."""
_ENDED: Final = frozenset({"Succeeded", "Failed"})
_PATIENCE_SECONDS: Final = 60.0
"""How long the API server may be unreachable: AKS restarts it now and then."""


class ClusterView:
    """A view of one cluster; reading sends no request, it returns what the last watch event left."""

    def __init__(self, api: ApiServer, *, patience: float = _PATIENCE_SECONDS) -> None:
        """Starts the watches.

        Raises:
            KubeError: the API server does not answer.
        """
        kinds = [Kind("", "v1", kind) for kind in ("Node", "Pod", "Event")]
        self._nodes, self._pods, self._events = (_Tolerant(api.follow(kind), patience) for kind in kinds)

    def close(self) -> None:
        """Ends all watches."""
        for watch in (self._nodes, self._pods, self._events):
            watch.informer.stop()

    def nodes(self) -> Sequence[Object]:
        """All Node objects."""
        return self._nodes.objects()

    def pods(self) -> Sequence[Object]:
        """Pods of the drill, the platform and the system."""
        return [pod for pod in self._pods.objects() if namespace_of(pod) in _NAMESPACES]

    def events(self) -> Sequence[Object]:
        """All events."""
        return self._events.objects()

    def of_pool(self, pool: str) -> list[Object]:
        """The nodes of a pool."""
        return [node for node in self.nodes() if at(node, "metadata", "labels", POOL_LABEL) == pool]

    def own_on(self, node: str) -> list[str]:
        """Names of the drill's pods on a node that have not ended."""
        return [name_of(pod) for pod in self._on(node) if namespace_of(pod) == NAMESPACE]

    def foreign_pods_on(self, node: str) -> list[str]:
        """Running pods of others on a node, but for DaemonSets, static pods and placeholders: `namespace/name`."""
        return [
            f"{namespace_of(pod)}/{name_of(pod)}"
            for pod in self._on(node)
            if namespace_of(pod) not in (NAMESPACE, _HEADROOM) and not _is_everywhere(pod)
        ]

    def _on(self, node: str) -> list[Object]:
        return [
            pod
            for pod in self._pods.objects()
            if at(pod, "spec", "nodeName") == node and at(pod, "status", "phase") not in _ENDED
        ]


class _Tolerant:
    """An informer that serves its last objects while the API server is unreachable for a short time."""

    def __init__(
        self, informer: Informer, patience: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.informer = informer
        self._patience = patience
        self._clock = clock
        self._last: list[Object] | None = None
        self._unreachable_since: float | None = None

    def objects(self) -> list[Object]:
        """The latest known.

        Raises:
            UnavailableError: the API server has been unreachable for too long, or never answered.
        """
        try:
            self._last = self.informer.objects()
            self._unreachable_since = None
        except UnavailableError:
            now = self._clock()
            self._unreachable_since = now if self._unreachable_since is None else self._unreachable_since
            if self._last is None or now - self._unreachable_since > self._patience:
                raise
        return self._last


def _is_everywhere(pod: Object) -> bool:
    owners = [fields(ref) for ref in items(at(pod, "metadata", "ownerReferences")) if at(ref, "controller")]
    return any(owner.get("kind") in _OWNERS_EVERYWHERE for owner in owners)
