"""Managed Prometheus of one cluster, its alerts, and whom they notify."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pulumi
from pulumi_azure_native import alertsmanagement, monitor
from pulumi_azure_native import dashboard as azure_dashboard

from ..arguments import limits
from ..arguments.checked import Rule, checked, named, rule, rule_of_text, whole
from ..arguments.inputs import when_known
from ..arguments.mistakes import Mistake
from ..azure import azure_names
from ..azure.arm_ids import CLUSTER, arm_id_mistakes, name_of
from ..azure.tags import tag_mistakes
from .alert_rules import AlertRule, WatchedPool, alert_rules
from .alerting_args import AlertingArgs
from .dashboard import dashboard
from .monitoring_checks import alert_mistakes

_STREAM: Final = "Microsoft-PrometheusMetrics"
_ACCOUNT: Final = "MonitoringAccount1"
_LONGEST: Final = 44
"""Characters of the name of a data collection endpoint (Azure's own template cuts names there)."""
_LONGEST_DASHBOARD: Final = 30
"""Characters of the name of a dashboard (Azure/azure-rest-api-specs, ManagedDashboard.tsp)."""
_SHOWN_AT: Final = {"GrafanaDashboardResourceType": "microsoft.ContainerService/managedClusters"}
"""Tag by which the portal lists a dashboard at each cluster, too (visualize-use-grafana-dashboards.md, 2025-08-22)."""


class Alerting(pulumi.ComponentResource):
    """Metrics of one cluster in a workspace of managed Prometheus, and alerts on what happens to nodes and work."""

    workspace_id: pulumi.Output[str]
    """ARM id of the workspace with the metrics."""
    dashboard: pulumi.Output[str]
    """The dashboard as JSON, which any Grafana imports that has these metrics."""

    def __init__(self, name: str, args: AlertingArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        args = checked("Alerting", AlertingArgs, args, _rules)
        super().__init__("kubeflow-aks:index:Alerting", name, {}, opts)
        workspace = monitor.AzureMonitorWorkspace(
            f"{name}-metrics",
            azure_monitor_workspace_name=f"{name}-metrics",
            resource_group_name=args["resource_group_name"],
            location=args["location"],
            tags=args.get("tags"),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.workspace_id = workspace.id
        _collection(name, args, workspace.id, self)
        notified = _action_group(name, args, self)
        handler, namespace = args.get("eviction_handler", True), args.get("namespace", "kubeflow-aks")
        rules = alert_rules(
            args["pools"],
            handler=handler,
            hours=int(whole(args)["fallback_hours"]),
            provision=whole(args)["max_node_provision_time"],
            unready=whole(args)["scale_down_unready_time"],
            namespace=namespace,
        )
        alertsmanagement.PrometheusRuleGroup(
            f"{name}-alerts",
            rule_group_name=f"{name}-alerts",
            resource_group_name=args["resource_group_name"],
            location=args["location"],
            # Both: otherwise the rules read the metrics of every cluster of the workspace.
            scopes=[workspace.id, args["cluster_id"]],
            cluster_name=when_known(name_of, args["cluster_id"]),
            enabled=True,
            interval="PT1M",
            rules=[_rule(alert, notified.id) for alert in rules],
            tags=args.get("tags"),
            opts=pulumi.ResourceOptions(parent=self, protect=False),
        )
        shown = dashboard(name, args["pools"], handler=handler, namespace=namespace)
        self.dashboard = pulumi.Output.from_input(shown)
        if whole(args)["dashboard"]:
            _dashboard(name, args, shown, self)
        self.register_outputs({"workspaceId": self.workspace_id, "dashboard": self.dashboard})


def _rules(args: AlertingArgs) -> Iterator[Rule]:
    yield from rule_of_text(arm_id_mistakes, "clusterId", args["cluster_id"], CLUSTER)
    yield from named(
        resource_group_name=(azure_names.RESOURCE_GROUP, args["resource_group_name"]),
        location=(azure_names.LOCATION, args["location"]),
        namespace=(limits.KUBERNETES_NAME, args.get("namespace")),
    )
    yield rule(alert_mistakes, args.get("emails", ()), args.get("webhooks", ()))
    yield rule(_price_mistakes, args["pools"])
    yield rule(tag_mistakes, args.get("tags", {}))


def _price_mistakes(pools: Sequence[WatchedPool]) -> Iterator[Mistake]:
    for number, pool in enumerate(pools):
        for key, price in (("price", pool.get("price")), ("onDemandPrice", pool.get("on_demand_price"))):
            if price is not None:
                yield from limits.number_mistakes(f"pools[{number}].{key}", limits.PRICE, price)


def _collection(name: str, args: AlertingArgs, workspace: pulumi.Input[str], parent: pulumi.Resource) -> None:
    """Has the add-on of the cluster send its metrics to the workspace.

    Source: Azure/prometheus-collector, AddonBicepTemplate/FullAzureMonitorMetricsProfile.bicep.
    """
    short = _cut(name, "-prometheus", _LONGEST)
    endpoint = monitor.DataCollectionEndpoint(
        f"{name}-metrics-endpoint",
        data_collection_endpoint_name=short,
        resource_group_name=args["resource_group_name"],
        location=args["location"],
        kind=monitor.KnownDataCollectionEndpointResourceKind.LINUX,
        network_acls=monitor.DataCollectionEndpointNetworkAclsArgs(public_network_access="Enabled"),
        tags=args.get("tags"),
        opts=pulumi.ResourceOptions(parent=parent, protect=False),
    )
    collection = monitor.DataCollectionRule(
        f"{name}-metrics-rule",
        data_collection_rule_name=short,
        resource_group_name=args["resource_group_name"],
        location=args["location"],
        kind=monitor.KnownDataCollectionRuleResourceKind.LINUX,
        data_collection_endpoint_id=endpoint.id,
        data_sources=monitor.DataCollectionRuleDataSourcesArgs(
            prometheus_forwarder=[
                monitor.PrometheusForwarderDataSourceArgs(name="PrometheusDataSource", streams=[_STREAM])
            ]
        ),
        destinations=monitor.DataCollectionRuleDestinationsArgs(
            monitoring_accounts=[
                monitor.MonitoringAccountDestinationArgs(name=_ACCOUNT, account_resource_id=workspace)
            ]
        ),
        data_flows=[monitor.DataFlowArgs(streams=[_STREAM], destinations=[_ACCOUNT])],
        tags=args.get("tags"),
        opts=pulumi.ResourceOptions(parent=parent, protect=False),
    )
    monitor.DataCollectionRuleAssociation(
        f"{name}-metrics-association",
        association_name=short,
        resource_uri=args["cluster_id"],
        data_collection_rule_id=collection.id,
        opts=pulumi.ResourceOptions(parent=parent, protect=False),
    )


def _cut(name: str, end: str, longest: int) -> str:
    return f"{name[: longest - len(end)].rstrip('-')}{end}"


def _dashboard(name: str, args: AlertingArgs, shown: str, parent: pulumi.Resource) -> None:
    """Has the Azure portal show the dashboard, with the rights of whoever looks at it."""
    made = azure_dashboard.Dashboard(
        f"{name}-dashboard",
        dashboard_name=_cut(name, "-spot", _LONGEST_DASHBOARD),
        resource_group_name=args["resource_group_name"],
        location=args["location"],
        tags=when_known(_with_place, args.get("tags", {})),
        opts=pulumi.ResourceOptions(parent=parent, protect=False),
    )
    azure_dashboard.DashboardDefinition(
        f"{name}-dashboard-definition",
        definition_name="default",  # the only one that the portal shows
        dashboard_name=made.name,
        resource_group_name=args["resource_group_name"],
        properties=azure_dashboard.DashboardDefinitionPropertiesArgs(serialized_data=shown),
        opts=pulumi.ResourceOptions(parent=made, protect=False),
    )


def _with_place(tags: Mapping[str, pulumi.Input[str]]) -> dict[str, pulumi.Input[str]]:
    return {**tags, **_SHOWN_AT}


def _action_group(name: str, args: AlertingArgs, parent: pulumi.Resource) -> monitor.ActionGroup:
    """Whom an alert notifies, when it fires and when it ends."""

    def webhooks(addresses: Sequence[pulumi.Input[str]]) -> list[monitor.WebhookReceiverArgs]:
        return [
            monitor.WebhookReceiverArgs(
                name=f"webhook-{number}", service_uri=address, use_common_alert_schema=True
            )
            for number, address in enumerate(addresses)
        ]

    def emails(addresses: Sequence[pulumi.Input[str]]) -> list[monitor.MicrosoftCommonEmailReceiverArgs]:
        return [
            monitor.MicrosoftCommonEmailReceiverArgs(
                name=f"email-{number}", email_address=address, use_common_alert_schema=True
            )
            for number, address in enumerate(addresses)
        ]

    return monitor.ActionGroup(
        f"{name}-action-group",
        action_group_name=f"{name}-alerts",
        resource_group_name=args["resource_group_name"],
        location="global",
        group_short_name="kubeflow-aks",  # at most 12 characters: in SMS and mails
        enabled=True,
        email_receivers=when_known(emails, args.get("emails", ())),
        webhook_receivers=pulumi.Output.secret(args.get("webhooks", ())).apply(webhooks),
        tags=args.get("tags"),
        opts=pulumi.ResourceOptions(
            parent=parent, protect=False, additional_secret_outputs=["webhookReceivers"]
        ),
    )


def _rule(alert: AlertRule, action_group: pulumi.Input[str]) -> alertsmanagement.PrometheusRuleArgs:
    return alertsmanagement.PrometheusRuleArgs(
        alert=alert.name,
        expression=alert.expression,
        severity=alert.severity,
        for_=f"PT{alert.lasting.upper()}" if alert.lasting else None,
        annotations={"summary": alert.summary, "runbook": f"docs/how-to/alerts.md#{alert.name.lower()}"},
        enabled=True,
        resolve_configuration=alertsmanagement.PrometheusRuleResolveConfigurationArgs(
            auto_resolved=True, time_to_resolve="PT10M"
        ),
        actions=[alertsmanagement.PrometheusRuleGroupActionArgs(action_group_id=action_group)],
    )
