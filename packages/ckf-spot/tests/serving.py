"""An HTTP server on 127.0.0.1 for as long as a test needs it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseRequestHandler
from typing import Any


class QuietHandler(BaseHTTPRequestHandler):
    """A handler that writes no log."""

    def answer(self, status: int, body: bytes) -> None:
        """Sends a JSON document."""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Keeps quiet."""


@contextmanager
def serving(handler: Callable[..., BaseRequestHandler]) -> Generator[str]:
    """Its address, without a path."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
