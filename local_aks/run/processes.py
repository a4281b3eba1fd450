"""Processes of a run, known by pid file and command line, so that nothing else is ever signalled."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_POLL_SECONDS: Final = 0.05
_KILLED_SECONDS: Final = 10.0
_LOADING_SECONDS: Final = 1.0
_LOADING_POLL_SECONDS: Final = 0.002


@dataclass(frozen=True)
class PidFile:
    """Where a process id is written, and what tells the process from a later one with the same id.

    Attributes:
        path: the file, holding a decimal number.
        mark: text that stands in the process's command line and in no stranger's, such as the run directory.
    """

    path: Path
    mark: str

    def write(self, pid: int) -> None:
        """Notes a process."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(str(pid))

    def running(self) -> int | None:
        """The process's id while it runs, else None."""
        try:
            pid = int(self.path.read_text())
        except (OSError, ValueError):
            return None
        return pid if self.mark in command_line(pid) else None


def command_line(pid: int) -> str:
    """A running process's command line; empty when there is none, or it has ended and was not collected yet.

    While a program is being loaded the kernel shows none: such a process is waited for.
    """
    if _PROC.is_dir():
        deadline = time.monotonic() + _LOADING_SECONDS
        while not (line := _proc(pid, "cmdline")) and time.monotonic() < deadline:
            state = _proc(pid, "stat").rpartition(") ")[2][:1]
            if state in {"", "Z", "X"}:
                break
            time.sleep(_LOADING_POLL_SECONDS)
        return line.replace("\0", " ")
    command = ["/bin/ps", "-ww", "-o", "args=", "-p", str(pid)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout  # noqa: S603


def _proc(pid: int, name: str) -> str:
    """What the kernel tells of a process; empty when there is none."""
    try:
        return (_PROC / str(pid) / name).read_bytes().decode(errors="replace")
    except OSError:
        return ""


def stop(files: Iterable[PidFile], patience: float) -> None:
    """Stops processes and removes their pid files.

    Args:
        files: processes that do not run any more are passed over.
        patience: seconds they have to end by themselves after SIGTERM, all of them together; 0 for none.
    """
    noted = list(files)
    _signal(noted, signal.SIGTERM)
    if not _gone(noted, patience):
        _signal(noted, signal.SIGKILL)
        _gone(noted, _KILLED_SECONDS)
    for file in noted:
        file.path.unlink(missing_ok=True)


def _signal(files: Iterable[PidFile], number: signal.Signals) -> None:
    for file in files:
        if (pid := file.running()) is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)


def _gone(files: list[PidFile], patience: float) -> bool:
    deadline = time.monotonic() + patience
    while any(file.running() is not None for file in files):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True
