"""Locks of the file backend after an engine was killed."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from localaks.engine import locks
from localaks.processes import command_line

NO_PROCESS = 2**22 + 1
"""Above the highest process id that Linux gives."""


@pytest.fixture
def engine() -> Generator[int]:
    """A running process that looks like an engine."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "pulumi"]) as process:
        while not command_line(process.pid):  # for a moment after exec the kernel shows none
            time.sleep(0.01)
        yield process.pid
        process.kill()


def _lock(state: Path, pid: int, hostname: str = "") -> Path:
    lock = state / ".pulumi" / "locks" / "organization" / "project" / "stack" / "1.json"
    lock.parent.mkdir(parents=True)
    lock.write_text(json.dumps({"pid": pid, "hostname": hostname or socket.gethostname(), "username": "u"}))
    return lock


@pytest.mark.parametrize("pid", [NO_PROCESS, os.getpid()], ids=["gone", "another program by now"])
def test_a_dead_engines_lock_is_removed(tmp_path: Path, pid: int) -> None:
    lock = _lock(tmp_path, pid)
    assert locks.release_dead(tmp_path, patience=0) is None
    assert not lock.exists()


def test_a_half_written_lock_is_removed(tmp_path: Path) -> None:
    lock = _lock(tmp_path, 1)
    lock.write_text('{"pid": 1')
    assert locks.release_dead(tmp_path, patience=0) is None
    assert not lock.exists()


def test_a_running_engine_keeps_its_lock(tmp_path: Path, engine: int) -> None:
    lock = _lock(tmp_path, engine)
    assert locks.release_dead(tmp_path, patience=0) == engine
    assert lock.exists()


def test_an_engine_that_ends_in_time_is_waited_for(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.3)", "pulumi"]) as process:
        _lock(tmp_path, process.pid)
        assert locks.release_dead(tmp_path, patience=10) is None


def test_another_machines_lock_is_left_alone(tmp_path: Path) -> None:
    lock = _lock(tmp_path, NO_PROCESS, hostname="elsewhere.example")
    assert locks.release_dead(tmp_path, patience=0) == NO_PROCESS
    assert lock.exists()
