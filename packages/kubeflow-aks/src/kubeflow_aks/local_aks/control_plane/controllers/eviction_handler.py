"""The program's eviction handler as a process beside the control plane, because nodes here run no containers.

It gets what its pod gets: the command and the variables of its Deployment, the scripts of its ConfigMap, the address of
the API server, its certificate authority, and a token of its ServiceAccount, so that it has that account's rights and
no others.
"""

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
from kubeflow_aks.clients.kubernetes.objects import Object, at, fields
from kubeflow_aks.local_aks.control_plane.controllers.controller import Controller
from kubeflow_aks.local_aks.run.directory import RunDirectory

PROCESS: Final = "eviction-handler"
"""Name of the process in a run directory."""
NAME: Final = "eviction-handler"
"""Name of its Deployment, its ConfigMap and its ServiceAccount."""
NAMESPACE: Final = "kubeflow-aks"
_TOKEN_SECONDS: Final = 24 * 3600
_READY: Final = "waiting for notices"
_EVICTED: Final = (": evicted,", ": deleted,")


@dataclass(frozen=True)
class Prepared:
    """Command line, environment and folder in which a script of ours starts."""

    command: list[str | Path]
    environment: Mapping[str, str]
    folder: Path


class EvictionHandler:
    """The handler of one local AKS whose stack is up."""

    def __init__(self, run: RunDirectory) -> None:
        self._run = run
        self._controller = Controller(run, PROCESS)

    def start(self) -> bool:
        """Starts it, again where one of an earlier stack runs; whether the stack has one.

        Raises:
            ControllerError: it does not start.
        """
        self._controller.stop()
        prepared = prepare(self._run.kubeconfig, self._run.root / PROCESS, NAME)
        if prepared is None:
            return False
        ready = lambda: self._controller.count_in_log(_READY) > 0  # noqa: E731
        self._controller.start(
            prepared.command, ready, environment=prepared.environment, folder=prepared.folder
        )
        return True

    def evicted(self) -> int:
        """How many pods it has evicted."""
        return sum(self._controller.count_in_log(text) for text in _EVICTED)


def prepare(config: Path, folder: Path, name: str) -> Prepared | None:
    """Writes what the pod of a script has into a folder that only its owner may read; None where the stack has none.

    Its log has the URL of its metrics.

    Args:
        config: kubeconfig of an administrator.
        folder: for the files.
        name: of its Deployment, its ConfigMap and its ServiceAccount.
    """
    api, active = ApiServer.of(config), kubeconfig.active(kubeconfig.load(str(config)))
    deployment = _stored(api, "apps/v1", "Deployment", name)
    if deployment is None:
        return None
    [container] = at(deployment, "spec", "template", "spec", "containers")
    scripts = folder / Path(container["volumeMounts"][0]["mountPath"]).name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    scripts.mkdir(exist_ok=True)
    for file, text in fields(at(_stored(api, "v1", "ConfigMap", name), "data")).items():
        (scripts / file).write_text(str(text), encoding="utf-8")
    (folder / "token").write_text(api.token(NAMESPACE, name, seconds=_TOKEN_SECONDS), encoding="utf-8")
    (folder / "ca.crt").write_bytes(_authority(active.cluster))
    address = urlsplit(str(active.cluster["server"]))
    return Prepared(
        [sys.executable, *container["command"][1:], folder],
        {
            **{variable["name"]: variable["value"] for variable in container["env"]},
            "KUBERNETES_SERVICE_HOST": str(address.hostname),
            "KUBERNETES_SERVICE_PORT": str(address.port),
            "REPORT": str(folder / "report"),
            "METRICS": "127.0.0.1:0",
        },
        folder,
    )


def _stored(api: ApiServer, version: str, kind: str, name: str) -> Object | None:
    try:
        return api.get(
            {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE}}
        )
    except ApiError as error:
        if error.not_found:
            return None
        raise


def _authority(cluster: Object) -> bytes:
    if "certificate-authority" in cluster:
        return Path(str(cluster["certificate-authority"])).read_bytes()
    return base64.b64decode(str(cluster["certificate-authority-data"]))
