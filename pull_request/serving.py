"""The process behind `stand_ins`: `python -m pull_request.serving DESCRIPTOR`.

It imports nothing that requirements.txt does not install. The descriptor is a socket, by which it is told what is
wanted (`stand_ins.Wanted`) and tells the ports; the process ends when the other end is closed.
"""

from __future__ import annotations

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

from kube.api import ApiServer
from local_aks.azure.provider import FUNCTIONS, AzureNativeProvider
from local_aks.azure.resource_manager import ResourceManager
from local_aks.azure.state import AzureState
from local_aks.azure.timing import Timing
from local_aks.azure.types import TYPES
from local_aks.kubernetes_provider import kept, servers_of
from local_aks.kubernetes_provider.cluster import Cluster
from local_aks.kubernetes_provider.kept import AtOnce, KeptObjects
from local_aks.kubernetes_provider.server import PACKAGE as KUBERNETES
from local_aks.kubernetes_provider.server import KubernetesProvider
from local_aks.kubernetes_provider.session import knows
from local_aks.kubernetes_provider.waiting import Waiter
from local_aks.protocol import server
from local_aks.protocol.provider import Provider
from local_aks.protocol.server import Server
from pull_request.stand_ins import Wanted
from pull_request.unsimulated import Noted, Unsimulated, with_unsimulated

_AZURE: Final = "azure-native"


def serve(wanted: Wanted) -> dict[str, Server]:
    """Serves every package that the environment has, by its name, until a server is let go."""
    noted = Noted(Path(wanted.noted))
    own: dict[str, Callable[[Unsimulated], Provider]] = {
        _AZURE: partial(_azure, wanted),
        KUBERNETES: partial(_kubernetes, wanted),
    }
    servers: dict[str, Server] = {}
    for package, release in installed().items():
        unsimulated = Unsimulated(package, release, noted)
        provider = own[package](unsimulated) if package in own else unsimulated
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


def _azure(wanted: Wanted, unsimulated: Unsimulated) -> Provider:
    text = Path(wanted.kubeconfig).read_text(encoding="utf-8") if wanted.kubeconfig else kept.kubeconfig()
    timing = Timing(math.inf)
    manager = ResourceManager(
        AzureState(Path(wanted.azure)), timing, lambda: date.fromisoformat(wanted.today)
    )
    known = AzureNativeProvider(manager, timing, token=wanted.token, kubeconfig=lambda: text)
    return with_unsimulated(known, lambda token: token in TYPES or token in FUNCTIONS, unsimulated)


def _kubernetes(wanted: Wanted, unsimulated: Unsimulated) -> Provider:
    if wanted.kubeconfig:
        file = Path(wanted.kubeconfig)
        cluster: Cluster = ApiServer.of(file)
        known = KubernetesProvider(Waiter(), servers_of(file))
    else:
        cluster = KeptObjects(Path(wanted.objects))
        known = KubernetesProvider(AtOnce(), (kept.SERVER,), lambda _: cluster)
    return with_unsimulated(known, lambda token: knows(token, cluster), unsimulated)


def _end_with(parent: socket.socket) -> None:
    """Ends this process, whatever it is doing, as soon as the other end of the socket is closed."""
    parent.recv(1)
    os._exit(0)


if __name__ == "__main__":
    _parent = socket.socket(fileno=int(sys.argv[1]))
    with _parent.makefile("rw", encoding="utf-8") as _lines:
        _servers = serve(Wanted(**json.loads(_lines.readline())))
        threading.Thread(target=_end_with, args=(_parent,), name="parent", daemon=True).start()
        print(json.dumps({package: each.port for package, each in _servers.items()}), file=_lines, flush=True)
    threading.Event().wait()
