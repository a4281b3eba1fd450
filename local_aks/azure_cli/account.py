"""The commands `az account show`, `az account get-access-token` and `az cloud show`.

Source: Azure/azure-cli (`profile/custom.py`, get_access_token).
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta
from typing import Final

from local_aks.azure.arm import Json
from local_aks.azure.responses.put import TENANT
from local_aks.azure.state import MANAGED_CLUSTER, AzureState
from local_aks.azure_cli.client import Client
from local_aks.azure_cli.nodepool import UsageError

_LIFE: Final = timedelta(hours=1)
"""What it says; the token lives as long as its local AKS."""
_ARM: Final = ("https://management.azure.com", "https://management.core.windows.net")
_NOBODY: Final = "00000000-0000-0000-0000-000000000000"


def show(_client: Client, state: AzureState, _options: argparse.Namespace) -> Json:
    """The subscription that is worked in."""
    return {
        "environmentName": "AzureCloud",
        "homeTenantId": TENANT,
        "id": _subscription(state),
        "isDefault": True,
        "managedByTenants": [],
        "name": "the simulated Azure",
        "state": "Enabled",
        "tenantId": TENANT,
        "user": {"name": "you@local-aks.invalid", "type": "user"},
    }


def get_access_token(client: Client, state: AzureState, options: argparse.Namespace) -> Json:
    """The token that the simulated resource manager takes.

    Raises:
        UsageError: it is asked for something else.
    """
    asked = (options.resource or (options.scope or _ARM[0]).removesuffix("/.default")).rstrip("/")
    if asked not in (*_ARM, client.resource_manager.rstrip("/")):
        raise UsageError(f"the local AKS has tokens for its resource manager only, not for {asked}")
    ends = datetime.now(UTC) + _LIFE
    return {
        "accessToken": client.bearer_token(),
        "expiresOn": ends.astimezone().strftime("%Y-%m-%d %H:%M:%S.%f"),
        "expires_on": int(ends.timestamp()),
        "subscription": _subscription(state),
        "tenant": TENANT,
        "tokenType": "Bearer",
    }


def show_cloud(client: Client, _state: AzureState, _options: argparse.Namespace) -> Json:
    """The cloud, with the one address that answers here."""
    return {
        "endpoints": {"resourceManager": client.resource_manager},
        "isActive": True,
        "name": "AzureCloud",
        "profile": "latest",
    }


def _subscription(state: AzureState) -> str:
    """The one that the cluster is in."""
    ids = [cluster.id.split("/")[2] for cluster in state.all(MANAGED_CLUSTER)]
    return ids[0] if ids else _NOBODY
