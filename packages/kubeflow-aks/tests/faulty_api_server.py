"""The eviction handler as a process, against an API server of our own that misbehaves in one way."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import formatdate
from enum import StrEnum
from http.server import BaseHTTPRequestHandler
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from components.kubeflow import eviction_script, script_client, script_metrics
from tests.serving import serving

Object = dict[str, Any]

NODES: Final = 40
PODS: Final = 160
NOTICE_SECONDS: Final = 30.0
GRACES: Final = (25, 600, 10)
"""Seconds, by turns."""
_SLOW_SECONDS: Final = 1.0
_ODD: Final = (
    b"\n",
    b"null\n",
    b'{"type": "MODIFIED"}\n',
    b'{"type": "MODIFIED", "object": null}\n',
    b'{"type": "ADDED", "object": {"metadata": {"name": "new"}, "spec": {}}}\n',
    b'{"type": "MODI\n',
)


class Fault(StrEnum):
    """How the API server misbehaves, as the page on lost work names it."""

    NONE = "none"
    CONFLICTS = "cordons answer 409"
    SILENT = "a silent watch"
    ODD = "events that cannot be read"
    SLOW = "1 s for an answer"
    FAILING = "429, 500 or no answer to each third request"
    NO_EVICTIONS = "no right to evict"
    WRONG_DATES = "dates in the year 9999"


@dataclass
class FaultyApiServer:
    """Nodes with pods, and what was done with them.

    Attributes:
        fault: how it misbehaves.
        deadline: when the VMs are taken, in seconds since the epoch.
        ends: when each pod has ended at the latest, in seconds since the epoch.
        evicted: when the end of each pod was requested, in seconds since the epoch.
        requests: how many came.
    """

    fault: Fault
    deadline: float = 0.0
    ends: dict[str, float] = field(default_factory=dict[str, float])
    evicted: dict[str, float] = field(default_factory=dict[str, float])
    requests: int = 0
    _nodes: dict[str, Object] = field(default_factory=dict[str, Object])
    _pods: dict[str, Object] = field(default_factory=dict[str, Object])
    _events: list[Object] = field(default_factory=list[Object])
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def fill(self, nodes: int, pods: int) -> None:
        """Makes nodes with so many pods in all."""
        names = [f"node-{number}" for number in range(nodes)]
        for name in names:
            metadata = {"name": name, "uid": name, "resourceVersion": "1"}
            self._nodes[name] = {"metadata": metadata, "spec": {}, "status": {"conditions": []}}
        for number, node in enumerate(islice(cycle(names), pods)):
            name = f"pod-{number}"
            self._pods[name] = {
                "metadata": {"name": name, "namespace": "team", "uid": name},
                "spec": {"nodeName": node, "terminationGracePeriodSeconds": GRACES[number % len(GRACES)]},
                "status": {"phase": "Running"},
            }

    def notice(self) -> None:
        """Writes the notice into the conditions of all nodes."""
        now = time.time()
        self.deadline = now + NOTICE_SECONDS
        date = formatdate(self.deadline, usegmt=True)
        if self.fault is Fault.WRONG_DATES:
            date = "Fri, 31 Dec 9999 23:59:59 GMT"
        condition = {
            "type": "VMEventScheduled",
            "status": "True",
            "message": f"Preempt Scheduled: {date}. DurationInSeconds: -1.",
            "lastTransitionTime": datetime.fromtimestamp(now, UTC).isoformat(),
        }
        for node in self._nodes.values():
            self._change({**node, "status": {"conditions": [condition]}})

    def wait(self) -> None:
        """Waits until the end of all pods is requested, or the VMs are taken."""
        with self._changed:
            self._changed.wait_for(lambda: len(self.evicted) == len(self._pods), self.deadline - time.time())

    def answer(self, method: str, path: str, body: Object) -> tuple[int, Object]:
        """Status and body of the answer to a request."""
        with self._changed:
            if path.endswith("/selfsubjectaccessreviews"):
                attributes = body["spec"]["resourceAttributes"]
                evicts = attributes["subresource"] == "eviction"
                return 201, {"status": {"allowed": not (evicts and self.fault is Fault.NO_EVICTIONS)}}
            if path == "/api/v1/nodes":
                odd: list[Any] = [None, {"metadata": {}}] if self.fault is Fault.ODD else []
                version = str(len(self._events))
                return 200, {
                    "metadata": {"resourceVersion": version},
                    "items": odd + list(self._nodes.values()),
                }
            if method == "PATCH":
                return self._cordon(path.rpartition("/")[2], body)
            return self._end(method, path, body)

    def pods_of(self, node: str) -> Object:
        """The pods of a node that are there."""
        with self._changed:
            pods = [pod for pod in self._pods.values() if pod["spec"]["nodeName"] == node]
            odd: list[Any] = [None, {"metadata": {"name": "odd"}}] if self.fault is Fault.ODD else []
            return {"items": odd + pods}

    def events(self, version: int, seconds: float) -> Iterator[bytes]:
        """The lines of a watch."""
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            with self._changed:
                if self.fault is Fault.SILENT:
                    self._changed.wait_for(lambda: False, 2 * NOTICE_SECONDS)
                if len(self._events) == version:
                    self._changed.wait(left)
                events, version = self._events[version:], len(self._events)
            if self.fault is Fault.ODD:
                yield from _ODD
            yield from (json.dumps({"type": "MODIFIED", "object": node}).encode() + b"\n" for node in events)

    def _change(self, node: Object) -> None:
        with self._changed:
            self._nodes[node["metadata"]["name"]] = node
            self._events.append(node)
            self._changed.notify_all()

    def _cordon(self, name: str, body: Object) -> tuple[int, Object]:
        if self.fault is Fault.CONFLICTS:
            return 409, {"message": "the object has been modified"}
        node = self._nodes[name]
        metadata = {**node["metadata"], "annotations": body["metadata"].get("annotations", {})}
        self._change({**node, "metadata": metadata, "spec": body.get("spec", {})})
        return 200, self._nodes[name]

    def _end(self, method: str, path: str, body: Object) -> tuple[int, Object]:
        if method == "POST" and self.fault is Fault.NO_EVICTIONS:
            return 403, {"message": "pods/eviction is forbidden"}
        path = path.removesuffix("/eviction")
        options = body.get("deleteOptions", body)
        pod = self._pods[path.rpartition("/")[2]]
        assert options["preconditions"]["uid"] == pod["metadata"]["uid"]
        now = time.time()
        pod["metadata"].setdefault("deletionTimestamp", formatdate(now))
        self.evicted.setdefault(pod["metadata"]["name"], now)
        self.ends.setdefault(pod["metadata"]["name"], now + options["gracePeriodSeconds"])
        self._changed.notify_all()
        return 201, {}


@dataclass(frozen=True)
class Played:
    """What the handler did before the VMs were taken.

    Attributes:
        pods: whose end was requested by then.
        in_time: pods that had ended by then.
        late: seconds from then to the end of the last pod; negative before it.
        seconds: from the notices until the end of the last pod was requested.
        requests: to the API server.
        log: lines of the handler.
        report: what it reported in its file.
        ended: its exit code, None while it runs.
    """

    pods: int
    in_time: int
    late: float
    seconds: float
    requests: int
    log: list[str]
    report: str
    ended: int | None


def play(fault: Fault, folder: Path, *, nodes: int = NODES, pods: int = PODS) -> Played:
    """Nodes with pods that get notices at once, while the API server has a fault.

    Args:
        fault: the fault.
        folder: for the handler's files.
        nodes: how many.
        pods: how many, of all nodes together.
    """
    server = FaultyApiServer(fault)
    server.fill(nodes, pods)
    with _running(server, folder) as process:
        _until_it_watches(server, process)
        server.notice()
        server.wait()
        ended = process.poll()
    last = max(server.evicted.values(), default=server.deadline)
    return Played(
        pods=len(server.evicted),
        in_time=sum(end <= server.deadline for end in server.ends.values()),
        late=max(server.ends.values(), default=server.deadline) - server.deadline,
        seconds=last - (server.deadline - NOTICE_SECONDS),
        requests=server.requests,
        log=(folder / "log").read_text(encoding="utf-8").splitlines(),
        report=(folder / "report").read_text(encoding="utf-8"),
        ended=ended,
    )


def _until_it_watches(server: FaultyApiServer, process: subprocess.Popen[bytes]) -> None:
    """Waits until the rights were requested, and the watch began."""
    rights = sum(map(len, eviction_script.RIGHTS.values()))
    while server.requests < rights + 2 and process.poll() is None:
        time.sleep(0.05)


@contextmanager
def _running(server: FaultyApiServer, folder: Path) -> Generator[subprocess.Popen[bytes]]:
    folder.mkdir(parents=True, exist_ok=True)
    certificate, key = folder / "ca.crt", folder / "key"
    _certify(certificate, key)
    (folder / "token").write_text("token", encoding="utf-8")
    (folder / "scripts").mkdir()
    for script in (eviction_script, script_client, script_metrics):
        shutil.copy(str(script.__file__), folder / "scripts")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serving(_handler(server), context) as url, (folder / "log").open("wb") as log:
        address = urlsplit(url)
        environment = {
            "PATH": os.environ["PATH"],
            "KUBERNETES_SERVICE_HOST": str(address.hostname),
            "KUBERNETES_SERVICE_PORT": str(address.port),
            "REPORT": str(folder / "report"),
        }
        command = [sys.executable, "-EsB", "-m", "scripts.eviction_script", str(folder)]
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def _certify(certificate: Path, key: Path) -> None:
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
            *("-nodes", "-days", "2", "-subj", "/CN=faulty", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-out", str(certificate), "-keyout", str(key)),
        ],
        check=True,
        capture_output=True,
    )


def _handler(server: FaultyApiServer) -> type[BaseHTTPRequestHandler]:
    numbers = itertools.count()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named so by the base class
            pass

        def handle(self) -> None:
            with suppress(OSError):  # the handler has gone
                super().handle()

        def _do(self) -> None:
            server.requests += 1
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            if server.fault is Fault.SLOW:
                time.sleep(_SLOW_SECONDS)
            if server.fault is Fault.FAILING and self._fails(next(numbers)):
                return
            address = urlsplit(self.path)
            query = {key: values[0] for key, values in parse_qs(address.query).items()}
            if "watch" in query:
                self._watch(int(query["resourceVersion"]), float(query["timeoutSeconds"]))
            elif selected := re.fullmatch(r"spec\.nodeName=(.+)", query.get("fieldSelector", "")):
                self._answer(200, server.pods_of(selected[1]))
            else:
                self._answer(*server.answer(self.command, address.path, body))

        do_GET = do_POST = do_PATCH = do_DELETE = _do  # noqa: N815 - named so by the base class

        def _fails(self, number: int) -> bool:
            if number % 3:
                return False
            if number % 9 == 0:
                self._answer(429, {"message": "Too many requests, please try again later."})
            elif number % 9 == 3:
                self._answer(500, {"message": "etcdserver: request timed out"})
            else:
                self.close_connection = True
            return True

        def _watch(self, version: int, seconds: float) -> None:
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            for line in server.events(version, seconds):
                self.wfile.write(line)

        def _answer(self, status: int, body: Object) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler
