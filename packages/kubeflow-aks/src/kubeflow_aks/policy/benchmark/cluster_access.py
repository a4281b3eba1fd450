"""Access to the API server, and Azure identities and roles of the cluster, its nodes and its workloads."""

from collections.abc import Iterator
from typing import Final

from kubeflow_aks.policy.benchmark.table import Citation, azure_policy, checkov, high, low, medium, on, psrule
from kubeflow_aks.policy.benchmark.values import Inputs, at, items, must_be
from kubeflow_aks.policy.rule import UNKNOWN
from kubeflow_aks.policy.rules.resources import CLUSTER

_PULLING: Final = {
    "7f951dda-4ed3-4680-a7ca-43fe172d538d": "AcrPull",
    "b93aa761-3e63-49ed-ac28-beffa264f7ac": "Container Registry Repository Reader",
    "acdd72a7-3385-48ef-bd42-f606fba81ae7": "Reader",
}


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


def _no_service_principal(inputs: Inputs) -> Iterator[str]:
    if at(inputs, "servicePrincipalProfile.clientId") not in (None, "msi"):
        yield "servicePrincipalProfile names a service principal, whose secret must be stored and renewed"


def _reads_only(inputs: Inputs) -> Iterator[str]:
    scope, role = str(at(inputs, "scope")), str(at(inputs, "roleDefinitionId"))
    if "containerregistry/registr" in scope.casefold() and (
        role.rpartition("/")[2].casefold() not in _PULLING
    ):
        yield f"roleDefinitionId is {role}; expected a role that only reads: {', '.join(_PULLING.values())}"


def _no_owner(inputs: Inputs) -> Iterator[str]:
    for number, permission in enumerate(items(inputs, "permissions")):
        if "*" in items(permission, "actions"):
            yield f"permissions[{number}].actions has *, which makes the role an owner"


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
    high(
        "aks-managed-identity",
        "The cluster uses a managed identity, which has no secret.",
        on(CLUSTER, must_be("identity.type", "SystemAssigned", "UserAssigned"), _no_service_principal),
        psrule("Azure.AKS.Rule.yaml", "Azure.AKS.ManagedIdentity, AzPolicy da6e2401"),
    ),
    medium(
        "aks-workload-identity",
        "Pods use workload identities of their own, without secrets.",
        on(
            CLUSTER,
            must_be("securityProfile.workloadIdentity.enabled", "true"),
            must_be("oidcIssuerProfile.enabled", "true"),
        ),
        azure_policy("AKS_WorkloadIdentity_Audit.json", "AzPolicy 2cc2e023"),
    ),
    high(
        "acr-nodes-only-pull",
        "Role assignments on a registry are read-only.",
        on("azure-native:authorization:RoleAssignment", _reads_only),
        Citation(
            '"CIS Azure Kubernetes Service Benchmark" (read 2026-11-22)', "CIS-AKS 5.1.2, CIS-AKS 5.1.3"
        ),
    ),
    high(
        "azure-no-custom-owner",
        "No custom role allows everything.",
        on("azure-native:authorization:RoleDefinition", _no_owner),
        checkov("CustomRoleDefinitionSubscriptionOwner.py", "CKV_AZURE_39, AZU-0030"),
    ),
)
