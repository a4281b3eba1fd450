"""The components as a plugin: the real engine starts its process and has it make them for the example in YAML.

Pulumi's YAML host is stood in for, so the example is registered by a program of ours.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from components.package import NAME, VERSION
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.engine import EngineError
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.tools import Tools
from tests.local.components.conftest import Make
from tests.local.kubectl import Kubectl
from tests.local.pool_contract import pools_in

ROOT = Path(__file__).parents[5]
HOST = ROOT / "tests" / "local" / "programs" / "yaml"


@pytest.fixture(autouse=True)
def plugin(run: RunDirectory) -> None:
    """Installs the plugin where the engine looks; Pulumi's Python host would start the same folder."""
    folder = run.pulumi_home / "plugins" / f"resource-{NAME}-v{VERSION}"
    folder.mkdir(parents=True)
    program = folder / f"pulumi-resource-{NAME}"
    program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, str(ROOT / "components")])} "$@"\n')
    program.chmod(0o700)


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The example, with what stands in for its host."""
    folder = shutil.copytree(ROOT / "examples" / "yaml", tmp_path / "example")
    return shutil.copytree(HOST, folder, dirs_exist_ok=True)


def test_the_example_in_yaml_uses_the_components(
    make: Make, run: RunDirectory, tools: Tools, kubeconfig: Path, example: Path
) -> None:
    engine = make(example, "dev")
    promised, created = engine.preview(), engine.up()
    assert {(step.urn, step.op) for step in promised.steps} == {(step.urn, step.op) for step in created.steps}
    azure, outputs = AzureState(run.azure), engine.outputs()
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
    assert pools_in(Kubectl(tools, kubeconfig), example)["batch"].pools[0].fallback == "batchod"
    _pools_go_with_the_cluster(engine.export()["resources"])
    assert set(engine.up().changes) == {"same"}


def _pools_go_with_the_cluster(resources: list[dict[str, Any]]) -> None:
    [cluster] = [of["urn"] for of in resources if of["urn"].endswith(":AksCluster::team")]
    pools = [of for of in resources if of["type"].endswith(":AgentPool")]
    assert [pool["deletedWith"] for pool in pools] == [cluster] * 3


def test_the_plugin_refuses_an_impossible_pool_in_words(make: Make, example: Path) -> None:
    program = example / "Pulumi.yaml"
    text = program.read_text(encoding="utf-8")
    program.write_text(text.replace("evictionPolicy: Delete", "evictionPolicy: Evict"), encoding="utf-8")
    with pytest.raises(EngineError) as refusal:
        make(example, "dev").preview()
    text = str(refusal.value)
    assert "pools[1].evictionPolicy" in text
    assert "'Evict' is not allowed; expected Delete or Deallocate" in text
    assert "agent_pools.py" not in text, "where in the component's code"
    print(text)
