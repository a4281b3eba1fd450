"""Arguments of `Monitoring`."""

from collections.abc import Sequence
from typing import Annotated, Final, Required, TypedDict

from ..arguments.choices import CostExportType, LogCategory
from ..arguments.declaration import Argument, Input, Texts, TextsByName
from ..azure.arm_ids import CONTAINER, WORKSPACE

LOG_RETENTION_DAYS: Final = 30
"""Default retention of logs in a new workspace, in days."""


class BudgetSpec(TypedDict, total=False):
    """What a cluster's groups may cost a month, and who is notified at 80 %, at 100 % and when Azure expects 100 %."""

    monthly: Annotated[
        Required[Input[float]],
        Argument(..., "consumption.json", unit="currency of your agreement", ge=0.01, le=1_000_000_000),
    ]
    """Most that a month may cost."""
    start_date: Annotated[
        Required[Input[str]],
        Argument(
            ...,
            "consumption.json",
            unit="YYYY-MM-01",
            pattern=r"^\d{4}-\d\d-01$",
            form="the first day of a month, like 2026-12-01",
        ),
    ]
    """First day of the month in which Azure begins to watch it: this month, or one of the next twelve, when the budget
    is created."""
    emails: Annotated[Texts, Argument((), "consumption.json", unit="mail address")]
    """Whom Azure mails."""
    action_groups: Annotated[Texts, Argument((), "consumption.json", unit="ARM id")]
    """Action groups of Azure Monitor that it runs."""


class CostExportSpec(TypedDict, total=False):
    """What the resource groups of a cluster cost, exported every day, for `cost --actual`."""

    container: Annotated[
        Required[Input[str]], Argument(..., "costmanagement.exports.json", unit="ARM id", form=CONTAINER.form)
    ]
    """Blob container that the exports go to; it exists already, and whoever runs `pulumi up` may give roles on it."""
    start_date: Annotated[
        Required[Input[str]],
        Argument(
            ...,
            "costmanagement.exports.json",
            unit="YYYY-MM-DD",
            pattern=r"^\d{4}-\d\d-\d\d$",
            form="a day, like 2026-12-01",
        ),
    ]
    """Day of the first export, in the future when the export is created."""
    type: Annotated[Input[CostExportType], Argument("ActualCost", "costmanagement.exports.json")]
    """Charges as they are billed, or with reservations and savings plans spread over what uses them."""


class MonitoringArgs(TypedDict, total=False):
    """Arguments of `Monitoring`."""

    resource_group_name: Required[Input[str]]
    """Resource group of a new workspace."""
    location: Required[Input[str]]
    """Azure region of a new workspace."""
    workspace_name: Input[str]
    """Name of a new workspace in Azure. Default: the component's name and -logs."""
    setting_name: Input[str]
    """Name of the cluster's diagnostic setting. Default: the component's name and -control-plane."""
    cluster_id: Required[Input[str]]
    """ARM id of the cluster whose logs are collected."""
    registry_id: Input[str] | None
    """ARM id of a container registry whose sign-ins, pushes and pulls are collected too. Default: none."""
    registry_setting_name: Input[str]
    """Name of the registry's diagnostic setting. Default: the component's name and -registry."""
    logs: Annotated[
        Required[Input[Sequence[Input[LogCategory]]]], Argument(..., "docs/facts/aks.md#control-plane-logs")
    ]
    """Logs of the control plane to collect; Azure charges by their size."""
    workspace: Annotated[
        Input[str] | None,
        Argument(None, "docs/facts/aks.md#control-plane-logs", unit="ARM id", form=WORKSPACE.form),
    ]
    """Log Analytics workspace to use instead of a new one; whoever runs `pulumi up` needs the right to send logs to
    it."""
    retention_days: Annotated[
        Input[int] | None,
        Argument(None, "data-retention-configure.md: up to two years", unit="days", ge=30, le=730),
    ]
    """How long the new workspace keeps logs; the first 31 days are in the price of the logs. Left out: 30."""
    node_resource_group_name: Input[str] | None
    """Resource group that AKS makes for the cluster's nodes, required with a budget or exports. Default: none."""
    budget: BudgetSpec | None
    """What both resource groups may cost, watched by Azure. Default: nothing is watched."""
    budget_name: Input[str]
    """Name of the budget, unique in the subscription. Default: the component's name and -budget."""
    cost_export: CostExportSpec | None
    """Daily exports of what both resource groups cost. Default: none."""
    tags: TextsByName
    """Tags of every taggable child."""
