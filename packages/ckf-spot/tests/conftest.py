"""Stand-ins for the cluster that KUBECONFIG names."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path

import pytest
import yaml
from hypothesis import settings
from serving import QuietHandler, serving

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
    running = ExitStack()

    def start(answer: Answer) -> None:
        class Handler(QuietHandler):
            def do_GET(self) -> None:
                self.answer(*answer(self.path))

        point_to(running.enter_context(serving(Handler)))

    with running:
        yield start
