"""Rules of container registries: features of tier Premium."""

from collections.abc import Mapping
from ipaddress import IPv4Network
from typing import Any, Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.rules.rule import ResourceRequest, Rule, rules, when
from kubeflow_aks.local_aks.azure.types import REGISTRY

_MOST_DAYS: Final = 365
_MOST_RULES: Final = 100


def _premium_only(body: Mapping[str, Any]) -> str | None:
    """The setting of a body that needs tier Premium, or None."""
    if arm.at(body, "policies.retentionPolicy.status") == "enabled":
        return "a retention policy"
    if arm.at(body, "networkRuleSet.defaultAction") == "Deny" or _rules(body):
        return "network rules"
    return None


def _rules(body: Mapping[str, Any]) -> list[Any]:
    return arm.listed(body, "networkRuleSet.ipRules")


def _tier(body: Mapping[str, Any] | None) -> str:
    return str(arm.at(body or {}, "sku.name"))


def _below_premium(request: ResourceRequest) -> Mapping[str, object] | None:
    feature = _premium_only(request.body) if request.type == REGISTRY else None
    tier = _tier(request.body)
    return when(feature is not None and tier != "Premium", feature=feature, tier=tier)


def _at_once(request: ResourceRequest) -> Mapping[str, object] | None:
    if request.type != REGISTRY or request.existing is None:
        return None
    feature, before = _premium_only(request.body), _tier(request.existing)
    return when(feature is not None and before != "Premium", feature=feature, before=before)


def _bad_days(request: ResourceRequest) -> Mapping[str, object] | None:
    days = arm.at(request.body, "policies.retentionPolicy.days") if request.type == REGISTRY else None
    return when(days is not None and not 0 <= days <= _MOST_DAYS, days=days)


def _bad_rule(request: ResourceRequest) -> Mapping[str, object] | None:
    for rule in _rules(request.body) if request.type == REGISTRY else ():
        try:
            IPv4Network(str(rule.get("iPAddressOrRange")), strict=False)
        except ValueError:
            return {"range": rule.get("iPAddressOrRange")}
    return None


REGISTRY_RULES: Final[tuple[Rule[ResourceRequest], ...]] = rules(
    {
        "registry-premium": _below_premium,
        "registry-premium-first": _at_once,
        "registry-retention-days": _bad_days,
        "registry-rule-form": _bad_rule,
        "registry-rules-number": lambda r: when(r.type == REGISTRY and len(_rules(r.body)) > _MOST_RULES),
    }
)
