"""Serves the simulated compute on 127.0.0.1, to clients with the run's own bearer token."""

from __future__ import annotations

import hmac
import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from kubeflow_aks.local_aks.azure.arm import ArmError, Json
from kubeflow_aks.local_aks.azure_http.compute import Compute

_IDLE_SECONDS: Final = 30.0
"""How long a connection may be idle."""
_LONGEST_BODY: Final = 64 * 1024


@dataclass(frozen=True)
class Server:
    """A server on a port of 127.0.0.1 that runs in threads of its own."""

    port: int
    _http: ThreadingHTTPServer
    _thread: threading.Thread

    def stop(self) -> None:
        """End it; requests under way are not waited for."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def serve(compute: Compute, *, token: str, port: int = 0) -> Server:
    """Serve on 127.0.0.1, by default on a free port; a request must bring the token (`RunDirectory.bearer_token`).

    Raises:
        OSError: the port is taken.
    """
    answerer, secret = compute, token

    class Handler(_Handler):
        compute, token = answerer, secret

    http = _Http(("127.0.0.1", port), Handler)
    thread = threading.Thread(
        target=http.serve_forever, kwargs={"poll_interval": 0.1}, name="azure-http", daemon=True
    )
    thread.start()
    return Server(http.server_port, http, thread)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a client may keep its connection open


class _Handler(BaseHTTPRequestHandler):
    compute: ClassVar[Compute]
    token: ClassVar[str]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # an answer is two writes, and the second would wait for 40 ms
    timeout = _IDLE_SECONDS

    def _answer(self) -> None:
        try:
            content = self._take_body()
            self._require_token()
            url = urlsplit(self.path)
            query = {name.lower(): value for name, value in parse_qsl(url.query)}
            answer = self.compute.answer(self.command, unquote(url.path), query, content)
        except ArmError as error:
            retry = {} if error.retry_after is None else {"Retry-After": f"{error.retry_after:.0f}"}
            sign_in = {"WWW-Authenticate": "Bearer"} if error.status == 401 else {}  # noqa: PLR2004 - of HTTP
            body: Json = {"error": {"code": error.code, "message": error.message}}
            self._send(error.status, body, retry | sign_in)
            return
        self._send(204 if answer is None else 200, answer, {})

    do_DELETE = do_GET = do_PATCH = do_POST = do_PUT = _answer  # noqa: N815 - the base class's names

    def _require_token(self) -> None:
        """Refuses a missing token and a wrong one differently, as ARM does."""
        header = self.headers.get("Authorization", "")
        if not header:
            message = "Authentication failed. The 'Authorization' header is missing."
            raise ArmError(401, "AuthenticationFailed", message)
        if not hmac.compare_digest(header.encode(), f"Bearer {self.token}".encode()):
            raise ArmError(401, "InvalidAuthenticationToken", "The access token is invalid.")

    def _take_body(self) -> bytes:
        """The request's body, out of the way of the next request; one that is too large ends the connection."""
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdecimal() or int(length) > _LONGEST_BODY:
            self.close_connection = True
            raise ArmError(413, "RequestTooLarge", "The simulated Azure takes no such body.")
        return self.rfile.read(int(length))

    def _send(self, status: int, body: Json | None, headers: dict[str, str]) -> None:
        content = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if body is not None:
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Nothing: a log of requests helps nobody here."""
