"""Bodies of storage accounts, their blob service and its containers."""

from __future__ import annotations

from typing import Final

from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.responses.put import Put, new_etag

_SINCE: Final = "2025-01-01T00:00:00Z"
"""Creation time in every body: a fixed one keeps runs alike."""
_SERVICES: Final = ("blob", "dfs")


def account(put: Put) -> Json:
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


def blob_service(put: Put) -> Json:
    """Body of the blob service that every account has: what was put."""
    return put.answer()


def container(put: Put) -> Json:
    """Body of a container."""
    return {"publicAccess": "None"} | put.answer(etag=new_etag(), lastModifiedTime=_SINCE)
