"""The API server that the SDKs speak to."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from api_server import ApiServer, Json


@pytest.fixture
def api_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ApiServer]:
    """One that KUBECONFIG names."""
    path = tmp_path / "kubeconfig"
    state = ApiServer(path)

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
        address = f"http://127.0.0.1:{server.server_port}"
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": address}}],
            "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "team-a"}}],
            "current-context": "x",
        }
        path.write_text(json.dumps(config), encoding="utf-8")
        # Kept by the client when it was imported.
        monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(path))
        monkeypatch.setenv("KUBECONFIG", str(path))
        yield state
        server.shutdown()
        thread.join()
