"""Ends whatever a run directory started, by process id."""

import os
import signal
from contextlib import suppress
from typing import Final

from localaks import control_plane, processes, service
from localaks.controllers import training_operator
from localaks.engine import locks
from localaks.run_directory import RunDirectory

_ENGINE_PATIENCE: Final = 10.0
"""Seconds an engine has to notice that its program is gone."""
_PATIENCE: Final = 10.0
"""Seconds all other processes have to end by themselves."""


def stop_everything(run: RunDirectory) -> None:
    """Stops engine, service, controllers and control plane, whichever are there; needs no tools."""
    engine = locks.release_dead(run, _ENGINE_PATIENCE)
    if engine is not None and not engine.host:  # an engine may outlive its command a little
        with suppress(ProcessLookupError):
            os.kill(engine.pid, signal.SIGKILL)
    noted = run.pid_files()
    processes.stop(noted, _PATIENCE)
    if run.pid_file(training_operator.PROCESS) in noted:  # it was stopped while it started, perhaps
        training_operator.tidy()
    service.endpoints_file(run).unlink(missing_ok=True)
    control_plane.stop(run)


def remove(run: RunDirectory) -> None:
    """Stops everything that a run directory started, and removes the directory."""
    stop_everything(run)
    run.remove()
