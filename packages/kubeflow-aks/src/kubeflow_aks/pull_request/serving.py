"""The process behind `stand_ins`: `python -m kubeflow_aks.pull_request.serving DESCRIPTOR`.

It imports nothing that requirements.txt does not install. The descriptor is a socket: it reads one `StandInRequest`
after another, answers each with the ports, and ends when the other end is closed.
"""

import gc
import json
import math
import os
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final

from pulumi.runtime.proto import provider_pb2 as proto

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import ApiError, KubeError
from kubeflow_aks.clients.kubernetes.objects import TypeToken, parse_resource_id
from kubeflow_aks.local_aks.azure.provider import FUNCTIONS, AzureNativeProvider
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure.timing import Timing
from kubeflow_aks.local_aks.azure.types import TYPES
from kubeflow_aks.local_aks.kubernetes_provider import file_cluster, servers_of
from kubeflow_aks.local_aks.kubernetes_provider.checking import CREATOR
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
from kubeflow_aks.pull_request.unsimulated import (
    TypeFile,
    Unsimulated,
    token_of,
    with_assumed,
    with_unsimulated,
)

_AZURE: Final = "azure-native"
_COLLECT_AFTER: Final = 100_000
"""Objects between two collections of garbage, as in the program's process: the SDKs make many, none of them garbage."""


def serve(request: StandInRequest) -> dict[str, Server]:
    """Serves every package that the environment has, by its name, as long as the servers are referenced."""
    unknown_types, reads = TypeFile(Path(request.unknown_types)), TypeFile(Path(request.reads))
    simulated: dict[str, Callable[[Unsimulated], Provider]] = {
        _AZURE: partial(_azure, request, reads),
        KUBERNETES: partial(_kubernetes, request, reads),
    }
    servers: dict[str, Server] = {}
    for package, release in installed().items():
        unsimulated = Unsimulated(package, release, unknown_types)
        provider = simulated[package](unsimulated) if package in simulated else unsimulated
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


def _azure(request: StandInRequest, reads: TypeFile, unsimulated: Unsimulated) -> Provider:
    text = (
        Path(request.kubeconfig).read_text(encoding="utf-8")
        if request.kubeconfig
        else file_cluster.kubeconfig()
    )
    timing = Timing(math.inf)
    manager = ResourceManager(
        AzureState(Path(request.azure)), timing, lambda: date.fromisoformat(request.today)
    )
    azure = AzureNativeProvider(manager, timing, token=request.token, kubeconfig=lambda: text)
    return with_unsimulated(
        with_assumed(azure, reads), lambda token: token in TYPES or token in FUNCTIONS, unsimulated
    )


def _kubernetes(request: StandInRequest, reads: TypeFile, unsimulated: Unsimulated) -> Provider:
    if request.kubeconfig:
        file = Path(request.kubeconfig)
        cluster: Cluster = ApiServer.of(file)
        objects = KubernetesProvider(Waiter(), servers_of(file))
    else:
        cluster = FileCluster(Path(request.objects))
        objects = KubernetesProvider(NoWaiter(), (file_cluster.SERVER,), lambda _: cluster)
    objects = with_assumed(objects, reads, partial(_made, cluster))
    return with_unsimulated(objects, lambda token: knows(token, cluster), unsimulated)


def _made(cluster: Cluster, request: proto.ReadRequest) -> bool:
    """Makes an object that is read with nothing in it, and its namespace; False where that is not possible."""
    namespace, name = parse_resource_id(request.id)
    kind = TypeToken.parse(token_of(request)).kind
    above = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}] if namespace else []
    obj = {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {"name": name, "namespace": namespace},
    }
    try:
        for one in (*above, obj):
            with suppress(ApiError):  # it is there
                cluster.create(one, CREATOR)
        cluster.get(obj)
    except KubeError:
        return False
    return True


if __name__ == "__main__":
    gc.set_threshold(_COLLECT_AFTER)
    _servers: dict[str, Server] = {}
    with socket.socket(fileno=int(sys.argv[1])).makefile("rw", encoding="utf-8") as _lines:
        while _line := _lines.readline():
            for _server in _servers.values():
                _server.stop(0)
            _servers = serve(StandInRequest(**json.loads(_line)))
            print(
                json.dumps({package: server.port for package, server in _servers.items()}),
                file=_lines,
                flush=True,
            )
    os._exit(0)  # whatever it is doing
