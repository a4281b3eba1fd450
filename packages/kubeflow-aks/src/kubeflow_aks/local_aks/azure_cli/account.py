"""The commands `az account show`, `az account get-access-token` and `az cloud show`.

Source: Azure/azure-cli (`profile/custom.py`, get_access_token).
"""

import argparse
from datetime import UTC, datetime, timedelta
from typing import Final

from kubeflow_aks.local_aks.azure.arm import TENANT, Json
from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.azure_cli.client import Client
from kubeflow_aks.local_aks.azure_cli.nodepool import UsageError

_LIFE: Final = timedelta(hours=1)
"""Printed life of a token, which is valid as long as its local AKS runs."""
_ARM: Final = ("https://management.azure.com", "https://management.core.windows.net")
_NO_SUBSCRIPTION: Final = "00000000-0000-0000-0000-000000000000"


def show(_client: Client, state: AzureState, _options: argparse.Namespace) -> Json:
    """The subscription of the cluster."""
    return {
        "environmentName": "AzureCloud",
        "homeTenantId": TENANT,
        "id": subscription(state),
        "isDefault": True,
        "managedByTenants": [],
        "name": "the simulated Azure",
        "state": "Enabled",
        "tenantId": TENANT,
        "user": {"name": "you@local-aks.invalid", "type": "user"},
    }


def get_access_token(client: Client, state: AzureState, options: argparse.Namespace) -> Json:
    """The token that the simulated resource manager accepts.

    Raises:
        UsageError: the token is for another resource.
    """
    resource = (options.resource or (options.scope or _ARM[0]).removesuffix("/.default")).rstrip("/")
    if resource not in (*_ARM, client.resource_manager.rstrip("/")):
        raise UsageError(f"the local AKS has tokens for its resource manager only, not for {resource}")
    ends = datetime.now(UTC) + _LIFE
    return {
        "accessToken": client.bearer_token(),
        "expiresOn": ends.astimezone().strftime("%Y-%m-%d %H:%M:%S.%f"),
        "expires_on": int(ends.timestamp()),
        "subscription": subscription(state),
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


def subscription(state: AzureState) -> str:
    """Id of the cluster's subscription."""
    ids = [cluster.id.split("/")[2] for cluster in state.all(MANAGED_CLUSTER)]
    return ids[0] if ids else _NO_SUBSCRIPTION
