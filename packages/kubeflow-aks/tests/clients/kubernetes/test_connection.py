"""One request, one response: every failure is an error with its reason."""

import threading
from collections.abc import Generator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from kubeflow_aks.clients.kubernetes import connection
from kubeflow_aks.clients.kubernetes.connection import Connection
from kubeflow_aks.clients.kubernetes.errors import ApiError, KubeError, UnavailableError, UnreachableError
from kubeflow_aks.clients.kubernetes.kubeconfig import ActiveCluster


class Server:
    """Answers every request with the same, and keeps what it was sent."""

    def __init__(self) -> None:
        self.status = 200
        self.body = b"{}"
        self.headers: dict[str, str] = {}
        self.date: str | None = None
        self.paths: list[str] = []
        self.sign_ins: list[str | None] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.paths.append(self.path)
                outer.sign_ins.append(self.headers["Authorization"])
                self.send_response(outer.status)
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(outer.body)

            def date_time_string(self, timestamp: float | None = None) -> str:
                return super().date_time_string(timestamp) if outer.date is None else outer.date

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named so by the base class
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Generator[Server]:
    running = Server()
    yield running
    running.stop()


def connected(url: str) -> Connection:
    return Connection(ActiveCluster({"server": url}, {"token": "s3cr3t"}, "default"))


def get(server: Server) -> dict[str, Any]:
    return connected(server.url).call("GET", "/version")


def test_a_request_signs_in(server: Server) -> None:
    assert get(server) == {}
    assert server.sign_ins == ["Bearer s3cr3t"]


@pytest.mark.parametrize("url", ["", "https://example.org", "https://example.org:6443/127.0.0.1"])
def test_no_cluster_but_one_of_this_machine_is_spoken_to(url: str) -> None:
    with pytest.raises(UnreachableError, match=r"names no server|is not local"):
        connected(url)


def test_a_server_that_is_not_there_is_unreachable(server: Server) -> None:
    server.stop()
    with pytest.raises(UnreachableError, match=r"127\.0\.0\.1"):
        get(server)


@pytest.mark.parametrize(
    "body", [b"<html>", b"", b"[]", b"null", b"[" * 100_000], ids=lambda body: str(body[:6])
)
def test_success_that_is_no_object_is_no_answer(server: Server, body: bytes) -> None:
    server.body = body
    with pytest.raises(UnavailableError, match="GET /version"):
        get(server)


def test_a_refusal_is_in_the_server_s_words(server: Server) -> None:
    server.status, server.body = 409, b'{"reason": "Conflict", "message": "somebody else has it"}'
    with pytest.raises(ApiError, match="somebody else has it") as refused:
        get(server)
    assert (refused.value.conflict, refused.value.status, refused.value.retry_after) == (True, 409, 0)


@pytest.mark.parametrize(("header", "seconds"), [("2", 2), ("soon", 0), ("-1", 0), ("999999", 60)])
def test_a_refusal_in_plain_text_keeps_its_status_and_pause(
    server: Server, header: str, seconds: float
) -> None:
    server.status, server.body, server.headers = 429, b"slow down\n", {"Retry-After": header}
    with pytest.raises(KubeError, match=r"^slow down$") as refused:
        get(server)
    assert isinstance(refused.value, ApiError)
    assert (refused.value.status, refused.value.retry_after) == (429, seconds)


def test_nobody_else_is_sent_the_sign_in(server: Server) -> None:
    server.status, server.headers = 302, {"Location": "/elsewhere"}
    with pytest.raises(ApiError, match="Found"):
        get(server)
    assert server.paths == ["/version"]


def test_an_answer_without_end_is_not_read_to_its_end(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_LONGEST_RESPONSE", 1 << 20)
    server.body = b" " * (1 << 21) + b"{}"
    with pytest.raises(UnavailableError, match=r"^GET /version: the response is longer than 1 MiB$"):
        get(server)


def test_the_server_s_clock_is_read_from_its_answer(server: Server) -> None:
    server.date = "Sun, 22 Nov 2026 12:00:00 GMT"
    assert connected(server.url).time("/version") == datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize("date", ["", "soon", "Sun, 99 Nov 2026 12:00:00 GMT"])
def test_a_server_without_a_clock_shows_none(server: Server, date: str) -> None:
    server.date = date
    assert connected(server.url).time("/version") is None
