"""Stopping processes: ours and nobody else's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest

from kubeflow_aks.local_aks.run import processes
from kubeflow_aks.local_aks.run.processes import PidFile
from kubeflow_aks.project import PROJECT_ROOT

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


def test_a_later_process_with_the_same_id_and_the_mark_is_left_alone(file: PidFile, started: Start) -> None:
    child = _start(started, file)
    pid, noted = file.path.read_text().split()
    file.path.write_text(f"{pid} {float(noted) - 10}")
    assert file.running() is None
    processes.stop([file], patience=5)
    assert child.poll() is None


def test_a_process_is_known_where_only_its_id_was_noted(file: PidFile, started: Start) -> None:
    child = _start(started, file)
    file.path.write_text(f"{child.pid}\n")
    assert file.running() == child.pid


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


def _start_noted(started: Start, file: PidFile, log: Path, *arguments: str) -> subprocess.Popen[bytes]:
    with log.open("w") as sink:
        child = processes.start([sys.executable, "-c", SLEEP, file.mark, *arguments], file, log=sink)
    started.append(child)  # pyright: ignore[reportArgumentType] - binary or text, it is killed alike
    return child


def test_a_started_program_is_noted_and_runs_in_a_session_of_its_own(
    file: PidFile, started: Start, tmp_path: Path
) -> None:
    child = _start_noted(started, file, tmp_path / "log", "one", "two words")
    assert file.running() == child.pid
    assert os.getsid(child.pid) == child.pid
    deadline = time.monotonic() + 120
    while (tmp_path / "log").read_text() != "up\n":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert psutil.Process(child.pid).cmdline()[3:] == [file.mark, "one", "two words"]
    processes.stop([file], patience=5)
    assert child.wait() == -signal.SIGTERM


def test_a_program_that_can_not_be_run_has_the_error_in_its_log(file: PidFile, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w") as sink:
        assert processes.start([tmp_path / "missing"], file, log=sink).wait() == 1
    assert "No such file or directory" in log.read_text()


@pytest.mark.parametrize("end", ["raise KeyboardInterrupt", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_a_starter_that_is_stopped_before_it_knows_the_id_leaves_a_process_that_is_noted(
    end: str, file: PidFile, tmp_path: Path
) -> None:
    """Stopped as soon as the process exists, before anything else can be done with its id."""
    starter = f"""
import os, signal, subprocess, sys
from pathlib import Path
from kubeflow_aks.local_aks.run import processes
class Interrupted(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        {end}
subprocess.Popen = Interrupted
note = processes.PidFile(Path({str(file.path)!r}), {file.mark!r})
with open({str(tmp_path / "log")!r}, "w") as log:
    processes.start([sys.executable, "-c", {SLEEP!r}, {file.mark!r}], note, log=log)
"""
    command = [sys.executable, "-c", starter]
    assert subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, check=False).returncode != 0
    deadline = time.monotonic() + 120
    while (pid := file.running()) is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    processes.stop([file], patience=5)
    assert processes.command_line(pid) == ""


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    """A program that stays."""
    tool = tmp_path / "kwok"
    tool.symlink_to(sys.executable)
    return tool


def test_what_nobody_noted_is_found_by_program_and_mark(started: Start, tool: Path, tmp_path: Path) -> None:
    for program, mark in ((tool, tmp_path), (tool, tmp_path.parent / "another"), (sys.executable, tmp_path)):
        child = subprocess.Popen([program, "-c", SLEEP, str(mark / "x")], stdout=subprocess.PIPE, text=True)
        started.append(child)
        assert child.stdout is not None
        child.stdout.readline()
    processes.stop_unnoted(str(tmp_path), {"kwok"})
    assert [child.poll() is None for child in started] == [False, True, True]
