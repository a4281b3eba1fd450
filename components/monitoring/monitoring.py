"""The logs of a cluster's control plane and of its registry, the workspace that keeps them, and what it all costs."""

from collections.abc import Iterator
from typing import Final

import pulumi
from pulumi_azure_native import monitor, operationalinsights

from ..arguments.checked import Rule, checked, named, rule, rule_of_text, under
from ..arguments.inputs import mapped
from ..azure import azure_names
from ..azure.arm_ids import CLUSTER, CONTAINER, REGISTRY, WORKSPACE, arm_id_mistakes
from ..azure.tags import tag_mistakes
from . import spending
from .monitoring_args import LOG_RETENTION_DAYS, MonitoringArgs
from .monitoring_checks import (
    budget_mistakes,
    log_mistakes,
    node_group_mistakes,
    workspace_mistakes,
    workspace_name_mistakes,
)

_REGISTRY_LOGS: Final = ("ContainerRegistryLoginEvents", "ContainerRegistryRepositoryEvents")
"""Who signed in, and who pushed, pulled or deleted what (microsoft-containerregistry-registries-logs.md)."""


class Monitoring(pulumi.ComponentResource):
    """The logs of one cluster's control plane and of its registry in a workspace, and the watch over what it costs."""

    workspace_id: pulumi.Output[str | None]
    """ARM id of the workspace; none without logs."""

    def __init__(self, name: str, args: MonitoringArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        args = checked("Monitoring", MonitoringArgs, args, _rules)
        super().__init__("kubeflow-aks:index:Monitoring", name, {}, opts)
        # A list that is not known yet may have some.
        self.workspace_id = pulumi.Output.from_input(
            None if args["logs"] == [] else _collect(name, args, self)
        )
        if budget := args.get("budget"):
            spending.budget(name, budget, args, self)
        if export := args.get("cost_export"):
            spending.exports(name, export, args, self)
        self.register_outputs({"workspaceId": self.workspace_id})


def _rules(args: MonitoringArgs) -> Iterator[Rule]:
    yield from rule_of_text(arm_id_mistakes, "workspace", args.get("workspace"), WORKSPACE)
    yield from rule_of_text(arm_id_mistakes, "clusterId", args["cluster_id"], CLUSTER)
    yield from rule_of_text(arm_id_mistakes, "registryId", args.get("registry_id"), REGISTRY)
    yield rule(log_mistakes, args["logs"])
    yield rule(workspace_mistakes, args.get("workspace"), args.get("retention_days"))
    yield rule(workspace_name_mistakes, args.get("workspace"), args.get("workspace_name"))
    yield from named(
        resource_group_name=(azure_names.RESOURCE_GROUP, args["resource_group_name"]),
        location=(azure_names.LOCATION, args["location"]),
        workspace_name=(azure_names.WORKSPACE, args.get("workspace_name")),
    )
    yield rule(tag_mistakes, args.get("tags", {}))
    budget, export = args.get("budget"), args.get("cost_export")
    if budget:
        contacts = budget.get("emails", ()), budget.get("action_groups", ())
        yield from under("budget", [rule(budget_mistakes, *contacts)])
    if export:
        yield from rule_of_text(arm_id_mistakes, "costExport.container", export["container"], CONTAINER)
    if budget or export:
        yield rule(node_group_mistakes, args.get("node_resource_group_name"))


def _collect(name: str, args: MonitoringArgs, parent: pulumi.Resource) -> pulumi.Input[str]:
    """Sends the logs to a workspace, and returns its ARM id."""
    workspace = args.get("workspace") or _workspace(f"{name}-logs", args, parent).id
    # Never `deleted_with` the cluster: Azure keeps the setting, and a new cluster of the same name would have it
    # again (MicrosoftDocs/azure-docs#100347). It holds no logs, so it is not protected.
    monitor.DiagnosticSetting(
        f"{name}-control-plane",
        name=args.get("setting_name", f"{name}-control-plane"),
        resource_uri=args["cluster_id"],
        workspace_id=workspace,
        log_analytics_destination_type="Dedicated",  # tables of AKS's own, cheaper and easier to query
        logs=mapped(args["logs"], _collected),
        opts=pulumi.ResourceOptions(parent=parent, protect=False),
    )
    if registry := args.get("registry_id"):
        monitor.DiagnosticSetting(
            f"{name}-registry",
            name=args.get("registry_setting_name", f"{name}-registry"),
            resource_uri=registry,
            workspace_id=workspace,
            logs=[_collected(category) for category in _REGISTRY_LOGS],
            opts=pulumi.ResourceOptions(parent=parent, protect=False),
        )
    return workspace


def _collected(category: str) -> monitor.DiagnosticsLogSettingsArgs:
    return monitor.DiagnosticsLogSettingsArgs(category=category, enabled=True)


def _workspace(name: str, args: MonitoringArgs, parent: pulumi.Resource) -> operationalinsights.Workspace:
    """A workspace that is paid for by the size of its logs.

    Azure keeps a deleted one for 14 days, and restores it with its logs when one of the same name is created
    (MicrosoftDocs/azure-monitor-docs, articles/azure-monitor/logs/delete-workspace.md, 2024-10-31).
    """
    return operationalinsights.Workspace(
        name,
        workspace_name=args.get("workspace_name", name),
        resource_group_name=args["resource_group_name"],
        location=args["location"],
        sku=operationalinsights.WorkspaceSkuArgs(name=operationalinsights.WorkspaceSkuNameEnum.PER_GB2018),
        retention_in_days=args.get("retention_days") or LOG_RETENTION_DAYS,
        tags=args.get("tags"),
        opts=pulumi.ResourceOptions(parent=parent),
    )
