"""Settings of the control plane's logs."""

from components.arguments import choices, defaults, limits
from program.settings._model import SettingsModel, setting


class Monitoring(SettingsModel):
    """The logs of the control plane, and the workspace that keeps them."""

    logs: tuple[choices.LogCategory, ...] = setting(
        (),
        about="Logs of the control plane to collect; Azure charges by their size. Empty means none.",
        source="docs/facts/aks.md#control-plane-logs",
    )
    workspace: str | None = setting(
        None,
        about="Log Analytics workspace to use instead of a new one; whoever runs `pulumi up` needs the right to send "
        "logs to it.",
        unit="ARM id",
        source="docs/facts/aks.md#control-plane-logs",
        form="/subscriptions/<subscription>/resourceGroups/<group>/providers/Microsoft.OperationalInsights/workspaces"
        "/<name>",
    )
    retention_days: int | None = setting(
        None,
        about="How long the new workspace keeps logs; the first 31 days are in the price of the logs. Left out: "
        f"{defaults.LOG_RETENTION_DAYS}.",
        unit="days",
        source="data-retention-configure.md: up to two years",
        **limits.LOG_DAYS,
    )
