"""The real control plane as the simulation's `Cluster`: watches to read, REST to write."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.connection import JSON, Connection
from kubeflow_aks.clients.kubernetes.errors import ApiError, UnavailableError
from kubeflow_aks.clients.kubernetes.informer import Informer
from kubeflow_aks.clients.kubernetes.objects import at, items
from kubeflow_aks.local_aks.simulation.autoscaler import status
from kubeflow_aks.local_aks.simulation.autoscaler.expander import CONFIG_MAP, CONFIG_MAP_KEY
from kubeflow_aks.local_aks.simulation.cluster import Event, T

_STRATEGIC: Final = "application/strategic-merge-patch+json"
_MERGE: Final = "application/merge-patch+json"
_BACKGROUND_THREADS: Final = 32
_FOREGROUND_THREADS: Final = 8
_CONNECTIONS: Final = _BACKGROUND_THREADS + _FOREGROUND_THREADS + 8
"""The threads', the watches' and the caller's own."""
_ATTEMPTS: Final = 5
_SETTLED: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT})
"""What is gone or there already, and what someone else changed meanwhile."""
_EVICTION_REFUSED: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.INTERNAL_SERVER_ERROR})


class LiveCluster:
    """One API server; safe for many threads. Reads come from watches, so that looking costs no request."""

    def __init__(self, config: str) -> None:
        """Start to watch.

        Args:
            config: kubeconfig of an administrator: its text or a path to it.

        Raises:
            UnreachableError: it is none, or its server is not on this machine.
        """
        self._connection = Connection.of(config, connections=_CONNECTIONS)
        self._background = ThreadPoolExecutor(_BACKGROUND_THREADS, "kubernetes-background")
        self._foreground = ThreadPoolExecutor(_FOREGROUND_THREADS, "kubernetes-foreground")
        inform = partial(Informer, self._connection)
        self._nodes = inform("/api/v1/nodes")
        self._pods = inform("/api/v1/pods", keep_deleted=True)
        self._daemon_sets = inform("/apis/apps/v1/daemonsets")
        self._budgets = inform("/apis/policy/v1/poddisruptionbudgets")
        self._priorities = inform(
            "/api/v1/namespaces/kube-system/configmaps", {"fieldSelector": f"metadata.name={CONFIG_MAP}"}
        )

    def close(self) -> None:
        """End all watches."""
        for informer in (self._nodes, self._pods, self._daemon_sets, self._budgets, self._priorities):
            informer.stop()
        self._background.shutdown(cancel_futures=True)
        self._foreground.shutdown()

    def nodes(self) -> Sequence[dict[str, Any]]:
        """All Node objects."""
        return self._nodes.objects()

    def pods(self) -> Sequence[dict[str, Any]]:
        """All Pod objects."""
        return self._pods.objects()

    def take_deleted_pods(self) -> Sequence[dict[str, Any]]:
        """Pods deleted since the last call, as they were at the end."""
        return self._pods.take_deleted()

    def daemon_sets(self) -> Sequence[dict[str, Any]]:
        """All DaemonSet objects."""
        return self._daemon_sets.objects()

    def disruption_budgets(self) -> Sequence[dict[str, Any]]:
        """All PodDisruptionBudget objects."""
        return self._budgets.objects()

    def priorities(self) -> str | None:
        """The priority expander's text, empty where the ConfigMap lacks the key, None without the ConfigMap."""
        config_maps = self._priorities.objects()
        return str(at(config_maps[0], "data", CONFIG_MAP_KEY) or "") if config_maps else None

    def create_node(self, node: Mapping[str, Any]) -> None:
        """Create a Node with its status; one of the same name is left as it is."""
        self._write("POST", "/api/v1/nodes", node)

    def delete_node(self, name: str) -> None:
        """Delete a Node."""
        self._write("DELETE", f"/api/v1/nodes/{name}", {})

    def taint_node(self, name: str, taints: Sequence[Mapping[str, str]], *, cordon: bool = False) -> None:
        """Add taints, or replace those of the same key; `cordon` also makes the node unschedulable."""
        spec = {"unschedulable": True} if cordon else {}
        self._change_taints(name, {taint["key"] for taint in taints}, taints, spec)

    def untaint_node(self, name: str, keys: Sequence[str]) -> None:
        """Remove the taints of these keys."""
        self._change_taints(name, set(keys), (), {})

    def label_node(self, name: str, labels: Mapping[str, str | None]) -> None:
        """Set labels; None removes one."""
        self._write("PATCH", f"/api/v1/nodes/{name}", {"metadata": {"labels": labels}}, _STRATEGIC)

    def set_resources(self, name: str, capacity: Mapping[str, str], allocatable: Mapping[str, str]) -> None:
        """Set what a node has, and what of it pods may have, as quantities."""
        self._write(
            "PATCH",
            f"/api/v1/nodes/{name}/status",
            {"status": {"capacity": capacity, "allocatable": allocatable}},
            _STRATEGIC,
        )

    def set_condition(self, name: str, condition: Mapping[str, str]) -> None:
        """Set a condition of a Node's status, by its `type`."""
        self._write(
            "PATCH", f"/api/v1/nodes/{name}/status", {"status": {"conditions": [condition]}}, _STRATEGIC
        )

    def evict(self, namespace: str, name: str, uid: str) -> bool:
        """Evict a pod through the eviction API, unless it gave way to another of its name.

        False when a PodDisruptionBudget refuses (429), or the API because there are several (500).
        """
        eviction = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": name, "namespace": namespace},
            "deleteOptions": {"preconditions": {"uid": uid}},
        }
        path = f"/api/v1/namespaces/{namespace}/pods/{name}/eviction"
        try:
            self._write("POST", path, eviction)
        except ApiError as error:
            if error.status in _EVICTION_REFUSED:
                return False
            raise
        return True

    def record(self, event: Event) -> None:
        """Publish an event; those about nodes and other cluster-wide objects go to namespace `default`."""
        namespace = event.namespace or "default"
        moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        body = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"{event.name}.{uuid.uuid4().hex[:16]}", "namespace": namespace},
            "involvedObject": {
                "apiVersion": "v1",
                "kind": event.kind,
                "name": event.name,
                "namespace": event.namespace,
                "uid": event.uid,
            },
            "type": "Warning" if event.warning else "Normal",
            "reason": event.reason,
            "message": event.message,
            "source": {"component": event.component},
            "firstTimestamp": moment,
            "lastTimestamp": moment,
            "count": 1,
        }
        self._write("POST", f"/api/v1/namespaces/{namespace}/events", body)

    def write_status(self, text: str, moment: str) -> None:
        """Write the autoscaler's report, and when that was, into its ConfigMap."""
        folder = "/api/v1/namespaces/kube-system/configmaps"
        metadata = {"name": status.CONFIG_MAP, "annotations": {status.LAST_UPDATED: moment}}
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"status": text}}
        if self._write("PATCH", f"{folder}/{status.CONFIG_MAP}", body, _MERGE) is HTTPStatus.NOT_FOUND:
            self._write("POST", folder, body)

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Start work that nobody waits for."""
        return self._background.submit(work)

    def together(self, work: Iterable[Callable[[], object]]) -> None:
        """Do all of it at once and wait for the end; raises the first error."""
        started = [self._foreground.submit(call) for call in work]
        wait(started)
        for future in started:
            future.result()

    def _change_taints(
        self, name: str, remove: set[str], add: Sequence[Mapping[str, str]], spec: Mapping[str, Any]
    ) -> None:
        """Read, change, write, and again if someone else wrote meanwhile: the list of taints is one value."""
        path = f"/api/v1/nodes/{name}"
        for _ in range(_ATTEMPTS):
            try:
                node = self._connection.call("GET", path)
            except ApiError as error:
                if error.not_found:
                    return
                raise
            kept = [taint for taint in items(at(node, "spec", "taints")) if at(taint, "key") not in remove]
            version = {"resourceVersion": at(node, "metadata", "resourceVersion")}
            change = {"metadata": version, "spec": {**spec, "taints": [*kept, *add]}}
            if self._write("PATCH", path, change, _MERGE) is not HTTPStatus.CONFLICT:
                return
        raise UnavailableError(f"node {name} changes faster than its taints can be set")

    def _write(self, method: str, path: str, body: Mapping[str, Any], content_type: str = JSON) -> HTTPStatus:
        """Send a change; OK, or why there was nothing to change."""
        try:
            self._connection.call(method, path, body=body, content_type=content_type)
        except ApiError as error:
            if error.status in _SETTLED:
                return HTTPStatus(error.status)
            raise
        return HTTPStatus.OK
