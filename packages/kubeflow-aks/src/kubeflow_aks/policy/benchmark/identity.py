"""Azure identities and roles of the cluster, its nodes and its workloads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kubeflow_aks.policy.benchmark.table import Citation, azure_policy, checkov, high, medium, on, psrule
from kubeflow_aks.policy.benchmark.values import Inputs, at, items, must_be
from kubeflow_aks.policy.rules.resources import CLUSTER

_PULLING: Final = {
    "7f951dda-4ed3-4680-a7ca-43fe172d538d": "AcrPull",
    "b93aa761-3e63-49ed-ac28-beffa264f7ac": "Container Registry Repository Reader",
    "acdd72a7-3385-48ef-bd42-f606fba81ae7": "Reader",
}


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
