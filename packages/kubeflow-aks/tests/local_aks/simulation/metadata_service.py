"""The metadata service of one simulated VM, on 127.0.0.1: its name, and the scheduled events of its scale set.

A VM that the market takes with notice has a Preempt event until it is gone; one of which it advises has a
SpotRebalanceRecommendation, in a newer version alone. Every VM of the scale set gets them, as on Azure those of a
placement group do. No event can be approved here: pods must not.

Source: linux/scheduled-events.md; instance-metadata-service.md; `Azure/AKS#3719`, a recorded event of an AKS node;
spot-eviction-risk-notifications ("the same endpoint", "a different version"), with the event's type and status as AKS's
detector forwards them (`Azure/karpenter-provider-azure#1829`).
"""

import json
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from email.utils import formatdate
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from kubeflow_aks.events import Kind

_EVENTS: Final = "/metadata/scheduledevents"
_NAME: Final = "/metadata/instance/compute/name"
_OLDEST: Final = "2017-11-01"
"""The first API version with Preempt."""
_WITHOUT_ADVISORIES: Final = "2020-07-01"
"""The newest version with Preempt alone."""
WITH_ADVISORIES: Final = "2025-11-01"
"""Our choice: no document names the version."""
_NEWEST: Final = {_EVENTS: WITH_ADVISORIES, _NAME: "2025-04-07"}
_CHANGES: Final = {
    Kind.ADVISORY,
    Kind.ADVISORY_OVER,
    Kind.EVICTION_NOTICE,
    Kind.EVICTION,
    Kind.NODE_GONE,
}
_REQUESTS_A_SECOND: Final = 5
"""Limit of all the VM's pods together; more are refused (instance-metadata-service.md, "Rate limiting")."""

Json = dict[str, Any]


def scheduled_events(
    node: str, journal: Iterable[Mapping[str, Any]], version: str = _WITHOUT_ADVISORIES
) -> Json:
    """The document that the node's VM reads.

    Args:
        node: name of the VM's node.
        journal: lines of the simulation so far.
        version: of the API.
    """
    incarnation, events = 1, dict[str, Json]()
    for line in journal:
        if line["kind"] not in _CHANGES or _scale_set(line["node"]) != _scale_set(node):
            continue
        if line["kind"] == Kind.ADVISORY and version <= _WITHOUT_ADVISORIES:
            continue
        if line["kind"] == Kind.ADVISORY:
            events[line["node"]] = _advisory(line["node"], line["event"])
            incarnation += 1
        elif line["kind"] == Kind.EVICTION_NOTICE:
            events[line["node"]] = _preempt(line["node"], line["wall"], line["seconds"])
            incarnation += 1
        elif events.pop(line["node"], None):
            incarnation += 1
    return {"DocumentIncarnation": incarnation, "Events": list(events.values())}


class MetadataService:
    """What one VM's service answers; safe for several threads."""

    def __init__(self, node: str, journal: Callable[[], Iterable[Mapping[str, Any]]]) -> None:
        """`node` is the name of the VM's node; `journal` returns the simulation's lines so far."""
        self._node = node
        self._journal = journal
        self._requests = deque[float](maxlen=_REQUESTS_A_SECOND)
        self._lock = threading.Lock()

    def answer(self, target: str, headers: Mapping[str, str]) -> tuple[HTTPStatus, Json | str]:
        """Answers GET, or refuses as the real service does.

        Args:
            target: path and query.
            headers: of the request.
        """
        url = urlsplit(target)
        query = parse_qs(url.query)
        newest = _NEWEST.get(url.path)
        if self._is_too_soon():
            return HTTPStatus.TOO_MANY_REQUESTS, {"error": "Too many requests"}
        if headers.get("Metadata") != "true" or "X-Forwarded-For" in headers:
            return HTTPStatus.BAD_REQUEST, {"error": "Bad request. Required metadata header not specified"}
        if newest is None:
            return HTTPStatus.NOT_FOUND, {"error": "Not found"}
        version = query.get("api-version", [""])[0]
        if not _OLDEST <= version <= newest:
            error = "Bad request. api-version is invalid or was not specified in the request."
            return HTTPStatus.BAD_REQUEST, {"error": error, "newest-versions": [newest]}
        if url.path == _EVENTS:
            return HTTPStatus.OK, scheduled_events(self._node, self._journal(), version)
        if query.get("format") != ["text"]:
            return HTTPStatus.BAD_REQUEST, {"error": "Bad request. One value is given as format=text only"}
        return HTTPStatus.OK, vm_name(self._node)

    @contextmanager
    def serving(self) -> Generator[str]:
        """Serves as long as the context lasts, and gives the address, without a path."""
        answer = self.answer

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, body = answer(self.path, dict(self.headers))
                data = (body if isinstance(body, str) else json.dumps(body)).encode()
                self.send_response(status)
                self.send_header(
                    "Content-Type", "text/plain" if isinstance(body, str) else "application/json"
                )
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
                """Logs nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def _is_too_soon(self) -> bool:
        now = time.monotonic()
        with self._lock:
            if len(self._requests) == _REQUESTS_A_SECOND and now - self._requests[0] < 1:
                return True
            self._requests.append(now)
        return False


def vm_name(node: str) -> str:
    """A node's VM as Azure calls it: `aks-cpuspot-12345678-vmss_36` for `aks-cpuspot-12345678-vmss000010`.

    Source: virtual-machine-scale-sets-instance-ids.md, "Instance Metadata VM name" and "Scale set VM computer name".
    """
    return f"{node[:-6]}_{int(node[-6:], 36)}"


def _scale_set(node: str) -> str:
    return vm_name(node).rpartition("_")[0]


def _advisory(node: str, event: str) -> Json:
    """Advice that one VM may be taken, at no known time."""
    return {
        **_preempt(node, 0.0, 0.0),
        "EventId": event,
        "EventStatus": "Advisory",
        "EventType": "SpotRebalanceRecommendation",
        "NotBefore": "",
    }


def _preempt(node: str, wall: float, seconds: float) -> Json:
    """One VM's eviction, `seconds` after `wall` (seconds since the epoch)."""
    return {
        "EventId": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{node} {wall}")).upper(),
        "EventStatus": "Scheduled",
        "EventType": "Preempt",
        "ResourceType": "VirtualMachine",
        "Resources": [vm_name(node)],
        "NotBefore": formatdate(wall + seconds, usegmt=True),
        "Description": "",
        "EventSource": "Platform",
        "DurationInSeconds": -1,
    }
