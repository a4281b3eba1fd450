"""A stopped cluster has no API server, and etcd keeps what is in it: here the one process ends and begins again.

The others, which AKS stops too, find nobody to talk to and wait.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Final

from local_aks.control_plane.kwokctl import ControlPlaneError, component
from local_aks.kube.api import ApiServer
from local_aks.kube.errors import KubeError
from local_aks.run import processes
from local_aks.run.directory import RunDirectory

_API_SERVER: Final = "kube-apiserver"
_READY_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.2


def switch_off(run: RunDirectory) -> None:
    """Ends the API server of a run directory's control plane; nothing happens where none runs."""
    file = component(run, _API_SERVER)
    process = file.process()
    if process is None:
        return
    how = {"command": process.cmdline(), "folder": process.cwd()}
    _note(run).write_text(json.dumps(how), encoding="utf-8")
    processes.stop([file], patience=0)  # it would wait for its watches, and etcd has everything


def switch_on(run: RunDirectory) -> None:
    """Starts an API server that was switched off as it was started before, and waits until it answers.

    Raises:
        ControlPlaneError: it does not.
    """
    if not is_off(run):
        return
    how = json.loads(_note(run).read_text(encoding="utf-8"))
    with run.log(_API_SERVER).open("a", encoding="utf-8") as log:
        processes.start(how["command"], component(run, _API_SERVER), log=log, cwd=Path(how["folder"]))
    deadline = time.monotonic() + _READY_SECONDS
    while not _answers(run):
        if time.monotonic() > deadline:
            raise ControlPlaneError(f"the API server does not come back; see {run.log(_API_SERVER)}")
        time.sleep(_POLL_SECONDS)
    _note(run).unlink()


def is_off(run: RunDirectory) -> bool:
    """Whether the API server was switched off, and what it served is still there."""
    return _note(run).exists() and component(run, "etcd").running() is not None


def _answers(run: RunDirectory) -> bool:
    try:
        ApiServer.of(run.kubeconfig).read("/api/v1/namespaces/kube-system")
    except KubeError:
        return False
    return True


def _note(run: RunDirectory) -> Path:
    return run.kwok / "switched-off.json"
