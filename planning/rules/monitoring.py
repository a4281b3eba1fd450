"""Rules of what is written down about the cluster (docs/facts/aks.md#control-plane-logs)."""

from collections.abc import Iterator

from planning.rules.arm_ids import WORKSPACE, arm_id_problems
from settings import Problem, Settings


def monitoring_problems(settings: Settings) -> Iterator[Problem]:
    """Each log once, and nothing of a workspace that would hold none."""
    asked = settings.monitoring
    if len(set(asked.logs)) != len(asked.logs):
        yield Problem("monitoring.logs", list(asked.logs), "each log once")
    if asked.workspace is not None:
        yield from arm_id_problems("monitoring.workspace", asked.workspace, WORKSPACE)
    for key, value in (
        ("monitoring.workspace", asked.workspace),
        ("monitoring.retentionDays", asked.retention_days),
    ):
        if value is not None and not asked.logs:
            yield Problem(key, value, "no value unless monitoring.logs names a log")
    if asked.workspace is not None and asked.retention_days is not None:
        yield Problem(
            "monitoring.retentionDays",
            asked.retention_days,
            "no value with monitoring.workspace, because its owner decides how long it keeps logs",
        )


def monitoring_warnings(settings: Settings) -> Iterator[str]:
    """The log that costs most (monitor-aks.md, "AKS control plane resource logs")."""
    if "kube-audit" in settings.monitoring.logs:
        yield (
            "monitoring.logs has kube-audit: it also holds every get and list, and you pay for each; kube-audit-admin "
            "leaves them out"
        )
