"""The container registry."""

from collections.abc import Iterator, Sequence
from typing import Final

from kubeflow_aks.policy.benchmark.names import REGISTRY
from kubeflow_aks.policy.benchmark.table import Citation, azure_policy, checkov, high, low, medium, on, psrule
from kubeflow_aks.policy.benchmark.values import Inputs, at, in_turn, must_be, must_not_be, of_type
from kubeflow_aks.policy.rule import Resource

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


RULES: Final = (
    high(
        "acr-no-admin-user",
        "The registry has no admin user with a shared password.",
        on(REGISTRY, must_not_be("adminUserEnabled", "true", instead="false")),
        checkov(
            "ACRAdminAccountDisabled.py",
            "CKV_AZURE_137, Azure.ACR.AdminUser, terrascan AC_AZURE_0186, AzPolicy dc921057",
        ),
    ),
    high(
        "acr-no-anonymous-pull",
        "Nobody pulls without signing in.",
        on(REGISTRY, must_not_be("anonymousPullEnabled", "true", instead="false")),
        checkov("ACRAnonymousPullDisabled.py", "CKV_AZURE_138, Azure.ACR.AnonymousAccess, AzPolicy 9f2dea28"),
    ),
    medium(
        "acr-no-public-access",
        "The registry is reachable on private endpoints only.",
        on(REGISTRY, must_be("publicNetworkAccess", "Disabled")),
        checkov("ACRPublicNetworkAccessDisabled.py", "CKV_AZURE_139, AzPolicy 0fdf0491"),
    ),
    medium(
        "acr-known-networks",
        "A Premium registry is reachable from known networks only.",
        on(REGISTRY, must_be("networkRuleSet.defaultAction", "Deny"), where=_public_premium),
        psrule("Azure.ACR.Firewall.md", "Azure.ACR.Firewall, AzPolicy d0793b48"),
    ),
    low(
        "acr-tier",
        "The registry is of a tier for production.",
        on(REGISTRY, must_be("sku.name", "Standard", "Premium")),
        psrule("Azure.ACR.Rule.yaml", "CKV_AZURE_163, Azure.ACR.MinSku"),
    ),
    low(
        "acr-content-trust",
        "A Premium registry uses content trust.",
        on(REGISTRY, must_be("policies.trustPolicy.status", "enabled"), where=_premium),
        psrule("Azure.ACR.Rule.yaml", "CKV_AZURE_164, Azure.ACR.ContentTrust"),
    ),
    low(
        "acr-replicated",
        "The registry has a copy in another region.",
        _replicated,
        psrule("Azure.ACR.Rule.ps1", "CKV_AZURE_165, Azure.ACR.GeoReplica"),
    ),
    low(
        "acr-quarantine",
        "Images wait until a scanner has released them.",
        on(REGISTRY, must_be("policies.quarantinePolicy.status", "enabled")),
        checkov("ACREnableImageQuarantine.py", "CKV_AZURE_166, Azure.ACR.Quarantine"),
    ),
    low(
        "acr-retention",
        "A Premium registry removes manifests without a tag.",
        on(REGISTRY, must_be("policies.retentionPolicy.status", "enabled"), where=_premium),
        psrule("Azure.ACR.Rule.yaml", "CKV_AZURE_167, Azure.ACR.Retention"),
    ),
    low(
        "acr-zone-redundant",
        "The registry is zone-redundant.",
        on(REGISTRY, must_be("zoneRedundancy", "Enabled")),
        checkov("ACREnableZoneRedundancy.py", "CKV_AZURE_233"),
    ),
    low(
        "acr-data-endpoints",
        "A Premium registry has dedicated data endpoints.",
        on(REGISTRY, must_be("dataEndpointEnabled", "true"), where=_premium),
        checkov("ACRDedicatedDataEndpointEnabled.py", "CKV_AZURE_237"),
    ),
    low(
        "acr-no-arm-tokens",
        "Tokens for Azure's management API give no access to the registry.",
        on(REGISTRY, must_be("policies.azureADAuthenticationAsArmPolicy.status", "disabled")),
        azure_policy("ACR_AADAuthenticationAsArmPolicy_AuditDeny.json", "AzPolicy 42781ec6"),
    ),
    low(
        "acr-no-exports",
        "Images are not copied to other registries.",
        on(REGISTRY, must_be("policies.exportPolicy.status", "disabled")),
        azure_policy("ACR_ExportPolicy_AuditDeny.json", "AzPolicy 524b0254"),
    ),
    low(
        "acr-soft-delete",
        "Deleted images can be restored for a while, unless a retention policy removes manifests without a tag.",
        on(REGISTRY, must_be("policies.softDeletePolicy.status", "enabled"), where=_without_retention),
        psrule("Azure.ACR.Rule.ps1", "Azure.ACR.SoftDelete"),
    ),
    low(
        "acr-locked",
        "A lock keeps the registry from being deleted.",
        _locked,
        Citation(
            "tenable/terrascan, containerRegistryResourceLock.rego (read 2026-11-22)",
            "terrascan AC_AZURE_0185",
        ),
    ),
)
