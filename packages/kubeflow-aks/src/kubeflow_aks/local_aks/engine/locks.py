"""Locks of the engine's file backend: one whose engine was killed keeps everybody out until it is removed."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.run.processes import command_line

_POLL_SECONDS: Final = 0.2


@dataclass(frozen=True)
class Holder:
    """An engine that is at work, by its process id and its machine, empty for this one."""

    pid: int
    host: str = ""

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}" if self.host else f"process {self.pid}"


def release_dead(run: RunDirectory, patience: float) -> Holder | None:
    """Removes the locks of engines that do not run any more, as `pulumi cancel` would.

    An engine outlives a killed Automation API for a moment, until it finds its program gone; it has `patience` seconds.

    Returns:
        An engine that is still at work, None when there is none. Nobody here knows whether one of another machine is.
    """
    deadline = time.monotonic() + patience
    while True:
        holders = [
            holder
            for lock in run.pulumi_state.glob(".pulumi/locks/**/*.json")
            if (holder := _holder(lock, str(run.pulumi_workspace)))
        ]
        if not holders or time.monotonic() > deadline:
            return holders[0] if holders else None
        time.sleep(_POLL_SECONDS)


def end(run: RunDirectory, patience: float) -> bool:
    """Kills an engine of this machine that does not end in time, in seconds; whether there was one."""
    holder = release_dead(run, patience)
    if holder is None or holder.host:
        return False
    with suppress(ProcessLookupError):
        os.kill(holder.pid, signal.SIGKILL)
    return True


def _holder(lock: Path, mark: str) -> Holder | None:
    """Who holds a lock; a lock that nobody holds is removed."""
    try:
        content = json.loads(lock.read_text())
    except (FileNotFoundError, ValueError):  # released, or its writer was killed half-way
        lock.unlink(missing_ok=True)
        return None
    pid, host = int(content["pid"]), str(content["hostname"])
    if host != socket.gethostname():
        return Holder(pid, host)
    if mark in command_line(pid):
        return Holder(pid)
    lock.unlink(missing_ok=True)
    return None
