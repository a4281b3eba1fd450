"""Add-ons, storage drivers and encryption keys of the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from kubeflow_aks.policy.benchmark.pools import CLUSTER
from kubeflow_aks.policy.benchmark.sources import azure_policy, checkov, psrule
from kubeflow_aks.policy.benchmark.values import (
    Inputs,
    Look,
    at,
    must_be,
    must_be_set,
    must_not_be,
    on_inputs,
    together,
)
from kubeflow_aks.policy.rule import UNKNOWN, Rule


def _add_on(inputs: Inputs, name: str) -> Any:
    """An add-on; Azure's spelling varies in case (`omsagent`, `omsAgent`)."""
    profiles = at(inputs, "addonProfiles")
    if profiles is None or profiles is UNKNOWN:
        return profiles
    return next((profile for key, profile in profiles.items() if key.casefold() == name.casefold()), None)


def _on(name: str) -> Look:
    def look(inputs: Inputs) -> Iterator[str]:
        for message in must_be("enabled", "true")(_add_on(inputs, name)):
            yield f"addonProfiles.{name}.{message}"

    return look


def _off(name: str) -> Look:
    """An add-on that is absent is off."""

    def look(inputs: Inputs) -> Iterator[str]:
        for message in must_not_be("enabled", "true", instead="false")(_add_on(inputs, name)):
            yield f"addonProfiles.{name}.{message}"

    return look


def _rotates(inputs: Inputs) -> Iterator[str]:
    name = "azureKeyvaultSecretsProvider"
    for message in must_be("config.enableSecretRotation", "true")(_add_on(inputs, name)):
        yield f"addonProfiles.{name}.{message}"


RULES: Final = (
    Rule(
        "aks-no-dashboard",
        "The dashboard add-on is off or absent.",
        source=checkov("AKSDashboardDisabled.py"),
        severity="high",
        type=CLUSTER,
        per_resource=on_inputs(_off("kubeDashboard")),
        ids=("CKV_AZURE_8", "terrascan AC_AZURE_0161"),
    ),
    Rule(
        "aks-no-http-routing",
        "The HTTP application routing add-on is off or absent.",
        source=checkov("KubernetesClusterHTTPApplicationRouting.py"),
        type=CLUSTER,
        per_resource=on_inputs(_off("httpApplicationRouting")),
        ids=("CKV_AZURE_246", "Azure.AKS.HttpAppRouting"),
    ),
    Rule(
        "aks-image-cleaner",
        "Unused images are removed from nodes.",
        source=azure_policy("AKS_ImageCleaner_Audit.json"),
        severity="low",
        type=CLUSTER,
        per_resource=on_inputs(must_be("securityProfile.imageCleaner.enabled", "true")),
        ids=("AzPolicy af3c26b2",),
    ),
    Rule(
        "aks-container-insights",
        "Container Insights collects logs and metrics.",
        source=checkov("AKSLoggingEnabled.py"),
        type=CLUSTER,
        per_resource=on_inputs(_on("omsagent")),
        ids=("CKV_AZURE_4", "AZU-0040", "KICS 9b09dee1", "Azure.AKS.ContainerInsights"),
    ),
    Rule(
        "aks-defender",
        "Defender for Containers watches the cluster.",
        source=psrule("Azure.AKS.Rule.yaml"),
        type=CLUSTER,
        per_resource=on_inputs(must_be("securityProfile.defender.securityMonitoring.enabled", "true")),
        ids=("Azure.AKS.DefenderProfile", "AzPolicy a1840de2"),
    ),
    Rule(
        "aks-azure-policy",
        "Azure Policy checks the cluster's objects.",
        source=psrule("Azure.AKS.Rule.yaml"),
        severity="low",
        type=CLUSTER,
        per_resource=on_inputs(_on("azurepolicy")),
        ids=("CKV_AZURE_116", "AZU-0066", "Azure.AKS.AzurePolicyAddOn", "AzPolicy 0a15ec92"),
    ),
    Rule(
        "aks-secret-store",
        "Pods read secrets from Key Vault, which are rotated.",
        source=checkov("AkSSecretStoreRotation.py"),
        severity="low",
        type=CLUSTER,
        per_resource=on_inputs(together(_on("azureKeyvaultSecretsProvider"), _rotates)),
        ids=("CKV_AZURE_172", "Azure.AKS.SecretStore", "Azure.AKS.SecretStoreRotation", "CIS-AKS 4.5.2"),
    ),
    Rule(
        "aks-storage-drivers",
        "The drivers of disks, shares and snapshots are not switched off.",
        source=azure_policy("AKS_CSI.json"),
        severity="low",
        type=CLUSTER,
        per_resource=on_inputs(
            together(
                *(
                    must_not_be(f"storageProfile.{driver}.enabled", "false", instead="true")
                    for driver in ("diskCSIDriver", "fileCSIDriver", "snapshotController")
                )
            )
        ),
        ids=("AzPolicy c5110b6e",),
    ),
    Rule(
        "aks-etcd-own-key",
        "Kubernetes' secrets are encrypted with a customer-managed key.",
        source=azure_policy("AKS_EnableKMS.json"),
        severity="low",
        type=CLUSTER,
        per_resource=on_inputs(must_be("securityProfile.azureKeyVaultKms.enabled", "true")),
        ids=("AzPolicy dbbdc317",),
    ),
    Rule(
        "aks-disks-own-key",
        "Disks are encrypted with a customer-managed key.",
        source=checkov("AKSUsesDiskEncryptionSet.py"),
        severity="low",
        type=CLUSTER,
        per_resource=on_inputs(must_be_set("diskEncryptionSetID")),
        ids=("CKV_AZURE_117", "AZU-0067", "AzPolicy 7d7be79c"),
    ),
)
