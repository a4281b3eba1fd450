"""Acts on Azure's notice of an eviction: cordons the node, and evicts its pods with the grace that is really left.

This file runs in the cluster as it is, from a ConfigMap, with nothing but Python's standard library. What is to be done
follows from the nodes and their pods each time, so a restart in the middle of an eviction carries on.

The notice is what AKS's node problem detector writes into a node's conditions (docs/facts/aks.md#evictions). It is read
and never approved: that would let Azure take the VM at once, with the pods of everybody on it.
"""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from itertools import repeat
from pathlib import Path
from typing import Any, Final

MARK: Final = "kubeflow-aks/cordoned-by"
"""Annotation of a node that this program emptied, with who cordoned it: when its notice is taken back, only a node that
this program cordoned is uncordoned."""
_NAME: Final = "eviction-handler"
_OTHERS: Final = "others"
_CONDITIONS: Final = ("PreemptionScheduled", "VMEventScheduled")
_PREEMPT: Final = re.compile(r"\s*Preempt\s+(?P<status>Scheduled|Started)\b[\s:]*(?P<date>[^.]*)")
"""Of a condition's message; all else (Freeze, Reboot, SpotRebalanceRecommendation) takes no VM away."""
_NOTICE_SECONDS: Final = 30
"""Azure's notice, where a message has no date that can be read ("Azure Spot Virtual Machines", best effort)."""
_REPORT_SECONDS: Final = 2
"""What the kubelet has, after the last kill, to report it before the VM goes: our choice."""
_LEAST_SECONDS: Final = 5
"""The shortest grace, even after the deadline: a VM often lives a little longer. Our choice."""
_DEFAULT_GRACE: Final = 30
"""Of a pod that names none (Kubernetes API, `terminationGracePeriodSeconds`)."""
_REQUESTS: Final = 16
"""At a time: far below what API Priority and Fairness gives all service accounts together."""
_LONGEST_PAUSE: Final = 8.0
_ANSWER_SECONDS: Final = 5.0
"""After that a request is sent again: a connection that hangs must not use up the notice."""
_WATCH_SECONDS: Final = 60
_GONE: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
"""The pod is not there any more, or another one has its name."""

Object = dict[str, Any]
Request = tuple[str, str, Object | None, str]
"""Method, path, body, and what the body is after `application/`."""


class ApiError(Exception):
    """A refusal by the API server."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status} {text[:300]}")
        self.status = status
        self.text = text


_FAILURES: Final = (ApiError, OSError, HTTPException, ValueError)


class Api:
    """The API server, as the pod's service account."""

    def __init__(self, host: str, port: int, folder: Path) -> None:
        """`folder` has the files `token`, which the kubelet renews, and `ca.crt`."""
        self._host, self._port, self._token = host, port, folder / "token"
        self._tls = ssl.create_default_context(cafile=str(folder / "ca.crt"))
        self._places = threading.BoundedSemaphore(_REQUESTS)
        self._idle: queue.LifoQueue[HTTPSConnection] = queue.LifoQueue()

    def call(self, method: str, path: str, body: Object | None = None, kind: str = "json") -> Object:
        """One request and its JSON response; the request must be one that may be sent twice.

        Raises:
            ApiError: the server refuses.
            OSError: it does not answer.
        """
        with self._places:
            while self._idle.qsize():
                with suppress(queue.Empty, OSError, HTTPException):  # the server closes what is idle for long
                    return self._exchange(self._idle.get_nowait(), (method, path, body, kind))
                self._idle = queue.LifoQueue()
            return self._exchange(self._connect(_ANSWER_SECONDS), (method, path, body, kind))

    def watch(self, path: str) -> Iterator[Object]:
        """The events of a watch, until the server ends it."""
        for line in self._send(self._connect(_WATCH_SECONDS + _ANSWER_SECONDS), ("GET", path, None, "json")):
            yield json.loads(line)

    def _exchange(self, connection: HTTPSConnection, request: Request) -> Object:
        """A request and its response; the connection is kept, because a new one costs more than the request."""
        found = json.loads(self._send(connection, request).read())
        self._idle.put(connection)
        return found

    def _connect(self, seconds: float) -> HTTPSConnection:
        connection = HTTPSConnection(self._host, self._port, timeout=seconds, context=self._tls)
        connection.connect()
        _notice_dead_peers(connection.sock)
        return connection

    def _send(self, connection: HTTPSConnection, request: Request) -> HTTPResponse:
        method, path, body, kind = request
        headers = {
            "Authorization": f"Bearer {self._token.read_text(encoding='utf-8').strip()}",
            "Content-Type": f"application/{kind}",
            "User-Agent": _NAME,
        }
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        if response.status >= HTTPStatus.MULTIPLE_CHOICES:
            raise ApiError(response.status, response.read().decode(errors="replace"))
        return response


