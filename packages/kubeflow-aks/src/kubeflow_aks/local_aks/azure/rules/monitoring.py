"""Rules of diagnostic settings, and of the Log Analytics workspaces that they send logs to."""

from collections.abc import Mapping
from typing import Any, Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.rules.rule import ResourceRequest, Rule, rules, when
from kubeflow_aks.local_aks.azure.state import DIAGNOSTIC_SETTING
from kubeflow_aks.local_aks.azure.types import LOG_WORKSPACE

_MOST_SETTINGS: Final = 5
_DAYS: Final = range(30, 730 + 1)
_SINKS: Final = ("workspaceId", "storageAccountId", "eventHubAuthorizationRuleId", "marketplacePartnerId")
_CATEGORIES: Final = frozenset(
    {
        "cloud-controller-manager",
        "cluster-autoscaler",
        "csi-azuredisk-controller",
        "csi-azurefile-controller",
        "csi-snapshot-controller",
        "guard",
        "kube-apiserver",
        "kube-audit",
        "kube-audit-admin",
        "kube-controller-manager",
        "kube-scheduler",
    }
)
"""Logs of a managed cluster (monitor-aks.md, "AKS control plane resource logs")."""


_OF_REGISTRY: Final = frozenset({"ContainerRegistryLoginEvents", "ContainerRegistryRepositoryEvents"})
"""Logs of a container registry (microsoft-containerregistry-registries-logs.md)."""


def _logs(body: Mapping[str, Any]) -> list[str]:
    """The categories that a setting collects."""
    return [str(log.get("category")) for log in arm.listed(body, "logs") if log.get("enabled")]


def _peers(request: ResourceRequest) -> list[Json]:
    """The other settings of the same resource."""
    of = request.id.rsplit("/providers/", 1)[0]
    return [peer for peer in request.peers if arm.within(str(peer["id"]), of)]


def _no_sink(request: ResourceRequest) -> Mapping[str, object] | None:
    return when(request.type == DIAGNOSTIC_SETTING and not any(map(request.body.get, _SINKS)))


def _unknown_category(request: ResourceRequest) -> Mapping[str, object] | None:
    requested = _logs(request.body) if request.type == DIAGNOSTIC_SETTING else []
    categories = (
        _OF_REGISTRY if "/providers/microsoft.containerregistry/" in request.id.casefold() else _CATEGORIES
    )
    unknown = [category for category in requested if category not in categories]
    return {"category": unknown[0]} if unknown else None


def _sink_reused(request: ResourceRequest) -> Mapping[str, object] | None:
    sink = request.body.get("workspaceId")
    if request.type != DIAGNOSTIC_SETTING or not sink:
        return None
    for peer in _peers(request):
        shared = set(_logs(peer)) & set(_logs(request.body))
        if shared and arm.key(str(peer.get("workspaceId"))) == arm.key(str(sink)):
            return {"sink": sink, "other": peer["name"], "category": min(shared)}
    return None


def _too_many(request: ResourceRequest) -> Mapping[str, object] | None:
    new = request.type == DIAGNOSTIC_SETTING and request.existing is None
    return when(new and len(_peers(request)) >= _MOST_SETTINGS)


def _bad_retention(request: ResourceRequest) -> Mapping[str, object] | None:
    days = request.body.get("retentionInDays") if request.type == LOG_WORKSPACE else None
    return when(days is not None and days not in _DAYS)


MONITORING_RULES: Final[tuple[Rule[ResourceRequest], ...]] = rules(
    {
        "diagnostic-sink": _no_sink,
        "diagnostic-category": _unknown_category,
        "diagnostic-sink-reused": _sink_reused,
        "diagnostic-number": _too_many,
        "workspace-retention": _bad_retention,
    }
)
