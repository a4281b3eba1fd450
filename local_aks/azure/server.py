"""Serves a simulated Azure to the engine."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from local_aks.azure.provider import AzureNativeProvider
from local_aks.azure.resource_manager import ResourceManager
from local_aks.azure.state import AzureState
from local_aks.azure.timing import Timing
from local_aks.protocol import server
from local_aks.protocol.server import Server


def serve(
    state: AzureState,
    port: int = 0,
    *,
    kubeconfig: Callable[[], str],
    speed: float = float("inf"),
    today: Callable[[], date] = date.today,
    cluster_deleted: Callable[[], None] = lambda: None,
) -> Server:
    """Serve the provider on 127.0.0.1, for `PULUMI_DEBUG_PROVIDERS=azure-native:<port>`.

    Args:
        state: the Azure it manages.
        port: 0 for a free one.
        kubeconfig: text of the kubeconfig that every cluster hands out; asked anew each time and never stored.
        speed: simulated seconds of Azure in one second; infinite for an Azure that takes no time.
        today: the day on which Azure decides which Kubernetes versions it supports.
        cluster_deleted: ends what is inside a cluster; a cluster counts as deleted only after it.

    Raises:
        OSError: the port is taken.
    """
    timing = Timing(speed)
    azure = ResourceManager(state, timing, today, cluster_deleted)
    return server.serve(AzureNativeProvider(azure, timing, kubeconfig), port)
