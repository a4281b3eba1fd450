"""The example program: another tree's cluster with two pools, made of the components."""

from __future__ import annotations

import shutil
from pathlib import Path

from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.tools import Tools
from tests.local.components.conftest import Make
from tests.local.kubectl import Kubectl
from tests.local.pool_contract import pools_in

ROOT = Path(__file__).parents[5]


def test_the_example_comes_up_stays_and_goes(
    make: Make, run: RunDirectory, tools: Tools, kubeconfig: Path, tmp_path: Path
) -> None:
    example = shutil.copytree(ROOT / "examples" / "two-pools", tmp_path / "example")
    (example / "kubeflow_aks_components").symlink_to(ROOT / "components")  # where it is not installed
    engine = make(example, "dev")
    created = engine.up()
    assert set(created.changes) == {"create"}
    azure = AzureState(run.azure)
    [cluster] = azure.all(MANAGED_CLUSTER)
    pools = {pool.outputs["name"]: pool.outputs for pool in azure.all(AGENT_POOL)}
    assert set(pools) == {"system", "platform", "batch", "batchod"}
    assert pools["batch"]["scaleSetPriority"] == "Spot"
    assert pools["batch"]["nodeTaints"] == ["kubernetes.azure.com/scalesetpriority=spot:NoSchedule"]
    outputs = engine.outputs()
    assert outputs.values["cluster"] == cluster.outputs["name"]
    assert outputs.values["pools"] == ["platform", "batch", "batchod"]
    assert outputs.secret_names == {"kubeconfig"}
    batch = pools_in(Kubectl(tools, kubeconfig), tmp_path)["batch"]
    assert [(pool.name, pool.spot, pool.fallback) for pool in batch.pools] == [
        ("batch", True, "batchod"),
        ("batchod", False, None),
    ]
    assert set(engine.up().changes) == {"same"}
    engine.destroy()
    assert azure.all() == []
