"""Ends an operation of the engine as soon as a process that it needs has ended.

The engine and the stand-ins would try for minutes to reach an API server that is gone.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from kubeflow_aks.local_aks.control_plane import kwokctl, power
from kubeflow_aks.local_aks.engine import locks
from kubeflow_aks.local_aks.engine.engine import EngineError
from kubeflow_aks.local_aks.lifecycle import service_files, stopped
from kubeflow_aks.local_aks.run.directory import RunDirectory

_POLL_SECONDS: Final = 0.5
_NO_PATIENCE: Final = 0.0


@contextmanager
def watched(run: RunDirectory) -> Generator[None]:
    """Watches the control plane and the background service of a run directory while the engine works.

    Raises:
        EngineError: one of them ended or is stopped; the text names it.
    """
    done, ended = threading.Event(), list[str]()
    watch = threading.Thread(target=_watch, args=(run, done, ended), name="watch")
    watch.start()
    try:
        yield
    except EngineError as error:
        if not ended and (waited := stopped.lines(run)):
            raise EngineError("\n".join([str(error), *waited]), error.result) from None
        if not ended:
            raise
        [name, *_] = ended
        log = run.log(name) if name == service_files.PID_FILE else kwokctl.log_file(run, name)
        reason = f"{name} of the local AKS ended while the engine worked; see {log}; run the command again"
        raise EngineError(reason, error.result) from None
    finally:
        done.set()
        watch.join()


def _watch(run: RunDirectory, done: threading.Event, ended: list[str]) -> None:
    while not done.wait(_POLL_SECONDS):
        ended.extend(_ended(run))
        if ended and locks.end(run, _NO_PATIENCE):
            return


def _ended(run: RunDirectory) -> list[str]:
    """Names of the processes that were started and do not run."""
    if power.is_off(run):
        return []
    files = [*kwokctl.pid_files(run), run.pid_file(service_files.PID_FILE)]
    return [file.path.stem for file in files if file.noted() is not None and file.running() is None]
