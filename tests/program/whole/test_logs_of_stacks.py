"""The logs that a stack collects."""

from functools import cache

from kubeflow_aks.recorder.run import Record, record
from tests.program.whole.records import AS_OF, CLUSTER, recorded

HUB = (
    "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/hub/providers"
    "/Microsoft.OperationalInsights/workspaces/hub-logs"
)
SETTING = "azure-native:monitor:DiagnosticSetting"
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
    assert prod.one(SETTING).inputs["workspaceId"] == prod.outputs["logWorkspace"]
    assert str(prod.outputs["logWorkspace"]).endswith(f"/{made.inputs['workspaceName']}")


def test_logs_go_to_the_workspace_of_others() -> None:
    assert to_the_hub().of(WORKSPACE) == []
    assert to_the_hub().one(SETTING).inputs["workspaceId"] == to_the_hub().outputs["logWorkspace"] == HUB


def test_the_logs_of_the_cluster_are_collected_and_deleted_before_it() -> None:
    prod = recorded("prod")
    [cluster] = prod.of(CLUSTER)
    setting = prod.one(SETTING)
    assert list(setting.property_dependencies["resourceUri"]) == [cluster.urn]
    assert not setting.options.get("deletedWith")
