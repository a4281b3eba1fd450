"""Published clusters are adopted on the simulated Azure as the page says: nothing of theirs is replaced or deleted."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.cli.process import main
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, StoredResource
from kubeflow_aks.local_aks.engine import Engine
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools import Tools
from tests.adopt.published import ADOPTED, Published
from tests.local.engine.deployment import TODAY, Cluster, Deployment, deployment
from tests.local.importing import run_import

STACK = "demo"
"""A name of a stack that `deployment` has made for other tests; here it has the files that `adopt` writes."""
KEPT = (
    "networkProfile",
    "addonProfiles",
    "windowsProfile",
    "linuxProfile",
    "nodeResourceGroup",
    "fqdn",
    "ingressProfile",
)


@pytest.fixture(autouse=True)
def _no_module_stays(tmp_path: Path) -> Generator[None]:
    """The command loads the program in this process, from a folder that goes."""
    yield
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(f"{tmp_path}{os.sep}"):
            del sys.modules[name]


def adopt(published: Published, deployed: Deployment, root: Path) -> str:
    """Writes both files by the command; the words of `pulumi import` that it prints."""
    published.put(deployed.azure)
    shown, windows = published.shown(deployed.azure)
    for name, content in (("cluster.json", shown), ("maintenance.json", windows)):
        (root / name).write_text(json.dumps(content))
    for name in ("__main__.py", "Pulumi.yaml", "aks_facts", "components", "program"):
        (root / name).symlink_to(PROJECT_ROOT / name)
    files = ["--cluster", str(root / "cluster.json"), "--maintenance", str(root / "maintenance.json")]
    words = ["adopt", STACK, "--root", str(root), *files, "--owner", "ml"]
    assert main(words) == 0
    return str(root / "build" / STACK / "import.json")


def kept(cluster: StoredResource) -> dict[str, Any]:
    return {name: cluster.outputs.get(name) for name in KEPT}


@pytest.mark.parametrize("published", ADOPTED, ids=lambda it: it.name)
def test_the_first_up_replaces_nothing_and_the_second_changes_nothing(
    published: Published, tmp_path: Path, tools: Tools, cluster: Cluster
) -> None:
    with deployment(tmp_path / "run", tools, cluster, STACK) as deployed:
        root = tmp_path / "project"
        root.mkdir()
        file = adopt(published, deployed, root)
        engine = Engine(
            deployed.run,
            tools,
            deployed.providers,
            root,
            STACK,
            {"asOf": TODAY.isoformat(), "protect": False},
        )
        [before] = deployed.azure.all(MANAGED_CLUSTER)
        pools = {pool.id: pool.outputs for pool in deployed.azure.all(AGENT_POOL)}
        engine.export()  # makes the workspace that `pulumi import` runs in
        line = f"import --stack {STACK} --file {file} --generate-code=false --protect=false"
        run_import(engine, shlex.split(line), tmp_path / "language")
        done = engine.up()
        assert {
            (step.op, step.type) for step in done.steps if step.op not in {"same", "create", "update", "read"}
        } <= {("delete", "pulumi:providers:azure-native")}, "that of the import, which had no version"
        assert [step.op for step in done.steps if step.type == MANAGED_CLUSTER] == ["update"]
        [after] = deployed.azure.all(MANAGED_CLUSTER)
        assert (after.id, kept(after)) == (before.id, kept(before))
        adopted_pools = {
            pool.id.rpartition("/")[2] for pool in deployed.azure.all(AGENT_POOL) if pool.id in pools
        }
        assert adopted_pools == {pool["name"] for pool in published.row["pools"]}
        managed = {
            step.name.rpartition("-")[2]
            for step in done.steps
            if step.type == AGENT_POOL and step.op == "update"
        }
        assert managed | {published.row["managed"][0]} == set(published.row["managed"])
        for pool in deployed.azure.all(AGENT_POOL):
            if pool.id in pools and pool.id.rpartition("/")[2] not in published.row["managed"]:
                assert pool.outputs == pools[pool.id], "not managed, so as it was"
        assert engine.preview().changed() == (), "a second `up` changes nothing"
