"""Logs of control plane and registry on the real engine: collected, sent elsewhere and given up beside a cluster."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from kubeflow_aks.local_aks.azure.state import DIAGNOSTIC_SETTING
from kubeflow_aks.local_aks.azure.types import LOG_WORKSPACE
from kubeflow_aks.local_aks.engine import EngineError, Result
from kubeflow_aks.tools import Tools
from tests.local.engine.deployment import Cluster, Deployment, deployment

LOGS = {"logs": ["kube-audit-admin", "cluster-autoscaler"]}
HUB = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/hub/providers"
    "/Microsoft.OperationalInsights/workspaces/hub-logs"
)


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster) -> Generator[Deployment]:
    """The `demo` stack with logs, on an Azure that takes its time."""
    folder = tmp_path_factory.mktemp("logs") / "run"
    with deployment(folder, tools, cluster, "demo", speed=100.0, monitoring=LOGS) as stack:
        stack.engine().up()
        yield stack


def changed(result: Result) -> set[tuple[str, str]]:
    """Name and operation of what changed."""
    return {(step.name.removeprefix("kubeflow-aks-demo-"), step.op) for step in result.changed()}


def collected(stack: Deployment) -> list[str]:
    """The logs of the cluster that Azure collects."""
    [setting] = [it for it in stack.azure.all(DIAGNOSTIC_SETTING) if it.id.endswith("-control-plane")]
    return [log["category"] for log in setting.outputs["logs"]]


def test_all_that_exists_is_in_the_state_and_a_second_up_changes_nothing(logged: Deployment) -> None:
    logged.assert_state_is_what_exists()
    assert logged.engine().up().changed() == ()
    assert collected(logged) == LOGS["logs"]
    [workspace] = logged.azure.all(LOG_WORKSPACE)
    assert logged.engine().outputs().values["logWorkspace"] == workspace.id


def test_one_more_log_changes_the_setting_alone_and_a_protected_stack_keeps_its_logs(
    logged: Deployment,
) -> None:
    more = {"logs": [*LOGS["logs"], "guard"]}
    assert changed(logged.engine(protect=True, monitoring=more).up()) == {("control-plane", "update")}
    assert collected(logged) == more["logs"]
    with pytest.raises(EngineError, match=r"cannot be deleted\s+because it is protected"):
        logged.engine(protect=True, monitoring={}).up()
    assert logged.azure.all(LOG_WORKSPACE)
    logged.engine().up()


def test_logs_go_to_the_workspace_of_others_and_back(logged: Deployment) -> None:
    there = logged.engine(monitoring={**LOGS, "workspace": HUB}).up()
    assert changed(there) == {("control-plane", "update"), ("registry", "update"), ("logs", "delete")}
    back = logged.engine().up()
    assert changed(back) == {("control-plane", "update"), ("registry", "update"), ("logs", "create")}
    logged.assert_state_is_what_exists()


def test_destroy_leaves_nothing_though_azure_keeps_a_setting_when_its_cluster_goes(
    logged: Deployment,
) -> None:
    logged.engine().destroy()
    logged.assert_nothing_exists()
    logged.engine().up()
    assert collected(logged) == LOGS["logs"]
    logged.engine().destroy()
    logged.assert_nothing_exists()
