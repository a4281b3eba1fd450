"""The processes of a preview, known by a mark in their environment, which their children inherit, wherever they go."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Final

import psutil

MARK: Final = "KUBEFLOW_AKS_PR_PREVIEW"
"""Variable that holds the mark of a whole preview; what it starts inherits it."""
PROGRAM_MARK: Final = "KUBEFLOW_AKS_PR_PREVIEW_PROGRAM"
"""Variable that holds the mark of one run of a program."""
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


def _marked(variable: str, mark: str) -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            alive = process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE
            if alive and process.environ().get(variable) == mark:
                found.append(process)
    return found
