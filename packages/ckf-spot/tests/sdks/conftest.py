"""The API server that the SDKs speak to."""

import json
import os
from collections.abc import Callable, Iterator

import pytest
from api_server import ApiServer
from serving import QuietHandler, serving


@pytest.fixture
def api_server(monkeypatch: pytest.MonkeyPatch, point_to: Callable[[str], None]) -> Iterator[ApiServer]:
    """One that KUBECONFIG names."""
    state = ApiServer()

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            there = state.answer(self.path)
            self.answer(200 if there else 404, json.dumps(there or {"kind": "Status", "code": 404}).encode())

        def do_POST(self) -> None:
            state.created.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer(201, json.dumps(state.created[-1]).encode())

    with serving(Handler) as address:
        point_to(address)
        # Kept by the client when it was imported.
        monkeypatch.setattr(
            "kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", os.environ["KUBECONFIG"]
        )
        yield state
