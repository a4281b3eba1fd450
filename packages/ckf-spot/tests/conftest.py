"""Stand-ins for the cluster that KUBECONFIG names."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import settings

from ckf_spot import sources

settings.register_profile("tests", deadline=None)  # a busy machine is slow
settings.load_profile("tests")

Answer = Callable[[str], tuple[int, bytes]]
"""Status and body for a path with its query."""


@pytest.fixture
def point_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes an address the cluster, and its ConfigMap the contract; the working folder is a new one."""

    def point(address: str) -> None:
        kubeconfig = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": address}}],
            "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u", "namespace": "team-a"}}],
            "current-context": "c",
        }
        path = tmp_path / "kubeconfig"
        path.write_text(yaml.safe_dump(kubeconfig), encoding="utf-8")
        monkeypatch.setenv("KUBECONFIG", str(path))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.delenv(sources.ENVIRONMENT, raising=False)
        monkeypatch.chdir(tmp_path)

    return point


@pytest.fixture
def serve(point_to: Callable[[str], None]) -> Generator[Callable[[Answer], None]]:
    """Starts an API server that answers so, as the cluster."""
    running: list[tuple[ThreadingHTTPServer, threading.Thread]] = []

    def start(answer: Answer) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, body = answer(self.path)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
                """Says nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        running.append((server, thread))
        point_to(f"http://127.0.0.1:{server.server_address[1]}")

    yield start
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()
