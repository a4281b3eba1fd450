"""Processes of a run, known by pid file, command line and time of start, so that nothing else is ever signalled."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import psutil

from kubeflow_aks.local_aks.run import files, launch
from kubeflow_aks.local_aks.run.files import DamagedFileError

_POLL_SECONDS: Final = 0.05
_NOTED_SECONDS: Final = 30.0
_NOTED_POLL_SECONDS: Final = 0.005
_READY_POLL_SECONDS: Final = 0.1
_LOG_LINES: Final = 5
_KILLED_SECONDS: Final = 10.0
_LOADING_SECONDS: Final = 1.0
_LOADING_POLL_SECONDS: Final = 0.002
_ENDED: Final = frozenset({psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD})
_SAME_START_SECONDS: Final = 1.0


@dataclass(frozen=True)
class PidFile:
    """A file with a process id, which also identifies the process among later ones with the same id.

    Attributes:
        path: the file, holding the id and, where we wrote it, after how many seconds of the machine's running time the
            process was started. (A time of day would not do: the clock of a virtual machine is set after each rest.)
        mark: text that stands in the process's command line and in no stranger's, such as the run directory.
    """

    path: Path
    mark: str

    def write(self, pid: int) -> None:
        """Notes a process."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        started = ""
        with suppress(psutil.NoSuchProcess):
            started = f" {_started(psutil.Process(pid)):.2f}"
        files.write(self.path, f"{pid}{started}")

    def noted(self) -> int | None:
        """The process id in the file, whether it runs or not; None while there is none."""
        note = self._read()
        return note[0] if note else None

    def running(self) -> int | None:
        """The process's id while it runs, else None."""
        process = self.process()
        return process.pid if process else None

    def process(self) -> psutil.Process | None:
        """The process while it runs."""
        noted = self._read()
        if noted is None:
            return None
        pid, started = noted
        try:
            process = psutil.Process(pid)
            is_it = started is None or abs(_started(process) - started) < _SAME_START_SECONDS
        except psutil.Error:
            return None
        return process if is_it and self.mark in _command_line(process) else None

    def check(self) -> None:
        """Reads the file where there is one.

        Raises:
            DamagedFileError: it holds something else.
        """
        with suppress(FileNotFoundError):
            files.read(self.path, _note)

    def _read(self) -> tuple[int, float | None] | None:
        try:
            return files.read(self.path, _note)
        except (OSError, DamagedFileError):  # kwokctl makes its files, then fills them
            return None


def _note(text: str) -> tuple[int, float | None]:
    pid, *started = text.split()
    return int(pid), float(started[0]) if started else None


def start(
    command: Sequence[str | Path],
    note: PidFile,
    *,
    log: IO[str],
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    pass_fds: Collection[int] = (),
) -> subprocess.Popen[bytes]:
    """Starts a program in the background, in a session of its own; its process is noted before the program begins.

    Args:
        command: starts with an absolute path; together with the path of the note it has the note's mark.
        note: where the process id is written.
        log: gets the program's output.
        cwd: working folder, by default this process's.
        env: variables, by default this process's.
        pass_fds: file descriptors that it inherits.
    """
    note.path.parent.mkdir(parents=True, exist_ok=True)
    note.path.unlink(missing_ok=True)
    process = subprocess.Popen(  # noqa: S603 - a program of ours
        [sys.executable, "-I", "-S", launch.__file__, note.path, *command],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        pass_fds=pass_fds,
        start_new_session=True,
    )
    comes_true(
        lambda: note.noted() is not None or process.poll() is not None, _NOTED_SECONDS, _NOTED_POLL_SECONDS
    )
    if note.noted() == process.pid:
        note.write(process.pid)  # from here on with the time of its start
    return process


def comes_true(condition: Callable[[], bool], seconds: float, pause: float) -> bool:
    """Whether a condition holds within some seconds; there is a pause, in seconds, between two looks."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True


def becomes_ready(process: subprocess.Popen[bytes], ready: Callable[[], bool], seconds: float) -> bool:
    """Whether a started process is ready within some seconds, and has not ended."""
    comes_true(lambda: process.poll() is not None or ready(), seconds, _READY_POLL_SECONDS)
    return process.poll() is None and ready()


def last_lines(log: Path) -> str:
    """The last lines of a program's output, as one line for a message."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return " | ".join(lines[-_LOG_LINES:]) or "no output"


def command_line(pid: int) -> str:
    """A running process's command line; empty when there is none, or it has ended and was not collected yet.

    While a program is being loaded the kernel shows none: such a process is waited for.
    """
    try:
        return _command_line(psutil.Process(pid))
    except psutil.Error:
        return ""


def stop(files: Iterable[PidFile], patience: float) -> None:
    """Stops processes and removes their pid files; those that do not run any more are passed over.

    All of them together have `patience` seconds to end by themselves after SIGTERM; 0 for none.
    """
    noted = list(files)
    _end([process for file in noted if (process := file.process())], patience)
    for file in noted:
        file.path.unlink(missing_ok=True)


def stop_unnoted(mark: str, programs: Collection[str], *, started_here: bool = False) -> None:
    """Kills processes of this user that no pid file knows, because there was no time for the note, or it is damaged.

    Args:
        mark: text that stands in their command lines and in no stranger's.
        programs: file names; a process of another program is left alone, whatever its command line.
        started_here: only those that `start` started, which lead a session.
    """
    me = psutil.Process()
    user = me.uids().real
    unnoted: list[psutil.Process] = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, ProcessLookupError):
            command = process.cmdline()
            named = command and Path(command[0]).name in programs and mark in " ".join(command[1:])
            if started_here and os.getsid(process.pid) != process.pid:
                continue
            if named and process != me and process.uids().real == user:
                unnoted.append(process)
    _end(unnoted, patience=0)


def _end(processes: Sequence[psutil.Process], patience: float) -> None:
    _send(processes, psutil.Process.terminate)
    if not _gone(processes, patience):
        _send(processes, psutil.Process.kill)
        _gone(processes, _KILLED_SECONDS)


def _gone(processes: Sequence[psutil.Process], patience: float) -> bool:
    """Whether all have ended in time; who started one collects it (`psutil.wait_procs` would take that away)."""
    return comes_true(lambda: not any(map(_alive, processes)), patience, _POLL_SECONDS)


def _alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() not in _ENDED
    except psutil.NoSuchProcess:
        return False


def _send(processes: Iterable[psutil.Process], signal: Callable[[psutil.Process], None]) -> None:
    """Signals processes; psutil makes sure that each is still the one that was found."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            signal(process)


def _started(process: psutil.Process) -> float:
    """Seconds that the machine had been running when a process started; does not change when its clock is set."""
    return process.create_time() - psutil.boot_time()


def _command_line(process: psutil.Process) -> str:
    deadline = time.monotonic() + _LOADING_SECONDS
    while True:
        try:
            line = " ".join(process.cmdline())
            if line or process.status() in _ENDED or time.monotonic() > deadline:
                return line
        except psutil.Error:
            return ""
        time.sleep(_LOADING_POLL_SECONDS)
