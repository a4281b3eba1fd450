"""Ends whatever a run directory started, by process id."""

import sys
from pathlib import Path
from typing import Final

from kubeflow_aks.local_aks.control_plane import kwokctl
from kubeflow_aks.local_aks.control_plane.controllers import argo, training_operator
from kubeflow_aks.local_aks.control_plane.controllers.controller import Controller
from kubeflow_aks.local_aks.engine import locks
from kubeflow_aks.local_aks.lifecycle import service_files
from kubeflow_aks.local_aks.run import processes
from kubeflow_aks.local_aks.run.directory import RunDirectory

_ENGINE_PATIENCE: Final = 10.0
"""Seconds an engine has to notice that its program is gone."""
_PATIENCE: Final = 10.0
"""Seconds all other processes have to end by themselves."""


def stop_everything(run: RunDirectory) -> None:
    """Stops engine, service, controllers and control plane, whichever are there; needs no tools."""
    locks.end(run, _ENGINE_PATIENCE)  # an engine may outlive its command a little
    if run.pid_file(training_operator.PROCESS) in run.pid_files():  # it was stopped while it started, perhaps
        training_operator.tidy()
    for name in (argo.PROCESS, training_operator.PROCESS):
        Controller(run, name).stop()
    processes.stop(run.pid_files(), _PATIENCE)
    programs = {Path(sys.executable).name, argo.PROCESS, training_operator.TOOL}
    processes.stop_unnoted(str(run.root), programs, started_here=True)
    service_files.endpoints_file(run).unlink(missing_ok=True)
    kwokctl.stop(run)


def remove(run: RunDirectory) -> None:
    """Stops everything that a run directory started, and removes the directory."""
    stop_everything(run)
    run.remove()
