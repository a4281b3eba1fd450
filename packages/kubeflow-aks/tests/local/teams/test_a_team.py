"""What another team expects of the components, in a program of its own: one story, on one simulated Azure."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client

from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.engine import Engine, EngineError
from kubeflow_aks.local_aks.engine.results import Result
from kubeflow_aks.local_aks.run.directory import RunDirectory
from tests.docs.pages import blocks, commands
from tests.local.components.conftest import Make
from tests.local.importing import run_import

PROGRAMS = Path(__file__).parents[1] / "programs"
PAGE = Path(__file__).parents[5] / "docs" / "how-to" / "use-the-components.md"
OURS = "/subscriptions/00000000-0000-0000-0000-0000000000aa/"


def replaced(result: Result) -> list[tuple[str, str, tuple[str, ...]]]:
    """What is made anew or deleted: type, operation and the properties that force it."""
    return [
        (step.type, step.op, step.replace_keys)
        for step in result.steps
        if step.op not in {"same", "update", "read", "refresh"} and step.type != "team:index:Platform"
    ]


def test_a_team_takes_over_a_cluster_and_keeps_it(make: Make, run: RunDirectory, tmp_path: Path) -> None:
    azure = AzureState(run.azure)
    owners = make(PROGRAMS / "owners")
    owners.up()
    values = owners.outputs().values
    adopting = make(PROGRAMS / "adopting", **values, named=True)
    assert (MANAGED_CLUSTER, "create", ()) in replaced(adopting.preview())
    take_over(adopting, values["cluster"], tmp_path)

    unnamed = make(PROGRAMS / "adopting", **values).preview()
    [anew] = [step for step in unnamed.steps if step.type == MANAGED_CLUSTER and step.op == "replace"]
    assert set(anew.replace_keys) == {"dnsPrefix", "nodeResourceGroup", "resourceName"}

    adopting = make(PROGRAMS / "adopting", **values, named=True)
    others = [(kind, op) for kind, op, _ in replaced(adopting.preview()) if op != "create"]
    assert others == [("pulumi:providers:azure-native", "delete")], "that of the import, which had no version"
    done = adopting.up()
    assert [step.op for step in done.steps if step.type == MANAGED_CLUSTER] == ["update"]
    [cluster] = azure.all(MANAGED_CLUSTER)
    assert (cluster.id, cluster.outputs["sku"]["tier"]) == (values["cluster"], "Premium")
    assert set(adopting.up().changes) == {"same"}
    assert {entry.outputs["name"] for entry in azure.all(AGENT_POOL)} == {"system", "spot"}


def take_over(engine: Engine, cluster: str, folder: Path) -> None:
    """Runs the command of `docs/how-to/use-the-components.md`, with its file and this cluster."""
    [text] = blocks(PAGE, "json")
    taken = json.loads(text)
    taken["resources"][1]["id"] = cluster
    [command] = [line for line in commands(PAGE) if line.startswith("pulumi import ")]
    _, *words = shlex.split(command.replace("--stack dev", f"--stack {engine.stack}"))
    (engine.run.pulumi_workspace / words[words.index("--file") + 1]).write_text(json.dumps(taken))
    run_import(engine, words, folder)


def test_a_team_builds_renames_moves_and_leaves_nothing_with_others(
    make: Make, run: RunDirectory, api: Any
) -> None:
    azure = AzureState(run.azure)
    owners = make(PROGRAMS / "owners")
    owners.up()
    before = {entry.id for entry in azure.all()}
    settings = {"cluster": owners.outputs().values["cluster"]}

    make(PROGRAMS / "team", **settings).up()
    made = {entry.id for entry in azure.all()} - before
    assert {entry.outputs["name"] for entry in azure.all(MANAGED_CLUSTER)} == {
        "their-cluster",
        "team",
        "second",
    }
    assert {name for name in made if not name.startswith(OURS)} == {
        pool.id for pool in azure.all(AGENT_POOL) if pool.id.endswith("their-cluster/agentPools/spot")
    }, "everything of ours is in our subscription, but for the pool in their cluster"
    assert {
        entry.outputs["tags"]["owner"] for entry in azure.all(MANAGED_CLUSTER) if "tags" in entry.outputs
    } == {"team"}

    assert replaced(make(PROGRAMS / "team", **settings, owner="auditor").preview()) == []
    renamed = {**settings, "name": "the-platform", "renamedFrom": "team-one"}
    assert replaced(make(PROGRAMS / "team", **renamed, parent=True).preview()) == []
    assert replaced(make(PROGRAMS / "team", **renamed).up()) == []
    dropped = make(PROGRAMS / "team", **settings, name="nameless").preview()
    assert (AGENT_POOL, "delete", ()) in replaced(dropped)
    pools = {entry.id for entry in azure.all(AGENT_POOL)}
    with pytest.raises(EngineError, match="cannot create already existing resource"):
        make(PROGRAMS / "team", **settings, name="nameless").up()
    assert {entry.id for entry in azure.all(AGENT_POOL)} == pools, "Azure refuses before anything is deleted"

    make(PROGRAMS / "team", **renamed).destroy()
    assert {entry.id for entry in azure.all()} == before
    namespaces = client.CoreV1Api(api).list_namespace().items
    assert "team-in-theirs" not in {entry.metadata and entry.metadata.name for entry in namespaces}
