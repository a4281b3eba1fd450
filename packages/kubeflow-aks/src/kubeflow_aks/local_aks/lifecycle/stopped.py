"""Reports processes that a signal has stopped: everything waits for them, and nothing else would show why."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Final

import psutil

from kubeflow_aks.local_aks.control_plane import kwokctl
from kubeflow_aks.local_aks.lifecycle import service_files
from kubeflow_aks.local_aks.run.directory import RunDirectory

_POLL_SECONDS: Final = 1.0
_NAMES: Final = {service_files.PID_FILE: "the simulated Azure"}
"""Names of processes that are called otherwise than their pid file."""


@contextmanager
def reported(run: RunDirectory, report: Callable[[str], object]) -> Generator[None]:
    """Reports each process of a local AKS that is stopped, once, and that it goes on, from another thread.

    This process's own children, the engine among them, count as well.
    """
    done = threading.Event()
    watch = threading.Thread(target=_watch, args=(run, report, done), name="stopped")
    watch.start()
    try:
        yield
    finally:
        done.set()
        watch.join()


def lines(run: RunDirectory) -> list[str]:
    """A sentence about each process of a local AKS that is stopped now."""
    return [_line(pid, name) for pid, name in _stopped(run).items()]


def _line(pid: int, name: str) -> str:
    return f"{name} (process {pid}) was stopped by a signal, and all waits for it; `kill -CONT {pid}` lets it go on"


def _watch(run: RunDirectory, report: Callable[[str], object], done: threading.Event) -> None:
    reported: dict[int, str] = {}
    while not done.wait(_POLL_SECONDS):
        stopped = _stopped(run)
        for pid in stopped.keys() - reported.keys():
            report(_line(pid, stopped[pid]))
        for pid in reported.keys() - stopped.keys():
            report(f"{reported[pid]} (process {pid}) is not stopped any more")
        reported = stopped


def _stopped(run: RunDirectory) -> dict[int, str]:
    """Names of the processes that are stopped, by id."""
    processes: dict[int, tuple[str, psutil.Process]] = {}
    with suppress(psutil.Error):
        processes = {child.pid: (child.name(), child) for child in psutil.Process().children()}
    for file in (*kwokctl.pid_files(run), *run.pid_files()):
        if process := file.process():
            processes[process.pid] = (_NAMES.get(file.path.stem, file.path.stem), process)
    return {pid: name for pid, (name, process) in processes.items() if _is_stopped(process)}


def _is_stopped(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_STOPPED
    except psutil.Error:
        return False
