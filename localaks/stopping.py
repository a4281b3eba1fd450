"""Ends whatever a run directory started, by process id."""

import os
import signal
from contextlib import suppress
from typing import Final

from localaks import control_plane, processes, service
from localaks.controllers import argo, training_operator
from localaks.demo import where
from localaks.engine import locks
from localaks.run_directory import RunDirectory

_ENGINE_PATIENCE: Final = 10.0
"""Seconds an engine has to notice that its program is gone."""
_SERVICE_PATIENCE: Final = 10.0


def stop_everything(run: RunDirectory) -> None:
    """Stops engine, service and control plane, whichever are there; an engine may outlive its command a little."""
    engine = locks.release_dead(run.pulumi_state, _ENGINE_PATIENCE)
    if engine is not None:
        with suppress(ProcessLookupError):
            os.kill(engine, signal.SIGKILL)
    names = (service.PID_FILE, argo.PROCESS, training_operator.PROCESS, where.PROCESS)
    processes.stop([run.pid_file(name) for name in names], _SERVICE_PATIENCE)
    service.endpoints_file(run).unlink(missing_ok=True)
    control_plane.stop(run)
