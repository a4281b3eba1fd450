"""Diagnostic settings: what they share with others of one cluster, and how long they live."""

import pytest
from azure_bodies import CLUSTER_ID, GROUP_ID, LOCATION, Json, cluster, put, with_cluster
from refusals import refusal

from kubeflow_aks.local_aks.azure.arm import ArmError
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import DIAGNOSTIC_SETTING, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.azure.types import LOG_WORKSPACE, TYPES

SETTINGS = f"{CLUSTER_ID}/providers/Microsoft.Insights/diagnosticSettings"
WORKSPACES = f"{GROUP_ID}/providers/Microsoft.OperationalInsights/workspaces"


def workspace(manager: ResourceManager, name: str) -> str:
    """A workspace; its id."""
    return str(put(manager, LOG_WORKSPACE, f"{WORKSPACES}/{name}", {"location": LOCATION})["id"])


def collected(workspace_id: str, *categories: str) -> Json:
    return {
        "workspaceId": workspace_id,
        "logs": [{"category": category, "enabled": True} for category in categories],
    }


def deleted(manager: ResourceManager, token: str, arm_id: str) -> None:
    operation = manager.delete(TYPES[token], arm_id)
    assert operation
    manager.wait(operation)
    assert manager.get(arm_id) is None


def test_a_log_goes_to_a_workspace_once(azure: AzureState) -> None:
    manager = with_cluster(azure)
    ours, theirs = workspace(manager, "ours"), workspace(manager, "theirs")
    put(manager, DIAGNOSTIC_SETTING, f"{SETTINGS}/policy", collected(ours, "guard", "kube-audit-admin"))
    with pytest.raises(ArmError) as refused:
        put(manager, DIAGNOSTIC_SETTING, f"{SETTINGS}/logs", collected(ours.upper(), "guard"))
    refusal("diagnostic-sink-reused", refused.value, "in diagnostic setting 'policy' for category 'guard'.")
    assert put(manager, DIAGNOSTIC_SETTING, f"{SETTINGS}/logs", collected(ours, "cluster-autoscaler"))
    assert put(manager, DIAGNOSTIC_SETTING, f"{SETTINGS}/logs", collected(theirs, "guard"))


def test_a_cluster_has_five_settings_at_most(azure: AzureState) -> None:
    manager = with_cluster(azure)
    ours = workspace(manager, "ours")
    for number in range(5):
        put(manager, DIAGNOSTIC_SETTING, f"{SETTINGS}/{number}", collected(ours))
    with pytest.raises(ArmError) as refused:
        put(manager, DIAGNOSTIC_SETTING, f"{SETTINGS}/5", collected(ours))
    refusal("diagnostic-number", refused.value, "at most 5")
    assert put(manager, DIAGNOSTIC_SETTING, f"{SETTINGS}/4", collected(ours, "guard"))


def test_a_setting_is_of_a_cluster_and_sends_to_a_workspace_that_exist(azure: AzureState) -> None:
    manager = with_cluster(azure)
    nowhere = f"{CLUSTER_ID}2/providers/Microsoft.Insights/diagnosticSettings/logs"
    with pytest.raises(ArmError, match="was not found"):
        put(manager, DIAGNOSTIC_SETTING, nowhere, collected(workspace(manager, "logs"), "guard"))
    with pytest.raises(ArmError, match="was not found"):
        put(manager, DIAGNOSTIC_SETTING, f"{SETTINGS}/logs", collected(f"{WORKSPACES}/missing", "guard"))
    elsewhere = f"{WORKSPACES}/hub".replace("kubeflow", "hub")
    assert put(manager, DIAGNOSTIC_SETTING, f"{SETTINGS}/logs", collected(elsewhere, "guard"))


def test_a_setting_outlives_its_cluster_unless_it_is_deleted_itself(azure: AzureState) -> None:
    manager = with_cluster(azure)
    setting = f"{SETTINGS}/logs"
    put(manager, DIAGNOSTIC_SETTING, setting, collected(workspace(manager, "logs"), "guard"))
    deleted(manager, MANAGED_CLUSTER, CLUSTER_ID)
    put(manager, MANAGED_CLUSTER, CLUSTER_ID, cluster())
    assert manager.get(setting)
    deleted(manager, DIAGNOSTIC_SETTING, setting)
