"""Add-ons, storage drivers and encryption keys of the cluster."""

from typing import Any, Final

from kubeflow_aks.policy.benchmark.values import Inputs, Look, at, must_be, must_be_set, must_not_be, on
from kubeflow_aks.policy.rule import UNKNOWN
from kubeflow_aks.policy.rules.resources import CLUSTER
from kubeflow_aks.policy.table import rules

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


RULES: Final = rules(
    {
        "aks-no-dashboard": on(CLUSTER, _add_on("kubeDashboard", _OFF)),
        "aks-no-http-routing": on(CLUSTER, _add_on("httpApplicationRouting", _OFF)),
        "aks-image-cleaner": on(CLUSTER, must_be("securityProfile.imageCleaner.enabled", "true")),
        "aks-container-insights": on(CLUSTER, _add_on("omsagent", _ON)),
        "aks-defender": on(CLUSTER, must_be("securityProfile.defender.securityMonitoring.enabled", "true")),
        "aks-azure-policy": on(CLUSTER, _add_on("azurepolicy", _ON)),
        "aks-secret-store": on(
            CLUSTER,
            _add_on(_SECRET_STORE, _ON),
            _add_on(_SECRET_STORE, must_be("config.enableSecretRotation", "true")),
        ),
        "aks-storage-drivers": on(
            CLUSTER, *map(_driver_on, ("diskCSIDriver", "fileCSIDriver", "snapshotController"))
        ),
        "aks-etcd-own-key": on(CLUSTER, must_be("securityProfile.azureKeyVaultKms.enabled", "true")),
        "aks-disks-own-key": on(CLUSTER, must_be_set("diskEncryptionSetID")),
    }
)
