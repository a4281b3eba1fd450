"""A stopped cluster has no control plane, and etcd keeps what is in it: here all but etcd ends and begins again.

Controllers that lose their API server retry ever more rarely: after 45 s without it they slept on for more
than a minute when it was back.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import KubeError
from kubeflow_aks.local_aks.control_plane.kwokctl import COMPONENTS, ControlPlaneError, component
from kubeflow_aks.local_aks.run import files, processes
from kubeflow_aks.local_aks.run.directory import RunDirectory

_API_SERVER: Final = "kube-apiserver"
_STOPPED: Final = tuple(name for name in COMPONENTS if name not in ("etcd", _API_SERVER))
"""Clients of the API server; they end before it and start after it."""
_READY_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.2


def switch_off(run: RunDirectory) -> None:
    """Ends all of a run directory's control plane but etcd; nothing happens where no API server runs."""
    if component(run, _API_SERVER).process() is None:
        return
    how: dict[str, dict[str, Any]] = {}
    for name in (_API_SERVER, *_STOPPED):
        if process := component(run, name).process():
            how[name] = {"command": process.cmdline(), "folder": process.cwd()}
    files.write(_note(run), json.dumps(how))
    # The API server would wait for its watches, and etcd has everything.
    processes.stop([component(run, name) for name in how], patience=0)


def switch_on(run: RunDirectory) -> None:
    """Starts what was switched off as it was started before, and waits until the API server answers.

    Raises:
        ControlPlaneError: it does not.
        DamagedFileError: it is not known any more how.
    """
    if not is_off(run):
        return
    how = files.read(_note(run), _commands)
    _start(run, _API_SERVER, how[_API_SERVER])
    if not processes.comes_true(partial(_answers, run), _READY_SECONDS, _POLL_SECONDS):
        raise ControlPlaneError(f"the API server does not come back; see {run.log(_API_SERVER)}")
    for name in how.keys() - {_API_SERVER}:
        _start(run, name, how[name])
    _note(run).unlink()


def is_off(run: RunDirectory) -> bool:
    """Whether the API server was switched off, and what it served is still there."""
    api_server, etcd = (component(run, name).running() for name in (_API_SERVER, "etcd"))
    return _note(run).exists() and api_server is None and etcd is not None


def check(run: RunDirectory) -> None:
    """Reads how to switch on what is switched off.

    Raises:
        DamagedFileError: the file holds something else.
    """
    with suppress(FileNotFoundError):
        files.read(_note(run), _commands)


def _commands(text: str) -> dict[str, dict[str, Any]]:
    """Command and folder of each process, the API server among them."""
    noted = json.loads(text)
    commands = {name: {key: noted[name][key] for key in ("command", "folder")} for name in noted}
    return {_API_SERVER: commands[_API_SERVER], **commands}


def _start(run: RunDirectory, name: str, how: dict[str, Any]) -> None:
    with run.log(name).open("a", encoding="utf-8") as log:
        processes.start(how["command"], component(run, name), log=log, cwd=Path(how["folder"]))


def _answers(run: RunDirectory) -> bool:
    try:
        ApiServer.of(run.kubeconfig).read("/api/v1/namespaces/kube-system")
    except KubeError:
        return False
    return True


def _note(run: RunDirectory) -> Path:
    return run.kwok / "switched-off.json"
