"""Reports on edits of this program and of its stack files.

The first preview brings up each base, for all others. A preview has several edits, none of which hides another.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest

from kubeflow_aks.revisions.bytecode import bytecode
from tests.local.pull_request.conftest import Shown, environment, previewed, run
from tests.revisions.repository import Project

DEMO = "Pulumi.demo.yaml"
DEV = "Pulumi.dev.yaml"
CLASSES = "components/kubeflow/scheduling.py"
POOLS = """\
  kubeflow-aks:pools:
    general: {vmSize: Standard_D8s_v5, minCount: 2, maxCount: 4}
    cpuspot: {vmSize: Standard_D16ds_v5, priority: Spot, maxCount: 10, fallback: {maxCount: 5}}
    memspot: {vmSize: Standard_E8ds_v5, priority: Spot, maxCount: 6, workload: memory, fallback: {maxCount: 2}}
"""
REGISTRY = (
    "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/g/providers"
    "/Microsoft.ContainerRegistry/registries/teamimages"
)


@contextmanager
def _edited(tree: Project) -> Generator[None]:
    """Puts back what is edited in the block."""
    try:
        yield
    finally:
        tree.git("checkout", "--quiet", "--force", "change")
        tree.git("clean", "--quiet", "--force", "-d")


def _edit(tree: Project, file: str, before: str, after: str) -> None:
    path = tree.root / file
    text = path.read_text(encoding="utf-8")
    assert before in text, f"{file} has no {before}"
    path.write_text(text.replace(before, after), encoding="utf-8")


def _append(tree: Project, file: str, text: str) -> None:
    with (tree.root / file).open("a", encoding="utf-8") as stack:
        stack.write(text)


def _change(shown: Shown, name: str) -> dict[str, Any]:
    [change] = [entry for entry in shown.document("demo")["changes"] if entry["name"] == name]
    return change


@pytest.fixture(scope="module")
def unedited(this_tree: Project) -> Shown:
    """All stacks since the main branch, by that tree's own code."""
    variables = {name: value for name, value in environment().items() if name != "PYTHONPATH"}
    return run(
        this_tree,
        [sys.executable, "-m", "kubeflow_aks", "diff"],
        variables | {"PYTHONPYCACHEPREFIX": str(bytecode())},
        folder=this_tree.root,
    )


@pytest.fixture
def tree(unedited: Shown, this_tree: Project) -> Generator[Project]:
    assert unedited
    with _edited(this_tree):
        yield this_tree


@pytest.fixture(scope="module")
def pools(unedited: Shown, this_tree: Project) -> Shown:
    """`demo` has other pools, `dev` loses its protection, and a class has another name with an alias."""
    assert unedited
    with _edited(this_tree):
        _append(this_tree, DEMO, POOLS)
        _edit(this_tree, DEV, "config:\n", "config:\n  kubeflow-aks:protect: false\n")
        _edit(this_tree, CLASSES, 'f"{name}-batch",', 'f"{name}-lots",')
        _edit(
            this_tree,
            CLASSES,
            'description="Pipelines, training jobs and trials that can start again.",\n            opts=opts,',
            'description="Pipelines, training jobs and trials that can start again.",\n'
            "            opts=pulumi.ResourceOptions.merge(\n"
            '                opts, pulumi.ResourceOptions(aliases=[pulumi.Alias(name=f"{name}-batch")])\n'
            "            ),",
        )
        return previewed(this_tree, "--stack", "demo", "--stack", "dev")


@pytest.fixture(scope="module")
def cluster(unedited: Shown, this_tree: Project) -> Shown:
    """`demo` has another autoscaler, `dev` is elsewhere, and two classes have other names, one too high a value."""
    assert unedited
    with _edited(this_tree):
        _edit(this_tree, DEMO, "scaleDownUnneededTime: 2m", "scaleDownUnneededTime: 3m")
        _edit(this_tree, DEV, "westeurope", "northeurope")
        _edit(this_tree, CLASSES, 'f"{name}-batch",', 'f"{name}-lots",')
        _edit(this_tree, CLASSES, "value=1000", "value=2_000_000_000")
        _edit(this_tree, CLASSES, "-interactive", "-urgent")
        return previewed(this_tree, "--stack", "demo", "--stack", "dev", code=1)


