"""What the eviction handler does while the API server misbehaves; the tests of the local AKS play it with a process."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlsplit

import pytest

from components.kubeflow import eviction_script, script_client, script_pod
from components.kubeflow.eviction_script import RIGHTS, Handler, Metrics
from components.kubeflow.script_client import READY, Api, ApiError, Report, missing_rights
from components.kubeflow.script_metrics import exposition
from tests.components.evicting import Server
from tests.serving import serving

SECONDS = 10
"""After so long a test fails that waits for another thread."""


def handler(server: Server, now: Callable[[], float] = time.time) -> Handler:
    return Handler(cast(Api, server), now)


def test_a_cordon_that_conflicts_for_ever_is_tried_once_a_look_and_keeps_no_pod() -> None:
    server = Server(
        "a", "b", fails=lambda method, _: ApiError(409, "modified") if method == "PATCH" else None
    )
    server.notice()
    assert server.look()
    assert sorted(server.evicted) == ["a", "b"]
    assert sum(request.startswith("PATCH") for request in server.requests) == 1


def test_evicting_does_not_wait_for_the_cordon() -> None:
    evicted = threading.Event()

    def fails(method: str, _: str) -> None:
        if method == "POST":
            evicted.set()
        assert method != "PATCH" or evicted.wait(SECONDS)

    server = Server("a", fails=fails)
    server.notice()
    assert not server.look()


def test_a_cordon_that_hangs_is_not_begun_again_and_delays_no_other_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(eviction_script, "_CORDON_SECONDS", 0.0)
    ended = threading.Event()

    def fails(method: str, _: str) -> None:
        assert method != "PATCH" or ended.wait(SECONDS)

    server = Server("a", fails=fails)
    server.notice()
    looking = handler(server)
    assert looking.look(server.node)
    assert looking.look(server.node)
    ended.set()
    assert server.evicted == ["a", "a"]
    assert sum(request.startswith("PATCH") for request in server.requests) == 1


def test_a_pod_whose_eviction_is_refused_is_deleted_when_its_grace_would_not_fit_any_more() -> None:
    server = Server("long", "short", fails=lambda _, path: _forbidden(path))
    server.graces = {"long": 600, "short": 10}
    server.notice()
    assert server.look()
    assert (server.evicted, server.deleted) == ([], ["long"])


def _forbidden(path: str) -> ApiError | None:
    return ApiError(403, "pods/eviction is forbidden") if path.endswith("/eviction") else None


def test_an_overload_is_no_reason_to_delete() -> None:
    server = Server(
        "a", fails=lambda method, _: ApiError(429, "Too many requests") if method == "POST" else None
    )
    server.notice()
    assert server.look()
    assert not server.deleted


def test_a_wrong_date_gives_what_an_ordinary_notice_has() -> None:
    server = Server("a")
    server.graces = {"a": 600}
    server.notice(date="Fri, 31 Dec 9999 23:59:59 GMT")
    handler(server, lambda: 1_800_000_000.0).look(server.node)
    assert server.granted == {"a": 28}


def test_a_pod_gets_less_grace_from_an_api_server_that_takes_long_to_answer() -> None:
    now = 1_800_000_000.0

    def fails(_: str, path: str) -> None:
        nonlocal now
        if path.startswith("/api/v1/pods"):
            now += 3

    server = Server("a", fails=fails)
    server.graces = {"a": 600}
    server.notice(date=formatdate(now + 30, usegmt=True))
    handler(server, lambda: now).look(server.node)
    assert server.granted == {"a": 30 - 3 - 3 - 2}


def test_a_notice_of_a_node_whose_earlier_one_was_taken_back_is_measured_from_its_own_beginning() -> None:
    now = 1_800_000_000.0
    server = Server("a")
    server.graces = {"a": 600}
    looking = handler(server, lambda: now)
    server.notice(date=formatdate(now + 30, usegmt=True))
    looking.look(server.node)
    server.notice("False")
    looking.look(server.node)
    now += 7200
    server.notice(date=formatdate(now + 60, usegmt=True))
    looking.look(server.node)
    assert server.granted == {"a": 58}


@pytest.mark.parametrize(
    "entry",
    [None, {}, {"metadata": {"name": "odd"}}, {"metadata": {"name": "a", "namespace": "t", "uid": "1"}}, []],
)
def test_an_entry_that_is_no_pod_keeps_no_other_waiting(
    entry: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    server = Server("a")
    server.odd = [entry]
    server.notice()
    assert not server.look()
    assert server.evicted == ["a"]
    assert "skipped, as it cannot be read" in capsys.readouterr().out


def test_so_many_pods_are_evicted_at_once_as_requests_may_be_sent() -> None:
    number = 60
    all_at_once = threading.Barrier(number)

    def fails(method: str, _: str) -> None:
        if method == "POST":
            all_at_once.wait(SECONDS)

    server = Server(*map(str, range(number)), fails=fails)
    server.notice()
    assert not server.look()
    assert len(server.evicted) == number


def test_pods_with_the_longest_grace_are_evicted_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eviction_script, "_REQUESTS", 1)
    queued = threading.Event()
    server = Server("5", "20", "60", "40", fails=lambda method, _: _wait(method, queued))
    server.graces = {name: int(name) for name in server.pods}
    server.notice()
    looking = handler(server)
    thread = threading.Thread(target=looking.look, args=(server.node,))
    thread.start()
    until = time.monotonic() + SECONDS
    while looking._due.qsize() < 3 and time.monotonic() < until:  # pyright: ignore[reportPrivateUsage]
        time.sleep(0.01)
    queued.set()
    thread.join(SECONDS)
    assert server.evicted[1:] == sorted(server.evicted[1:], key=int, reverse=True)
    assert set(server.evicted) == set(server.pods)


def _wait(method: str, queued: threading.Event) -> None:
    if method == "POST":
        assert queued.wait(SECONDS)


class Ended(BaseException):
    """The end of a handler's loop, which has none."""


