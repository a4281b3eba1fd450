"""The process behind `stand_ins`: `python -m kubeflow_aks.pull_request.serving DESCRIPTOR`.

It imports nothing that requirements.txt does not install. The descriptor is a socket: it reads one `StandInRequest`
and answers with the ports; the process ends when the other end is closed.
"""

from __future__ import annotations

import gc
import json
import math
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.local_aks.azure.provider import FUNCTIONS, AzureNativeProvider
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure.timing import Timing
from kubeflow_aks.local_aks.azure.types import TYPES
from kubeflow_aks.local_aks.kubernetes_provider import file_cluster, servers_of
from kubeflow_aks.local_aks.kubernetes_provider.cluster import Cluster
from kubeflow_aks.local_aks.kubernetes_provider.file_cluster import FileCluster, NoWaiter
from kubeflow_aks.local_aks.kubernetes_provider.server import PACKAGE as KUBERNETES
from kubeflow_aks.local_aks.kubernetes_provider.server import KubernetesProvider
from kubeflow_aks.local_aks.kubernetes_provider.session import knows
from kubeflow_aks.local_aks.kubernetes_provider.waiting import Waiter
from kubeflow_aks.local_aks.protocol import server
from kubeflow_aks.local_aks.protocol.provider import Provider
from kubeflow_aks.local_aks.protocol.server import Server
from kubeflow_aks.pull_request.stand_ins import StandInRequest
from kubeflow_aks.pull_request.unsimulated import TypeFile, Unsimulated, with_unsimulated

_AZURE: Final = "azure-native"
_COLLECT_AFTER: Final = 100_000
"""Objects between two collections of garbage, as in the program's process: the SDKs make many, none of them garbage."""


def serve(request: StandInRequest) -> dict[str, Server]:
    """Serves every package that the environment has, by its name, as long as the servers are referenced."""
    unknown_types = TypeFile(Path(request.unknown_types))
    packages: dict[str, Callable[[Unsimulated], Provider]] = {
        _AZURE: partial(_azure, request),
        KUBERNETES: partial(_kubernetes, request),
    }
    servers: dict[str, Server] = {}
    for package, release in installed().items():
        unsimulated = Unsimulated(package, release, unknown_types)
        provider = packages[package](unsimulated) if package in packages else unsimulated
        servers[package] = server.serve(provider)
    return servers


def installed() -> Mapping[str, str]:
    """Every Pulumi package that is installed here: name to version."""
    plugins = (
        json.loads(file.read_text(encoding="utf-8"))
        for folder in reversed(sys.path)
        for file in Path(folder).glob("pulumi_*/pulumi-plugin.json")
    )
    return {plugin["name"]: str(plugin.get("version") or "") for plugin in plugins if plugin.get("resource")}


def _azure(request: StandInRequest, unsimulated: Unsimulated) -> Provider:
    text = (
        Path(request.kubeconfig).read_text(encoding="utf-8")
        if request.kubeconfig
        else file_cluster.kubeconfig()
    )
    timing = Timing(math.inf)
    manager = ResourceManager(
        AzureState(Path(request.azure)), timing, lambda: date.fromisoformat(request.today)
    )
    provider = AzureNativeProvider(manager, timing, token=request.token, kubeconfig=lambda: text)
    return with_unsimulated(provider, lambda token: token in TYPES or token in FUNCTIONS, unsimulated)


def _kubernetes(request: StandInRequest, unsimulated: Unsimulated) -> Provider:
    if request.kubeconfig:
        file = Path(request.kubeconfig)
        cluster: Cluster = ApiServer.of(file)
        provider = KubernetesProvider(Waiter(), servers_of(file))
    else:
        cluster = FileCluster(Path(request.objects))
        provider = KubernetesProvider(NoWaiter(), (file_cluster.SERVER,), lambda _: cluster)
    return with_unsimulated(provider, lambda token: knows(token, cluster), unsimulated)


def _end_with(parent: socket.socket) -> None:
    """Ends this process, whatever it is doing, as soon as the other end of the socket is closed."""
    parent.recv(1)
    os._exit(0)


if __name__ == "__main__":
    gc.set_threshold(_COLLECT_AFTER)
    _parent = socket.socket(fileno=int(sys.argv[1]))
    with _parent.makefile("rw", encoding="utf-8") as _lines:
        _servers = serve(StandInRequest(**json.loads(_lines.readline())))
        threading.Thread(target=_end_with, args=(_parent,), name="parent", daemon=True).start()
        print(
            json.dumps({package: server.port for package, server in _servers.items()}),
            file=_lines,
            flush=True,
        )
    threading.Event().wait()
