"""Access to the API server, and Azure identities and roles of the cluster, its nodes and its workloads."""

from collections.abc import Iterator
from typing import Final

from kubeflow_aks.policy.benchmark.values import Inputs, at, items, must_be, on
from kubeflow_aks.policy.rule import UNKNOWN
from kubeflow_aks.policy.rules.resources import CLUSTER
from kubeflow_aks.policy.table import rules

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


RULES: Final = rules(
    {
        "aks-api-server-closed": on(CLUSTER, _closed),
        "aks-private-cluster": on(CLUSTER, must_be("apiServerAccessProfile.enablePrivateCluster", "true")),
        "aks-rbac": on(CLUSTER, must_be("enableRBAC", "true")),
        "aks-no-local-accounts": on(CLUSTER, must_be("disableLocalAccounts", "true")),
        "aks-entra": on(CLUSTER, must_be("aadProfile.managed", "true")),
        "aks-azure-rbac": on(CLUSTER, must_be("aadProfile.enableAzureRBAC", "true")),
        "aks-no-run-command": on(CLUSTER, must_be("apiServerAccessProfile.disableRunCommand", "true")),
        "aks-managed-identity": on(
            CLUSTER, must_be("identity.type", "SystemAssigned", "UserAssigned"), _no_service_principal
        ),
        "aks-workload-identity": on(
            CLUSTER,
            must_be("securityProfile.workloadIdentity.enabled", "true"),
            must_be("oidcIssuerProfile.enabled", "true"),
        ),
        "acr-nodes-only-pull": on("azure-native:authorization:RoleAssignment", _reads_only),
        "azure-no-custom-owner": on("azure-native:authorization:RoleDefinition", _no_owner),
    }
)
