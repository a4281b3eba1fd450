"""What a drill sees of a cluster: nodes, pods and events, kept up to date by watches."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from drill.stage import NAMESPACE
from kube.api import ApiServer
from kube.errors import UnavailableError
from kube.informer import Informer
from kube.objects import Kind, Object, at, fields, items, name_of, namespace_of
from story.contract_pools import POOL_LABEL
from story.workloads.stage import PLATFORM_NAMESPACE

_SEEN_NAMESPACES: Final = frozenset({NAMESPACE, PLATFORM_NAMESPACE, "kube-system"})
"""Pods of people's own namespaces are looked at for one thing only: whether a node is somebody's."""
_OWNERS_EVERYWHERE: Final = frozenset({"DaemonSet", "Node"})
_ENDED: Final = frozenset({"Succeeded", "Failed"})
_PATIENCE_SECONDS: Final = 60.0
"""How long the API server may be away: AKS restarts its own now and then."""


class Sight:
    """One cluster; what is read is as old as the last watch event, which costs no request."""

    def __init__(self, api: ApiServer, *, patience: float = _PATIENCE_SECONDS) -> None:
        """Starts to watch.

        Raises:
            KubeError: the API server does not answer.
        """
        kinds = [Kind("", "v1", kind) for kind in ("Node", "Pod", "Event")]
        self._nodes, self._pods, self._events = (_Patient(api.follow(kind), patience) for kind in kinds)

    def close(self) -> None:
        """Ends all watches."""
        for each in (self._nodes, self._pods, self._events):
            each.informer.stop()

    def nodes(self) -> Sequence[Object]:
        """All Node objects."""
        return self._nodes.objects()

    def pods(self) -> Sequence[Object]:
        """The pods of the drill, of the platform and of the system."""
        return [pod for pod in self._pods.objects() if namespace_of(pod) in _SEEN_NAMESPACES]

    def events(self) -> Sequence[Object]:
        """All events."""
        return self._events.objects()

    def of_pool(self, pool: str) -> list[Object]:
        """The nodes of a pool."""
        return [node for node in self.nodes() if at(node, "metadata", "labels", POOL_LABEL) == pool]

    def own_on(self, node: str) -> list[str]:
        """Names of the drill's pods that are on a node and have not ended."""
        return [name_of(pod) for pod in self._on(node) if namespace_of(pod) == NAMESPACE]

    def strangers_on(self, node: str) -> list[str]:
        """Others' pods that are on a node and have not ended, DaemonSets' and static ones apart: `namespace/name`."""
        return [
            f"{namespace_of(pod)}/{name_of(pod)}"
            for pod in self._on(node)
            if namespace_of(pod) != NAMESPACE and not _is_everywhere(pod)
        ]

    def _on(self, node: str) -> list[Object]:
        return [
            pod
            for pod in self._pods.objects()
            if at(pod, "spec", "nodeName") == node and at(pod, "status", "phase") not in _ENDED
        ]


class _Patient:
    """An informer whose last objects stand for a while in which the API server is away."""

    def __init__(
        self, informer: Informer, patience: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.informer = informer
        self._patience = patience
        self._clock = clock
        self._last: list[Object] | None = None
        self._away_since: float | None = None

    def objects(self) -> list[Object]:
        """The latest known.

        Raises:
            UnavailableError: the API server has been away for too long, or never answered.
        """
        try:
            self._last = self.informer.objects()
            self._away_since = None
        except UnavailableError:
            now = self._clock()
            self._away_since = now if self._away_since is None else self._away_since
            if self._last is None or now - self._away_since > self._patience:
                raise
        return self._last


def _is_everywhere(pod: Object) -> bool:
    owners = [fields(ref) for ref in items(at(pod, "metadata", "ownerReferences")) if at(ref, "controller")]
    return any(owner.get("kind") in _OWNERS_EVERYWHERE for owner in owners)
