"""The program's eviction handler as a process beside the control plane, because nodes here run no containers.

It gets what its pod gets: the script of its ConfigMap, the address of the API server, its certificate authority, and a
token of its ServiceAccount, so that it has that account's rights and no others.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from kubeflow_aks.clients.kubernetes import kubeconfig
from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.objects import Object, fields
from kubeflow_aks.local_aks.control_plane.controllers.controller import Controller
from kubeflow_aks.local_aks.run.directory import RunDirectory

PROCESS: Final = "eviction-handler"
"""Name of the process in a run directory."""
NAME: Final = "eviction-handler"
"""Name of its ConfigMap and its ServiceAccount."""
NAMESPACE: Final = "kubeflow-aks"
_TOKEN_SECONDS: Final = 24 * 3600
_READY: Final = "waiting for notices"
_EVICTED: Final = (": evicted,", ": deleted,")


@dataclass(frozen=True)
class Prepared:
    """Command line and environment that start a handler."""

    command: list[str | Path]
    environment: Mapping[str, str]


class EvictionHandler:
    """The handler of one local AKS whose stack is up."""

    def __init__(self, run: RunDirectory) -> None:
        """Starts nothing yet."""
        self._run = run
        self._controller = Controller(run, PROCESS)

    def start(self) -> bool:
        """Starts it, again where one of an earlier stack runs; whether the stack has one.

        Raises:
            ControllerError: it does not start.
        """
        self._controller.stop()
        prepared = prepare(self._run.kubeconfig, self._run.root / PROCESS)
        if prepared is None:
            return False
        ready = lambda: self._controller.count_in_log(_READY) > 0  # noqa: E731
        self._controller.start(prepared.command, ready, environment=prepared.environment)
        return True

    def evicted(self) -> int:
        """How many pods it has evicted."""
        return sum(self._controller.count_in_log(text) for text in _EVICTED)


def prepare(config: Path, folder: Path) -> Prepared | None:
    """Writes what its pod has into a folder that only its owner may read; None where the stack has no handler.

    Args:
        config: kubeconfig of an administrator.
        folder: for the files.
    """
    api, active = ApiServer.of(config), kubeconfig.active(kubeconfig.load(str(config)))
    scripts = _scripts(api)
    if not scripts:
        return None
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, text in {**scripts, "token": api.token(NAMESPACE, NAME, seconds=_TOKEN_SECONDS)}.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "ca.crt").write_bytes(_authority(active.cluster))
    [script] = scripts
    address = urlsplit(str(active.cluster["server"]))
    return Prepared(
        [sys.executable, "-IB", folder / script, folder],
        {
            "KUBERNETES_SERVICE_HOST": str(address.hostname),
            "KUBERNETES_SERVICE_PORT": str(address.port),
        },
    )


def _scripts(api: ApiServer) -> dict[str, str]:
    config_map: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
    }
    try:
        stored = api.get(config_map)
    except ApiError as error:
        if error.not_found:
            return {}
        raise
    return {name: str(text) for name, text in fields(stored.get("data")).items()}


def _authority(cluster: Object) -> bytes:
    if "certificate-authority" in cluster:
        return Path(str(cluster["certificate-authority"])).read_bytes()
    return base64.b64decode(str(cluster["certificate-authority-data"]))
