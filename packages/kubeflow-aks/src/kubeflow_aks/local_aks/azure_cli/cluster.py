"""The commands `az aks show`, `stop`, `start`, `update` of network policies and the way out, and the activity log.

Source: azure-cli 2.91.0. Every command raises `ArmError` if there is no such cluster or Azure refuses, and
`ServiceUnavailableError` if the service does not answer.

Azure reimages every pool at once for another engine (docs/facts/aks.md#network-policy); nodes here stay as they are.
"""

import argparse
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.azure.timing import STARTING, STOPPING
from kubeflow_aks.local_aks.azure_cli.client import Client
from kubeflow_aks.local_aks.azure_cli.nodepool import POLL_SECONDS, UsageError, cluster_id

_OPTIONS: Final = {
    "network_dataplane": "networkDataplane",
    "network_policy": "networkPolicy",
    "outbound_type": "outboundType",
}
_PERIOD: Final = timedelta(hours=6)
_PREFIX: Final = "Microsoft.ContainerService/managedClusters/"
_ADDRESSES: Final = frozenset({"loadBalancerProfile", "natGatewayProfile"})
"""These name addresses of the way out that there was."""


def update(client: Client, state: AzureState, options: argparse.Namespace) -> Json:
    """Change the cluster's data plane, its engine of network policies and its way out.

    Raises:
        UsageError: no option names a change; the original prompts whether to put the cluster as it is.
    """
    changes = {name: value for option, name in _OPTIONS.items() if (value := getattr(options, option))}
    if not changes:
        raise UsageError("No argument specified to update; see `az aks update --help`.")
    arm_id = cluster_id(state, options.resource_group, options.name)
    _, body = client.azure.get(arm_id, MANAGED_CLUSTER)
    network = {name: it for name, it in body["networkProfile"].items() if name not in _ADDRESSES} | changes
    body = {**body, "networkProfile": network}
    client.azure.result(client.azure.put(arm_id, body, MANAGED_CLUSTER))
    return show(client, state, options)


def show(client: Client, state: AzureState, options: argparse.Namespace) -> Json:
    """The cluster."""
    arm_id = cluster_id(state, options.resource_group, options.name)
    cluster, _ = client.azure.get(arm_id, MANAGED_CLUSTER)
    return {**cluster, "id": arm_id, "resourceGroup": options.resource_group}


def _switch(client: Client, state: AzureState, options: argparse.Namespace, *, run: bool) -> None:
    """Stop or start the cluster; nothing is printed."""
    arm_id = cluster_id(state, options.resource_group, options.name)
    operation = client.azure.power(arm_id, run=run)
    while options.no_wait and not operation.done():
        if client.azure.get(arm_id, MANAGED_CLUSTER)[0]["provisioningState"] in (STARTING, STOPPING):
            return
        time.sleep(POLL_SECONDS)
    client.azure.result(operation)


def activity(_client: Client, state: AzureState, options: argparse.Namespace) -> list[Json]:
    """The operations on a resource in a period, the newest first: the fields that name the operation and its time.

    Without an end the period is 6 hours, as the original's (command_modules/monitor/custom.py, list_activity_log).

    Raises:
        UsageError: a time cannot be parsed.
    """
    since = _time(options.start_time)
    until = _time(options.end_time) if options.end_time else since + _PERIOD
    return [
        {
            "correlationId": f"{entry['at']:.6f}",
            "eventTimestamp": datetime.fromtimestamp(entry["at"], UTC).isoformat(),
            "operationName": {"value": f"{_PREFIX}{entry['action']}"},
            "resourceId": entry["id"],
            "status": {"value": "Accepted"},
        }
        for entry in reversed(state.activity(options.resource_id))
        if since.timestamp() <= entry["at"] <= until.timestamp()
    ][: options.max_events]


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"Unable to parse: '{text}'. Expected format: date, time and time zone") from None


start = partial(_switch, run=True)
stop = partial(_switch, run=False)
