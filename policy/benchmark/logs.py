"""Which logs of the control plane are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from policy.benchmark.pools import CLUSTER
from policy.benchmark.sources import psrule
from policy.benchmark.values import Inputs, at, in_turn, items, of_type
from policy.rule import UNKNOWN, Resource, Rule

_SETTING: Final = "azure-native:monitor:DiagnosticSetting"
_AUDIT: Final = {"kube-audit", "kube-audit-admin", "guard"}
_PLATFORM: Final = ("cluster-autoscaler",)
"""The foreign rule's list is the user's to set; of the default this is what says why a pool grew or did not."""
_GROUPS: Final = {"audit": _AUDIT, "allLogs": {*_AUDIT, *_PLATFORM}}


def _is_of_cluster(setting: Inputs) -> bool:
    """Whether a setting is about a cluster; where nobody knows yet what it is about it is taken to be."""
    about = at(setting, "resourceUri")
    return about is UNKNOWN or "containerservice/managedcluster" in str(about).casefold()


def _kept(setting: Inputs) -> Iterator[str]:
    """Categories that a setting keeps; a group stands for many."""
    for log in items(setting, "logs"):
        if at(log, "enabled"):
            group = at(log, "categoryGroup")
            yield from _GROUPS.get(str(group), set()) if group else (str(at(log, "category")),)


def _settings(resources: Sequence[Resource]) -> list[Resource]:
    return [it for it in of_type(resources, _SETTING) if _is_of_cluster(it.inputs)]


def _lacks(resources: Sequence[Resource], *wanted: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Of each of these choices a cluster keeps one."""
    kept = {category for it in _settings(resources) for category in _kept(it.inputs)}
    missing = [" or ".join(choice) for choice in wanted if not kept & {*choice}]

    def lacking(cluster: Resource) -> Iterator[tuple[str, str]]:
        if missing:
            yield cluster.urn, f"no diagnostic setting keeps {', '.join(missing)}"

    return in_turn(of_type(resources, CLUSTER), lacking)


def _audit(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    return _lacks(resources, ("kube-audit-admin", "kube-audit"), ("guard",))


def _platform(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    return _lacks(resources, *((category,) for category in _PLATFORM))


def _costly(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    def keeps(setting: Resource) -> Iterator[tuple[str, str]]:
        if "kube-audit" in _kept(setting.inputs):
            yield setting.urn, "logs have kube-audit, every reading call; expected kube-audit-admin"

    return in_turn(_settings(resources), keeps)


RULES: Final = (
    Rule(
        "aks-audit-log",
        "Who changed what in the cluster is kept, and who signed in.",
        source=psrule("Azure.AKS.Rule.ps1"),
        every=_audit,
        ids=("Azure.AKS.AuditLogs", "AzPolicy 245fc9df", "CIS-AKS 2.1.1"),
    ),
    Rule(
        "aks-platform-log",
        "What the autoscaler did is kept.",
        source=psrule("Azure.AKS.Rule.ps1"),
        severity="low",
        every=_platform,
        ids=("Azure.AKS.PlatformLogs",),
    ),
    Rule(
        "aks-audit-log-without-reads",
        "The audit log leaves out calls that only read, which cost the most.",
        source=psrule("Azure.AKS.Rule.ps1"),
        severity="low",
        every=_costly,
        ids=("Azure.AKS.AuditAdmin",),
    ),
)