@pytest.fixture(scope="module")
def refused(unedited: Shown, this_tree: Project) -> Shown:
    """Azure refuses two settings of `demo`; `dev` attaches a registry instead of its own, which is protected."""
    assert unedited
    with _edited(this_tree):
        settings = "{encryptionAtHost: true}\n  kubeflow-aks:registry: {sku: Premium, retentionDays: 30}\n"
        _edit(this_tree, DEMO, "config:\n", f"config:\n  kubeflow-aks:systemPool: {settings}")
        _append(this_tree, DEV, f"  kubeflow-aks:registry: {{attach: {REGISTRY}}}\n")
        return previewed(this_tree, "--stack", "demo", "--stack", "dev", code=1)


@pytest.fixture(scope="module")
def renamed_pools(unedited: Shown, this_tree: Project) -> Shown:
    """Pools have another logical name and violate a mandatory rule, and a tag is encrypted."""
    assert unedited
    with _edited(this_tree):
        _edit(this_tree, "__main__.py", "AgentPools(name,", 'AgentPools(f"{name}-pools",')
        _edit(this_tree, "components/pools/agent_pools.py", '"count"', '"nothing"')
        _edit(this_tree, DEMO, "owner: ml-platform", "owner: {secure: v1:abc}")
        return previewed(this_tree, "--stack", "demo", code=1)


@pytest.fixture(scope="module")
def stacks(unedited: Shown, this_tree: Project) -> Shown:
    """`demo` is named `show` now, `dev` has mistakes, and a new stack is no YAML."""
    assert unedited
    names = ("demo", "show", "dev", "broken")
    with _edited(this_tree):
        (this_tree.root / DEMO).rename(this_tree.root / "Pulumi.show.yaml")
        _append(
            this_tree,
            DEV,
            "  kubeflow-aks:pools:\n    cpu: {vmSize: Standard_X1}\n  kubeflow-aks:colour: blue\n",
        )
        (this_tree.root / "Pulumi.broken.yaml").write_text("config: [broken")
        return previewed(this_tree, *(word for name in names for word in ("--stack", name)), code=1)


def test_no_stack_of_a_tree_that_nobody_edited_changes(unedited: Shown) -> None:
    assert re.fullmatch(
        "".join(rf"{stack}: nothing changes in its \d\d resources\.\n" for stack in ("demo", "dev", "prod")),
        unedited.printed,
    )
    assert unedited.document("demo")["outcome"] == "unchanged"
    assert not unedited.document("demo")["looksReplaced"]


def test_a_base_is_brought_up_once(unedited: Shown, pools: Shown) -> None:
    assert "bringing up the base" in unedited.errors
    assert "bringing up the base" not in pools.errors


def test_pools_added_removed_and_replaced_and_what_follows_from_it(pools: Shown) -> None:
    document = pools.document("demo")
    changes = {
        name.removeprefix("kubeflow-aks-demo-"): action for name, action in pools.changes("demo").items()
    }
    assert (
        changes.items()
        >= {
            "general": "update",
            "cpuspot": "replace",
            "cpuod": "replace",
            "memspot": "create",
            "memod": "create",
            "gpuspot": "delete",
            "gpuod": "delete",
            "expander": "update",
        }.items()
    )
    spot = _change(pools, "kubeflow-aks-demo-cpuspot")
    assert spot["forcedBy"] == ["vmSize"]
    cost = document["cost"]
    assert cost["whyNot"] == {"base": [], "head": []}
    assert cost["after"]["monthly"]["expected"] > cost["before"]["monthly"]["expected"] > 0
    assert "cpuspot" in {line["name"] for line in cost["lines"] if line["before"] != line["after"]}
    size = {"path": "vmSize", "kind": "update", "before": "Standard_D8ds_v5", "after": "Standard_D16ds_v5"}
    assert size in spot["differences"]
    [general] = _change(pools, "kubeflow-aks-demo-general")["differences"]
    assert general == {"path": "maxCount", "kind": "update", "before": 3, "after": 4}
    [priorities] = _change(pools, "kubeflow-aks-demo-expander")["differences"]
    assert priorities["path"] == "data.priorities"
    assert "gpuspot" in priorities["before"]
    assert "memspot" in priorities["after"]
    assert document["head"]["edited"]
    assert {row["family"] for row in document["quota"]}
    assert "Pool cpuspot is replaced" in pools.printed
    assert "memspot" in pools.comment


def test_a_renamed_resource_with_an_alias_is_no_change(pools: Shown) -> None:
    assert not pools.changes("dev")
    assert not {"kubeflow-aks-demo-batch", "kubeflow-aks-demo-lots"} & pools.changes("demo").keys()


def test_protection_taken_away_is_reported_though_no_resource_changes(pools: Shown) -> None:
    document = pools.document("dev")
    assert "!! Protection is removed from" in pools.printed
    assert not document["changes"]
    assert [word["kind"] for word in document["words"]] == ["protection-removed"]
    assert [rule["rule"] for rule in document["policy"]["new"]] == ["only-demos-are-unprotected"]


