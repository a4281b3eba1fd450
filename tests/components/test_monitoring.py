"""The logs of a control plane and of a registry, and the workspace that keeps them, on their own."""

import pytest

from components.monitoring.monitoring import Monitoring, MonitoringArgs
from tests.components.conftest import Cloud, value

OTHER = "/subscriptions/00000000-0000-0000-0000-000000001234"
CLUSTER = f"{OTHER}/resourcegroups/group/providers/Microsoft.ContainerService/managedClusters/kf"
REGISTRY = f"{OTHER}/resourceGroups/group/providers/Microsoft.ContainerRegistry/registries/images"
HUB = f"{OTHER}/resourceGroups/hub/providers/Microsoft.OperationalInsights/workspaces/hub-logs"
ARGS = MonitoringArgs(
    resource_group_name="group",
    location="westeurope",
    cluster_id=CLUSTER,
    logs=["kube-audit-admin", "guard"],
    tags={"owner": "ml"},
)


@pytest.fixture(scope="module", autouse=True)
def monitoring(cloud: Cloud) -> Monitoring:
    """The logs that tests read unless they collect some of their own."""
    return Monitoring("kf", ARGS, cloud.opts)


def test_a_new_workspace_is_paid_for_by_what_comes_in_and_keeps_it_for_30_days(cloud: Cloud) -> None:
    body = cloud.inputs("kf-logs")
    assert (body["sku"], body["retentionInDays"]) == ({"name": "PerGB2018"}, 30)
    assert (body["workspaceName"], body["resourceGroupName"]) == ("kf-logs", "group")
    assert (body["location"], body["tags"]) == ("westeurope", {"owner": "ml"})


def test_it_keeps_logs_as_long_as_requested(cloud: Cloud) -> None:
    Monitoring("long", {**ARGS, "retention_days": 90}, cloud.opts)
    assert cloud.inputs("long-logs")["retentionInDays"] == 90


def test_each_log_requested_goes_to_a_table_of_its_own_there(cloud: Cloud, monitoring: Monitoring) -> None:
    body, workspace_id = cloud.inputs("kf-control-plane"), value(monitoring.workspace_id)
    assert (body["resourceUri"], body["name"]) == (CLUSTER, "kf-control-plane")
    assert body["workspaceId"] == workspace_id
    assert body["logAnalyticsDestinationType"] == "Dedicated"
    assert body["logs"] == [
        {"category": "kube-audit-admin", "enabled": True},
        {"category": "guard", "enabled": True},
    ]


def test_a_given_workspace_is_used_and_none_is_made(cloud: Cloud) -> None:
    hub = Monitoring("hub", {**ARGS, "workspace": HUB}, cloud.opts)
    body, workspace_id = cloud.inputs("hub-control-plane"), value(hub.workspace_id)
    assert body["workspaceId"] == workspace_id == HUB
    assert cloud.names("hub") == ["hub", "hub-control-plane"]


def test_the_setting_is_deleted_itself_because_azure_keeps_it_when_the_cluster_goes(cloud: Cloud) -> None:
    options = cloud.options("kf-control-plane")
    assert not options.deletedWith
    assert not options.protect


def test_the_registrys_sign_ins_and_pushes_go_to_the_same_workspace(cloud: Cloud) -> None:
    made = Monitoring("watched", {**ARGS, "registry_id": REGISTRY}, cloud.opts)
    setting = "watched-registry"
    body, workspace_id, options = cloud.inputs(setting), value(made.workspace_id), cloud.options(setting)
    assert (body["resourceUri"], body["name"]) == (REGISTRY, "watched-registry")
    assert body["workspaceId"] == workspace_id
    assert body["logs"] == [
        {"category": "ContainerRegistryLoginEvents", "enabled": True},
        {"category": "ContainerRegistryRepositoryEvents", "enabled": True},
    ]
    assert not options.protect
