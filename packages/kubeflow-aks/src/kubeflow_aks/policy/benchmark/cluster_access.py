"""Access to the API server: networks, sign-in and roles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kubeflow_aks.policy.benchmark.pools import CLUSTER
from kubeflow_aks.policy.benchmark.sources import azure_policy, checkov, psrule
from kubeflow_aks.policy.benchmark.values import Inputs, at, items, must_be, on_inputs
from kubeflow_aks.policy.rule import UNKNOWN, Rule


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
    Rule(
        "aks-api-server-closed",
        "The API server is private, or accepts known addresses only.",
        source=checkov("AKSApiServerAuthorizedIpRanges.py"),
        severity="high",
        type=CLUSTER,
        per_resource=on_inputs(_closed),
        ids=("CKV_AZURE_6", "AZU-0041", "KICS 2583fab1", "Azure.AKS.AuthorizedIPs", "CIS-AKS 5.4.1"),
    ),
    Rule(
        "aks-private-cluster",
        "The API server has no public address.",
        source=azure_policy("AKS_PrivateCluster_Deny.json"),
        type=CLUSTER,
        per_resource=on_inputs(must_be("apiServerAccessProfile.enablePrivateCluster", "true")),
        ids=("CKV_AZURE_115", "AZU-0065", "KICS 599318f2", "AzPolicy 040732e8", "CIS-AKS 5.4.2"),
    ),
    Rule(
        "aks-rbac",
        "Kubernetes uses role-based access control.",
        source=checkov("AKSRbacEnabled.py"),
        severity="high",
        type=CLUSTER,
        per_resource=on_inputs(must_be("enableRBAC", "true")),
        ids=("CKV_AZURE_5", "AZU-0042", "KICS 9307a2ed", "Azure.AKS.UseRBAC"),
    ),
    Rule(
        "aks-no-local-accounts",
        "Nobody signs in without Entra.",
        source=checkov("AKSLocalAdminDisabled.py"),
        type=CLUSTER,
        per_resource=on_inputs(must_be("disableLocalAccounts", "true")),
        ids=("CKV_AZURE_141", "Azure.AKS.LocalAccounts", "AzPolicy 993c2fcd"),
    ),
    Rule(
        "aks-entra",
        "People sign in with Entra.",
        source=psrule("Azure.AKS.Rule.yaml"),
        type=CLUSTER,
        per_resource=on_inputs(must_be("aadProfile.managed", "true")),
        ids=("Azure.AKS.ManagedAAD", "AzPolicy 450d2877", "CIS-AKS 5.5.1"),
    ),
    Rule(
        "aks-azure-rbac",
        "Azure roles control access to Kubernetes objects.",
        source=psrule("Azure.AKS.Rule.yaml"),
        severity="low",
        type=CLUSTER,
        per_resource=on_inputs(must_be("aadProfile.enableAzureRBAC", "true")),
        ids=("Azure.AKS.AzureRBAC", "CIS-AKS 5.2.2"),
    ),
    Rule(
        "aks-no-run-command",
        "Nobody runs commands in the cluster through Azure's API.",
        source=azure_policy("AKS_DisableRunCommand_Audit.json"),
        type=CLUSTER,
        per_resource=on_inputs(must_be("apiServerAccessProfile.disableRunCommand", "true")),
        ids=("AzPolicy 89f2d532",),
    ),
)
