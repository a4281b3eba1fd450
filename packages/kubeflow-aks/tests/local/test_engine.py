"""The engine's results for an example program with the stand-ins attached; `engine/` has the real program's life."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.local_aks.azure import server as azure
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.engine import Engine, EngineError
from kubeflow_aks.local_aks.engine.results import Result
from kubeflow_aks.local_aks.kubernetes_provider import server as kubernetes
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.tools import Tools
from tests.local import hosts
from tests.local.kubectl import Kubectl

EXAMPLE = Path(__file__).parent / "programs" / "example"

Make = Callable[..., Engine]


@contextmanager
def _providers(
    run: RunDirectory, kubeconfig: Path, *, speed: float = float("inf")
) -> Generator[dict[str, int]]:
    cloud = azure.serve(
        AzureState(run.azure), token=run.azure_token(), kubeconfig=kubeconfig.read_text, speed=speed
    )
    inside = kubernetes.serve(servers=kubernetes.servers_of(kubeconfig))
    yield {"azure-native": cloud.port, "kubernetes": inside.port}
    cloud.stop()
    inside.stop()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunDirectory:
    return RunDirectory.at(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def namespace(tools: Tools, kubeconfig: Path) -> Generator[str]:
    """A namespace that the program is to make."""
    name = f"test-{uuid.uuid4().hex[:8]}"
    yield name
    Kubectl(tools, kubeconfig).run("delete", "namespace", name, "--ignore-not-found", "--wait=false")


@pytest.fixture(scope="module")
def make(tools: Tools, kubeconfig: Path, run: RunDirectory, namespace: str) -> Generator[Make]:
    """Makes engines on one state, with extra configuration."""
    with _providers(run, kubeconfig) as providers, hosts.shared() as serve:

        def make(stack: str = "test", **extra: Any) -> Engine:
            return Engine(run, tools, providers, EXAMPLE, stack, {"namespace": namespace, **extra}, serve)

        yield make


@pytest.fixture(scope="module")
def brought_up(make: Make) -> Result:
    """Result of the only `up` that changes anything."""
    return make().up()


@pytest.mark.usefixtures("brought_up")
def test_an_update_shows_which_property_changes(make: Make) -> None:
    planned = make(pool={"vmSize": "Standard_D8s_v5", "maxCount": 5}).preview()
    [step] = planned.changed()
    assert (step.name, step.op, step.replace_keys) == ("spot", "update", ())
    assert step.differences == {"maxCount": "update"}


@pytest.mark.usefixtures("brought_up")
def test_a_replacement_shows_which_property_forces_it(make: Make) -> None:
    planned = make(pool={"vmSize": "Standard_D16s_v5", "maxCount": 3}).preview()
    replaced = [step for step in planned.changed() if step.name == "spot"]
    assert {step.op for step in replaced} == {"create-replacement", "replace", "delete-replaced"}
    assert {step.replace_keys for step in replaced if step.op == "create-replacement"} == {("vmSize",)}


@pytest.mark.usefixtures("brought_up")
def test_outputs_say_which_are_secret(make: Make) -> None:
    engine = make()
    outputs = engine.outputs()
    assert outputs.values == {"pool": "spot", "password": "correct horse"}
    assert outputs.secret_names == {"password"}
    assert engine.export() == json.loads(_pulumi(engine, "stack", "export"))["deployment"]


def _pulumi(engine: Engine, *command: str) -> str:
    """A command on the stack as users give it."""
    workspace = engine._stack.workspace  # pyright: ignore[reportPrivateUsage]
    line = [*command, "--stack", engine.stack]
    return workspace.pulumi_command.run(line, workspace.work_dir, workspace.env_vars).stdout


def test_no_secret_is_in_the_clear_in_state_or_on_the_console(
    brought_up: Result, kubeconfig: Path, run: RunDirectory
) -> None:
    key = next(line.split()[1] for line in kubeconfig.read_text().splitlines() if "client-key-data" in line)
    files = [file for file in (run.root / "pulumi").rglob("*") if file.is_file()]
    assert files
    for text in (brought_up.console, *(file.read_text(errors="replace") for file in files)):
        assert "correct horse" not in text
        assert key not in text


@pytest.mark.usefixtures("brought_up")
def test_the_programs_own_refusal_is_what_the_user_reads(make: Make) -> None:
    with pytest.raises(EngineError) as refusal:
        make(location="nowhere").up()
    assert "example:location: 'nowhere' is no region" in str(refusal.value)
    assert "Traceback" not in str(refusal.value)
    assert "<{%" not in str(refusal.value), "colour codes of the engine"
    assert refusal.value.result is not None
    steps = [(step.type, step.op) for step in refusal.value.result.steps]
    assert steps == [("pulumi:pulumi:Stack", "same")], "what was done before"


def test_a_providers_refusal_names_the_resource_and_shows_in_preview(make: Make) -> None:
    with pytest.raises(EngineError) as refusal:
        make(pool={"vmSize": "Standard_D8s_v5", "maxCount": "many"}).preview()
    assert refusal.value.result is not None
    [urn] = {
        message.urn
        for message in refusal.value.result.messages
        if message.severity == "error" and message.urn
    }
    assert urn.endswith("AgentPool::spot")


def test_an_encrypted_value_is_refused_with_its_key(make: Make) -> None:
    with pytest.raises(
        EngineError, match="example:token: encrypted with a key that only the stack's owner has"
    ):
        make(stack="locked").preview()
