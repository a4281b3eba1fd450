"""What the provider's advice for an unreachable cluster costs, and the way back (`docs/how-to`)."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
import yaml

from kubeflow_aks.local_aks.engine import Engine, EngineError
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import PROJECT_ROOT
from tests.local import hosts
from tests.local.required import required
from tests.local_aks.kubernetes_provider.engine import provider

PROGRAM = Path(__file__).parents[1] / "programs" / "objects"
HOW_TO = PROJECT_ROOT / "docs" / "how-to" / "reach-an-unreachable-cluster.md"
OBJECTS = 2
"""Kubernetes objects of the program."""
Make = Callable[[str], Engine]


@pytest.fixture(params=["simulated", "real"])
def kubernetes_provider(request: pytest.FixtureRequest) -> str:
    """Which Kubernetes provider the engines have."""
    return request.param


@pytest.fixture
def make(tmp_path: Path, kubernetes_provider: str) -> Generator[Make]:
    """Makes engines on one state, each with a kubeconfig."""
    tools = required("kubernetes-provider") if kubernetes_provider == "real" else required()
    run = RunDirectory.at(tmp_path / "run")
    namespace = f"test-{uuid.uuid4().hex[:8]}"
    with provider() as port, hosts.shared() as serve:

        def make(kubeconfig: str) -> Engine:
            settings = {"namespace": namespace, "kubeconfig": kubeconfig}
            return Engine(run, tools, {"kubernetes": port}, PROGRAM, "test", settings, serve)

        yield make


def test_a_wrong_token_looks_like_an_unreachable_cluster_and_the_advice_loses_the_state(
    make: Make, kubeconfig: Path, monkeypatch: pytest.MonkeyPatch, kubernetes_provider: str
) -> None:
    right = kubeconfig.read_text()
    wrong = _with_token(right, "expired")
    make(right).up()
    assert _objects(make(right)) == OBJECTS
    assert [step.type for step in make(wrong).up().changed()] == ["pulumi:providers:kubernetes"]
    with pytest.raises(EngineError) as refused:
        make(wrong).refresh()
    message = " ".join(str(refused.value).split())
    advice = (
        'rerunning the operation with the PULUMI_K8S_DELETE_UNREACHABLE environment variable set to "true"'
    )
    assert advice in message
    assert advice in " ".join(HOW_TO.read_text().split())

    monkeypatch.setenv("PULUMI_K8S_DELETE_UNREACHABLE", "true")
    make(wrong).up()
    make(wrong).refresh()
    monkeypatch.delenv("PULUMI_K8S_DELETE_UNREACHABLE")
    assert _objects(make(right)) == 0
    if kubernetes_provider == "simulated":  # before 4.29 a create takes what is there
        with pytest.raises(EngineError, match="already exists"):
            make(right).up()

    monkeypatch.setenv("PULUMI_K8S_UPSERT_EXISTING_OBJECTS", "true")
    make(right).up()
    monkeypatch.delenv("PULUMI_K8S_UPSERT_EXISTING_OBJECTS")
    make(right).up()
    assert _objects(make(right)) == OBJECTS
    make(right).destroy()


def _with_token(kubeconfig: str, token: str) -> str:
    config = yaml.safe_load(kubeconfig)
    config["users"][0]["user"] = {"token": token}
    return json.dumps(config)


def _objects(engine: Engine) -> int:
    resources = engine.export().get("resources", [])
    return sum(resource["custom"] and "providers:" not in resource["type"] for resource in resources)
