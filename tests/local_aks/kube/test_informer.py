"""A watch keeps the local copy up to date, also when the server ends it."""

import errno
import json
import threading
import time
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import urllib3

from local_aks.kube.errors import ClusterUnavailableError
from local_aks.kube.informer import Informer


def an_object(uid: str, version: str = "1") -> dict[str, Any]:
    return {"metadata": {"uid": uid, "resourceVersion": version}}


class ApiServer:
    """Serves one list, and each watch from a script of events."""

    def __init__(self) -> None:
        self.listed = [an_object("a")]
        self.watches: list[list[dict[str, Any]]] = []
        self.lists = 0
        self.failing = False
        self.open_ended = False
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                if outer.failing:
                    self.send_error(503)
                elif "watch=true" in self.path:
                    self._watch()
                else:
                    outer.lists += 1
                    self._answer({"metadata": {"resourceVersion": "5"}, "items": outer.listed})

            def _answer(self, body: dict[str, Any]) -> None:
                text = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def _watch(self) -> None:
                events = outer.watches.pop(0) if outer.watches else None
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for event in events or []:
                    self._chunk(json.dumps(event).encode() + b"\n")
                if events is None or outer.open_ended:
                    outer.hold.wait(5)
                self._chunk(b"")

            def _chunk(self, data: bytes) -> None:
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named so by the base class
                pass

        self.hold = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(
            target=self._server.serve_forever, daemon=True, kwargs={"poll_interval": 0.01}
        ).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/api/v1/pods"

    def stop(self) -> None:
        """End everything."""
        self.hold.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Generator[ApiServer]:
    running = ApiServer()
    yield running
    running.stop()


@pytest.fixture
def informer(server: ApiServer) -> Generator[Callable[[], Informer]]:
    started: list[Informer] = []

    def start() -> Informer:
        started.append(Informer(urllib3.PoolManager(retries=False), server.url, {}))
        return started[-1]

    yield start
    for one in started:
        one.stop()


def uids(informer: Informer) -> list[str]:
    return sorted(entry["metadata"]["uid"] for entry in informer.objects())


def eventually(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


def test_changes_are_followed(server: ApiServer, informer: Callable[[], Informer]) -> None:
    added = {"type": "ADDED", "object": an_object("b")}
    removed = {"type": "DELETED", "object": an_object("a")}
    server.watches = [[added, removed]]
    server.listed = [an_object("a")]
    copy = informer()
    server.listed = [an_object("b")]
    eventually(lambda: uids(copy) == ["b"])


def test_what_was_deleted_is_told_once_as_it_was_at_the_end(server: ApiServer) -> None:
    server.watches = [
        [
            {"type": "MODIFIED", "object": an_object("a", "6")},
            {"type": "DELETED", "object": an_object("a", "7")},
        ]
    ]
    http = urllib3.PoolManager(retries=False)
    informer = Informer(http, server.url, {}, keep_deleted=True)
    try:
        eventually(lambda: server.lists > 1)
        assert informer.take_deleted() == [an_object("a", "7")]
        assert informer.take_deleted() == []
    finally:
        informer.stop()


def test_an_unchanged_object_stays_the_same_python_object(
    server: ApiServer, informer: Callable[[], Informer]
) -> None:
    copy = informer()
    assert copy.objects()[0] is copy.objects()[0]
    assert server.lists == 1


def test_a_version_too_old_to_watch_from_means_a_new_list(
    server: ApiServer, informer: Callable[[], Informer]
) -> None:
    server.watches = [[{"type": "ERROR", "object": {"code": 410, "message": "too old resource version"}}]]
    copy = informer()
    eventually(lambda: server.lists == 2)
    assert uids(copy) == ["a"]


def test_a_server_that_does_not_answer_is_unavailable_until_it_does(
    server: ApiServer, informer: Callable[[], Informer]
) -> None:
    server.failing = True
    copy = informer()
    with pytest.raises(ClusterUnavailableError, match="503"):
        copy.objects()
    server.failing = False
    eventually(lambda: uids_or_none(copy) == ["a"])


@pytest.mark.parametrize(
    "why_not",
    [
        RuntimeError("released to the pool"),
        OSError(errno.EBADF, "Bad file descriptor"),
        ValueError("Cannot shutdown socket as self._sock_shutdown is not set"),
        TypeError("'NoneType' object is not callable"),
    ],
    ids=["released", "closed", "given up", "half closed"],
)
def test_it_stops_while_a_watch_ends_by_itself(
    server: ApiServer, monkeypatch: pytest.MonkeyPatch, why_not: Exception
) -> None:
    def shutdown(_response: urllib3.HTTPResponse) -> None:
        server.hold.set()
        raise why_not

    monkeypatch.setattr(urllib3.HTTPResponse, "shutdown", shutdown)
    server.open_ended = True
    server.watches = [[{"type": "ADDED", "object": an_object("b")}]]
    copy = Informer(urllib3.PoolManager(retries=False), server.url, {})
    eventually(lambda: uids(copy) == ["a", "b"])
    copy.stop()
    assert server.hold.is_set()


def uids_or_none(informer: Informer) -> list[str] | None:
    try:
        return uids(informer)
    except ClusterUnavailableError:
        return None
