"""What is written down about the cluster, and where."""

from typing import Any

import pytest

from program.planning.rules.monitoring import monitoring_problems, monitoring_warnings
from tests.program.planning.small_stack import refused, settings

HUB = (
    "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/hub/providers"
    "/Microsoft.OperationalInsights/workspaces/hub-logs"
)
LOGS = ["kube-audit-admin", "guard", "cluster-autoscaler"]


def refusals(**monitoring: Any) -> list[str]:
    return refused(monitoring_problems(settings(monitoring=monitoring)))


def warned(**monitoring: Any) -> list[str]:
    return list(monitoring_warnings(settings(monitoring=monitoring)))


def test_logs_go_to_a_new_workspace_or_to_a_given_one() -> None:
    assert (
        refusals()
        == refusals(logs=LOGS)
        == refusals(logs=LOGS, retentionDays=90)
        == refusals(logs=LOGS, workspace=HUB)
        == []
    )


def test_each_log_is_collected_once() -> None:
    assert refusals(logs=[*LOGS, "guard"]) == ["monitoring.logs"]


def test_a_workspace_without_logs_is_a_mistake() -> None:
    assert refusals(workspace=HUB) == ["monitoring.workspace"]
    assert refusals(retentionDays=90) == ["monitoring.retentionDays"]


def test_the_owner_of_a_workspace_decides_how_long_it_keeps_logs() -> None:
    assert refusals(logs=LOGS, workspace=HUB, retentionDays=90) == ["monitoring.retentionDays"]


@pytest.mark.parametrize(
    ("budget", "keys"),
    [
        ({}, []),
        ({"startDate": "2026-12-01"}, ["budget.startDate"]),
        ({"emails": ["ml@example.com"]}, ["budget.startDate"]),
        ({"emails": ["ml"], "startDate": "2026-12-01"}, ["budget.emails[0]"]),
        ({"actionGroups": ["money"], "startDate": "2026-12-01"}, ["budget.actionGroups[0]"]),
        ({"emails": ["ml@example.com"], "startDate": "2026-12-01"}, []),
    ],
)
def test_a_watched_budget_has_somebody_to_notify_and_a_month(budget: dict[str, Any], keys: list[str]) -> None:
    assert refused(monitoring_problems(settings(budget={"monthly": 900, **budget}))) == keys


def test_exports_go_to_a_container() -> None:
    container = f"{HUB.partition('Microsoft')[0]}Microsoft.Storage/storageAccounts/hub/blobServices/default/containers/"
    assert refusals(costExport={"container": f"{container}cost", "startDate": "2026-12-01"}) == []
    wrong = refusals(costExport={"container": f"{container}Cost", "startDate": "2026-12-01"})
    assert wrong == ["monitoring.costExport.container"]


@pytest.mark.parametrize("name", ["abc", "-logs", "logs-", "our_logs", "l" * 64])
def test_a_workspace_has_a_name_that_azure_allows(name: str) -> None:
    assert refusals(logs=LOGS, workspace=HUB.replace("hub-logs", name)) == ["monitoring.workspace"]


@pytest.mark.parametrize("name", ["logs", "Hub-Logs-1", "l" * 63])
def test_its_case_and_length_are_free_within_bounds(name: str) -> None:
    assert refusals(logs=LOGS, workspace=HUB.replace("hub-logs", name)) == []


def test_the_log_that_costs_most_is_warned_of() -> None:
    assert warned(logs=LOGS) == warned() == []
    assert warned(logs=["kube-audit"]) == [
        (
            "monitoring.logs has kube-audit: it also holds every get and list, and you pay for each; kube-audit-admin "
            "leaves them out"
        )
    ]
