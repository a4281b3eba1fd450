"""The API server that the SDKs speak to."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from api_server import ApiServer, Json


@pytest.fixture
def api_server(monkeypatch: pytest.MonkeyPatch, point_to: Callable[[str], None]) -> Iterator[ApiServer]:
    """One that KUBECONFIG names."""
    state = ApiServer()

    class Handler(BaseHTTPRequestHandler):
        def answer(self, status: int, content: Json) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            there = state.answer(self.path)
            self.answer(200 if there else 404, there or {"kind": "Status", "code": 404})

        def do_POST(self) -> None:
            state.created.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer(201, state.created[-1])

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            """Keeps quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        point_to(f"http://127.0.0.1:{server.server_port}")
        # Kept by the client when it was imported.
        monkeypatch.setattr(
            "kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", os.environ["KUBECONFIG"]
        )
        yield state
        server.shutdown()
        thread.join()
