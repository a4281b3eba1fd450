"""Rules of the control plane's logs and of the watched cost (docs/facts/aks.md#control-plane-logs)."""

from collections.abc import Iterator

from components.arguments.mistakes import Mistake
from components.azure.arm_ids import CONTAINER, WORKSPACE, arm_id_mistakes
from components.monitoring.monitoring_checks import (
    alert_mistakes,
    budget_mistakes,
    log_mistakes,
    workspace_mistakes,
)
from program.settings import Settings


def monitoring_problems(settings: Settings) -> Iterator[Mistake]:
    """Each log once, no workspace without logs, and somebody whom the budget's watch notifies."""
    monitoring = settings.monitoring
    yield from (mistake.within("monitoring") for mistake in log_mistakes(monitoring.logs))
    if monitoring.workspace is not None:
        yield from arm_id_mistakes("monitoring.workspace", monitoring.workspace, WORKSPACE)
    for key, value in (
        ("monitoring.workspace", monitoring.workspace),
        ("monitoring.retentionDays", monitoring.retention_days),
    ):
        if value is not None and not monitoring.logs:
            yield Mistake(key, value, "no value unless monitoring.logs names a log")
    if export := monitoring.cost_export:
        yield from arm_id_mistakes("monitoring.costExport.container", export.container, CONTAINER)
    if (budget := settings.budget) and budget.watched:
        mistakes = budget_mistakes(budget.emails, budget.action_groups)
        yield from (mistake.within("budget") for mistake in mistakes)
        if budget.start_date is None:
            yield Mistake(
                "budget.startDate", None, "the first day of this month or a later one, like 2026-12-01"
            )
    elif budget and budget.start_date is not None:
        expected = "no value without budget.emails or budget.actionGroups, because nobody is notified"
        yield Mistake("budget.startDate", budget.start_date, expected)
    if alerts := settings.alerts:
        for mistake in alert_mistakes(alerts.emails, alerts.webhooks):
            yield mistake.within("alerts")
    yield from workspace_mistakes(monitoring.workspace, monitoring.retention_days, at="monitoring.")


def monitoring_warnings(settings: Settings) -> Iterator[str]:
    """The log that costs most (monitor-aks.md, "AKS control plane resource logs")."""
    if "kube-audit" in settings.monitoring.logs:
        yield (
            "monitoring.logs has kube-audit: it also holds every get and list, and you pay for each; kube-audit-admin "
            "leaves them out"
        )
