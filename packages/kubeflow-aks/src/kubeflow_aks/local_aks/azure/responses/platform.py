"""Bodies of resource groups, identities, role assignments and registries."""

from __future__ import annotations

from kubeflow_aks.local_aks.azure.arm import TENANT, Json
from kubeflow_aks.local_aks.azure.responses.put import Put

_SINCE = "2025-01-01T00:00:00Z"
"""Creation time in every body: a fixed one keeps runs alike."""


def resource_group(put: Put) -> Json:
    """Body of a resource group, as recorded."""
    return put.answer(properties={"provisioningState": "Succeeded"})


def user_assigned_identity(put: Put) -> Json:
    """Body of a user-assigned identity: its principal and client are made up, one for each id."""
    return put.answer(
        principalId=put.identifier("principal"), clientId=put.identifier("client"), tenantId=TENANT
    )


def federated_identity_credential(put: Put) -> Json:
    """Body of a federated credential: what was put."""
    return put.answer()


def role_assignment(put: Put) -> Json:
    """Body of a role assignment."""
    return put.answer(
        scope=put.id.rsplit("/providers/", 1)[0],
        principalType=put.body.get("principalType", "User"),
        createdOn=_SINCE,
        updatedOn=_SINCE,
        createdBy=put.identifier("creator"),
        updatedBy=put.identifier("creator"),
    )


def registry(put: Put) -> Json:
    """Body of a container registry."""
    sku: Json = put.body["sku"]
    defaults = {
        "adminUserEnabled": False,
        "anonymousPullEnabled": False,
        "dataEndpointEnabled": False,
        "networkRuleBypassOptions": "AzureServices",
        "publicNetworkAccess": "Enabled",
        "zoneRedundancy": "Disabled",
    }
    return {
        **defaults,
        **put.answer(
            loginServer=f"{put.name.lower()}.azurecr.io",
            creationDate=_SINCE,
            provisioningState="Succeeded",
            sku={"name": sku["name"], "tier": sku["name"]},
        ),
    }
