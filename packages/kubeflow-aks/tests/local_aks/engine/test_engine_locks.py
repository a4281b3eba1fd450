"""Locks of the file backend after an engine was killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from kubeflow_aks.local_aks.engine.locks import Holder, release_dead
from kubeflow_aks.local_aks.lifecycle.teardown import stop_everything
from kubeflow_aks.local_aks.run.directory import RunDirectory

NO_PROCESS = 2**22 + 1
"""Above the highest process id that Linux gives."""


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory.at(tmp_path)


def _engine(workspace: Path, seconds: float) -> subprocess.Popen[bytes]:
    """A process that looks like an engine in a workspace."""
    sleep = f"import time; time.sleep({seconds})"
    return subprocess.Popen([sys.executable, "-c", sleep, "pulumi", "--cwd", str(workspace)])


@pytest.fixture
def engine(run: RunDirectory) -> Generator[subprocess.Popen[bytes]]:
    """A running engine of this run directory."""
    with _engine(run.pulumi_workspace, 60) as process:
        yield process
        process.kill()


@pytest.fixture
def another(tmp_path: Path) -> Generator[subprocess.Popen[bytes]]:
    """An engine that works elsewhere, the user's own for example."""
    with _engine(tmp_path / "another", 60) as process:
        yield process
        process.kill()


def _lock(run: RunDirectory, pid: int, hostname: str = "") -> Path:
    lock = run.pulumi_state / ".pulumi" / "locks" / "organization" / "project" / "stack" / "1.json"
    lock.parent.mkdir(parents=True)
    lock.write_text(json.dumps({"pid": pid, "hostname": hostname or socket.gethostname(), "username": "u"}))
    return lock


@pytest.mark.parametrize("pid", [NO_PROCESS, os.getpid()], ids=["gone", "another program by now"])
def test_a_dead_engines_lock_is_removed(run: RunDirectory, pid: int) -> None:
    lock = _lock(run, pid)
    assert release_dead(run, patience=0) is None
    assert not lock.exists()


def test_a_dead_engines_lock_is_removed_where_an_engine_elsewhere_has_its_process_id(
    run: RunDirectory, another: subprocess.Popen[bytes]
) -> None:
    lock = _lock(run, another.pid)
    stop_everything(run)
    assert not lock.exists()
    assert another.poll() is None


def test_a_half_written_lock_is_removed(run: RunDirectory) -> None:
    lock = _lock(run, 1)
    lock.write_text('{"pid": 1')
    assert release_dead(run, patience=0) is None
    assert not lock.exists()


def test_a_running_engine_keeps_its_lock(run: RunDirectory, engine: subprocess.Popen[bytes]) -> None:
    lock = _lock(run, engine.pid)
    assert release_dead(run, patience=0) == Holder(engine.pid)
    assert lock.exists()


def test_an_engine_that_ends_in_time_is_waited_for(run: RunDirectory) -> None:
    with _engine(run.pulumi_workspace, 0.3) as process:
        _lock(run, process.pid)
        assert release_dead(run, patience=10) is None


def test_an_engine_that_does_not_end_is_stopped(
    run: RunDirectory, engine: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kubeflow_aks.local_aks.lifecycle.teardown._ENGINE_PATIENCE", 0)
    _lock(run, engine.pid)
    stop_everything(run)
    assert engine.wait(timeout=120) == -signal.SIGKILL


def test_another_machines_lock_is_left_alone_and_so_is_the_process_of_that_number_here(
    run: RunDirectory, engine: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kubeflow_aks.local_aks.lifecycle.teardown._ENGINE_PATIENCE", 0)
    lock = _lock(run, engine.pid, hostname="elsewhere.example")
    assert str(release_dead(run, patience=0)) == f"process {engine.pid} on elsewhere.example"
    stop_everything(run)
    assert lock.exists()
    assert engine.poll() is None
