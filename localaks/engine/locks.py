"""Locks of the engine's file backend: one whose engine was killed keeps everybody out until it is removed."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path
from typing import Final

from localaks.processes import command_line

_POLL_SECONDS: Final = 0.2


def release_dead(state: Path, patience: float) -> int | None:
    """Removes the locks of engines that do not run any more, as `pulumi cancel` would.

    An engine outlives a killed Automation API for a moment, until it finds its program gone.

    Args:
        state: folder of the file backend.
        patience: seconds to wait for an engine that still runs.

    Returns:
        The process id of an engine that is still at work, None when there is none.
    """
    deadline = time.monotonic() + patience
    while True:
        holders = [holder for lock in state.glob(".pulumi/locks/**/*.json") if (holder := _holder(lock))]
        if not holders or time.monotonic() > deadline:
            return holders[0] if holders else None
        time.sleep(_POLL_SECONDS)


def _holder(lock: Path) -> int | None:
    """The process that holds a lock; a lock without one is removed."""
    try:
        content = json.loads(lock.read_text())
    except (FileNotFoundError, ValueError):  # released, or its writer was killed half-way
        lock.unlink(missing_ok=True)
        return None
    if content["hostname"] != socket.gethostname():
        return int(content["pid"])
    if "pulumi" in command_line(int(content["pid"])):
        return int(content["pid"])
    lock.unlink(missing_ok=True)
    return None
