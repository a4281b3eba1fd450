"""The logs that a stack collects."""

from functools import cache

import pytest

from kubeflow_aks.recorder.run import Record, record
from tests.program.whole.records import AS_OF, CLUSTER, recorded

HUB = (
    "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/hub/providers"
    "/Microsoft.OperationalInsights/workspaces/hub-logs"
)
SETTING = "azure-native:monitor:DiagnosticSetting"
ACCOUNT = f"{HUB.partition('Microsoft')[0]}Microsoft.Storage/storageAccounts/hub"
WORKSPACE = "azure-native:operationalinsights:Workspace"


@cache
def to_the_hub() -> Record:
    """Dev with logs in a workspace of others."""
    return record("dev", extra={"monitoring": {"logs": ["guard"], "workspace": HUB}, "asOf": AS_OF})


def test_a_stack_that_asks_for_no_logs_has_neither_setting_nor_workspace() -> None:
    for stack in ("demo", "dev"):
        assert recorded(stack).of(SETTING) == recorded(stack).of(WORKSPACE) == []
        assert "logWorkspace" not in recorded(stack).outputs


def test_prod_collects_its_audit_log_in_a_workspace_of_its_own() -> None:
    prod = recorded("prod")
    made = prod.one(WORKSPACE)
    assert made.inputs["retentionInDays"] == 90
    assert [it.inputs["workspaceId"] for it in prod.of(SETTING)] == [prod.outputs["logWorkspace"]] * 2
    assert str(prod.outputs["logWorkspace"]).endswith(f"/{made.inputs['workspaceName']}")


def test_a_watched_budget_and_exports_need_no_logs_and_whom_azure_mails_is_no_output() -> None:
    export = {"container": f"{ACCOUNT}/blobServices/default/containers/cost", "startDate": "2026-12-02"}
    budget = {"monthly": 900, "startDate": "2026-12-01", "emails": ["ml@example.com"]}
    watched = record("dev", extra={"monitoring": {"costExport": export}, "budget": budget, "asOf": AS_OF})
    assert watched.of(SETTING) == watched.of(WORKSPACE) == []
    assert "logWorkspace" not in watched.outputs
    groups = watched.one("azure-native:consumption:Budget").inputs["filter"]["dimensions"]["values"]
    assert groups == ["kubeflow-aks-dev", "kubeflow-aks-dev-nodes"]
    scopes = [it.inputs["scope"] for it in watched.of("azure-native:costmanagement:Export")]
    assert [scope.rpartition("/")[2] for scope in scopes] == groups
    assert watched.outputs["costBasis"]["budget"] == {"monthly": 900}


def test_logs_go_to_the_workspace_of_others() -> None:
    assert to_the_hub().of(WORKSPACE) == []
    assert to_the_hub().outputs["logWorkspace"] == HUB
    assert [it.inputs["workspaceId"] for it in to_the_hub().of(SETTING)] == [HUB] * 2


@pytest.mark.parametrize(
    ("setting", "resource"),
    [("control-plane", CLUSTER), ("registry", "azure-native:containerregistry:Registry")],
)
def test_the_logs_of_cluster_and_registry_are_collected_and_deleted_before_them(
    setting: str, resource: str
) -> None:
    prod = recorded("prod")
    [logged] = prod.of(resource)
    made = prod.one(SETTING, f"kubeflow-aks-prod-{setting}")
    assert list(made.property_dependencies["resourceUri"]) == [logged.urn]
    assert not made.options.get("deletedWith")
