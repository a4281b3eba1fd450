"""Rules of a managed cluster: pools, version, names, identity, features (docs/facts/aks.md)."""

import re
from collections.abc import Mapping
from typing import Final

import aks_facts
from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.rules.rule import ClusterRequest, Rule, disabled, invalid, when

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
    had = {pool["name"] for pool in arm.listed(request.existing or {}, "agentPoolProfiles")}
    return when(request.existing is not None and any(pool["name"] not in had for pool in request.pools))


def _support(request: ClusterRequest) -> tuple[str, str] | None:
    """Why the requested Kubernetes version cannot be had now, with the version; None when it can."""
    version = request.get("kubernetesVersion")
    if not version or version == request.had("kubernetesVersion"):
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
    left = request.had("supportPlan") == _LTS and request.get("supportPlan") != _LTS
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


CLUSTER_RULES: Final[tuple[Rule[ClusterRequest], ...]] = (
    Rule(
        id="pools-required",
        message="Required parameter agentPoolProfiles is missing (null).",
        broken=lambda r: when(r.existing is None and not r.pools),
        quotes="Azure/ARO-HCP#629",
    ),
    Rule(
        id="system-pool-required",
        message="Must define at least one system pool.",
        broken=lambda r: when(r.existing is None and all(pool.get("mode") != "System" for pool in r.pools)),
        quotes="Azure/AKS#1602",
    ),
    Rule(
        id="pool-repeated",
        message=invalid("agentPoolProfile.name", "Agent pool names must be unique: {names}."),
        broken=_repeated_pool,
        source="create-node-pools.md",
    ),
    Rule(
        id="pool-introduced",
        code="BadRequest",
        message="A new agent pool was introduced. Adding agent pools to an existing cluster is not allowed through "
        "managed cluster operations. For agent pool specific change, please use per agent pool operations: "
        "https://aka.ms/agent-pool-rest-api",
        broken=_introduced_pool,
        quotes="pulumi/pulumi-azure-native#579, pulumi/pulumi-azure-native#2719",
    ),
    Rule(
        id="version-lts-only",
        code="K8sVersionNotSupported",
        message="Managed cluster {name} is on version {version}, which is only available for Long-Term Support (LTS). "
        "If you intend to onboard to LTS, please ensure the cluster is in Premium tier and LTS support plan (see "
        "https://aka.ms/aks/enable-lts). Otherwise, use [az aks get-versions] command to get the supported version "
        "list in this region. For more information, please check https://aka.ms/supported-version-list",
        broken=lambda r: _unsupported(r, "lts"),
        quotes="apecloud/kubeblocks#10136, canonical/bundle-kubeflow#1320; dates: catalogue",
    ),
    Rule(
        id="version-unsupported",
        code="K8sVersionNotSupported",
        message="Managed cluster {name} is on version {version}, which is not supported in this region. Please use "
        "[az aks get-versions] command to get the supported version list in this region. For more information, "
        "please check https://aka.ms/supported-version-list",
        broken=lambda r: _unsupported(r, "unsupported"),
        source="supported-kubernetes-versions.md; dates: catalogue",
    ),
    Rule(
        id="lts-needs-premium",
        code="BadRequest",
        message="Support plan AKSLongTermSupport is only available for clusters in the Premium tier.",
        broken=lambda r: when(r.get("supportPlan") == _LTS and r.get("sku.tier") != "Premium"),
        source="long-term-support.md, Azure/azure-cli-extensions#9785",
    ),
    Rule(
        id="cost-analysis-tier",
        code="BadRequest",
        message="Cost analysis is only available for clusters in the Standard or Premium tier.",
        broken=lambda r: when(
            r.get("metricsProfile.costAnalysis.enabled") is True and r.get("sku.tier") in (None, "Free")
        ),
        source='cost-analysis.md, "Prerequisites" (2026-07-29)',
    ),
    Rule(
        id="lts-stays",
        code="BadRequest",
        message="Long-term support cannot be disabled: version {version} is past its community support.",
        broken=_support_left,
        source='long-term-support.md, "Can I enable and disable LTS on an AKS-supported version after community '
        'support ends?"; dates: catalogue',
    ),
    Rule(
        id="node-group-name",
        message="The length of the node resource group name is too long. The maximum length is 80 and the length of "
        "the value provided is {length}. Please see https://aka.ms/aks-naming-rules for more details.",
        broken=lambda r: when(
            r.new and len(_node_group(r)) > _LONGEST_NODE_GROUP, length=len(_node_group(r))
        ),
        quotes="Azure-Terraform/terraform-azurerm-kubernetes#33, rancher/rancher#21264",
    ),
    Rule(
        id="dns-prefix",
        message=invalid("dnsPrefix", "It must be 1 to 54 letters, digits and hyphens."),
        broken=lambda r: when(
            not r.get("fqdnSubdomain") and not _DNS_PREFIX.fullmatch(str(r.get("dnsPrefix") or ""))
        ),
        source='"AKS common issues FAQ"',
    ),
    Rule(
        id="oidc-issuer-stays",
        code="OIDCIssuerFeatureCannotBeDisabled",
        message="OIDC issuer feature cannot be disabled.",
        broken=lambda r: disabled(r, "oidcIssuerProfile.enabled"),
        source="use-oidc-issuer.md (docs/facts/aks.md#platform-features)",
    ),
    Rule(
        id="workload-identity-needs-oidc",
        message=invalid("securityProfile.workloadIdentity", "It needs oidcIssuerProfile.enabled."),
        broken=lambda r: when(
            r.get("securityProfile.workloadIdentity.enabled") is True
            and r.get("oidcIssuerProfile.enabled") is not True
        ),
        source="workload-identity-deploy-cluster.md (docs/facts/aks.md#platform-features)",
    ),
    Rule(
        id="user-assigned-identity",
        message=invalid("identity", "Identity type UserAssigned needs exactly one user-assigned identity."),
        broken=lambda r: when(
            r.get("identity.type") == "UserAssigned"
            and len(r.get("identity.userAssignedIdentities") or []) != 1
        ),
        source="use-managed-identity.md",
    ),
    Rule(
        id="image-cleaner-interval",
        message=invalid(
            "securityProfile.imageCleaner.intervalHours", "{hours} is not between {least} and {most}."
        ),
        broken=_cleaner,
        source="image-cleaner.md (docs/facts/aks.md#platform-features)",
    ),
)

AUTOSCALER_RULES: Final[tuple[Rule[ClusterRequest], ...]] = (
    Rule(
        id="autoscaler-form",
        message="Invalid value specified for the cluster-autoscaler parameter '{parameter}'. Please refer to "
        "https://aka.ms/cluster-autoscaler for more details.",
        broken=_malformed,
        quotes="Azure/azure-sdk-for-go#14311, MicrosoftDocs/azure-docs#123289, MicrosoftDocs/azure-docs#121999",
    ),
    Rule(
        id="autoscaler-expander",
        message=invalid("autoScalerProfile.expander", "'{expander}' is not one of the expanders of AKS."),
        broken=lambda r: when(
            (expander := r.get("autoScalerProfile.expander")) not in (None, *_EXPANDERS), expander=expander
        ),
        source="cluster-autoscaler.md (docs/facts/aks.md#autoscaler-profile)",
    ),
)
