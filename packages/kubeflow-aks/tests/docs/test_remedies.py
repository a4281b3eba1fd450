"""Every command that a message says to run: the test that plays it in the state it is for, or why none does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import pytest

from kubeflow_aks.project import PROJECT_ROOT

PACKAGE: Final = PROJECT_ROOT / "packages/kubeflow-aks"
_PLACES: Final = (
    *(
        f"kubeflow_aks/{name}"
        for name in ("verify", "drill", "preview", "deployed", "handoff", "clients", "sizes")
    ),
    "program",
    "components",
)
_COMMAND: Final = re.compile(r"`((?:pulumi|kubectl|az|juju|make|git|\./kubeflow-aks|\{\}) [^`]*)`")
_NO_MESSAGES: Final = {"about", "source", "help", "example"}

LOOKS: Final = "shows something and changes nothing"
NAMES: Final = "is named, not recommended"
ELSEWHERE: Final = "needs Azure, its sign-in or Juju's controller"
REASONS: Final = {LOOKS, NAMES, ELSEWHERE}

_VERIFY: Final = "tests/local/verify/test_verify_on_local_aks.py"
_RESTORED: Final = f"{_VERIFY}::test_what_verify_says_to_do_restores_every_object_and_pool"
_NODES: Final = f"{_VERIFY}::test_nodes_that_were_changed_by_hand_are_reported"
_BREAKAGES: Final = f"{_VERIFY}::test_a_breakage_is_reported"
_HANDED: Final = (
    "tests/local/handoff/test_handed_over.py::"
    "test_the_kubeconfig_is_juju_s_service_account_and_may_do_everything"
)
_NEW_RELEASE: Final = (
    "tests/local/engine/test_another_tree.py::test_a_branch_is_previewed_brought_up_and_destroyed_beside_ours"
)
_STARTED: Final = (
    "tests/local/test_stop_and_start.py::test_a_cluster_stops_and_comes_back_with_what_manages_itself"
)

PLAYED: Final = {
    ("kubeflow_aks/clients/kubernetes/exec_plugin.py", "az login"): ELSEWHERE,
    (
        "kubeflow_aks/clients/resource_manager.py",
        "az account get-access-token",
    ): NAMES,
    ("kubeflow_aks/clients/resource_manager.py", "az cloud set"): ELSEWHERE,
    ("kubeflow_aks/clients/resource_manager.py", "az cloud show"): NAMES,
    ("kubeflow_aks/clients/resource_manager.py", "az login"): ELSEWHERE,
    ("kubeflow_aks/clients/spot_placement.py", "az upgrade"): ELSEWHERE,
    ("kubeflow_aks/clients/vm_usage.py", "az vm list-usage --output json"): LOOKS,
    ("kubeflow_aks/deployed/cluster.py", "./kubeflow-aks handoff {}"): _HANDED,
    ("kubeflow_aks/deployed/cluster.py", "./kubeflow-aks start"): _STARTED,
    ("kubeflow_aks/deployed/cluster.py", "pulumi up"): _RESTORED,
    ("kubeflow_aks/deployed/cluster.py", "pulumi up --refresh"): _RESTORED,
    ("kubeflow_aks/deployed/outputs.py", "pulumi stack output --json"): NAMES,
    ("kubeflow_aks/deployed/outputs.py", "pulumi up"): _NEW_RELEASE,
    (
        "kubeflow_aks/deployed/outputs.py",
        "pulumi up --stack {}",
    ): "tests/local/engine/test_lifecycle.py::test_up_does_what_preview_promised",
    ("kubeflow_aks/deployed/state.py", "pulumi stack export"): NAMES,
    ("kubeflow_aks/drill/plan.py", "make demo"): NAMES,
    ("kubeflow_aks/drill/plan.py", "pulumi preview --expect-no-changes"): NAMES,
    ("kubeflow_aks/drill/plan.py", "pulumi up"): NAMES,
    ("kubeflow_aks/handoff/command.py", "./kubeflow-aks verify"): LOOKS,
    ("kubeflow_aks/handoff/command.py", "pulumi up"): NAMES,
    ("kubeflow_aks/handoff/files.py", "./kubeflow-aks handoff"): NAMES,
    ("kubeflow_aks/handoff/folder.py", "./kubeflow-aks handoff"): NAMES,
    ("kubeflow_aks/preview/quota.py", "az vm list-usage --location {} --output json"): LOOKS,
    ("kubeflow_aks/verify/checks/access.py", "./kubeflow-aks handoff"): _HANDED,
    ("kubeflow_aks/verify/checks/access.py", "juju update-credential"): ELSEWHERE,
    ("kubeflow_aks/verify/checks/access.py", "pulumi up"): _RESTORED,
    ("kubeflow_aks/verify/checks/autoscaler.py", "az aks nodepool list"): LOOKS,
    ("kubeflow_aks/verify/checks/autoscaler.py", "az aks show"): LOOKS,
    ("kubeflow_aks/verify/checks/autoscaler.py", "kubectl get nodes"): LOOKS,
    (
        "kubeflow_aks/verify/checks/autoscaler.py",
        "kubectl get nodes -l kubernetes.azure.com/agentpool={}",
    ): LOOKS,
    ("kubeflow_aks/verify/checks/autoscaler.py", "pulumi up --refresh"): _RESTORED,
    (
        "kubeflow_aks/verify/checks/gpus.py",
        "kubectl --namespace kubeflow-aks get pods --output wide",
    ): LOOKS,
    ("kubeflow_aks/verify/checks/kubeflow.py", "juju add-model kubeflow"): NAMES,
    (
        "kubeflow_aks/verify/checks/kubeflow.py",
        "kubectl delete namespace kubeflow",
    ): f"{_VERIFY}::test_a_namespace_kubeflow_made_by_hand_is_reported_and_juju_s_is_not",
    (
        "kubeflow_aks/verify/checks/kubeflow.py",
        "pulumi up",
    ): "tests/local/engine/test_argo_retries.py::test_the_charms_own_keys_stay_while_the_key_is_there_and_afterwards",
    ("kubeflow_aks/verify/checks/nodes.py", "kubectl describe node"): LOOKS,
    (
        "kubeflow_aks/verify/checks/nodes.py",
        "kubectl drain",
    ): "tests/local/moves/test_how_to_move.py::test_both_moves_as_on_the_page",
    ("kubeflow_aks/verify/checks/nodes.py", "kubectl uncordon"): _BREAKAGES,
    ("kubeflow_aks/verify/checks/nodes.py", "pulumi up --refresh"): _RESTORED,
    (
        "kubeflow_aks/verify/checks/objects.py",
        "kubectl --namespace {} describe daemonset {}",
    ): LOOKS,
    (
        "kubeflow_aks/verify/checks/objects.py",
        "kubectl --namespace {} describe pods --selector app.kubernetes.io/name={}",
    ): LOOKS,
    ("kubeflow_aks/verify/checks/platform.py", "juju destroy-model"): NAMES,
    (
        "kubeflow_aks/verify/checks/platform.py",
        "kubectl --namespace kube-system get deployment coredns",
    ): LOOKS,
    (
        "kubeflow_aks/verify/checks/platform.py",
        "kubectl --namespace kube-system describe service kube-dns",
    ): LOOKS,
    ("kubeflow_aks/verify/checks/platform.py", "kubectl --namespace kube-system get events"): LOOKS,
    ("kubeflow_aks/verify/checks/others.py", "kubectl --namespace {} get networkpolicies"): LOOKS,
    ("kubeflow_aks/verify/report.py", "pulumi preview --refresh"): NAMES,
    ("kubeflow_aks/verify/checks/platform.py", "kubectl --namespace {} describe pod"): LOOKS,
    ("kubeflow_aks/verify/checks/platform.py", "kubectl delete apiservice {}"): _BREAKAGES,
    ("kubeflow_aks/verify/checks/platform.py", "kubectl get namespace {} --output yaml"): LOOKS,
    ("kubeflow_aks/verify/checks/platform.py", "kubectl logs --previous"): LOOKS,
    ("kubeflow_aks/verify/checks/platform.py", "pulumi up --refresh"): _RESTORED,
    ("kubeflow_aks/verify/checks/pools.py", "kubectl describe node"): LOOKS,
    ("kubeflow_aks/verify/checks/pools.py", "kubectl label"): _NODES,
    ("kubeflow_aks/verify/checks/pools.py", "kubectl taint"): _NODES,
    ("kubeflow_aks/verify/checks/pools.py", "pulumi up --refresh"): _RESTORED,
    ("kubeflow_aks/verify/checks/storage.py", "pulumi up --refresh"): _RESTORED,
    (
        "kubeflow_aks/verify/checks/storage.py",
        "kubectl annotate storageclass default storageclass.kubernetes.io/is-default-class=true",
    ): f"{_VERIFY}::test_the_default_storage_class_is_restored_as_verify_says",
    ("kubeflow_aks/verify/findings.py", "pulumi refresh"): _RESTORED,
    ("kubeflow_aks/verify/findings.py", "pulumi up --skip-preview"): _RESTORED,
    (
        "program/packages.py",
        "./kubeflow-aks set-up runtime",
    ): "tests/test_environment.py::test_it_is_set_up_once_and_again_when_the_lock_file_changes",
    ("program/planning/rules/access.py", "az aks command invoke"): NAMES,
    ("program/planning/rules/location.py", "az account list-locations --query [].name"): LOOKS,
    ("program/planning/rules/location.py", "az cloud set --name {}"): ELSEWHERE,
    ("program/planning/rules/network.py", "./kubeflow-aks quota"): LOOKS,
    ("program/planning/rules/production.py", "pulumi destroy"): NAMES,
    ("program/planning/rules/size_warnings.py", "az vm list-skus"): LOOKS,
    (
        "program/planning/rules/size_warnings.py",
        "az vm list-skus --location {} --size {} --all --output table",
    ): LOOKS,
    ("program/planning/rules/sizes.py", "./kubeflow-aks sizes"): LOOKS,
    ("program/settings/project_config.py", "make docs"): NAMES,
    ("program/settings/reference.py", "make docs"): NAMES,
}
"""By module and command; what a message puts in is `{}`."""


def _remedies() -> Iterator[tuple[str, str]]:
    for place in _PLACES:
        sources = PACKAGE / "src" if place.startswith("kubeflow_aks/") else PROJECT_ROOT
        for file in sorted((sources / place).rglob("*.py")):
            for text in _messages(ast.parse(file.read_text(encoding="utf-8"))):
                for command in _COMMAND.findall(text):
                    yield str(file.relative_to(sources)), command


def _messages(tree: ast.AST) -> Iterator[str]:
    """Texts of a module, its docstrings apart, each with `{}` for what is put in."""
    left_out: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            left_out.add(node.value)
        elif isinstance(node, ast.keyword) and node.arg in _NO_MESSAGES:
            left_out.update(ast.walk(node))
        if node in left_out:
            continue
        if isinstance(node, ast.JoinedStr):
            left_out.update(node.values)
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_every_remedy_is_in_the_table() -> None:
    assert set(_remedies()) == PLAYED.keys()


@pytest.mark.parametrize("reference", sorted({remedy for remedy in PLAYED.values() if remedy not in REASONS}))
def test_the_test_that_plays_a_remedy_exists(reference: str) -> None:
    file, _, name = reference.partition("::")
    assert f"def {name}(" in (PACKAGE / file).read_text(encoding="utf-8")
