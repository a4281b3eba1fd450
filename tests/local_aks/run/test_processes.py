"""Stopping processes: ours and nobody else's."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from local_aks.run import processes
from local_aks.run.processes import PidFile

SLEEP = "import time; print('up', flush=True); time.sleep(60)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"

Start = list[subprocess.Popen[str]]


@pytest.fixture
def started() -> Generator[Start]:
    children: Start = []
    yield children
    for child in children:
        child.kill()
        child.communicate()


def _start(started: Start, file: PidFile, program: str = SLEEP) -> subprocess.Popen[str]:
    child = subprocess.Popen([sys.executable, "-c", program, file.mark], stdout=subprocess.PIPE, text=True)
    started.append(child)
    assert child.stdout is not None
    child.stdout.readline()
    file.write(child.pid)
    return child


@pytest.fixture
def file(tmp_path: Path) -> PidFile:
    return PidFile(tmp_path / "pids" / "one.pid", mark=str(tmp_path))


def test_a_noted_process_runs_until_it_ends(file: PidFile, started: Start) -> None:
    assert file.running() is None
    child = _start(started, file)
    assert file.running() == child.pid
    child.kill()
    child.wait()
    assert file.running() is None


def test_stopping_ends_the_process_and_removes_its_file(file: PidFile, started: Start) -> None:
    child = _start(started, file)
    processes.stop([file], patience=5)
    assert child.wait() == -15
    assert not file.path.exists()


def test_one_that_does_not_listen_is_killed(file: PidFile, started: Start) -> None:
    child = _start(started, file, STUBBORN)
    begun = time.monotonic()
    processes.stop([file], patience=0.1)
    assert child.wait() == -9
    assert time.monotonic() - begun < 5


def test_a_stranger_with_the_same_id_is_left_alone(file: PidFile) -> None:
    file.write(os.getpid())
    assert file.running() is None
    processes.stop([file], patience=5)
    assert not file.path.exists()


def test_a_missing_or_empty_file_is_nobody(file: PidFile) -> None:
    processes.stop([file], patience=5)
    file.write(1)
    file.path.write_text("")
    assert file.running() is None


def test_a_process_is_known_by_its_command_line_from_its_first_moment(started: Start, tmp_path: Path) -> None:
    """While a program is being loaded the kernel shows no command line."""
    for _ in range(50):
        child = subprocess.Popen(
            [sys.executable, "-c", SLEEP, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        started.append(child)
        assert str(tmp_path) in processes.command_line(child.pid)
        child.kill()


def test_a_process_that_has_ended_and_was_not_collected_has_none(started: Start, file: PidFile) -> None:
    child = _start(started, file)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    begun = time.monotonic()
    assert processes.command_line(child.pid) == ""
    assert time.monotonic() - begun < 0.5
