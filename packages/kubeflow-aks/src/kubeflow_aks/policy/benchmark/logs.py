"""Logs of the control plane and of the registry."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from kubeflow_aks.policy.benchmark.names import REGISTRY
from kubeflow_aks.policy.benchmark.values import Inputs, at, in_turn, items, of_type
from kubeflow_aks.policy.rule import UNKNOWN, Resource
from kubeflow_aks.policy.rules.resources import CLUSTER
from kubeflow_aks.policy.table import Every, rules

_SETTING: Final = "azure-native:monitor:DiagnosticSetting"
_AUDIT: Final = {"kube-audit", "kube-audit-admin", "guard"}
_PLATFORM: Final = "cluster-autoscaler"
"""The source's list is configurable; of its default, this category explains why a pool did or did not grow."""
_OF_REGISTRY: Final = ("ContainerRegistryLoginEvents", "ContainerRegistryRepositoryEvents")
_GROUPS: Final = {"audit": {*_AUDIT, *_OF_REGISTRY}, "allLogs": {*_AUDIT, _PLATFORM, *_OF_REGISTRY}}
"""What a group stores of the resource that its setting is about; categories of other resources do no harm here."""
_PATHS: Final = {CLUSTER: "containerservice/managedcluster", REGISTRY: "containerregistry/registr"}
"""Part of the ARM ids of each type."""


def _is_about(setting: Inputs, kind: str) -> bool:
    """Whether a setting is about a resource of a type; also if its resource is not known yet."""
    about = at(setting, "resourceUri")
    return about is UNKNOWN or _PATHS[kind] in str(about).casefold()


def _kept(setting: Inputs) -> Iterator[str]:
    """Categories that a setting stores; a group has several."""
    for log in items(setting, "logs"):
        if at(log, "enabled"):
            group = at(log, "categoryGroup")
            yield from _GROUPS.get(str(group), set()) if group else (str(at(log, "category")),)


def _settings(resources: Sequence[Resource], kind: str) -> list[Resource]:
    return [it for it in of_type(resources, _SETTING) if _is_about(it.inputs, kind)]


def _stored(kind: str, *required: Collection[str]) -> Every:
    """Resources of a type that lack a category of each of these choices."""

    def check(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
        kept = {category for it in _settings(resources, kind) for category in _kept(it.inputs)}
        missing = [" or ".join(choice) for choice in required if not kept & {*choice}]
        for resource in of_type(resources, kind) if missing else ():
            yield resource.urn, f"no diagnostic setting stores {', '.join(missing)}"

    return check


def _costly(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    def keeps(setting: Resource) -> Iterator[str]:
        if "kube-audit" in _kept(setting.inputs):
            yield "logs have kube-audit, with every read call; expected kube-audit-admin"

    return in_turn(_settings(resources, CLUSTER), keeps)


RULES: Final = rules(
    {
        "aks-audit-log": _stored(CLUSTER, ("kube-audit-admin", "kube-audit"), ("guard",)),
        "aks-platform-log": _stored(CLUSTER, (_PLATFORM,)),
        "aks-audit-log-without-reads": _costly,
        "acr-audit-log": _stored(REGISTRY, *((category,) for category in _OF_REGISTRY)),
    }
)
