"""What the eviction handler's process gets of a local AKS; the tests of it run the process on a real API server."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.objects import Object
from kubeflow_aks.local_aks.control_plane.controllers.eviction_handler import EvictionHandler, prepare
from kubeflow_aks.local_aks.run.directory import RunDirectory


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    """A run directory with a kubeconfig, and nothing that runs."""
    made = RunDirectory.at(tmp_path / "run")
    authority = tmp_path / "ca.crt"
    authority.write_text("a certificate", encoding="utf-8")
    cluster = {"server": "https://127.0.0.1:1234", "certificate-authority": str(authority)}
    config: Object = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": {}}],
    }
    made.kubeconfig.write_text(json.dumps(config), encoding="utf-8")
    return made


def _of(_: object) -> ApiServer:
    return ApiServer.__new__(ApiServer)


def test_a_stack_without_a_handler_starts_none(run: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    def get(_: ApiServer, __: Object) -> Object:
        raise ApiError(404, "NotFound", "configmaps not found")

    monkeypatch.setattr(ApiServer, "of", _of)
    monkeypatch.setattr(ApiServer, "get", get)
    assert not EvictionHandler(run).start()
    assert not list(run.root.glob("eviction-handler*"))


def test_what_is_refused_otherwise_is_an_error(run: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    def get(_: ApiServer, __: Object) -> Object:
        raise ApiError(403, "Forbidden", "no")

    monkeypatch.setattr(ApiServer, "of", _of)
    monkeypatch.setattr(ApiServer, "get", get)
    with pytest.raises(ApiError):
        EvictionHandler(run).start()


def test_it_gets_what_its_pod_gets_and_nobody_else_may_read_it(
    run: RunDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    container = {
        "command": ["/usr/bin/python3", "-B", "-m", "scripts.script"],
        "env": [{"name": "REPORT", "value": "/dev/report"}, {"name": "MORE", "value": "more"}],
        "volumeMounts": [{"mountPath": "/opt/scripts"}],
    }
    stored = {
        "Deployment": {"spec": {"template": {"spec": {"containers": [container]}}}},
        "ConfigMap": {"data": {"script.py": "pass"}},
    }

    def get(_: ApiServer, obj: Object) -> Object:
        return stored[obj["kind"]]

    def token(_: ApiServer, namespace: str, account: str, *, seconds: int) -> str:  # noqa: ARG001
        return f"{namespace}/{account}"

    monkeypatch.setattr(ApiServer, "of", _of)
    monkeypatch.setattr(ApiServer, "get", get)
    monkeypatch.setattr(ApiServer, "token", token)
    folder = tmp_path / "handler"
    prepared = prepare(run.kubeconfig, folder, "eviction-handler")
    assert prepared is not None
    assert prepared.command == [sys.executable, "-B", "-m", "scripts.script", folder]
    assert prepared.folder == folder
    assert prepared.environment == {
        "KUBERNETES_SERVICE_HOST": "127.0.0.1",
        "KUBERNETES_SERVICE_PORT": "1234",
        "REPORT": str(folder / "report"),
        "METRICS": "127.0.0.1:0",
        "MORE": "more",
    }
    files = {file.name: file.read_text(encoding="utf-8") for file in folder.rglob("*") if file.is_file()}
    assert files == {"script.py": "pass", "token": "kubeflow-aks/eviction-handler", "ca.crt": "a certificate"}
    assert folder.stat().st_mode & 0o077 == 0