class Nodes(Server):
    """A server whose lists and watches come from a script.

    After the last list it waits for an eviction if there is to be one; then all nodes are gone and the loop ends.
    """

    def __init__(
        self, *lists: Any, watches: list[Iterator[bytes] | Exception] | None = None, evicts: bool = True
    ) -> None:
        super().__init__("a")
        self._lists = chain(lists, self._last(), (Ended(),))
        self._watches = iter(watches or ())
        self._evicts = evicts
        self._seen = threading.Event()

    def call(self, method: str, path: str, body: Any = None, kind: str = "") -> Any:
        """One request."""
        if path == "/api/v1/nodes":
            answer = next(self._lists)
            if isinstance(answer, BaseException):
                raise answer
            return {"metadata": {"resourceVersion": "7"}, "items": answer}
        result = super().call(method, path, body, kind)
        if method == "POST":
            self._seen.set()
        return result

    def watch(self, path: str) -> Iterator[bytes]:
        """The next watch."""
        assert "resourceVersion=7" in path
        lines = next(self._watches, iter(()))
        if isinstance(lines, Exception):
            raise lines
        return lines

    def run(
        self, monkeypatch: pytest.MonkeyPatch, report: Report | None = None, on_advisory: str = "ignore"
    ) -> list[str]:
        """The handler's loop until it ends, without its pauses; returns its metrics."""
        metrics = Metrics()
        clock = SimpleNamespace(time=time.time, sleep=lambda _: None)  # pyright: ignore[reportUnknownLambdaType]
        monkeypatch.setattr(eviction_script, "time", clock)
        with pytest.raises(Ended):
            Handler(cast(Api, self), report=report, metrics=metrics, on_advisory=on_advisory).run()
        for thread in threading.enumerate():
            if thread.name == "spot-0":
                thread.join(SECONDS)
        return exposition(list(vars(metrics).values())).splitlines()

    def _last(self) -> Iterator[list[Any]]:
        assert not self._evicts or self._seen.wait(SECONDS)
        yield []


def noticed(status: str = "True") -> dict[str, Any]:
    server = Server()
    server.notice(status)
    return server.node


def event(kind: str, node: Any) -> bytes:
    return json.dumps({"type": kind, "object": node}).encode() + b"\n"


def test_a_notice_behind_a_silent_watch_is_in_the_next_list(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Nodes([], [noticed()], watches=[TimeoutError("nothing came")])
    server.run(monkeypatch)
    assert server.evicted


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"null\n",
        b"{}\n",
        b'{"type": "MODI\n',
        event("MODIFIED", None),
        event("ADDED", {}),
        event("ADDED", {"metadata": {"name": "new"}, "spec": {}}),
        event("ADDED", {"metadata": {"name": "new"}, "spec": {}, "status": {"conditions": [None]}}),
        event("DELETED", None),
        event("BOOKMARK", {"metadata": {"resourceVersion": "8"}}),
    ],
)
def test_an_event_that_cannot_be_read_hides_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: bytes
) -> None:
    server = Nodes([], watches=[iter([line, event("MODIFIED", noticed())])])
    server.run(monkeypatch)
    assert server.evicted
    assert capsys.readouterr().out.count("skipped, as it cannot be read") == 1


@pytest.mark.parametrize("entry", [None, {}, {"metadata": {"name": "new"}, "spec": {}}])
def test_an_entry_that_is_no_node_hides_no_other(monkeypatch: pytest.MonkeyPatch, entry: Any) -> None:
    server = Nodes([entry, noticed()])
    server.run(monkeypatch)
    assert server.evicted


def test_refusals_neither_end_the_handler_nor_fill_its_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    report = Report(tmp_path / "report", ("nodes",))
    refusal = ApiError(403, '{"message": "nodes is forbidden"}')
    expected = "nodes: cannot be listed: ApiError('403 nodes is forbidden')"
    reports: list[str] = []

    def watch() -> Iterator[bytes]:
        reports.append((tmp_path / "report").read_text(encoding="utf-8"))
        yield from ()

    Nodes([], *[refusal] * 50, [], watches=[watch(), watch()], evicts=False).run(monkeypatch, report)
    assert reports == [READY, READY]
    assert capsys.readouterr().out.splitlines() == [expected, "nodes: as it should be again"]


