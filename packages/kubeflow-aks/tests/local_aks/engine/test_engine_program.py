"""This tree's own program, run in this process: it has modules of its own, and the caller's are put back afterwards."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import resource_pb2, resource_pb2_grpc
from pulumi.runtime.settings import Settings

from kubeflow_aks import local_aks
from kubeflow_aks.local_aks.engine import language_host, program
from kubeflow_aks.project import PROJECT_ROOT


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(
        sys, "dont_write_bytecode", True
    )  # two versions within a second look alike to the cache
    (tmp_path / "__main__.py").write_text("import own_module\nopen('ran', 'a').write(own_module.WORD)\n")
    (tmp_path / "own_module.py").write_text("WORD = 'first'\n")
    return tmp_path


def test_the_program_runs_in_its_folder_with_its_own_modules(project: Path) -> None:
    with program.fresh(project):
        language_host.run(project)
    assert (project / "ran").read_text() == "first"


def test_a_changed_module_reaches_the_next_run(project: Path) -> None:
    for word in ("first", "second"):
        (project / "own_module.py").write_text(f"WORD = '{word}'\n")
        with program.fresh(project):
            language_host.run(project)
    assert (project / "ran").read_text() == "firstsecond"


def test_the_callers_modules_path_and_folder_are_put_back(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(project), *sys.path])
    callers = importlib.import_module("own_module")
    before = (Path.cwd(), sys.path.copy())
    with program.fresh(project):
        language_host.run(project)
        assert sys.modules["own_module"] is not callers
    assert sys.modules["own_module"] is callers
    assert (Path.cwd(), sys.path) == before
    del sys.modules["own_module"]


def test_a_failed_program_leaves_nothing_behind(project: Path) -> None:
    (project / "__main__.py").write_text("import own_module\nraise ValueError\n")
    before = (Path.cwd(), sys.path.copy())
    with pytest.raises(ValueError), program.fresh(project):  # noqa: PT011 - its own
        language_host.run(project)
    assert "own_module" not in sys.modules
    assert (Path.cwd(), sys.path) == before


def test_modules_whose_files_nobody_changed_serve_the_next_run() -> None:
    root = PROJECT_ROOT
    ours = importlib.import_module("components.arguments.form")
    modules: list[Any] = []
    for _ in range(2):
        with program.fresh(root):
            modules.append(importlib.import_module("components.arguments.form"))
    assert modules[0] is modules[1] is not ours


def test_neither_we_nor_installed_packages_are_loaded_anew() -> None:
    root = PROJECT_ROOT
    with program.fresh(root):
        assert sys.modules["kubeflow_aks.local_aks"] is local_aks
        assert sys.modules["pytest"] is pytest


class _Monitor(resource_pb2_grpc.ResourceMonitorServicer):
    """An engine that knows every feature."""

    def SupportsFeature(  # noqa: N802 - the protocol's name
        self, request: resource_pb2.SupportsFeatureRequest, context: grpc.ServicerContext
    ) -> resource_pb2.SupportsFeatureResponse:
        del request, context
        return resource_pb2.SupportsFeatureResponse(hasSupport=True)


@contextmanager
def _engine(port: int = 0) -> Generator[int]:
    """An engine's port, which is free again afterwards."""
    server = grpc.server(ThreadPoolExecutor(1))
    resource_pb2_grpc.add_ResourceMonitorServicer_to_server(_Monitor(), server)
    port = server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    try:
        yield port
    finally:
        server.stop(grace=None).wait()


def _monitor(port: int) -> Any:
    """What the SDK calls an engine with."""
    settings: Any = Settings("project", "stack", monitor=f"127.0.0.1:{port}")
    return settings.monitor


def test_a_program_connects_to_a_port_that_an_abandoned_one_still_calls(project: Path) -> None:
    feature = resource_pb2.SupportsFeatureRequest(id="secrets")
    with program.fresh(project):
        with _engine() as port:
            abandoned = _monitor(port)
            assert abandoned.SupportsFeature(feature).hasSupport
        with pytest.raises(grpc.RpcError):
            abandoned.SupportsFeature(feature)
        with _engine(port):
            assert _monitor(port).SupportsFeature(feature).hasSupport
