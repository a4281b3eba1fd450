"""What our scripts in a cluster share: the client of the API server, and what a script says of itself.

This file runs in the cluster as it is, from a ConfigMap, with nothing but Python's standard library.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Any, Final, TypeVar

from .script_metrics import Metric, serve

READY: Final = "ready"
"""Content of the file of `Report` while nothing keeps the program from its work."""
_SLOW_SECONDS: Final = 2
"""After a watch should have ended it is given up."""
_ANSWER_SECONDS: Final = 5.0
"""After that a request is sent again: a connection that hangs must not use up the notice."""
_WATCH_SECONDS: Final = 3
"""The nodes are listed anew after a watch of so long, so that a watch that is silent hides no notice."""
_RIGHTS_SECONDS: Final = 60
_LINES: Final = 1000
"""How many last lines are remembered, so that they are not repeated."""
GONE: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
"""The pod is not there any more, or another one has its name."""

Object = dict[str, Any]
Request = tuple[str, str, Object | None, str]
"""Method, path, body, and what the body is after `application/`."""
_T = TypeVar("_T")


class ApiError(Exception):
    """A refusal by the API server."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status} {_message(text)}")
        self.status = status
        self.text = text


FAILURES: Final = (ApiError, OSError, HTTPException, ValueError)
UNREADABLE: Final = (AttributeError, KeyError, TypeError, ValueError)
"""What an object raises that is not of the API's form."""


class Api:
    """The API server, as the pod's service account."""

    def __init__(self, host: str, port: int, folder: Path) -> None:
        """`folder` has the files `token`, which the kubelet renews, and `ca.crt`."""
        self._host, self._port, self._token = host, port, folder / "token"
        self._tls = ssl.create_default_context(cafile=str(folder / "ca.crt"))
        self._idle: queue.LifoQueue[HTTPSConnection] = queue.LifoQueue()

    def call(self, method: str, path: str, body: Object | None = None, kind: str = "json") -> Object:
        """One request and its JSON response; the request must be one that may be sent twice.

        Raises:
            ApiError: the server refuses.
            OSError: it does not answer.
        """
        while self._idle.qsize():
            with suppress(queue.Empty, OSError, HTTPException):  # the server closes what is idle for long
                return self._exchange(self._idle.get_nowait(), (method, path, body, kind))
            self._idle = queue.LifoQueue()
        return self._exchange(self._connect(_ANSWER_SECONDS), (method, path, body, kind))

    def watch(self, path: str) -> Iterator[bytes]:
        """The lines of a watch of some seconds.

        Raises:
            ApiError: the server refuses.
            OSError: nothing comes, not even the end.
        """
        ends = time.monotonic() + _WATCH_SECONDS
        request = ("GET", f"{path}&watch=1&timeoutSeconds={_WATCH_SECONDS}", None, "json")
        with closing(self._connect(_WATCH_SECONDS + _SLOW_SECONDS)) as connection:
            for line in self._send(connection, request):
                yield line
                if time.monotonic() > ends:
                    return

    def _exchange(self, connection: HTTPSConnection, request: Request) -> Object:
        """A request and its response; the connection is kept, because a new one costs more than the request."""
        answer = json.loads(self._send(connection, request).read())
        self._idle.put(connection)
        return answer

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
            "User-Agent": "kubeflow-aks",
        }
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        if response.status >= HTTPStatus.MULTIPLE_CHOICES:
            raise ApiError(response.status, response.read().decode(errors="replace"))
        return response


class Report:
    """What a program says of itself: in its log, and in a file for the readiness probe and the container's status."""

    def __init__(self, file: Path | None = None, parts: Iterable[str] = ()) -> None:
        """Writes that the parts have not been looked at.

        Args:
            file: has `READY`, or else what keeps the program from its work; None for no file.
            parts: what the program must look at before it is ready.
        """
        self._file = file
        self._lock = threading.Lock()
        self._last: dict[str, str] = {}
        self._problems = dict.fromkeys(parts, "not looked at yet")
        self._write()

    def line(self, about: str, text: str) -> None:
        """Logs a line."""
        self._last.pop(about, None)
        log(f"{about}: {text}")

    def once(self, about: str, text: str, detail: str = "") -> None:
        """Logs a line, unless the last one about it had the same text; the detail may differ."""
        with self._lock:
            if self._last.get(about) == text:
                return
            if len(self._last) >= _LINES:
                self._last.clear()
            self._last[about] = text
        log(f"{about}: {text}{detail}")

    def problem(self, part: str, text: str) -> None:
        """Reports what keeps the program from its work; an empty text is the end of it."""
        with self._lock:
            before, self._problems[part] = self._problems.get(part, ""), text
            if before != text:
                self._write()
        if text:
            self.once(part, text)
        elif part in self._last:
            self.line(part, "as it should be again")

    def readable(self, what: str, entries: Iterable[Any] | None, read: Callable[[Any], _T]) -> Iterator[_T]:
        """What `read` returns of the entries; one that cannot be read keeps nobody from the others."""
        for entry in entries or ():
            try:
                value = read(entry)
            except UNREADABLE as error:
                self.once(f"{what} {str(entry)[:100]}", f"skipped, as it cannot be read: {error!r}")
            else:
                yield value

    def _write(self) -> None:
        if self._file is not None:
            problems = [f"{part}: {text}" for part, text in self._problems.items() if text]
            self._file.write_text("; ".join(problems) or READY, encoding="utf-8")


