"""A watch keeps the local copy up to date, also when the server ends it."""

import errno
import json
import random
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import urllib3

from kubeflow_aks.clients.kubernetes.connection import Connection
from kubeflow_aks.clients.kubernetes.errors import UnavailableError
from kubeflow_aks.clients.kubernetes.informer import Informer
from kubeflow_aks.clients.kubernetes.kubeconfig import ActiveCluster

PODS = "/api/v1/pods"


def an_object(uid: str, version: str = "1") -> dict[str, Any]:
    return {"metadata": {"uid": uid, "name": uid, "resourceVersion": version}}


@dataclass(frozen=True)
class Raw:
    """An answer as it goes over the wire; without a status, bytes that are no HTTP."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    cut: bool = False
    """Whether the connection ends before the body does."""


class ApiServer:
    """Serves one list, and each watch from a script of events; raw answers come first."""

    def __init__(self) -> None:
        self.listed = [an_object("a")]
        self.watches: list[list[dict[str, Any]]] = []
        self.raw_lists: list[Raw] = []
        self.raw_watches: list[Raw] = []
        self.requests: list[float] = []
        self.lists = 0
        self.failing = False
        self.open_ended = False
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                outer.requests.append(time.monotonic())
                raw = outer.raw_watches if "watch=true" in self.path else outer.raw_lists
                if raw:
                    self._raw(raw.pop(0))
                elif outer.failing:
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

            def _raw(self, answer: Raw) -> None:
                self.close_connection = True
                if answer.status == 0:
                    self.wfile.write(answer.body)
                    return
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body) + (100 if answer.cut else 0)))
                self.end_headers()
                self.wfile.write(answer.body)

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
        url = f"http://127.0.0.1:{self._server.server_port}"
        self.connection = Connection(ActiveCluster({"server": url}, {}, "default"))

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
        started.append(Informer(server.connection, PODS, pause_seconds=0.02))
        return started[-1]

    yield start
    for one in started:
        one.stop()


def uids(informer: Informer) -> list[str]:
    return sorted(entry["metadata"]["uid"] for entry in informer.objects())


def eventually(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 120
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


def test_a_deleted_object_is_returned_once_in_its_last_state(server: ApiServer) -> None:
    server.watches = [
        [
            {"type": "MODIFIED", "object": an_object("a", "6")},
            {"type": "DELETED", "object": an_object("a", "7")},
        ]
    ]
    informer = Informer(server.connection, PODS, keep_deleted=True, pause_seconds=0.02)
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
    with pytest.raises(UnavailableError, match="503"):
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
    copy = Informer(server.connection, PODS)
    eventually(lambda: uids(copy) == ["a", "b"])
    copy.stop()
    assert server.hold.is_set()


def uids_or_none(informer: Informer) -> list[str] | None:
    try:
        return uids(informer)
    except UnavailableError:
        return None


HTML = b"<html><body><h1>502 Bad Gateway</h1></body></html>"
BAD_ANSWERS = {
    "too many requests": Raw(429, b"Too many requests, please try again later.", {"Retry-After": "0"}),
    "not found, as text": Raw(404, b"404 page not found\n"),
    "signed out": Raw(401, b'{"kind":"Status","message":"Unauthorized","code":401}'),
    "a proxy's page": Raw(502, HTML),
    "a proxy's page that claims success": Raw(200, HTML),
    "a redirect to a sign-in page": Raw(302, b"", {"Location": "/login"}),
    "nothing": Raw(200, b""),
    "cut JSON": Raw(200, b'{"metadata": {"resourceVersion": "5"}, "items": [{"meta'),
    "a cut connection": Raw(200, b'{"metadata": {"resour', cut=True),
    "no HTTP": Raw(0, b"\x16\x03\x01 SSH-2.0-OpenSSH\r\n\r\n"),
    "nested without end": Raw(200, b"[" * 200_000),
    "not UTF-8": Raw(200, b'{"items": "\xff\xfe"}'),
    "a number": Raw(200, b"3"),
    "null": Raw(200, b"null"),
    "an empty object": Raw(200, b"{}"),
    "an event without type": Raw(200, b'{"object": {"metadata": {"uid": "x", "name": "x"}}}\n'),
    "an event without object": Raw(200, b'{"type": "ADDED"}\n'),
    "an object without metadata": Raw(200, b'{"type": "ADDED", "object": {"kind": "Pod"}, "items": [{}]}\n'),
    "items that are none": Raw(200, b'{"metadata": {"resourceVersion": "5"}, "items": [null]}\n'),
    "an event of another kind": Raw(
        200, b'{"type": "TURNED", "object": {"metadata": {"uid": "x", "name": "x"}}}\n'
    ),
}


@pytest.mark.parametrize("answer", BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_a_bad_answer_to_a_watch_means_a_new_list(
    server: ApiServer, informer: Callable[[], Informer], answer: Raw
) -> None:
    server.raw_watches = [answer]
    copy = informer()
    assert uids(copy) == ["a"]
    server.listed = [an_object("b")]
    eventually(lambda: uids(copy) == ["b"])


@pytest.mark.parametrize("answer", BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_a_bad_answer_to_a_list_is_unavailability_until_a_good_one(
    server: ApiServer, informer: Callable[[], Informer], answer: Raw
) -> None:
    server.raw_lists = [answer] * 2
    copy = informer()
    with pytest.raises(UnavailableError):
        copy.objects()
    eventually(lambda: uids_or_none(copy) == ["a"])


def test_while_it_can_not_list_again_old_objects_are_not_served(
    server: ApiServer, informer: Callable[[], Informer]
) -> None:
    server.raw_watches = [BAD_ANSWERS["not found, as text"]]
    copy = informer()
    assert uids(copy) == ["a"]
    server.failing = True
    eventually(lambda: uids_or_none(copy) is None)
    server.failing = False
    eventually(lambda: uids_or_none(copy) == ["a"])


def test_the_pause_that_the_server_requests_is_kept(
    server: ApiServer, informer: Callable[[], Informer]
) -> None:
    server.raw_lists = [Raw(429, b"", {"Retry-After": "1"})]
    copy = informer()
    eventually(lambda: uids_or_none(copy) == ["a"])
    assert server.requests[1] - server.requests[0] >= 1


JUNK: list[Any] = [None, 1, [], {}, "", "text", [None], [[]], {"a": []}]


def a_bad_answer(rng: random.Random) -> Raw:
    """An answer that no API server gives, or a good one with a piece replaced."""
    good: dict[str, Any] = {
        "type": rng.choice(["ADDED", "MODIFIED", "DELETED", "ERROR", "BOOKMARK", 7, None]),
        "object": an_object("z"),
        "metadata": {"resourceVersion": "5"},
        "items": [an_object("z")],
    }
    broken = rng.choice(
        [good, good["object"], good["object"]["metadata"], good["metadata"], good["items"][0]]
    )
    broken[rng.choice(list(broken))] = rng.choice(JUNK)
    text = json.dumps(good).encode()
    body = rng.choice(
        [text + b"\n", text[: rng.randrange(len(text))], rng.randbytes(40), HTML, b"", b"[" * 99_999]
    )
    headers = {"Retry-After": rng.choice(["0", "-1", "soon", "nan", ""])}
    return Raw(rng.choice([200, 200, 200, 0, 204, 301, 400, 403, 404, 410, 429, 500, 503]), body, headers)


@pytest.mark.parametrize("seed", range(10))
def test_whatever_comes_it_follows_the_server_again_afterwards(
    server: ApiServer, informer: Callable[[], Informer], seed: int
) -> None:
    rng = random.Random(seed)  # noqa: S311 - repeatable on purpose
    server.raw_lists = [a_bad_answer(rng) for _ in range(20)]
    server.raw_watches = [a_bad_answer(rng) for _ in range(20)]
    copy = informer()
    eventually(lambda: not server.raw_lists)
    server.raw_watches.clear()
    server.listed = [an_object("b")]
    eventually(lambda: uids_or_none(copy) == ["b"])
