"""Rules of the control plane's logs (docs/facts/aks.md#control-plane-logs)."""

from collections.abc import Iterator

from components.arguments.mistakes import Mistake
from components.azure.arm_ids import WORKSPACE, arm_id_mistakes
from components.monitoring.monitoring_checks import log_mistakes, workspace_mistakes
from program.settings import Settings


def monitoring_problems(settings: Settings) -> Iterator[Mistake]:
    """Each log once, and no workspace without logs."""
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
    yield from workspace_mistakes(monitoring.workspace, monitoring.retention_days, at="monitoring.")


def monitoring_warnings(settings: Settings) -> Iterator[str]:
    """The log that costs most (monitor-aks.md, "AKS control plane resource logs")."""
    if "kube-audit" in settings.monitoring.logs:
        yield (
            "monitoring.logs has kube-audit: it also holds every get and list, and you pay for each; kube-audit-admin "
            "leaves them out"
        )
