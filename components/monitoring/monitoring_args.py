"""Arguments of `Monitoring`."""

from collections.abc import Sequence
from typing import Annotated, Final, Required, TypedDict

from ..arguments.choices import LogCategory
from ..arguments.declaration import Argument, Input, TextsByName
from ..azure.arm_ids import WORKSPACE

LOG_RETENTION_DAYS: Final = 30
"""Default retention of logs in a new workspace, in days."""


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
    tags: TextsByName
    """Tags of every taggable child."""
