"""Access to the API server: networks, sign-in and roles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kubeflow_aks.policy.benchmark.table import azure_policy, checkov, high, low, medium, on, psrule
from kubeflow_aks.policy.benchmark.values import Inputs, at, items, must_be
from kubeflow_aks.policy.rule import UNKNOWN
from kubeflow_aks.policy.rules.resources import CLUSTER


def _closed(inputs: Inputs) -> Iterator[str]:
    """A range of all addresses is as open as no ranges."""
    if at(inputs, "apiServerAccessProfile.enablePrivateCluster"):
        return
    ranges = items(inputs, "apiServerAccessProfile.authorizedIPRanges")
    if not ranges:
        yield "the cluster is not private and apiServerAccessProfile.authorizedIPRanges is empty"
    for entry in ranges:
        if entry is not UNKNOWN and str(entry).endswith("/0"):
            yield f"apiServerAccessProfile.authorizedIPRanges has {entry}, which is every address"


RULES: Final = (
    high(
        "aks-api-server-closed",
        "The API server is private, or accepts known addresses only.",
        on(CLUSTER, _closed),
        checkov(
            "AKSApiServerAuthorizedIpRanges.py",
            "CKV_AZURE_6, AZU-0041, KICS 2583fab1, Azure.AKS.AuthorizedIPs, CIS-AKS 5.4.1",
        ),
    ),
    medium(
        "aks-private-cluster",
        "The API server has no public address.",
        on(CLUSTER, must_be("apiServerAccessProfile.enablePrivateCluster", "true")),
        azure_policy(
            "AKS_PrivateCluster_Deny.json",
            "CKV_AZURE_115, AZU-0065, KICS 599318f2, AzPolicy 040732e8, CIS-AKS 5.4.2",
        ),
    ),
    high(
        "aks-rbac",
        "Kubernetes uses role-based access control.",
        on(CLUSTER, must_be("enableRBAC", "true")),
        checkov("AKSRbacEnabled.py", "CKV_AZURE_5, AZU-0042, KICS 9307a2ed, Azure.AKS.UseRBAC"),
    ),
    medium(
        "aks-no-local-accounts",
        "Nobody signs in without Entra.",
        on(CLUSTER, must_be("disableLocalAccounts", "true")),
        checkov("AKSLocalAdminDisabled.py", "CKV_AZURE_141, Azure.AKS.LocalAccounts, AzPolicy 993c2fcd"),
    ),
    medium(
        "aks-entra",
        "People sign in with Entra.",
        on(CLUSTER, must_be("aadProfile.managed", "true")),
        psrule("Azure.AKS.Rule.yaml", "Azure.AKS.ManagedAAD, AzPolicy 450d2877, CIS-AKS 5.5.1"),
    ),
    low(
        "aks-azure-rbac",
        "Azure roles control access to Kubernetes objects.",
        on(CLUSTER, must_be("aadProfile.enableAzureRBAC", "true")),
        psrule("Azure.AKS.Rule.yaml", "Azure.AKS.AzureRBAC, CIS-AKS 5.2.2"),
    ),
    medium(
        "aks-no-run-command",
        "Nobody runs commands in the cluster through Azure's API.",
        on(CLUSTER, must_be("apiServerAccessProfile.disableRunCommand", "true")),
        azure_policy("AKS_DisableRunCommand_Audit.json", "AzPolicy 89f2d532"),
    ),
)
