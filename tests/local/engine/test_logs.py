"""The logs of the control plane on the real engine: collected, sent elsewhere and given up beside a running cluster."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from local_aks.azure.state import DIAGNOSTIC_SETTING
from local_aks.azure.types import LOG_WORKSPACE
from local_aks.engine import EngineError, Result
from tests.local.engine.deployment import Cluster, Deployment, deployment
from tools import Tools

LOGS = {"logs": ["kube-audit-admin", "cluster-autoscaler"]}
HUB = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/hub/providers"
    "/Microsoft.OperationalInsights/workspaces/hub-logs"
)


@pytest.fixture(scope="module")
def watched(
    tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster
) -> Generator[Deployment]:
    """The `demo` stack with logs, on an Azure that takes its time."""
    folder = tmp_path_factory.mktemp("logs") / "run"
    with deployment(folder, tools, cluster, "demo", speed=100.0, monitoring=LOGS) as stack:
        stack.engine().up()
        yield stack


def changed(result: Result) -> set[tuple[str, str]]:
    """Name and operation of what changed."""
    return {(step.name.removeprefix("kubeflow-aks-demo-"), step.op) for step in result.changed()}


def collected(stack: Deployment) -> list[str]:
    """The logs that Azure collects."""
    [setting] = stack.azure.all(DIAGNOSTIC_SETTING)
    return [log["category"] for log in setting.outputs["logs"]]


def test_all_that_exists_is_in_the_state_and_a_second_up_changes_nothing(watched: Deployment) -> None:
    watched.assert_state_is_what_exists()
    assert watched.engine().up().changed() == ()
    assert collected(watched) == LOGS["logs"]
    [workspace] = watched.azure.all(LOG_WORKSPACE)
    assert watched.engine().outputs().values["logWorkspace"] == workspace.id


def test_one_more_log_changes_the_setting_alone(watched: Deployment) -> None:
    more = {"logs": [*LOGS["logs"], "guard"]}
    assert changed(watched.engine(monitoring=more).up()) == {("control-plane", "update")}
    assert collected(watched) == more["logs"]


def test_logs_go_to_the_workspace_of_others_and_back(watched: Deployment) -> None:
    there = watched.engine(monitoring={**LOGS, "workspace": HUB}).up()
    assert changed(there) == {("control-plane", "update"), ("logs", "delete")}
    assert changed(watched.engine().up()) == {("control-plane", "update"), ("logs", "create")}
    watched.assert_state_is_what_exists()


def test_a_protected_stack_keeps_its_logs(watched: Deployment) -> None:
    watched.engine(protect=True).up()
    with pytest.raises(EngineError, match=r"cannot be deleted\s+because it is protected"):
        watched.engine(protect=True, monitoring={}).up()
    assert watched.azure.all(LOG_WORKSPACE)
    watched.engine().up()


def test_destroy_leaves_nothing_though_azure_keeps_a_setting_when_its_cluster_goes(
    watched: Deployment,
) -> None:
    watched.engine().destroy()
    watched.assert_nothing_exists()
    watched.engine().up()
    assert collected(watched) == LOGS["logs"]
    watched.engine().destroy()
    watched.assert_nothing_exists()
