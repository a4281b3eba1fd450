"""Bodies of Log Analytics workspaces and of diagnostic settings."""

from __future__ import annotations

from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.responses.put import Put

_SINCE = "2025-01-01T00:00:00Z"
"""Time of creation in every body: a fixed one keeps runs alike."""


def workspace(put: Put) -> Json:
    """Body of a workspace: pay per GB, 30 days of retention unless the request has more."""
    defaults: Json = {"retentionInDays": 30, "sku": {"name": "PerGB2018"}}
    return defaults | put.answer(
        customerId=put.identifier("customer"),
        createdDate=_SINCE,
        modifiedDate=_SINCE,
        provisioningState="Succeeded",
    )


def diagnostic_setting(put: Put) -> Json:
    """Body of a diagnostic setting: what was put."""
    return put.answer()
