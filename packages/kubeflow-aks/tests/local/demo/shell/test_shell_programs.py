"""What `./kubeflow-aks local shell` puts on PATH, called as by a program that works with a stack on Azure."""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubeflow_aks.clients.kubernetes.objects import at
from kubeflow_aks.demo.shell import shell_environment
from kubeflow_aks.deployed import outputs as deployed_outputs
from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.azure.state import AGENT_POOL
from kubeflow_aks.local_aks.lifecycle.instance import LocalAks
from kubeflow_aks.local_aks.simulation.vms.nodes import scale_set_name
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools import Tools
from tests.local.commands import PATIENCE_SECONDS
from tests.local.demo_stack import DemoStack
from tests.local.kubectl import eventually

VERSION = "api-version=2026-03-01"
POOL = "cpuspot"
STATUS = "/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status"


@pytest.fixture(scope="module")
def aks(demo: DemoStack) -> Generator[LocalAks]:
    """The demo stack with one spot node, which the autoscaler keeps, its service at work."""
    [pool] = [agent_pool for agent_pool in demo.azure.all(AGENT_POOL) if agent_pool.outputs["name"] == POOL]
    demo.azure.put(replace(pool, outputs={**pool.outputs, "count": 1, "minCount": 1}))
    aks = replace(demo.aks, speed=60.0)
    aks.start_service()
    try:
        yield aks
    finally:
        aks.stop_service()
        for name in demo.nodes(POOL):
            demo.cluster.delete_node(name)
        demo.azure.put(pool)


@pytest.fixture
def shell(aks: LocalAks, tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shell's environment is this process's; its home, which stays empty."""
    for name, value in shell_environment(aks.run, tools).items():
        monkeypatch.setenv(name, value)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=PROJECT_ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS
    )


def _az(*words: str) -> Any:
    done = _run("az", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _ask(path: str, method: str = "GET") -> tuple[int, Any]:
    """A request with the caller's sign-in, as `az` gives it."""
    token = _az("account", "get-access-token")["accessToken"]
    address = _az("cloud", "show")["endpoints"]["resourceManager"].rstrip("/")
    request = urllib.request.Request(  # noqa: S310 - an address of this machine
        f"{address}{path}?{VERSION}", method=method, headers={"Authorization": f"Bearer {token}"}
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310 - as above
            content = answer.read()
            return answer.status, json.loads(content) if content else None
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_pulumi_gives_the_outputs_and_writes_nowhere_else(shell: Path) -> None:
    outputs = deployed_outputs.of_stack("demo", project=PROJECT_ROOT)
    assert "client-key-data" in outputs.text("kubeconfig")
    assert outputs.basis("stack") == "demo"
    assert list(shell.iterdir()) == []


@pytest.mark.parametrize(
    "words", [["up", "--yes"], ["destroy", "--yes"], ["preview"], ["config", "set", "a", "b"]]
)
def test_pulumi_refuses_what_would_change_or_ask_azure(shell: Path, words: list[str]) -> None:
    before = (PROJECT_ROOT / "Pulumi.demo.yaml").read_bytes()
    done = _run("pulumi", *words, "--stack", "demo")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "error: the local AKS's pulumi reads only (stack output, stack export, stack ls); "
        "./kubeflow-aks local up changes the stack, ./kubeflow-aks local down removes it\n"
    )
    assert (PROJECT_ROOT / "Pulumi.demo.yaml").read_bytes() == before
    assert list(shell.iterdir()) == []


@pytest.mark.usefixtures("shell")
def test_no_secret_is_in_the_environment_or_a_program(aks: LocalAks) -> None:
    result = [_run("env").stdout, *(path.read_text() for path in (aks.run.root / "bin").iterdir())]
    for secret in (aks.run.passphrase(), aks.run.bearer_token(), aks.run.azure_token()):
        assert all(secret not in text for text in result)


@pytest.mark.usefixtures("shell")
def test_a_node_is_evicted_by_the_callers_own_sign_in(aks: LocalAks, demo: DemoStack) -> None:
    def ready() -> list[dict[str, Any]]:
        return [node for node in demo.cluster.nodes() if at(node, "metadata", "labels", "agentpool") == POOL]

    [node] = eventually(ready)
    name = node["metadata"]["name"]
    vm = at(node, "spec", "providerID").removeprefix("azure://")
    status, machine = _ask(vm)
    assert (status, machine["properties"]["osProfile"]["computerName"]) == (200, name)
    assert _ask(f"{vm}/simulateEviction", "POST") == (204, None)

    def lines(kind: Kind) -> list[dict[str, Any]]:
        text = (aks.run.root / "journal.jsonl").read_text(encoding="utf-8")
        journal = map(json.loads, text.split("\n")[:-1])  # the last one may not be complete yet
        return [line for line in journal if (line["kind"], line.get("node")) == (kind, name)]

    assert eventually(lambda: lines(Kind.EVICTION_NOTICE))
    assert eventually(lambda: lines(Kind.EVICTION))[0]["notice"] is True
    assert eventually(lambda: _ask(vm)[0] == 404)
    assert eventually(lambda: name not in {n["metadata"]["name"] for n in demo.cluster.nodes()})


@pytest.mark.usefixtures("aks")
def test_the_autoscaler_reports_the_health_of_each_pool(demo: DemoStack) -> None:
    config_map = eventually(lambda: demo.api.read(STATUS))
    report = yaml.safe_load(at(config_map, "data", "status"))
    assert report["autoscalerStatus"] == "Running"
    autoscaled = [scale_set_name(pool) for pool in demo.pools().values() if pool.autoscaled]
    assert [group["name"] for group in report["nodeGroups"]] == autoscaled
    assert at(config_map, "metadata", "annotations", "cluster-autoscaler.kubernetes.io/last-updated")


def test_the_cluster_has_the_storage_classes_of_aks_with_one_default(demo: DemoStack) -> None:
    classes = demo.api.read("/apis/storage.k8s.io/v1/storageclasses")["items"]
    default = "storageclass.kubernetes.io/is-default-class"
    marked = [
        at(c, "metadata", "name") for c in classes if at(c, "metadata", "annotations", default) == "true"
    ]
    assert marked == ["default"]
    assert {"managed-csi", "azurefile-csi"} <= {at(c, "metadata", "name") for c in classes}


@pytest.mark.usefixtures("shell")
def test_a_platform_node_is_not_evicted(demo: DemoStack) -> None:
    [vm, *_] = [
        at(node, "spec", "providerID").removeprefix("azure://")
        for node in demo.cluster.nodes()
        if at(node, "metadata", "labels", "agentpool") == "general"
    ]
    status, body = _ask(f"{vm}/simulateEviction", "POST")
    assert (status, body["error"]["code"]) == (409, "OperationNotAllowed")