def pod_name(pod: Object) -> str:
    """Namespace and name of a pod."""
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def pod_path(pod: Object) -> str:
    """The pod's path in the API."""
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"


def deletion(obj: Object, **options: int) -> Object:
    """Options that delete this very object, and not another one of its name."""
    uid = {"uid": obj["metadata"]["uid"]}
    return {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": uid, **options}


def eviction(pod: Object, **options: int) -> Object:
    """The eviction of this very pod."""
    name = {key: pod["metadata"][key] for key in ("name", "namespace")}
    return {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": name,
        "deleteOptions": deletion(pod, **options),
    }


def keep_checking_rights(api: Api, report: Report, rights: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
    """Has a thread report what the service account may not do, now and every minute.

    Args:
        api: the API server.
        report: gets the problem `rights`.
        rights: verbs by resource of the API group "", by namespace; "" is the whole cluster.
    """

    def check() -> None:
        while True:
            try:
                missing = missing_rights(api, rights)
                report.problem("rights", f"it may not {', '.join(missing)}" if missing else "")
            except (*FAILURES, *UNREADABLE) as error:
                report.once("rights", f"cannot be checked: {error!r}")
                time.sleep(1)
            else:
                time.sleep(_RIGHTS_SECONDS)

    threading.Thread(target=check, name="rights", daemon=True).start()


def missing_rights(api: Api, rights: Mapping[str, Mapping[str, Sequence[str]]]) -> list[str]:
    """Those rights that the service account does not have, in words.

    Raises:
        ApiError: the API server refuses to say.
        OSError: it does not answer.
    """
    missing: list[str] = []
    version = "authorization.k8s.io/v1"
    for namespace, verbs_by_resource in rights.items():
        for resource, verb in ((key, verb) for key, verbs in verbs_by_resource.items() for verb in verbs):
            name, _, part = resource.partition("/")
            attributes = {"namespace": namespace, "verb": verb, "resource": name, "subresource": part}
            spec = {"resourceAttributes": attributes}
            review = {"apiVersion": version, "kind": "SelfSubjectAccessReview", "spec": spec}
            if not api.call("POST", f"/apis/{version}/selfsubjectaccessreviews", review)["status"]["allowed"]:
                missing.append(f"{verb} {resource}{f' in {namespace}' if namespace else ''}")
    return missing


def log(line: str) -> None:
    """One line of the container's log, in one piece."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def start(
    text: str,
    parts: Iterable[str],
    rights: Mapping[str, Mapping[str, Sequence[str]]],
    metrics: Sequence[Metric],
) -> tuple[Api, Report]:
    """The client and the report of a script that begins: it logs, checks its rights, and answers with its metrics.

    The script's first argument may be the folder of the service account. In its environment `REPORT` is the file of
    the report and `METRICS` the address for metrics; without them there is none.

    Args:
        text: first line of its log.
        parts: see `Report`; its rights come on top.
        rights: see `keep_checking_rights`.
        metrics: what it answers.
    """
    signal.signal(signal.SIGTERM, _end)
    log(text)
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/var/run/secrets/kubernetes.io/serviceaccount")
    api = Api(os.environ["KUBERNETES_SERVICE_HOST"], int(os.environ["KUBERNETES_SERVICE_PORT"]), folder)
    file = os.environ.get("REPORT")
    report = Report(Path(file) if file else None, (*parts, "rights"))
    keep_checking_rights(api, report, rights)
    if address := os.environ.get("METRICS"):
        try:
            log(f"metrics at {serve(metrics, address)}")
        except (OSError, ValueError) as error:  # the work is more important
            log(f"metrics: cannot be served at {address}: {error}")
    return api, report


def _end(*_: object) -> None:
    """Ends the process; as a container's first one it would ignore SIGTERM."""
    sys.exit()


def _message(text: str) -> str:
    """The message of the API server's refusal; the text where it has none."""
    with suppress(*UNREADABLE):
        return str(json.loads(text)["message"])
    return text[:300]


def _notice_dead_peers(connection: socket.socket) -> None:
    """A peer that is gone without a word ends a silent watch within 15 seconds."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (("TCP_KEEPIDLE", 6), ("TCP_KEEPINTVL", 3), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, option):  # not on every system
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
