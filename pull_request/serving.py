"""The process behind `stand_ins`: `python -m pull_request.serving RUN DAY DESCRIPTOR [KUBECONFIG]`.

It imports nothing that requirements.txt does not install. The descriptor is a socket: the ports are written to it, and
the process ends when its other end is closed.
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

from local_aks.azure.provider import FUNCTIONS, AzureNativeProvider
from local_aks.azure.resource_manager import ResourceManager
from local_aks.azure.state import AzureState
from local_aks.azure.timing import Timing
from local_aks.azure.types import TYPES
from local_aks.kubernetes_provider import kept, servers_of
from local_aks.kubernetes_provider.kept import AtOnce, KeptObjects
from local_aks.kubernetes_provider.server import PACKAGE as KUBERNETES
from local_aks.kubernetes_provider.server import KubernetesProvider
from local_aks.kubernetes_provider.waiting import Waiter
from local_aks.protocol import server
from local_aks.protocol.provider import Provider
from local_aks.protocol.server import Server
from local_aks.run.directory import RunDirectory
from pull_request.stand_ins import not_simulated_file, objects_file
from pull_request.unsimulated import Noted, Unsimulated, with_unsimulated

_AZURE: Final = "azure-native"


def serve(run: RunDirectory, today: date, kubeconfig: Path | None) -> dict[str, Server]:
    """Serves every package that the environment has, by its name, until a server is let go."""
    noted = Noted(not_simulated_file(run))
    text = kubeconfig.read_text(encoding="utf-8") if kubeconfig else kept.kubeconfig()
    own: dict[str, Callable[[Unsimulated], Provider]] = {
        _AZURE: partial(_azure, run, today, text),
        KUBERNETES: partial(_kubernetes, run, kubeconfig),
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


def _azure(run: RunDirectory, today: date, kubeconfig: str, unsimulated: Unsimulated) -> Provider:
    timing = Timing(math.inf)
    manager = ResourceManager(AzureState(run.azure), timing, lambda: today)
    known = AzureNativeProvider(manager, timing, token=run.azure_token(), kubeconfig=lambda: kubeconfig)
    return with_unsimulated(known, lambda token: token in TYPES or token in FUNCTIONS, unsimulated)


def _kubernetes(run: RunDirectory, kubeconfig: Path | None, unsimulated: Unsimulated) -> Provider:
    if kubeconfig:
        return KubernetesProvider(Waiter(), servers_of(kubeconfig))
    objects = KeptObjects(objects_file(run))
    known = KubernetesProvider(AtOnce(), (kept.SERVER,), lambda _: objects)
    return with_unsimulated(known, objects.knows, unsimulated)


def _end_with(parent: socket.socket) -> None:
    """Ends this process, whatever it is doing, as soon as the other end of the socket is closed."""
    parent.recv(1)
    os._exit(0)


if __name__ == "__main__":
    _run, _day, _descriptor, *_kubeconfig = sys.argv[1:]
    _parent = socket.socket(fileno=int(_descriptor))
    threading.Thread(target=_end_with, args=(_parent,), name="parent", daemon=True).start()
    _kept = serve(
        RunDirectory.found(Path(_run)),
        date.fromisoformat(_day),
        Path(_kubeconfig[0]) if _kubeconfig else None,
    )
    _ports = {package: server.port for package, server in _kept.items()}
    _parent.sendall(f"{json.dumps(_ports)}\n".encode())
    threading.Event().wait()
