"""Reports on edits of this program and of its stack files; the base is brought up once."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from tests.kubeflow_aks.revisions.repository import Project
from tests.local.pull_request.conftest import Shown, previewed

DEMO = "Pulumi.demo.yaml"
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


@pytest.fixture
def tree(this_tree: Project) -> Generator[Project]:
    yield this_tree
    this_tree.git("checkout", "--quiet", "--force", "change")
    this_tree.git("clean", "--quiet", "--force", "-d")
    this_tree.git("reset", "--quiet", "--hard", "main")


def _edit(tree: Project, file: str, before: str, after: str) -> None:
    path = tree.root / file
    text = path.read_text(encoding="utf-8")
    assert before in text, f"{file} has no {before}"
    path.write_text(text.replace(before, after), encoding="utf-8")


def _change(shown: Shown, name: str) -> dict[str, Any]:
    [change] = [each for each in shown.document("demo")["changes"] if each["name"] == name]
    return change


def test_a_tree_that_nobody_edited_changes_nothing(tree: Project) -> None:
    shown = previewed(tree, "--stack", "demo")
    assert shown.printed.startswith("demo: nothing changes.")
    assert shown.document("demo")["outcome"] == "unchanged"
    assert not shown.document("demo")["looksReplaced"]
    assert "bringing up the base" not in previewed(tree, "--stack", "demo").errors


def test_pools_added_removed_and_replaced_and_what_follows_from_it(tree: Project) -> None:
    with (tree.root / DEMO).open("a") as file:
        file.write(POOLS)
    shown = previewed(tree, "--stack", "demo")
    document = shown.document("demo")
    pools = {
        name.removeprefix("kubeflow-aks-demo-"): action for name, action in shown.changes("demo").items()
    }
    assert (
        pools.items()
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
    spot = _change(shown, "kubeflow-aks-demo-cpuspot")
    assert spot["forcedBy"] == ["vmSize"]
    cost = document["cost"]
    assert cost["whyNot"] == {"base": [], "head": []}
    assert cost["after"]["monthly"]["expected"] > cost["before"]["monthly"]["expected"] > 0
    assert "cpuspot" in {line["name"] for line in cost["lines"] if line["before"] != line["after"]}
    size = {"path": "vmSize", "kind": "update", "before": "Standard_D8ds_v5", "after": "Standard_D16ds_v5"}
    assert size in spot["differences"]
    [general] = _change(shown, "kubeflow-aks-demo-general")["differences"]
    assert general == {"path": "maxCount", "kind": "update", "before": 3, "after": 4}
    [priorities] = _change(shown, "kubeflow-aks-demo-expander")["differences"]
    assert priorities["path"] == "data.priorities"
    assert "gpuspot" in priorities["before"]
    assert "memspot" in priorities["after"]
    assert document["head"]["edited"]
    assert {row["family"] for row in document["quota"]}
    assert "Pool cpuspot is replaced" in shown.printed
    assert "memspot" in (shown.folder / "demo.md").read_text(encoding="utf-8")


def test_a_renamed_resource_with_an_alias_is_no_change_and_without_one_two(tree: Project) -> None:
    where = "components/kubeflow/scheduling.py"
    _edit(tree, where, 'f"{name}-batch",', 'f"{name}-lots",')
    assert previewed(tree, "--stack", "demo").changes("demo") == {
        "kubeflow-aks-demo-batch": "delete",
        "kubeflow-aks-demo-lots": "create",
    }
    _edit(
        tree,
        where,
        'description="Pipelines, training jobs and trials that can start again.",\n            opts=opts,',
        'description="Pipelines, training jobs and trials that can start again.",\n'
        "            opts=pulumi.ResourceOptions.merge(\n"
        '                opts, pulumi.ResourceOptions(aliases=[pulumi.Alias(name=f"{name}-batch")])\n'
        "            ),",
    )
    assert previewed(tree, "--stack", "demo").document("demo")["outcome"] == "unchanged"


def test_a_change_of_the_cluster_shows_no_role_assignments_as_replaced(tree: Project) -> None:
    _edit(tree, DEMO, "scaleDownUnneededTime: 2m", "scaleDownUnneededTime: 3m")
    shown = previewed(tree, "--stack", "demo")
    assert "kubeflow-aks-demo" in shown.changes("demo")
    assert not shown.document("demo")["words"]
    assert not [change for change in shown.document("demo")["changes"] if "RoleAssignment" in change["type"]]
    assert shown.document("demo")["looksReplaced"]


def test_protection_taken_away_is_reported_though_no_resource_changes(tree: Project) -> None:
    _edit(tree, "Pulumi.dev.yaml", "config:\n", "config:\n  kubeflow-aks:protect: false\n")
    shown = previewed(tree, "--stack", "dev")
    document = shown.document("dev")
    assert "!! Protection is removed from" in shown.printed
    assert not document["changes"]
    assert [word["kind"] for word in document["words"]] == ["protection-removed"]
    assert [rule["rule"] for rule in document["policy"]["new"]] == ["only-demos-are-unprotected"]


def test_a_change_that_up_refuses_fails_the_preview(tree: Project) -> None:
    _edit(tree, "Pulumi.dev.yaml", "westeurope", "northeurope")
    document = previewed(tree, "--stack", "dev", code=1).document("dev")
    texts = [word["text"] for word in document["words"]]
    assert any(text.endswith("It is protected: `pulumi up` refuses this.") for text in texts)
    assert not any("API server" in text for text in texts)
    assert document["words"][0]["kind"] == "refused"


@pytest.mark.parametrize(
    ("file", "before", "after", "words"),
    [
        (
            DEMO,
            "config:\n",
            "config:\n  kubeflow-aks:systemPool: {encryptionAtHost: true}\n",
            "PropertyChangeNotAllowed",
        ),
        (
            DEMO,
            "config:\n",
            "config:\n  kubeflow-aks:registry: {sku: Premium, retentionDays: 30}\n",
            "InvalidSku",
        ),
        ("__main__.py", "AgentPools(name,", 'AgentPools(f"{name}-pools",', "already existing resource"),
    ],
    ids=["system pool", "registry", "renamed pools"],
)
def test_what_azure_refuses_comes_first_and_fails_the_preview(
    tree: Project, file: str, before: str, after: str, words: str
) -> None:
    _edit(tree, file, before, after)
    shown = previewed(tree, "--stack", "demo", code=1)
    assert shown.document("demo")["words"][0]["kind"] == "azure-refuses"
    assert words in shown.document("demo")["words"][0]["text"]
    assert shown.printed.splitlines()[1].startswith("!! Azure refuses this change")


def test_what_is_protected_and_goes_is_shown_and_fails_the_preview(tree: Project) -> None:
    (tree.root / "Pulumi.dev.yaml").write_text(
        (tree.root / "Pulumi.dev.yaml").read_text(encoding="utf-8")
        + f"  kubeflow-aks:registry: {{attach: {REGISTRY}}}\n",
        encoding="utf-8",
    )
    shown = previewed(tree, "--stack", "dev", code=1)
    texts = [word["text"] for word in shown.document("dev")["words"]]
    assert shown.changes("dev")["kubeflowaksdev"] == "delete"
    assert any(text.startswith("Registry `kubeflowaksdev` is deleted") for text in texts)


def test_a_mandatory_rule_fails_the_preview(tree: Project) -> None:
    _edit(tree, "components/agent_pools.py", '"count"', '"nothing"')
    document = previewed(tree, "--stack", "demo", code=1).document("demo")
    assert [rule["rule"] for rule in document["policy"]["new"] if rule["mandatory"]]


def test_all_mistakes_in_the_settings_are_reported(tree: Project) -> None:
    with (tree.root / DEMO).open("a") as file:
        file.write("  kubeflow-aks:pools:\n    cpu: {vmSize: Standard_X1}\n  kubeflow-aks:colour: blue\n")
    document = previewed(tree, "--stack", "demo", code=1).document("demo")
    assert document["outcome"] == "headFailed"
    assert (
        "pools.cpu.maxCount: missing" in document["failures"]["head"]
    )  # of form, as the next one; rules come after
    assert "colour" in document["failures"]["head"]


def test_stacks_that_come_and_go(tree: Project) -> None:
    (tree.root / DEMO).rename(tree.root / "Pulumi.show.yaml")
    (tree.root / "Pulumi.dev.yaml").write_text("config: [broken")
    shown = previewed(tree, "--stack", "demo", "--stack", "show", "--stack", "dev", code=1)
    assert shown.document("demo")["outcome"] == "removed"
    assert shown.document("show")["outcome"] == "new"
    assert "pulumi stack rename show --stack demo" in shown.document("demo")["words"][0]["text"]
    assert shown.document("show")["words"][0]["kind"] == "second-cluster"
    assert set(shown.changes("show").values()) == {"create"}
    assert shown.document("dev")["outcome"] == "headFailed"
    assert shown.document("dev")["failures"]["head"].startswith("Pulumi.dev.yaml line 1: not YAML: ")


def test_a_base_that_does_not_run_is_reported_and_the_head_is_shown_as_new(tree: Project) -> None:
    tree.git("checkout", "--quiet", "-b", "broken")
    _edit(tree, "Pulumi.demo.yaml", "kubeflow-aks:location", "kubeflow-aks:place")
    commit = tree.commit("2026-09-01")
    _edit(tree, "Pulumi.demo.yaml", "kubeflow-aks:place", "kubeflow-aks:location")
    shown = previewed(tree, "--stack", "demo", base=commit)
    assert shown.document("demo")["outcome"] == "baseFailed"
    assert "place" in shown.document("demo")["failures"]["base"]
    assert set(shown.changes("demo").values()) == {"create"}


def test_encrypted_values_are_stood_in_for_and_named(tree: Project) -> None:
    _edit(tree, DEMO, "owner: ml-platform", "owner: {secure: v1:abc}")
    shown = previewed(tree, "--stack", "demo")
    assert shown.document("demo")["notes"] == [
        "Pulumi.demo.yaml: encrypted values, so rules that need them were not checked: kubeflow-aks:tags.owner"
    ]
    assert "\0" not in (shown.folder / "demo.json").read_text()


def test_a_real_api_server_refuses_what_the_stand_in_takes(tree: Project) -> None:
    """A new class with a priority above what users' classes may have."""
    classes = "components/kubeflow/scheduling.py"
    _edit(tree, classes, "value=1000", "value=2_000_000_000")
    _edit(tree, classes, "-interactive", "-urgent")
    assert previewed(tree, "--stack", "demo").changes("demo")["kubeflow-aks-demo-urgent"] == "create"
    document = previewed(tree, "--stack", "demo", "--control-plane", code=1).document("demo")
    assert "1000000000" in document["failures"]["head"]
