"""Processes of one comparison, found by a mark in their environment, which their children inherit."""

import ctypes
import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final

import psutil

from kubeflow_aks.interrupts import interruptible

MARK: Final = "KUBEFLOW_AKS_WORKPLACE"
"""Variable with the mark of a workplace; processes that are started there inherit it."""
PROGRAM_MARK: Final = "KUBEFLOW_AKS_PROGRAM"
"""Variable with the mark of one run of a program."""
_SET_CHILD_SUBREAPER: Final = 36
_PATIENCE: Final = 10.0
_POLL_SECONDS: Final = 0.02


def end(mark: str, variable: str = MARK) -> None:
    """Kills every process of this user that has the mark, except this process, until none is left."""
    deadline = time.monotonic() + _PATIENCE
    while (marked := _marked(variable, mark)) and time.monotonic() < deadline:
        for process in marked:
            with suppress(psutil.Error):
                process.kill()
        time.sleep(_POLL_SECONDS)


@contextmanager
def ended_with_this_one() -> Generator[None]:
    """Ends all child processes at the end of the block; a signal to stop raises KeyboardInterrupt."""
    _adopt()
    with interruptible("nothing is left behind", once=True):
        try:
            yield
        finally:
            _end_children()


def _adopt() -> None:
    """Makes all descendants of this process its children, also when they are orphaned (Linux).

    Source: `prctl(2)`, PR_SET_CHILD_SUBREAPER.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_children() -> None:
    """Kills all descendants of this process that still run, also those without the mark."""
    children = psutil.Process().children(recursive=True)
    for child in children:
        with suppress(psutil.Error):
            child.kill()
    psutil.wait_procs(children, _PATIENCE)


def _marked(variable: str, mark: str) -> list[psutil.Process]:
    marked: list[psutil.Process] = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            alive = process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE
            if alive and process.environ().get(variable) == mark:
                marked.append(process)
    return marked
