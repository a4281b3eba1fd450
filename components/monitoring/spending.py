"""What the cluster's resource groups cost: a budget that Azure watches, and exports of the charges."""

from typing import Final, cast

import pulumi
from pulumi_azure_native import consumption, costmanagement

from ..arguments.checked import whole
from ..azure.arm_ids import name_of, parent_id
from ..azure.roles import BLOB_DATA_CONTRIBUTOR, role_assignment
from .monitoring_args import BudgetSpec, CostExportSpec, MonitoringArgs

_THRESHOLDS: Final = {
    "actual80": (80, "Actual"),
    "actual100": (100, "Actual"),
    "forecast100": (100, "Forecasted"),
}
"""Percent of the budget, of what was spent or of what Azure expects at the month's end, from which on it notifies."""


def budget(name: str, spec: BudgetSpec, args: MonitoringArgs, parent: pulumi.Resource) -> None:
    """One budget of both resource groups together.

    It belongs to the subscription and looks at both groups only: a budget of a group alone would know half.
    """
    contacts = whole(spec)
    consumption.Budget(
        f"{name}-budget",
        budget_name=args.get("budget_name", f"{name}-budget"),
        scope=_subscription(args),
        category=consumption.CategoryType.COST,
        amount=spec["monthly"],
        time_grain=consumption.TimeGrainType.MONTHLY,
        time_period=consumption.BudgetTimePeriodArgs(
            start_date=pulumi.Output.concat(contacts["start_date"], "T00:00:00Z")
        ),
        filter=consumption.BudgetFilterArgs(
            dimensions=consumption.BudgetComparisonExpressionArgs(
                name="ResourceGroupName",
                operator=consumption.BudgetOperatorType.IN_,
                values=[args["resource_group_name"], _nodes(args)],
            )
        ),
        notifications={
            key: consumption.NotificationArgs(
                enabled=True,
                operator=consumption.OperatorType.GREATER_THAN,
                threshold=percent,
                threshold_type=of,
                contact_emails=contacts["emails"],
                contact_groups=contacts["action_groups"],
            )
            for key, (percent, of) in _THRESHOLDS.items()
        },
        opts=pulumi.ResourceOptions(parent=parent, protect=False),
    )


def exports(name: str, spec: CostExportSpec, args: MonitoringArgs, parent: pulumi.Resource) -> None:
    """An export of the charges of each resource group, every day, into a container that is there already.

    Each has an identity of its own, which writes to this container and reaches nothing else.
    """
    settings = whole(spec)
    container = pulumi.Output.from_input(settings["container"])
    groups = {"cost": args["resource_group_name"], "cost-nodes": _nodes(args)}
    for suffix, group in groups.items():
        export = costmanagement.Export(
            f"{name}-{suffix}",
            export_name=f"{name}-{suffix}",
            scope=pulumi.Output.concat(_subscription(args), "/resourceGroups/", group),
            location=args["location"],  # of its identity
            identity=costmanagement.SystemAssignedServiceIdentityArgs(
                type=costmanagement.SystemAssignedServiceIdentityType.SYSTEM_ASSIGNED
            ),
            format=costmanagement.FormatType.CSV,
            definition=costmanagement.ExportDefinitionArgs(
                type=settings["type"],
                timeframe=costmanagement.TimeframeType.MONTH_TO_DATE,
                data_set=costmanagement.ExportDatasetArgs(granularity=costmanagement.GranularityType.DAILY),
            ),
            delivery_info=costmanagement.ExportDeliveryInfoArgs(
                destination=costmanagement.ExportDeliveryDestinationArgs(
                    resource_id=container.apply(_account_id),
                    container=container.apply(name_of),
                    root_folder_path=name,
                )
            ),
            schedule=costmanagement.ExportScheduleArgs(
                status=costmanagement.StatusType.ACTIVE,
                recurrence=costmanagement.RecurrenceType.DAILY,
                recurrence_period=costmanagement.ExportRecurrencePeriodArgs(
                    from_=pulumi.Output.concat(settings["start_date"], "T00:00:00Z")
                ),
            ),
            opts=pulumi.ResourceOptions(parent=parent, protect=False),
        )
        principal = export.identity.apply(lambda it: it.principal_id if it else "")
        role_assignment(f"{name}-{suffix}-access", container, BLOB_DATA_CONTRIBUTOR, principal, parent)


def _nodes(args: MonitoringArgs) -> pulumi.Input[str]:
    """The group of the nodes, which the rules of the component require here."""
    return cast(pulumi.Input[str], args.get("node_resource_group_name"))


def _subscription(args: MonitoringArgs) -> pulumi.Output[str]:
    """The subscription of the cluster, `/subscriptions/<id>`; it exists once the cluster does, and so do its groups."""
    return pulumi.Output.from_input(args["cluster_id"]).apply(lambda it: "/".join(it.split("/")[:3]))


def _account_id(container_id: str) -> str:
    """The storage account that a container is in."""
    return parent_id(parent_id(container_id))
