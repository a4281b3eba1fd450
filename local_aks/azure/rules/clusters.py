"""Rules of a managed cluster: pools, version, identity, access (docs/facts/aks.md)."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Final

import catalogue
from local_aks.azure import arm
from local_aks.azure.rules.rule import ClusterRequest, Rule, invalid, when

_DNS_PREFIX: Final = re.compile(r"[a-zA-Z0-9]([-a-zA-Z0-9]{0,52}[a-zA-Z0-9])?")
_MOST_IP_RANGES: Final = 200
_CLEANER_HOURS: Final = (24, 2160)
_MINUTES: Final = re.compile(r"\d+m")
_EXPANDERS: Final = ("random", "least-waste", "most-pods", "priority")


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
    known = catalogue.kubernetes_versions().get(".".join(str(version).split(".")[:2]))
    if known is None or request.today > known.lts_until:
        return ("unsupported", version)
    on_lts = request.get("supportPlan") == "AKSLongTermSupport" and request.get("sku.tier") == "Premium"
    return ("lts", version) if request.today > known.standard_until and not on_lts else None


def _unsupported(request: ClusterRequest, reason: str) -> Mapping[str, object] | None:
    found = _support(request)
    return when(found is not None and found[0] == reason, name=request.name, version=found and found[1])


def _privacy_changed(request: ClusterRequest) -> Mapping[str, object] | None:
    path = "apiServerAccessProfile.enablePrivateCluster"
    return when(request.existing is not None and bool(request.had(path)) != bool(request.get(path)))


def _ranges(request: ClusterRequest) -> list[str]:
    return arm.listed(request.body, "apiServerAccessProfile.authorizedIPRanges")


def _bad_range(request: ClusterRequest) -> Mapping[str, object] | None:
    for text in _ranges(request):
        try:
            ipaddress.ip_network(text, strict=False)
        except ValueError:
            return {"range": text}
    return None


def _disabled(request: ClusterRequest, path: str) -> Mapping[str, object] | None:
    return when(request.had(path) is True and request.get(path) is False)


def _cleaner(request: ClusterRequest) -> Mapping[str, object] | None:
    hours = request.get("securityProfile.imageCleaner.intervalHours")
    least, most = _CLEANER_HOURS
    return when(hours is not None and not least <= hours <= most, hours=hours, least=least, most=most)


CLUSTER_RULES: Final[tuple[Rule[ClusterRequest], ...]] = (
    Rule(
        id="pools-required",
        code="InvalidParameter",
        message="Required parameter agentPoolProfiles is missing (null).",
        broken=lambda r: when(r.existing is None and not r.pools),
        source="Azure/ARO-HCP#629",
        quoted=True,
    ),
    Rule(
        id="system-pool-required",
        code="InvalidParameter",
        message="Must define at least one system pool.",
        broken=lambda r: when(r.existing is None and all(pool.get("mode") != "System" for pool in r.pools)),
        source="Azure/AKS#1602",
        quoted=True,
    ),
    Rule(
        id="pool-repeated",
        code="InvalidParameter",
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
        source="pulumi/pulumi-azure-native#579, pulumi/pulumi-azure-native#2719",
        quoted=True,
    ),
    Rule(
        id="version-lts-only",
        code="K8sVersionNotSupported",
        message="Managed cluster {name} is on version {version}, which is only available for Long-Term Support (LTS). "
        "If you intend to onboard to LTS, please ensure the cluster is in Premium tier and LTS support plan (see "
        "https://aka.ms/aks/enable-lts). Otherwise, use [az aks get-versions] command to get the supported version "
        "list in this region. For more information, please check https://aka.ms/supported-version-list",
        broken=lambda r: _unsupported(r, "lts"),
        source="apecloud/kubeblocks#10136, canonical/bundle-kubeflow#1320; dates: catalogue",
        quoted=True,
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
        broken=lambda r: when(
            r.get("supportPlan") == "AKSLongTermSupport" and r.get("sku.tier") != "Premium"
        ),
        source="long-term-support.md, Azure/azure-cli-extensions#9785",
    ),
    Rule(
        id="dns-prefix",
        code="InvalidParameter",
        message=invalid("dnsPrefix", "It must be 1 to 54 letters, digits and hyphens."),
        broken=lambda r: when(
            not r.get("fqdnSubdomain") and not _DNS_PREFIX.fullmatch(str(r.get("dnsPrefix") or ""))
        ),
        source='"AKS common issues FAQ"',
    ),
    Rule(
        id="private-authorised-ranges",
        code="InvalidParameter",
        message="Private cluster cannot be enabled with AuthorizedIPRanges.",
        broken=lambda r: when(
            bool(r.get("apiServerAccessProfile.enablePrivateCluster")) and bool(_ranges(r))
        ),
        source="aquasecurity/tfsec#571",
        quoted=True,
    ),
    Rule(
        id="private-cluster-stays",
        code="BadRequest",
        message="There's no support for converting existing AKS clusters into private clusters, nor back.",
        broken=_privacy_changed,
        source='private-clusters.md, "Limitations", cited in Azure/AKS#4131',
    ),
    Rule(
        id="authorised-ranges-closed",
        code="InvalidParameter",
        message="Setting apiServerAuthorizedIPRange to 0.0.0.0/32 is not allowed with other IP ranges. "
        "Refer to https://aka.ms/aks/auth-ip-ranges for more details",
        broken=lambda r: when("0.0.0.0/32" in _ranges(r) and len(_ranges(r)) > 1),
        source="Azure/terraform-azurerm-aks#378",
        quoted=True,
    ),
    Rule(
        id="authorised-ranges-form",
        code="InvalidParameter",
        message=invalid("apiServerAccessProfile.authorizedIPRanges", "'{range}' is no IP address or CIDR."),
        broken=_bad_range,
        source="api-server-authorized-ip-ranges.md",
    ),
    Rule(
        id="authorised-ranges-number",
        code="InvalidParameter",
        message=invalid("apiServerAccessProfile.authorizedIPRanges", "At most 200 ranges are allowed."),
        broken=lambda r: when(len(_ranges(r)) > _MOST_IP_RANGES),
        source="api-server-authorized-ip-ranges.md (docs/facts/aks.md#api-server-access)",
    ),
    Rule(
        id="local-accounts-need-entra",
        code="BadRequest",
        message="Since kubernetes version 1.25, disableLocalAccounts can only be set on Azure AD integration enabled "
        "cluster. Please integrate your cluster with AAD.",
        broken=lambda r: when(r.get("disableLocalAccounts") is True and not r.get("aadProfile.managed")),
        source="cilium/cilium#48265",
        quoted=True,
    ),
    Rule(
        id="entra-stays",
        code="BadRequest",
        message="Microsoft Entra integration cannot be disabled once it is enabled.",
        broken=lambda r: _disabled(r, "aadProfile.managed"),
        source="enable-authentication-microsoft-entra-id.md (docs/facts/aks.md#api-server-access)",
    ),
    Rule(
        id="oidc-issuer-stays",
        code="OIDCIssuerFeatureCannotBeDisabled",
        message="OIDC issuer feature cannot be disabled.",
        broken=lambda r: _disabled(r, "oidcIssuerProfile.enabled"),
        source="use-oidc-issuer.md (docs/facts/aks.md#platform-features)",
    ),
    Rule(
        id="workload-identity-needs-oidc",
        code="InvalidParameter",
        message=invalid("securityProfile.workloadIdentity", "It needs oidcIssuerProfile.enabled."),
        broken=lambda r: when(
            r.get("securityProfile.workloadIdentity.enabled") is True
            and r.get("oidcIssuerProfile.enabled") is not True
        ),
        source="workload-identity-deploy-cluster.md (docs/facts/aks.md#platform-features)",
    ),
    Rule(
        id="user-assigned-identity",
        code="InvalidParameter",
        message=invalid("identity", "Identity type UserAssigned needs exactly one user-assigned identity."),
        broken=lambda r: when(
            r.get("identity.type") == "UserAssigned"
            and len(r.get("identity.userAssignedIdentities") or []) != 1
        ),
        source="use-managed-identity.md",
    ),
    Rule(
        id="image-cleaner-interval",
        code="InvalidParameter",
        message=invalid(
            "securityProfile.imageCleaner.intervalHours", "{hours} is not between {least} and {most}."
        ),
        broken=_cleaner,
        source="image-cleaner.md (docs/facts/aks.md#platform-features)",
    ),
    Rule(
        id="autoscaler-expander",
        code="InvalidParameter",
        message=invalid("autoScalerProfile.expander", "'{expander}' is not one of the expanders of AKS."),
        broken=lambda r: when(
            (expander := r.get("autoScalerProfile.expander")) not in (None, *_EXPANDERS), expander=expander
        ),
        source="cluster-autoscaler.md (docs/facts/aks.md#autoscaler-profile)",
    ),
    Rule(
        id="autoscaler-provision-time",
        code="InvalidParameter",
        message=invalid(
            "autoScalerProfile.maxNodeProvisionTime", "'{time}' is no whole number of minutes (15m)."
        ),
        broken=lambda r: when(
            (time := r.get("autoScalerProfile.maxNodeProvisionTime")) is not None
            and not _MINUTES.fullmatch(time),
            time=time,
        ),
        source="managedClusters.json 2025-09-01, max-node-provision-time",
    ),
)
