"""Credentials of a running stack are nowhere in the clear but where they are meant to be."""

from __future__ import annotations

import base64
from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from kubeflow_aks.clients.kubernetes.objects import at
from kubeflow_aks.local_aks.azure.faults import Fault
from kubeflow_aks.local_aks.azure.state import AGENT_POOL
from kubeflow_aks.local_aks.engine import EngineError
from kubeflow_aks.local_aks.lifecycle.service_files import PID_FILE
from kubeflow_aks.tools import Tools
from tests.local.engine.deployment import Cluster, Deployment
from tests.local.engine.served import served

JUJU = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "juju-token", "namespace": "kubeflow-aks"}}


@dataclass(frozen=True)
class Life:
    """Files and output of a stack in its life.

    Attributes:
        secrets: what nobody may read, by what it is.
        files: text of every file that it left, by path.
        consoles: what the engine printed, by operation.
    """

    secrets: dict[str, str]
    files: dict[str, str]
    consoles: dict[str, str]


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster) -> Generator[Life]:
    """A stack from its first `up`, over an `up` that fails, to its end."""
    with served(tmp_path_factory.mktemp("secrets") / "run", tools, cluster, "demo") as service:
        stack, consoles = service.stack, dict[str, str]()
        for operation in ("preview", "up", "refresh"):
            consoles[operation] = getattr(stack.engine(), operation)().console
        stack.azure.plan_faults([Fault(type=AGENT_POOL, nth=1, stage="operation", status=500)])
        with pytest.raises(EngineError) as failure:
            stack.engine(tags={"owner": "other", "environment": "demo"}).up()
        assert failure.value.result is not None
        consoles["failed up"] = failure.value.result.console + str(failure.value)
        secrets, files = _secrets(stack), _files(stack.run.root)
        consoles["destroy"] = stack.engine().destroy().console
        after = {f"{path}, after the end": text for path, text in _files(stack.run.root).items()}
        yield Life(secrets, files | after, consoles)


def _secrets(stack: Deployment) -> dict[str, str]:
    user = yaml.safe_load(stack.run.kubeconfig.read_text())["users"][0]["user"]
    key = base64.b64decode(user["client-key-data"]).decode()
    token = at(stack.cluster.api.get(JUJU), "data", "token")
    return {
        "the kubeconfig's key": user["client-key-data"],
        "a line of that key": key.splitlines()[2],
        "Juju's token": base64.b64decode(token).decode(),
        "Juju's token in base64": token,
        "the passphrase": stack.run.passphrase(),
        "the simulated Azure's token": stack.run.azure_token(),
    }


def _files(root: Path) -> dict[str, str]:
    meant = {root / name for name in ("kubeconfig", "passphrase", "azure-token")}
    texts: dict[str, str] = {}
    for file in root.rglob("*"):
        with suppress(FileNotFoundError):  # the service's drafts come and go
            if file.is_file() and file not in meant:
                texts[str(file.relative_to(root))] = file.read_text(errors="replace")
    return texts


def test_no_file_of_a_run_holds_a_secret(life: Life) -> None:
    leaks = [
        (path, what) for path, text in life.files.items() for what, it in life.secrets.items() if it in text
    ]
    assert leaks == []


def test_the_search_saw_state_azure_journal_and_the_services_log(life: Life) -> None:
    state = [text for path, text in life.files.items() if path.startswith("pulumi/state/.pulumi/stacks")]
    assert any("kubeflow-aks-demo" in text and "ciphertext" in text for text in state)
    assert {"azure/resources.json", "journal.jsonl", f"logs/{PID_FILE}.log"} <= set(life.files)


def test_nothing_that_the_engine_prints_holds_a_secret(life: Life) -> None:
    leaks = [
        (message, what)
        for message, text in life.consoles.items()
        for what, it in life.secrets.items()
        if it in text
    ]
    assert leaks == []
    assert all("kubeflow-aks" in text for text in life.consoles.values())


def test_the_secrets_are_real(life: Life) -> None:
    assert all(len(secret) > 30 for secret in life.secrets.values())
    assert len(set(life.secrets.values())) == len(life.secrets)
