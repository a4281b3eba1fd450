"""Rules of a managed cluster: pools, version, names, identity, features (docs/facts/aks.md)."""

import re
from collections.abc import Mapping
from typing import Final

import aks_facts
from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.rules.rule import ClusterRequest, Rule, disabled, rules, when

_DNS_PREFIX: Final = re.compile(r"[a-zA-Z0-9]([-a-zA-Z0-9]{0,52}[a-zA-Z0-9])?")
_LTS: Final = "AKSLongTermSupport"
_LONGEST_NODE_GROUP: Final = 80
_CLEANER_HOURS: Final = (24, 2160)
_EXPANDERS: Final = ("random", "least-waste", "most-pods", "priority")
_MINUTES: Final = r"\d+m"
_NUMBER: Final = r"\d+"
_BOOLEAN: Final = "true|false"
_FORMS: Final[Mapping[str, str]] = {
    "scanInterval": r"\d+s?",
    "newPodScaleUpDelay": r"\d+(ms|s|m|h)",
    "maxNodeProvisionTime": _MINUTES,
    "scaleDownDelayAfterAdd": _MINUTES,
    "scaleDownDelayAfterDelete": rf"{_MINUTES}|\d+s",  # the default is the scan interval, which has seconds
    "scaleDownDelayAfterFailure": _MINUTES,
    "scaleDownUnneededTime": _MINUTES,
    "scaleDownUnreadyTime": _MINUTES,
    "maxEmptyBulkDelete": r"[1-9]\d*",
    "maxGracefulTerminationSec": _NUMBER,
    "maxTotalUnreadyPercentage": r"100|\d{1,2}",
    "okTotalUnreadyCount": _NUMBER,
    "scaleDownUtilizationThreshold": r"\d+(\.\d+)?",
    "balanceSimilarNodeGroups": _BOOLEAN,
    "skipNodesWithLocalStorage": _BOOLEAN,
    "skipNodesWithSystemPods": _BOOLEAN,
}
"""Every value of the autoscaler's profile is text. Whole minutes, whole seconds and the rest: managedClusters.json
2025-09-01, ManagedClusterProperties.autoScalerProfile; `0m` is one of the values in cluster-autoscaler.md, "aggressive
scale down".
"""


def _repeated_pool(request: ClusterRequest) -> Mapping[str, object] | None:
    names = [pool.get("name") for pool in request.pools]
    return when(len(set(names)) < len(names), names=", ".join(map(str, names)))


def _introduced_pool(request: ClusterRequest) -> Mapping[str, object] | None:
    before = {pool["name"] for pool in arm.listed(request.existing or {}, "agentPoolProfiles")}
    return when(request.existing is not None and any(pool["name"] not in before for pool in request.pools))


def _support(request: ClusterRequest) -> tuple[str, str] | None:
    """Why the requested Kubernetes version cannot be before now, with the version; None when it can."""
    version = request.get("kubernetesVersion")
    if not version or version == request.before("kubernetesVersion"):
        return None
    version_facts = aks_facts.kubernetes_versions().get(_alias(str(version)))
    if version_facts is None or request.today > version_facts.lts_until:
        return ("unsupported", version)
    on_lts = request.get("supportPlan") == _LTS and request.get("sku.tier") == "Premium"
    return ("lts", version) if request.today > version_facts.standard_until and not on_lts else None


def _unsupported(request: ClusterRequest, reason: str) -> Mapping[str, object] | None:
    support = _support(request)
    return when(
        support is not None and support[0] == reason, name=request.name, version=support and support[1]
    )


def _node_group(request: ClusterRequest) -> str:
    """Name of the resource group that AKS makes for the machines."""
    derived = f"MC_{request.resource_group}_{request.name}_{request.get('location')}"
    return str(request.get("nodeResourceGroup") or derived)


def _support_left(request: ClusterRequest) -> Mapping[str, object] | None:
    version_facts = aks_facts.kubernetes_versions().get(_alias(str(request.get("kubernetesVersion"))))
    left = request.before("supportPlan") == _LTS and request.get("supportPlan") != _LTS
    over = version_facts is not None and request.today > version_facts.standard_until
    return when(left and over, version=request.get("kubernetesVersion"))


def _alias(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _cleaner(request: ClusterRequest) -> Mapping[str, object] | None:
    hours = request.get("securityProfile.imageCleaner.intervalHours")
    least, most = _CLEANER_HOURS
    return when(hours is not None and not least <= hours <= most, hours=hours, least=least, most=most)


def _malformed(request: ClusterRequest) -> Mapping[str, object] | None:
    for name, form in _FORMS.items():
        value = request.get(f"autoScalerProfile.{name}")
        if value is not None and not re.fullmatch(form, str(value)):
            return {"parameter": re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", name)}
    return None


CLUSTER_RULES: Final[tuple[Rule[ClusterRequest], ...]] = rules(
    {
        "pools-required": lambda r: when(r.existing is None and not r.pools),
        "system-pool-required": lambda r: when(
            r.existing is None and all(pool.get("mode") != "System" for pool in r.pools)
        ),
        "pool-repeated": _repeated_pool,
        "pool-introduced": _introduced_pool,
        "version-lts-only": lambda r: _unsupported(r, "lts"),
        "version-unsupported": lambda r: _unsupported(r, "unsupported"),
        "lts-needs-premium": lambda r: when(r.get("supportPlan") == _LTS and r.get("sku.tier") != "Premium"),
        "cost-analysis-tier": lambda r: when(
            r.get("metricsProfile.costAnalysis.enabled") is True and r.get("sku.tier") in (None, "Free")
        ),
        "lts-stays": _support_left,
        "node-group-name": lambda r: when(
            r.new and len(_node_group(r)) > _LONGEST_NODE_GROUP, length=len(_node_group(r))
        ),
        "dns-prefix": lambda r: when(
            not r.get("fqdnSubdomain") and not _DNS_PREFIX.fullmatch(str(r.get("dnsPrefix") or ""))
        ),
        "oidc-issuer-stays": lambda r: disabled(r, "oidcIssuerProfile.enabled"),
        "workload-identity-needs-oidc": lambda r: when(
            r.get("securityProfile.workloadIdentity.enabled") is True
            and r.get("oidcIssuerProfile.enabled") is not True
        ),
        "user-assigned-identity": lambda r: when(
            r.get("identity.type") == "UserAssigned"
            and len(r.get("identity.userAssignedIdentities") or []) != 1
        ),
        "image-cleaner-interval": _cleaner,
    }
)

AUTOSCALER_RULES: Final[tuple[Rule[ClusterRequest], ...]] = rules(
    {
        "autoscaler-form": _malformed,
        "autoscaler-expander": lambda r: when(
            (expander := r.get("autoScalerProfile.expander")) not in (None, *_EXPANDERS), expander=expander
        ),
    }
)
