"""Records a cluster until it is stopped."""

import time
from collections.abc import Callable
from typing import Final

from ckf_spot.cluster import Cluster, ExpiredError, ForbiddenError
from ckf_spot.errors import PlacementError
from ckf_spot.where.observations import Pod
from ckf_spot.where.owners import Owners
from ckf_spot.where.record import Recorder

_CYCLE_SECONDS: Final = 3
"""Pods are watched without a break; nodes are looked at so often, and when a pod is on one that is new."""

_SHORTEST_CYCLE_SECONDS: Final = 0.2
"""Where a proxy cuts watches short, the API server is spared; the next watch begins where this one ended."""


class Watching:
    """A cluster being recorded."""

    def __init__(
        self, cluster: Cluster, recorder: Recorder, namespace: str | None, report: Callable[[str], None]
    ) -> None:
        """`report` gets a line for people about each event."""
        self._cluster = cluster
        self._recorder = recorder
        self._namespace = namespace
        self._owners = Owners(cluster, namespace)
        self._report = report
        self._version = ""
        self._printed: dict[str, str] = {}
        self._nodes_forbidden = False

    def run(self, seconds: float | None) -> None:
        """Watches; `seconds` None: until a KeyboardInterrupt.

        Raises:
            PlacementError: the pods can't be read at the beginning. A later outage is reported and waited out.
        """
        self._list()
        end = None if seconds is None else time.monotonic() + seconds
        silent = False
        while end is None or time.monotonic() < end:
            began = time.monotonic()
            left = _CYCLE_SECONDS if end is None else min(_CYCLE_SECONDS, end - time.monotonic())
            try:
                self._cycle(max(1, round(left)))
                silent = False
                time.sleep(max(0.0, _SHORTEST_CYCLE_SECONDS - (time.monotonic() - began)))
            except PlacementError as error:
                if not silent:
                    self._report(f"{error}; still trying")
                silent = True
                time.sleep(min(left, _CYCLE_SECONDS))

    def _cycle(self, seconds: int) -> None:
        if not self._version:
            self._list()
        try:
            for change in self._cluster.changes_of_pods(self._namespace, self._version, seconds):
                self._version = change.object["metadata"]["resourceVersion"]
                if change.type == "DELETED":
                    self._news(self._recorder.deleted(self._owners.with_owners(change.object)))
                elif change.type != "BOOKMARK":
                    self._news(self._recorder.pod(self._owners.with_owners(change.object)))
        except PlacementError as error:
            self._version = ""  # what happened meanwhile shows in a new list
            if not isinstance(error, ExpiredError):
                raise
        self._look_at_nodes()
        self._recorder.heartbeat()

    def _list(self) -> None:
        listed = self._cluster.pods(self._namespace)
        self._look_at_nodes()
        for pod in self._recorder.pods(map(self._owners.with_owners, listed.items)):
            self._news(pod)
        self._version = listed.version

    def _look_at_nodes(self) -> None:
        if self._nodes_forbidden:
            return
        try:
            self._recorder.nodes(self._cluster.nodes().items)
        except ForbiddenError:
            self._nodes_forbidden = True
            self._recorder.without_nodes()

    def _news(self, pod: Pod | None) -> None:
        if pod is None:
            return
        if pod.node and pod.active and pod.node not in self._recorder.history.there("node"):
            self._look_at_nodes()
        if pod.disruption:
            words = f"is evicted from {pod.node} ({pod.disruption})"
        elif pod.gone:
            words = "is gone"
        elif pod.phase == "Pending":
            words = f"starts on {pod.node}" if pod.node else "waits for a node"
        else:
            words = f"{'runs' if pod.phase == 'Running' else pod.phase.lower()} on {pod.node}"
        if self._printed.get(pod.uid) not in {words, "is gone"} and not (pod.gone and pod.finished):
            self._printed[pod.uid] = words
            self._report(f"{pod.namespace}/{pod.name} {words}")
