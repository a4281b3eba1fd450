"""Add-ons, storage drivers and encryption keys of the cluster."""

from typing import Any, Final

from kubeflow_aks.policy.benchmark.table import azure_policy, checkov, high, low, medium, on, psrule
from kubeflow_aks.policy.benchmark.values import Inputs, Look, at, must_be, must_be_set, must_not_be
from kubeflow_aks.policy.rule import UNKNOWN
from kubeflow_aks.policy.rules.resources import CLUSTER

_ON: Final = must_be("enabled", "true")
_OFF: Final = must_not_be("enabled", "true", instead="false")
_SECRET_STORE: Final = "azureKeyvaultSecretsProvider"  # noqa: S105 - an add-on


def _profile(inputs: Inputs, name: str) -> Any:
    """An add-on; Azure's spelling varies in case (`omsagent`, `omsAgent`)."""
    profiles = at(inputs, "addonProfiles")
    if profiles is None or profiles is UNKNOWN:
        return profiles
    return next((profile for key, profile in profiles.items() if key.casefold() == name.casefold()), None)


def _add_on(name: str, look: Look) -> Look:
    return lambda inputs: (f"addonProfiles.{name}.{message}" for message in look(_profile(inputs, name)))


def _driver_on(driver: str) -> Look:
    return must_not_be(f"storageProfile.{driver}.enabled", "false", instead="true")


RULES: Final = (
    high(
        "aks-no-dashboard",
        "The dashboard add-on is off or absent.",
        on(CLUSTER, _add_on("kubeDashboard", _OFF)),
        checkov("AKSDashboardDisabled.py", "CKV_AZURE_8, terrascan AC_AZURE_0161"),
    ),
    medium(
        "aks-no-http-routing",
        "The HTTP application routing add-on is off or absent.",
        on(CLUSTER, _add_on("httpApplicationRouting", _OFF)),
        checkov("KubernetesClusterHTTPApplicationRouting.py", "CKV_AZURE_246, Azure.AKS.HttpAppRouting"),
    ),
    low(
        "aks-image-cleaner",
        "Unused images are removed from nodes.",
        on(CLUSTER, must_be("securityProfile.imageCleaner.enabled", "true")),
        azure_policy("AKS_ImageCleaner_Audit.json", "AzPolicy af3c26b2"),
    ),
    medium(
        "aks-container-insights",
        "Container Insights collects logs and metrics.",
        on(CLUSTER, _add_on("omsagent", _ON)),
        checkov("AKSLoggingEnabled.py", "CKV_AZURE_4, AZU-0040, KICS 9b09dee1, Azure.AKS.ContainerInsights"),
    ),
    medium(
        "aks-defender",
        "Defender for Containers watches the cluster.",
        on(CLUSTER, must_be("securityProfile.defender.securityMonitoring.enabled", "true")),
        psrule("Azure.AKS.Rule.yaml", "Azure.AKS.DefenderProfile, AzPolicy a1840de2"),
    ),
    low(
        "aks-azure-policy",
        "Azure Policy checks the cluster's objects.",
        on(CLUSTER, _add_on("azurepolicy", _ON)),
        psrule(
            "Azure.AKS.Rule.yaml", "CKV_AZURE_116, AZU-0066, Azure.AKS.AzurePolicyAddOn, AzPolicy 0a15ec92"
        ),
    ),
    low(
        "aks-secret-store",
        "Pods read secrets from Key Vault, which are rotated.",
        on(
            CLUSTER,
            _add_on(_SECRET_STORE, _ON),
            _add_on(_SECRET_STORE, must_be("config.enableSecretRotation", "true")),
        ),
        checkov(
            "AkSSecretStoreRotation.py",
            "CKV_AZURE_172, Azure.AKS.SecretStore, Azure.AKS.SecretStoreRotation, CIS-AKS 4.5.2",
        ),
    ),
    low(
        "aks-storage-drivers",
        "The drivers of disks, shares and snapshots are not switched off.",
        on(CLUSTER, *map(_driver_on, ("diskCSIDriver", "fileCSIDriver", "snapshotController"))),
        azure_policy("AKS_CSI.json", "AzPolicy c5110b6e"),
    ),
    low(
        "aks-etcd-own-key",
        "Kubernetes' secrets are encrypted with a customer-managed key.",
        on(CLUSTER, must_be("securityProfile.azureKeyVaultKms.enabled", "true")),
        azure_policy("AKS_EnableKMS.json", "AzPolicy dbbdc317"),
    ),
    low(
        "aks-disks-own-key",
        "Disks are encrypted with a customer-managed key.",
        on(CLUSTER, must_be_set("diskEncryptionSetID")),
        checkov("AKSUsesDiskEncryptionSet.py", "CKV_AZURE_117, AZU-0067, AzPolicy 7d7be79c"),
    ),
)
