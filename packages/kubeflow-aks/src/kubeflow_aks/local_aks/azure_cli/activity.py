"""The command `az monitor activity-log list`, with the operations on a cluster (Azure/azure-cli, 2026-07)."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import Final

from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure_cli.nodepool import UsageError

_PREFIX: Final = "Microsoft.ContainerService/managedClusters/"


def entries(state: AzureState, options: argparse.Namespace) -> list[Json]:
    """The operations on a resource since a time, the newest first: the fields that name the operation and its time.

    Raises:
        UsageError: the time cannot be parsed.
    """
    try:
        since = datetime.fromisoformat(options.start_time).timestamp()
    except ValueError:
        raise UsageError(f"unrecognized datetime: {options.start_time}") from None
    return [
        {
            "correlationId": f"{entry['at']:.6f}",
            "eventTimestamp": datetime.fromtimestamp(entry["at"], UTC).isoformat(),
            "operationName": {"value": f"{_PREFIX}{entry['action']}"},
            "resourceId": entry["id"],
            "status": {"value": "Accepted"},
        }
        for entry in reversed(state.activity(options.resource_id))
        if entry["at"] >= since
    ][: options.max_events]