class Handler:
    """One thread watches the nodes; each node with a notice has one more, as long as the notice holds."""

    def __init__(self, api: Api, now: Callable[[], float] = time.time) -> None:
        """`now` returns the seconds since the epoch."""
        self._api = api
        self._now = now
        self._lock = threading.Lock()
        self._nodes: dict[str, Object] = {}
        self._attended: set[str] = set()
        self._pods = ThreadPoolExecutor(_REQUESTS, "pods")

    def run(self) -> None:
        """Watches until the process ends.

        Raises:
            ApiError: the service account may not read nodes.
        """
        while True:
            try:
                self._follow()
            except ApiError as error:
                if error.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
                    raise
                log(f"nodes: {error}")
            except (OSError, HTTPException, ValueError) as error:
                log(f"nodes: {error}")
            time.sleep(1)

    def _follow(self) -> None:
        listed = self._api.call("GET", "/api/v1/nodes")
        with self._lock:
            self._nodes = {}
        for node in listed["items"]:
            self._see(node)
        version = listed["metadata"]["resourceVersion"]
        options = f"watch=1&allowWatchBookmarks=true&timeoutSeconds={_WATCH_SECONDS}"
        while True:
            for event in self._api.watch(f"/api/v1/nodes?{options}&resourceVersion={version}"):
                node = event["object"]
                if event["type"] == "ERROR":
                    return
                version = node["metadata"]["resourceVersion"]
                if event["type"] == "DELETED":
                    with self._lock:
                        self._nodes.pop(node["metadata"]["name"], None)
                elif event["type"] != "BOOKMARK":
                    self._see(node)

    def _see(self, node: Object) -> None:
        name = node["metadata"]["name"]
        with self._lock:
            self._nodes[name] = node
            if not needs_attention(node) or name in self._attended:
                return
            self._attended.add(name)
        threading.Thread(target=self._attend, args=(name,), name=name, daemon=True).start()

    def _attend(self, name: str) -> None:
        """Looks at the node again and again until it is gone or needs nothing."""
        pause = 1.0
        while (node := self._current(name)) is not None:
            try:
                again = self.look(node)
            except Exception as error:  # noqa: BLE001 - nobody else would look at this node any more
                log(f"{name}: {error!r}")
                again = True
            pause = next_pause(pause, again=again)
            time.sleep(pause)

    def _current(self, name: str) -> Object | None:
        with self._lock:
            node = self._nodes.get(name)
            if node is not None and needs_attention(node):
                return node
            self._attended.discard(name)
        return None

    def look(self, node: Object) -> bool:
        """Does what is due on a node; returns whether something must be tried again soon.

        Raises:
            ApiError: the API server refuses.
            OSError: it does not answer.
        """
        ends = deadline(node)
        if ends is None:
            if is_taken_back(node):
                self._release(node)
            return False
        marked = self._mark(node, ends)
        name = node["metadata"]["name"]
        path = f"/api/v1/pods?resourceVersion=0&fieldSelector=spec.nodeName%3D{name}"
        pods: list[Object] = [pod for pod in self._api.call("GET", path)["items"] if leaves(pod)]
        return any([not marked, *self._pods.map(self._evict, pods, repeat(ends))])

    def _mark(self, node: Object, ends: float) -> bool:
        """Cordons and marks; with the version that was read, so that nobody else's cordon is taken for its own.

        Returns:
            Whether it is done. The pods are evicted anyway: a cordon only keeps others from coming.
        """
        name = node["metadata"]["name"]
        try:
            while not (_is_marked(node) and node["spec"].get("unschedulable")):
                by = _OTHERS if node["spec"].get("unschedulable") else _NAME
                log(f"{name}: cordoned by {by}; Azure takes it in {ends - self._now():.0f} s")
                node = self._change(node, by, {"unschedulable": True})
        except _FAILURES as error:
            log(f"{name}: {error}")
            return False
        return True

    def _release(self, node: Object) -> None:
        while is_taken_back(node):
            own = node["metadata"]["annotations"][MARK] == _NAME
            log(f"{node['metadata']['name']}: the notice was taken back{'; uncordoned' if own else ''}")
            node = self._change(node, None, {"unschedulable": None} if own else {})

    def _change(self, node: Object, mark: str | None, spec: Object) -> Object:
        """The node after the change, or as somebody else changed it meanwhile."""
        path = f"/api/v1/nodes/{node['metadata']['name']}"
        version = node["metadata"]["resourceVersion"]
        patch = {"metadata": {"resourceVersion": version, "annotations": {MARK: mark}}, "spec": spec}
        try:
            return self._api.call("PATCH", path, patch, "merge-patch+json")
        except ApiError as error:
            if error.status != HTTPStatus.CONFLICT:
                raise
            return self._api.call("GET", path)

    def _evict(self, pod: Object, ends: float) -> bool:
        """Evicts a pod; returns whether it must be tried again."""
        left = ends - self._now()
        metadata = pod["metadata"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        options = {"gracePeriodSeconds": grace(pod, left), "preconditions": {"uid": metadata["uid"]}}
        eviction: Object = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": metadata["name"], "namespace": metadata["namespace"]},
            "deleteOptions": options,
        }
        done = "evicted"
        try:
            try:
                self._api.call("POST", f"{path}/eviction", eviction)
            except ApiError as error:
                if not is_held_by_budget(error) or can_wait(pod, left):
                    raise
                self._api.call("DELETE", path, {"apiVersion": "v1", "kind": "DeleteOptions", **options})
                done = "deleted, because its disruption budget cannot keep the VM"
        except _FAILURES as error:
            if isinstance(error, ApiError) and error.status in _GONE:
                return False
            log(f"{metadata['namespace']}/{metadata['name']}: {error}")
            return True
        log(f"{metadata['namespace']}/{metadata['name']}: {done}, grace {options['gracePeriodSeconds']} s")
        return False


