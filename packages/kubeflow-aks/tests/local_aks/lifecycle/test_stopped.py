"""A process of a local AKS that a signal has stopped is named, with what lets it go on."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final

import pytest

from kubeflow_aks.local_aks.engine.engine import EngineError
from kubeflow_aks.local_aks.lifecycle import service_files, stopped
from kubeflow_aks.local_aks.lifecycle.watch import watched
from kubeflow_aks.local_aks.run.directory import RunDirectory

PATIENCE: Final = 60.0


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    """An empty run directory."""
    return RunDirectory.at(tmp_path / "run")


@pytest.fixture
def service(run: RunDirectory) -> Generator[subprocess.Popen[bytes]]:
    """What looks like its background service."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", str(run.root)])
    run.pid_file(service_files.PID_FILE).write(process.pid)
    yield process
    process.kill()
    process.wait()


def _until(look: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not look():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _line(pid: int) -> str:
    return (
        f"the simulated Azure (process {pid}) was stopped by a signal, and all waits for it; "
        f"`kill -CONT {pid}` lets it go on"
    )


def test_it_is_reported_once_and_again_when_it_goes_on(
    run: RunDirectory, service: subprocess.Popen[bytes]
) -> None:
    lines: list[str] = []
    with stopped.reported(run, lines.append):
        service.send_signal(signal.SIGSTOP)
        _until(lambda: lines)
        assert lines == [_line(service.pid)]
        service.send_signal(signal.SIGCONT)
        _until(lambda: len(lines) > 1)
    assert lines == [
        _line(service.pid),
        f"the simulated Azure (process {service.pid}) is not stopped any more",
    ]


def test_nothing_is_reported_of_what_runs_or_has_ended(
    run: RunDirectory, service: subprocess.Popen[bytes]
) -> None:
    assert stopped.lines(run) == []
    service.kill()
    service.wait()
    assert stopped.lines(run) == []


def test_an_engine_that_fails_meanwhile_says_why(run: RunDirectory, service: subprocess.Popen[bytes]) -> None:
    service.send_signal(signal.SIGSTOP)
    _until(lambda: stopped.lines(run))
    with pytest.raises(EngineError) as failure, watched(run):
        raise EngineError("up failed:\nplugin did not begin responding")
    assert str(failure.value) == f"up failed:\nplugin did not begin responding\n{_line(service.pid)}"