def test_a_renamed_resource_without_an_alias_is_two_changes(cluster: Shown) -> None:
    assert cluster.changes("demo") == {
        "kubeflow-aks-demo-batch": "delete",
        "kubeflow-aks-demo-lots": "create",
        "kubeflow-aks-demo-interactive": "delete",
        "kubeflow-aks-demo-urgent": "create",
        "kubeflow-aks-demo": "update",
    }


def test_a_change_of_the_cluster_shows_no_role_assignments_as_replaced(cluster: Shown) -> None:
    document = cluster.document("demo")
    assert "kubeflow-aks-demo" in cluster.changes("demo")
    assert [word["subject"].removeprefix("kubeflow-aks-demo") for word in document["words"]] == [
        "-lots",
        "-batch",
        "",
    ]
    assert not [change for change in document["changes"] if "RoleAssignment" in change["type"]]
    assert document["looksReplaced"]


def test_a_change_that_up_refuses_fails_the_preview(cluster: Shown) -> None:
    words = cluster.document("dev")["words"]
    assert any(word["text"].endswith("It is protected: `pulumi up` refuses this.") for word in words)
    assert not any("API server" in word["text"] for word in words)
    assert words[0]["kind"] == "refused"


def test_what_azure_refuses_comes_first_and_fails_the_preview(refused: Shown, renamed_pools: Shown) -> None:
    words = refused.document("demo")["words"]
    of_azure = [word["text"] for word in words if word["kind"] == "azure-refuses"]
    assert [word["text"] for word in words[: len(of_azure)]] == of_azure
    for expected in ("PropertyChangeNotAllowed", "InvalidSku"):
        assert any(expected in text for text in of_azure)
    assert refused.printed.splitlines()[1].startswith("!! Azure refuses this change")
    first = renamed_pools.document("demo")["words"][0]
    assert first["kind"] == "azure-refuses"
    assert "already existing resource" in first["text"]
    assert renamed_pools.printed.splitlines()[1].startswith("!! Azure refuses this change")


def test_what_is_protected_and_goes_is_shown_and_fails_the_preview(refused: Shown) -> None:
    texts = [word["text"] for word in refused.document("dev")["words"]]
    assert refused.changes("dev")["kubeflowaksdev"] == "delete"
    assert any(text.startswith("Registry `kubeflowaksdev` is deleted") for text in texts)


def test_a_mandatory_rule_that_is_violated_is_reported(renamed_pools: Shown) -> None:
    rules = renamed_pools.document("demo")["policy"]["new"]
    assert [rule["rule"] for rule in rules if rule["mandatory"]]


def test_encrypted_values_are_stood_in_for_and_named(renamed_pools: Shown) -> None:
    document = renamed_pools.document("demo")
    assert document["notes"] == [
        "Pulumi.demo.yaml: encrypted values, so rules that need them were not checked: kubeflow-aks:tags.owner"
    ]
    assert r"\u0000" not in json.dumps(document)


def test_all_mistakes_in_the_settings_are_reported(stacks: Shown) -> None:
    document = stacks.document("dev")
    assert document["outcome"] == "headFailed"
    assert (
        "pools.cpu.maxCount: missing" in document["failures"]["head"]
    )  # of form, as the next one; rules come after
    assert "colour" in document["failures"]["head"]


def test_stacks_that_come_and_go(stacks: Shown) -> None:
    assert stacks.document("demo")["outcome"] == "removed"
    assert stacks.document("show")["outcome"] == "new"
    assert "pulumi stack rename show --stack demo" in stacks.document("demo")["words"][0]["text"]
    assert stacks.document("show")["words"][0]["kind"] == "second-cluster"
    assert set(stacks.changes("show").values()) == {"create"}
    assert stacks.document("broken")["outcome"] == "headFailed"
    assert stacks.document("broken")["failures"]["head"].startswith("Pulumi.broken.yaml line 1: not YAML: ")


def test_a_real_api_server_refuses_what_the_stand_in_takes(tree: Project, cluster: Shown) -> None:
    """A new class with a priority above what users' classes may have."""
    assert cluster.changes("demo")["kubeflow-aks-demo-urgent"] == "create"
    _edit(tree, CLASSES, "value=1000", "value=2_000_000_000")
    _edit(tree, CLASSES, "-interactive", "-urgent")
    document = previewed(tree, "--stack", "demo", "--control-plane", code=1).document("demo")
    assert "1000000000" in document["failures"]["head"]
