"""What a stopped run directory leaves behind: nothing of its own, and everything of others."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from kubeflow_aks.local_aks.control_plane.controllers import training_operator
from kubeflow_aks.local_aks.lifecycle.teardown import remove
from kubeflow_aks.local_aks.run.directory import RunDirectory

ENDED = 2**22 + 1
"""Above the highest process id that Linux gives."""


@pytest.fixture
def awaited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a training operator waits for while it starts, here in a folder of this test."""
    file = tmp_path / "k8s-webhook-server" / "serving-certs" / "tls.crt"
    file.parent.mkdir(parents=True)
    file.touch()
    monkeypatch.setattr(training_operator, "_AWAITED", file)
    return file


@pytest.fixture
def unnoted(tmp_path: Path) -> Generator[list[subprocess.Popen[str]]]:
    """A component of a control plane that kwokctl had no time to note, and kwokctl itself, still at work."""
    folder = RunDirectory.at(tmp_path / "run").kwok
    started: list[subprocess.Popen[str]] = []
    for name in ("kwokctl", "etcd"):
        (tmp_path / name).symlink_to(sys.executable)
        command = [tmp_path / name, "-c", "import time; print('up', flush=True); time.sleep(600)", folder]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout is not None
        started[-1].stdout.readline()
    yield started
    for process in started:
        process.kill()
        process.communicate()


def test_a_component_that_was_started_and_not_noted_is_stopped(
    tmp_path: Path, unnoted: list[subprocess.Popen[str]]
) -> None:
    remove(RunDirectory.existing(tmp_path / "run"))
    assert [process.wait(10) < 0 for process in unnoted] == [True, True]
    assert not (tmp_path / "run").exists()


def _run(tmp_path: Path, process: str) -> RunDirectory:
    run = RunDirectory.at(tmp_path / "run")
    run.pid_file(process).write(ENDED)
    return run


def test_what_an_interrupted_start_of_the_training_operator_left_goes(tmp_path: Path, awaited: Path) -> None:
    remove(_run(tmp_path, training_operator.PROCESS))
    assert not awaited.parent.parent.exists()


def test_a_certificate_of_somebody_elses_stays(tmp_path: Path, awaited: Path) -> None:
    awaited.write_text("a certificate")
    remove(_run(tmp_path, training_operator.PROCESS))
    assert awaited.read_text() == "a certificate"


def test_what_another_training_operator_waits_for_stays(tmp_path: Path, awaited: Path) -> None:
    remove(_run(tmp_path, "argo"))
    assert awaited.exists()
