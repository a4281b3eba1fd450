"""Bodies of resource groups, identities, role assignments, registries, storage accounts and workspaces."""

from kubeflow_aks.local_aks.azure.arm import TENANT, Json
from kubeflow_aks.local_aks.azure.responses.put import Put, new_etag

_SINCE = "2025-01-01T00:00:00Z"
"""Creation time in every body: a fixed one keeps runs alike."""
_SERVICES = ("blob", "dfs")


def resource_group(put: Put) -> Json:
    """Body of a resource group, as recorded."""
    return put.answer(properties={"provisioningState": "Succeeded"})


def user_assigned_identity(put: Put) -> Json:
    """Body of a user-assigned identity: its principal and client are made up, one for each id."""
    return put.answer(
        principalId=put.identifier("principal"), clientId=put.identifier("client"), tenantId=TENANT
    )


def cost_export(put: Put) -> Json:
    """Body of an export of costs: the principal of its identity is made up, one for each id."""
    identity: Json = put.body["identity"]
    return put.answer(identity={**identity, "principalId": put.identifier("principal"), "tenantId": TENANT})


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


def storage_account(put: Put) -> Json:
    """Body of an account; general-purpose ones are of tier Hot unless the request names another tier."""
    name = str(put.body["sku"]["name"])
    general = put.body["kind"] == "StorageV2"
    defaults: Json = {"accessTier": "Hot" if general else "Premium"}
    return defaults | put.answer(
        sku={"name": name, "tier": name.partition("_")[0]},
        creationTime=_SINCE,
        primaryLocation=put.body["location"],
        primaryEndpoints={kind: f"https://{put.name}.{kind}.core.windows.net/" for kind in _SERVICES},
        provisioningState="Succeeded",
    )


def blob_container(put: Put) -> Json:
    """Body of a container."""
    return {"publicAccess": "None"} | put.answer(etag=new_etag(), lastModifiedTime=_SINCE)


def log_workspace(put: Put) -> Json:
    """Body of a workspace: pay per GB, 30 days of retention unless the request has more."""
    defaults: Json = {"retentionInDays": 30, "sku": {"name": "PerGB2018"}}
    return defaults | put.answer(
        customerId=put.identifier("customer"),
        createdDate=_SINCE,
        modifiedDate=_SINCE,
        provisioningState="Succeeded",
    )
