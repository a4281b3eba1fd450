"""A stand-in for the dashboards of Ray's heads, which are containers: it has a state for each job, and runs none."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@dataclass
class Dashboards:
    """Every head's dashboard, behind one HTTP proxy.

    Attributes:
        address: of the proxy.
        states: of jobs, by their id; `RUNNING` where nothing else is set.
    """

    address: str
    states: dict[str, str] = field(default_factory=dict[str, str])

    def state(self, url: str) -> str:
        """The state of the job that a request is about."""
        job = urlsplit(url).path.rpartition("/")[2]
        return self.states.setdefault(job, "RUNNING")


@contextmanager
def dashboards() -> Generator[Dashboards]:
    """Listens on 127.0.0.1 meanwhile."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"status": answers.state(self.path)}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
            """Keeps the test's output free of it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        answers = Dashboards(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield answers
        finally:
            server.shutdown()
            thread.join()
