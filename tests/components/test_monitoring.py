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


ACCOUNT = f"{OTHER}/resourceGroups/hub/providers/Microsoft.Storage/storageAccounts/hub"
CONTAINER = f"{ACCOUNT}/blobServices/default/containers/cost"
WATCHED = MonitoringArgs(
    resource_group_name="group",
    location="westeurope",
    cluster_id=CLUSTER,
    logs=[],
    node_resource_group_name="nodes",
    budget={"monthly": 2500.0, "start_date": "2026-12-01", "emails": ["ml@example.com"]},
    cost_export={"container": CONTAINER, "start_date": "2026-12-02"},
    tags={"owner": "ml"},
)


def test_a_budget_watches_both_groups_together_and_mails_at_80_and_100_percent_and_on_a_forecast(
    cloud: Cloud,
) -> None:
    watched = Monitoring("money", WATCHED, cloud.opts)
    body, workspace_id = cloud.inputs("money-budget"), value(watched.workspace_id)
    assert workspace_id is None
    notices = {
        key: {
            "enabled": True,
            "operator": "GreaterThan",
            "threshold": percent,
            "thresholdType": of,
            "contactEmails": ["ml@example.com"],
            "contactGroups": [],
        }
        for key, percent, of in (
            ("actual80", 80, "Actual"),
            ("actual100", 100, "Actual"),
            ("forecast100", 100, "Forecasted"),
        )
    }
    assert body == {
        "budgetName": "money-budget",
        "scope": OTHER,
        "category": "Cost",
        "amount": 2500,
        "timeGrain": "Monthly",
        "timePeriod": {"startDate": "2026-12-01T00:00:00Z"},
        "filter": {
            "dimensions": {"name": "ResourceGroupName", "operator": "In", "values": ["group", "nodes"]}
        },
        "notifications": notices,
    }
    assert not cloud.options("money-budget").protect


def test_each_group_is_exported_every_day_by_an_identity_that_writes_to_that_container_only(
    cloud: Cloud,
) -> None:
    Monitoring("spent", WATCHED, cloud.opts)
    for suffix, group in (("cost", "group"), ("cost-nodes", "nodes")):
        assert cloud.inputs(f"spent-{suffix}") == {
            "exportName": f"spent-{suffix}",
            "scope": f"{OTHER}/resourceGroups/{group}",
            "location": "westeurope",
            "identity": {"type": "SystemAssigned"},
            "format": "Csv",
            "definition": {
                "type": "ActualCost",
                "timeframe": "MonthToDate",
                "dataSet": {"granularity": "Daily"},
            },
            "deliveryInfo": {
                "destination": {
                    "resourceId": ACCOUNT,
                    "container": "cost",
                    "rootFolderPath": "spent",
                }
            },
            "schedule": {
                "status": "Active",
                "recurrence": "Daily",
                "recurrencePeriod": {"from": "2026-12-02T00:00:00Z"},
            },
        }
        access = cloud.inputs(f"spent-{suffix}-access")
        assert (access["scope"], access["principalId"]) == (CONTAINER, f"spent-{suffix}-principal")
        assert access["roleDefinitionId"].endswith("ba92f5b4-2d11-453d-a403-e96b0029c9fe")
    assert not any(name.startswith("spent-l") for name in cloud.names("spent"))
