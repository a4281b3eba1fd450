"""The program run against a stand-in for the API server."""

from __future__ import annotations

import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from ready_cluster import Api, Doctor, Told, point_to, ready

from ckf_spot import cli


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Api]:
    """The API server that KUBECONFIG names, of a cluster that is ready."""
    api = Api(ready())

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = api.answer("GET", urlsplit(self.path).path)
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
    point_to(f"http://127.0.0.1:{server.server_address[1]}", tmp_path, monkeypatch)
    yield api
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def doctor(capsys: pytest.CaptureFixture[str]) -> Doctor:
    """Runs `ckf-spot doctor`."""

    def ran(*arguments: str) -> Told:
        try:
            code = cli.main(["doctor", *arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        output = capsys.readouterr()
        return Told(code, output.out.splitlines(), output.err.splitlines())

    return ran
