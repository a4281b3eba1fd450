"""The container registry."""

from collections.abc import Iterator, Sequence
from typing import Final

from kubeflow_aks.policy.benchmark.names import REGISTRY
from kubeflow_aks.policy.benchmark.values import Inputs, at, in_turn, must_be, must_not_be, of_type, on
from kubeflow_aks.policy.rule import Resource
from kubeflow_aks.policy.table import rules

_REPLICATION: Final = "azure-native:containerregistry:Replication"
_LOCKS: Final = (
    "azure-native:authorization:ManagementLockAtResourceGroupLevel",
    "azure-native:authorization:ManagementLockAtResourceLevel",
    "azure-native:authorization:ManagementLockAtSubscriptionLevel",
    "azure-native:authorization:ManagementLockByScope",
)


def _premium(inputs: Inputs) -> bool:
    return at(inputs, "sku.name") == "Premium"


def _public_premium(inputs: Inputs) -> bool:
    return _premium(inputs) and at(inputs, "publicNetworkAccess") != "Disabled"


def _without_retention(inputs: Inputs) -> bool:
    """Azure refuses soft deletion together with a retention policy."""
    return at(inputs, "policies.retentionPolicy.status") != "enabled"


def _replicated(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    replicas = list(of_type(resources, _REPLICATION))

    def alone(registry: Resource) -> Iterator[str]:
        here = at(registry.inputs, "location")
        if not any(at(it.inputs, "location") != here for it in replicas):
            yield "no replication to another region"

    return in_turn(of_type(resources, REGISTRY), alone)


def _locked(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    locks = list(of_type(resources, *_LOCKS))
    return in_turn(of_type(resources, REGISTRY), lambda _: () if locks else ("no management lock",))


RULES: Final = rules(
    {
        "acr-no-admin-user": on(REGISTRY, must_not_be("adminUserEnabled", "true", instead="false")),
        "acr-no-anonymous-pull": on(REGISTRY, must_not_be("anonymousPullEnabled", "true", instead="false")),
        "acr-no-public-access": on(REGISTRY, must_be("publicNetworkAccess", "Disabled")),
        "acr-known-networks": on(
            REGISTRY, must_be("networkRuleSet.defaultAction", "Deny"), where=_public_premium
        ),
        "acr-tier": on(REGISTRY, must_be("sku.name", "Standard", "Premium")),
        "acr-content-trust": on(REGISTRY, must_be("policies.trustPolicy.status", "enabled"), where=_premium),
        "acr-replicated": _replicated,
        "acr-quarantine": on(REGISTRY, must_be("policies.quarantinePolicy.status", "enabled")),
        "acr-retention": on(REGISTRY, must_be("policies.retentionPolicy.status", "enabled"), where=_premium),
        "acr-zone-redundant": on(REGISTRY, must_be("zoneRedundancy", "Enabled")),
        "acr-data-endpoints": on(REGISTRY, must_be("dataEndpointEnabled", "true"), where=_premium),
        "acr-no-arm-tokens": on(
            REGISTRY, must_be("policies.azureADAuthenticationAsArmPolicy.status", "disabled")
        ),
        "acr-no-exports": on(REGISTRY, must_be("policies.exportPolicy.status", "disabled")),
        "acr-soft-delete": on(
            REGISTRY, must_be("policies.softDeletePolicy.status", "enabled"), where=_without_retention
        ),
        "acr-locked": _locked,
    }
)
