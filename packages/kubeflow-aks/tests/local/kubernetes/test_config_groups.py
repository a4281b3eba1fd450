"""Objects from YAML through the real engine: the SDK's ConfigGroup, and that of its `yaml.v2`, a remote component."""

from __future__ import annotations

import uuid
from collections.abc import Generator
from pathlib import Path

import pytest

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.objects import Object
from kubeflow_aks.local_aks.engine import Engine
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.tools import Tools
from tests.local import hosts
from tests.local_aks.kubernetes_provider.engine import provider

PROGRAM = Path(__file__).parents[1] / "programs" / "manifests"


@pytest.fixture
def namespace() -> str:
    return f"test-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def engine(tmp_path: Path, tools: Tools, kubeconfig: Path, namespace: str) -> Generator[Engine]:
    run = RunDirectory.at(tmp_path / "run")
    settings = {"namespace": namespace, "kubeconfig": kubeconfig.read_text()}
    with provider() as port, hosts.shared() as serve:
        engine = Engine(run, tools, {"kubernetes": port}, PROGRAM, "test", settings, serve)
        yield engine
        engine.destroy()


def test_config_groups_make_their_objects_and_a_second_up_changes_nothing(
    engine: Engine, api: ApiServer, namespace: str
) -> None:
    planned = engine.preview()
    assert {step.op for step in planned.changed()} == {"create"}
    made = engine.up()
    assert {step.name for step in made.changed()} >= {
        f"second:{namespace}",
        f"second:{namespace}/mapped",
        f"second:{namespace}/hidden",
        f"second:{namespace}/account",
    }
    assert api.get(_object("ConfigMap", "mapped", namespace))["data"] == {"since": "2026-11-22"}
    assert api.get(_object("ConfigMap", "decoded", namespace))["data"] == {"k": "v"}
    assert api.get(_object("Secret", "hidden", namespace))["data"] == {"k": "aHVudGVyMg=="}
    assert engine.outputs().values["resources"] == 4
    assert "hunter2" not in str(engine.export())
    assert engine.up().changed() == ()
    engine.destroy()
    with pytest.raises(ApiError, match="not found"):
        api.get(_object("ConfigMap", "mapped", namespace))


def _object(kind: str, name: str, namespace: str) -> Object:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": namespace}}
