"""The components as a plugin: the real engine starts its process and has it make them for the example in YAML.

Pulumi's own YAML host runs the example. It reads the types of resources in their providers' schemas, of which it gets
the part that the example refers to: azure-native's is not in its SDK.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Generator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from components.package import NAME, VERSION
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.engine import Engine, EngineError
from kubeflow_aks.local_aks.protocol.server import serve
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.tools import Tools
from tests.local.components.conftest import Make
from tests.local.kubectl import Kubectl
from tests.local.pool_contract import pools_in
from tests.local.required import required_only
from tests.local.schemas import Schema, azure_native

ROOT = Path(__file__).parents[5]
RESOURCE_GROUP = {name: {"type": "string"} for name in ("resourceGroupName", "location")}
KUBERNETES = {
    "kubeconfig": {"type": "string"},
    "clusterIdentifier": {"type": "string"},
    "enableConfigMapMutable": {"type": "boolean"},
}


@pytest.fixture(autouse=True)
def plugin(run: RunDirectory) -> None:
    """Installs the plugin where the engine looks; Pulumi's Python host would start the same folder."""
    folder = run.pulumi_home / "plugins" / f"resource-{NAME}-v{VERSION}"
    folder.mkdir(parents=True)
    program = folder / f"pulumi-resource-{NAME}"
    program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, str(ROOT / "components")])} "$@"\n')
    program.chmod(0o700)


@pytest.fixture
def example(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Engine]:
    """The example on the engine, which starts the YAML host by the name of Python's, as it takes every project over."""
    [program] = required_only("pulumi-language-yaml").paths.values()
    group = {"inputProperties": RESOURCE_GROUP, "properties": {"name": {"type": "string"}}}
    azure = serve(azure_native(**{"azure-native:resources:ResourceGroup": group}))
    kubernetes = serve(Schema("kubernetes", "4.34.2", provider={"inputProperties": KUBERNETES}))
    schemas = f"azure-native:{azure.port},kubernetes:{kubernetes.port}"
    host = tmp_path / "bin" / "pulumi-language-python"
    host.parent.mkdir()
    host.write_text(f'#!/bin/sh\nPULUMI_DEBUG_PROVIDERS={schemas} exec {program} "$@"\n')
    host.chmod(0o700)
    monkeypatch.setenv("PATH", f"{host.parent}{os.pathsep}{os.environ['PATH']}")
    folder = shutil.copytree(ROOT / "examples" / "yaml", tmp_path / "example")
    yield replace(make(folder, "dev"), serve=no_address)
    azure.stop()
    kubernetes.stop()


def no_address(_: Path) -> nullcontext[str]:
    """The engine itself starts the host."""
    return nullcontext("")


def test_the_example_in_yaml_uses_the_components(
    run: RunDirectory, tools: Tools, kubeconfig: Path, example: Engine
) -> None:
    promised, created = example.preview(), example.up()
    assert {(step.urn, step.op) for step in promised.steps} == {(step.urn, step.op) for step in created.steps}
    azure, outputs = AzureState(run.azure), example.outputs()
    [cluster] = azure.all(MANAGED_CLUSTER)
    assert cluster.outputs["name"] == outputs.values["cluster"] == "team"
    pools = {pool.outputs["name"]: pool.outputs for pool in azure.all(AGENT_POOL)}
    assert {name: pool["count"] for name, pool in pools.items()} == {
        "system": 1,
        "platform": 2,
        "batch": 0,
        "batchod": 0,
    }
    assert pools["batch"]["scaleSetEvictionPolicy"] == "Delete"
    assert outputs.values["pools"] == ["platform", "batch", "batchod"]
    assert outputs.secret_names == {"kubeconfig"}
    assert pools_in(Kubectl(tools, kubeconfig), example.project_root)["batch"].pools[0].fallback == "batchod"
    _pools_go_with_the_cluster(example.export()["resources"])
    assert set(example.up().changes) == {"same"}


def _pools_go_with_the_cluster(resources: list[dict[str, Any]]) -> None:
    [cluster] = [of["urn"] for of in resources if of["urn"].endswith(":AksCluster::team")]
    pools = [of for of in resources if of["type"].endswith(":AgentPool")]
    assert [pool["deletedWith"] for pool in pools] == [cluster] * 3


def test_the_plugin_refuses_an_impossible_pool_in_words(example: Engine) -> None:
    program = example.project_root / "Pulumi.yaml"
    text = program.read_text(encoding="utf-8")
    program.write_text(text.replace("evictionPolicy: Delete", "evictionPolicy: Evict"), encoding="utf-8")
    with pytest.raises(EngineError) as refusal:
        example.preview()
    text = str(refusal.value)
    assert "pools[1].evictionPolicy" in text
    assert "'Evict' is not allowed; expected Delete or Deallocate" in text
    assert "agent_pools.py" not in text, "where in the component's code"
