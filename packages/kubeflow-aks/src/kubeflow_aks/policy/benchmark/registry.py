"""The container registry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kubeflow_aks.policy.benchmark.names import REGISTRY
from kubeflow_aks.policy.benchmark.sources import azure_policy, checkov, psrule
from kubeflow_aks.policy.benchmark.values import Inputs, at, in_turn, must_be, must_not_be, of_type, on_inputs
from kubeflow_aks.policy.rule import Resource, Rule

_REPLICATION: Final = "azure-native:containerregistry:Replication"
_LOCKS: Final = (
    "azure-native:authorization:ManagementLockAtResourceGroupLevel",
    "azure-native:authorization:ManagementLockAtResourceLevel",
    "azure-native:authorization:ManagementLockAtSubscriptionLevel",
    "azure-native:authorization:ManagementLockByScope",
)
_DENIES: Final = must_be("networkRuleSet.defaultAction", "Deny")
_SOFT_DELETE: Final = must_be("policies.softDeletePolicy.status", "enabled")


def _premium(inputs: Inputs) -> bool:
    return at(inputs, "sku.name") == "Premium"


def _known_networks(inputs: Inputs) -> Iterator[str]:
    if at(inputs, "publicNetworkAccess") != "Disabled":
        yield from _DENIES(inputs)


def _soft_delete(inputs: Inputs) -> Iterator[str]:
    """Azure refuses it together with a retention policy."""
    if at(inputs, "policies.retentionPolicy.status") != "enabled":
        yield from _SOFT_DELETE(inputs)


def _replicated(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    replicas = list(of_type(resources, _REPLICATION))

    def alone(registry: Resource) -> Iterator[tuple[str, str]]:
        here = at(registry.inputs, "location")
        if not any(at(it.inputs, "location") != here for it in replicas):
            yield registry.urn, "no replication to another region"

    return in_turn(of_type(resources, REGISTRY), alone)


def _locked(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    locks = list(of_type(resources, *_LOCKS))
    return in_turn(
        of_type(resources, REGISTRY),
        lambda registry: () if locks else ((registry.urn, "no management lock"),),
    )


RULES: Final = (
    Rule(
        "acr-no-admin-user",
        "The registry has no admin user with a shared password.",
        source=checkov("ACRAdminAccountDisabled.py"),
        severity="high",
        type=REGISTRY,
        per_resource=on_inputs(must_not_be("adminUserEnabled", "true", instead="false")),
        ids=("CKV_AZURE_137", "Azure.ACR.AdminUser", "terrascan AC_AZURE_0186", "AzPolicy dc921057"),
    ),
    Rule(
        "acr-no-anonymous-pull",
        "Nobody pulls without signing in.",
        source=checkov("ACRAnonymousPullDisabled.py"),
        severity="high",
        type=REGISTRY,
        per_resource=on_inputs(must_not_be("anonymousPullEnabled", "true", instead="false")),
        ids=("CKV_AZURE_138", "Azure.ACR.AnonymousAccess", "AzPolicy 9f2dea28"),
    ),
    Rule(
        "acr-no-public-access",
        "The registry is reachable on private endpoints only.",
        source=checkov("ACRPublicNetworkAccessDisabled.py"),
        type=REGISTRY,
        per_resource=on_inputs(must_be("publicNetworkAccess", "Disabled")),
        ids=("CKV_AZURE_139", "AzPolicy 0fdf0491"),
    ),
    Rule(
        "acr-known-networks",
        "A Premium registry is reachable from known networks only.",
        source=psrule("Azure.ACR.Firewall.md"),
        type=REGISTRY,
        per_resource=on_inputs(_known_networks, _premium),
        ids=("Azure.ACR.Firewall", "AzPolicy d0793b48"),
    ),
    Rule(
        "acr-tier",
        "The registry is of a tier for production.",
        source=psrule("Azure.ACR.Rule.yaml"),
        severity="low",
        type=REGISTRY,
        per_resource=on_inputs(must_be("sku.name", "Standard", "Premium")),
        ids=("CKV_AZURE_163", "Azure.ACR.MinSku"),
    ),
    Rule(
        "acr-content-trust",
        "A Premium registry uses content trust.",
        source=psrule("Azure.ACR.Rule.yaml"),
        severity="low",
        type=REGISTRY,
        per_resource=on_inputs(must_be("policies.trustPolicy.status", "enabled"), _premium),
        ids=("CKV_AZURE_164", "Azure.ACR.ContentTrust"),
    ),
    Rule(
        "acr-replicated",
        "The registry has a copy in another region.",
        source=psrule("Azure.ACR.Rule.ps1"),
        severity="low",
        every=_replicated,
        ids=("CKV_AZURE_165", "Azure.ACR.GeoReplica"),
    ),
    Rule(
        "acr-quarantine",
        "Images wait until a scanner has released them.",
        source=checkov("ACREnableImageQuarantine.py"),
        severity="low",
        type=REGISTRY,
        per_resource=on_inputs(must_be("policies.quarantinePolicy.status", "enabled")),
        ids=("CKV_AZURE_166", "Azure.ACR.Quarantine"),
    ),
    Rule(
        "acr-retention",
        "A Premium registry removes manifests without a tag.",
        source=psrule("Azure.ACR.Rule.yaml"),
        severity="low",
        type=REGISTRY,
        per_resource=on_inputs(must_be("policies.retentionPolicy.status", "enabled"), _premium),
        ids=("CKV_AZURE_167", "Azure.ACR.Retention"),
    ),
    Rule(
        "acr-zone-redundant",
        "The registry is zone-redundant.",
        source=checkov("ACREnableZoneRedundancy.py"),
        severity="low",
        type=REGISTRY,
        per_resource=on_inputs(must_be("zoneRedundancy", "Enabled")),
        ids=("CKV_AZURE_233",),
    ),
    Rule(
        "acr-data-endpoints",
        "A Premium registry has dedicated data endpoints.",
        source=checkov("ACRDedicatedDataEndpointEnabled.py"),
        severity="low",
        type=REGISTRY,
        per_resource=on_inputs(must_be("dataEndpointEnabled", "true"), _premium),
        ids=("CKV_AZURE_237",),
    ),
    Rule(
        "acr-no-arm-tokens",
        "Tokens for Azure's management API give no access to the registry.",
        source=azure_policy("ACR_AADAuthenticationAsArmPolicy_AuditDeny.json"),
        severity="low",
        type=REGISTRY,
        per_resource=on_inputs(must_be("policies.azureADAuthenticationAsArmPolicy.status", "disabled")),
        ids=("AzPolicy 42781ec6",),
    ),
    Rule(
        "acr-no-exports",
        "Images are not copied to other registries.",
        source=azure_policy("ACR_ExportPolicy_AuditDeny.json"),
        severity="low",
        type=REGISTRY,
        per_resource=on_inputs(must_be("policies.exportPolicy.status", "disabled")),
        ids=("AzPolicy 524b0254",),
    ),
    Rule(
        "acr-soft-delete",
        "Deleted images can be restored for a while, unless a retention policy removes manifests without a tag.",
        source=psrule("Azure.ACR.Rule.ps1"),
        severity="low",
        type=REGISTRY,
        per_resource=on_inputs(_soft_delete),
        ids=("Azure.ACR.SoftDelete",),
    ),
    Rule(
        "acr-locked",
        "A lock keeps the registry from being deleted.",
        source="tenable/terrascan, containerRegistryResourceLock.rego (read 2026-11-22)",
        severity="low",
        every=_locked,
        ids=("terrascan AC_AZURE_0185",),
    ),
)