def deadline(node: Mapping[str, Any]) -> float | None:
    """Seconds since the epoch at which Azure takes the node's VM at the earliest; None without a notice."""
    ends = [_deadline(condition) for condition in _about_the_vm(node) if condition["status"] == "True"]
    return min((end for end in ends if end is not None), default=None)


def is_taken_back(node: Mapping[str, Any]) -> bool:
    """Whether this program marked the node for a notice that is not there any more."""
    unsure = any(condition["status"] == "Unknown" for condition in _about_the_vm(node))
    return _is_marked(node) and deadline(node) is None and not unsure


def needs_attention(node: Mapping[str, Any]) -> bool:
    """Whether there is or was a notice."""
    return _is_marked(node) or deadline(node) is not None


def leaves(pod: Mapping[str, Any]) -> bool:
    """Whether a pod is to be evicted: not those of DaemonSets and mirror pods, nor what has ended or is ending."""
    metadata = pod["metadata"]
    owners = metadata.get("ownerReferences", [])
    daemon = any(owner["kind"] == "DaemonSet" and owner.get("controller") for owner in owners)
    mirror = "kubernetes.io/config.mirror" in metadata.get("annotations", {})
    over = pod.get("status", {}).get("phase") in {"Succeeded", "Failed"} or "deletionTimestamp" in metadata
    return not (daemon or mirror or over)


def grace(pod: Mapping[str, Any], left: float) -> int:
    """Seconds a pod gets: its own grace period, but no more than is left, and never next to nothing.

    Args:
        pod: the pod.
        left: seconds until Azure may take the VM; negative after that.
    """
    return min(_own_grace(pod), max(int(left) - _REPORT_SECONDS, _LEAST_SECONDS))


def can_wait(pod: Mapping[str, Any], left: float) -> bool:
    """Whether a budget may hold the pod back a little longer without taking from its grace period."""
    return left - _REPORT_SECONDS > _own_grace(pod)


def is_held_by_budget(error: ApiError) -> bool:
    """Whether disruption budgets refuse an eviction, and not API Priority and Fairness with one of their statuses."""
    statuses = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.INTERNAL_SERVER_ERROR)
    return error.status in statuses and "DisruptionBudget" in error.text


def next_pause(pause: float, *, again: bool) -> float:
    """Seconds until the next look at a node, after a pause of so many; a short one where something failed."""
    return 1.0 if again else min(2 * pause, _LONGEST_PAUSE)


def log(line: str) -> None:
    """One line of the container's log, in one piece."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def end(*_: object) -> None:
    """Ends the process; as a container's first one it would ignore SIGTERM."""
    sys.exit()


def _about_the_vm(node: Mapping[str, Any]) -> list[Object]:
    return [entry for entry in node["status"].get("conditions", []) if entry["type"] in _CONDITIONS]


def _is_marked(node: Mapping[str, Any]) -> bool:
    return MARK in node["metadata"].get("annotations", {})


def _deadline(condition: Object) -> float | None:
    """Of one condition; never an error, which would keep the handler from all other nodes."""
    found = _PREEMPT.match(condition.get("message") or "")
    if found is None:
        return None
    begun = _seconds(datetime.fromisoformat, condition.get("lastTransitionTime") or "", 0.0)
    if found["status"] == "Started":
        return begun
    return _seconds(parsedate_to_datetime, found["date"].strip(), begun + _NOTICE_SECONDS)


def _seconds(read: Callable[[str], datetime], text: str, otherwise: float) -> float:
    """A date's seconds since the epoch; a date without a zone is UTC, as Azure's are."""
    try:
        moment = read(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return otherwise


def _own_grace(pod: Mapping[str, Any]) -> int:
    return pod["spec"].get("terminationGracePeriodSeconds", _DEFAULT_GRACE)


def _notice_dead_peers(connection: socket.socket) -> None:
    """A peer that is gone without a word ends a silent watch within 15 seconds."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (("TCP_KEEPIDLE", 6), ("TCP_KEEPINTVL", 3), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, option):  # not on every system
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/var/run/secrets/kubernetes.io/serviceaccount")
    server = Api(os.environ["KUBERNETES_SERVICE_HOST"], int(os.environ["KUBERNETES_SERVICE_PORT"]), folder)
    signal.signal(signal.SIGTERM, end)
    log("waiting for notices of evictions")
    Handler(server).run()
