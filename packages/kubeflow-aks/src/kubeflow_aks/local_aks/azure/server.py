"""Serves a simulated Azure to the engine."""

from collections.abc import Callable
from datetime import date

from kubeflow_aks.local_aks.azure.power import Switch
from kubeflow_aks.local_aks.azure.provider import AzureNativeProvider
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure.timing import Timing
from kubeflow_aks.local_aks.protocol import server
from kubeflow_aks.local_aks.protocol.server import Server


def serve(
    state: AzureState,
    port: int = 0,
    *,
    token: str,
    kubeconfig: Callable[[], str],
    speed: float = float("inf"),
    today: Callable[[], date] = date.today,
    empty_cluster: Callable[[], object] | None = None,
    switch: Switch | None = None,
) -> Server:
    """Serve the provider on 127.0.0.1, for `PULUMI_DEBUG_PROVIDERS=azure-native:<port>`.

    Args:
        state: the Azure it manages.
        port: 0 for a free one.
        token: the setting `azure-native:clientSecret` that a client must send (`RunDirectory.azure_token`).
        kubeconfig: text of the kubeconfig that every cluster returns; called for each request, never stored.
        speed: simulated seconds of Azure in one second; infinite for an Azure that takes no time.
        today: the day on which Azure decides which Kubernetes versions it supports.
        empty_cluster: deletes what is inside a cluster, which counts as deleted only after it.
        switch: stops and starts what a cluster consists of.

    Raises:
        OSError: the port is taken.
    """
    timing = Timing(speed)
    azure = ResourceManager(state, timing, today, empty_cluster, switch)
    provider = AzureNativeProvider(azure, timing, token=token, kubeconfig=kubeconfig)
    return server.serve(provider, port)