def test_a_notice_is_acted_on_at_once_where_advice_was_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def next_pause(_: float, *, again: bool) -> float:  # noqa: ARG001
        return 2.0 * SECONDS

    monkeypatch.setattr(eviction_script, "next_pause", next_pause)
    advised = Server()
    advised.advise()
    server = Nodes([advised.node], [noticed()])
    server.run(monkeypatch, on_advisory="checkpoint")
    assert server.evicted == ["a"]


def test_pods_that_go_with_their_node_had_no_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = Nodes([noticed()]).run(monkeypatch)
    assert 'kubeflow_aks_eviction_seconds_left_bucket{le="0"} 1' in metrics


def test_a_detector_that_cannot_read_counts_once_until_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = [[noticed(status)] for status in ("Unknown", "Unknown", "False", "Unknown")]
    metrics = Nodes(*lists, evicts=False).run(monkeypatch)
    assert "kubeflow_aks_eviction_metadata_errors_total 2" in metrics


class Account:
    """An API server's answers about the rights of an account."""

    def __init__(self, *missing: tuple[str, str, str]) -> None:
        """Those that it does not have, as namespace, verb and resource."""
        self._missing = missing

    def call(self, method: str, path: str, body: Any) -> Any:
        """One review."""
        assert (method, path) == ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
        right = body["spec"]["resourceAttributes"]
        resource = "/".join(filter(None, (right["resource"], right["subresource"])))
        return {"status": {"allowed": (right["namespace"], right["verb"], resource) not in self._missing}}


def test_rights_that_are_missing_are_named_with_their_namespace() -> None:
    account = Account(("", "create", "pods/eviction"), ("", "patch", "nodes"), ("tries", "delete", "pods"))
    rights = {"": RIGHTS, "tries": {"pods": ("delete", "create")}}
    missing = missing_rights(cast(Api, account), rights)
    assert missing == ["patch nodes", "create pods/eviction", "delete pods in tries"]
    assert not missing_rights(cast(Api, Account()), rights)


def test_the_readiness_probe_fails_with_what_is_reported_and_passes_without(tmp_path: Path) -> None:
    file = tmp_path / "report"
    file.touch()
    assert probe(file) == (1, "")
    report = Report(file, ("nodes", "rights"))
    report.problem("nodes", "")
    assert probe(file) == (1, "rights: not looked at yet")
    report.problem("rights", "it may not create pods/eviction")
    assert probe(file) == (1, "rights: it may not create pods/eviction")
    report.problem("rights", "")
    assert probe(file) == (0, "")


def probe(file: Path) -> tuple[int, str]:
    """Exit code and output of the command of the probe, for another file."""
    _, *command = (text.replace(script_pod.REPORT, str(file)) for text in script_pod.PROBE_COMMAND)
    result = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    return result.returncode, (result.stdout + result.stderr).strip()


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Api]:
    """Makes the client of a server that speaks plain HTTP, with watches of a fifth of a second."""

    def connection(host: str, port: int, *, timeout: float, context: object) -> HTTPConnection:  # noqa: ARG001
        return HTTPConnection(host, port, timeout=timeout)

    def context(**_: object) -> None:
        """Nothing is encrypted here."""

    monkeypatch.setattr(script_client.ssl, "create_default_context", context)
    monkeypatch.setattr(script_client, "HTTPSConnection", connection)
    monkeypatch.setattr(script_client, "_WATCH_SECONDS", 0.1)
    monkeypatch.setattr(script_client, "_SLOW_SECONDS", 0.1)
    (tmp_path / "token").write_text("token", encoding="utf-8")

    def client(url: str) -> Api:
        address = urlsplit(url)
        return Api(str(address.hostname), int(address.port or 0), tmp_path)

    return client


def watching(lines: Callable[[], Iterator[bytes]]) -> type[BaseHTTPRequestHandler]:
    """A server whose watches have these lines, and no end."""

    class Watch(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            for line in lines():
                self.wfile.write(line)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named so by the base class
            pass

    return Watch


def test_a_watch_that_is_silent_ends(plain: Callable[[str], Api]) -> None:
    ended = threading.Event()

    def silent() -> Iterator[bytes]:
        ended.wait(SECONDS)
        yield from ()

    with serving(watching(silent)) as url, pytest.raises(TimeoutError):
        list(plain(url).watch("/api/v1/nodes?resourceVersion=1"))
    ended.set()


def test_a_watch_that_the_server_does_not_end_ends(plain: Callable[[str], Api]) -> None:
    ended = threading.Event()

    def endless() -> Iterator[bytes]:
        while not ended.wait(0.02):
            yield b"{}\n"

    with serving(watching(endless)) as url:
        assert set(plain(url).watch("/api/v1/nodes?resourceVersion=1")) == {b"{}\n"}
        ended.set()
