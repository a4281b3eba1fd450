"""Processes of one comparison, known by a mark in their environment, which their children inherit, wherever they go."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

import psutil

MARK: Final = "KUBEFLOW_AKS_WORKPLACE"
"""Variable that holds the mark of a workplace; what is started there inherits it."""
PROGRAM_MARK: Final = "KUBEFLOW_AKS_PROGRAM"
"""Variable that holds the mark of one run of a program."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SET_CHILD_SUBREAPER: Final = 36
_PATIENCE: Final = 10.0
_POLL_SECONDS: Final = 0.02


def end(mark: str, variable: str = MARK) -> None:
    """Kills every process of this user that has the mark, except this one, until none is left."""
    deadline = time.monotonic() + _PATIENCE
    while (found := _marked(variable, mark)) and time.monotonic() < deadline:
        for process in found:
            with suppress(psutil.Error):
                process.kill()
        time.sleep(_POLL_SECONDS)


@contextmanager
def ended_with_this_one() -> Generator[None]:
    """Ends all that this process starts meanwhile, however this ends; a signal to stop is a KeyboardInterrupt."""
    for each in _SIGNALS:
        signal.signal(each, _interrupt)
    _adopt()
    try:
        yield
    finally:
        _end_children()


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """Stops once; what has to be cleared away then is not interrupted again."""
    for each in _SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    logging.disable()  # asyncio would tell of each task that is stopped
    raise KeyboardInterrupt


def _adopt() -> None:
    """Makes what this process starts its children for good, whoever starts it and however it is orphaned (Linux).

    Source: `prctl(2)`, PR_SET_CHILD_SUBREAPER.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_children() -> None:
    """Kills all that this process started and that still runs: what has shed its mark, too."""
    children = psutil.Process().children(recursive=True)
    for child in children:
        with suppress(psutil.Error):
            child.kill()
    psutil.wait_procs(children, _PATIENCE)


def _marked(variable: str, mark: str) -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            alive = process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE
            if alive and process.environ().get(variable) == mark:
                found.append(process)
    return found
