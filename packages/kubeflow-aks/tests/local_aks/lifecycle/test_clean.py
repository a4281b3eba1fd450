"""`make clean` stops what runs before it removes the notes that tell what that is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from kubeflow_aks.local_aks.run import processes
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import IMPORT_PATH, PROJECT_ROOT


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    """A local AKS in the build folder of a tree."""
    for name in ("Makefile", "Pulumi.yaml"):
        shutil.copy(PROJECT_ROOT / name, tmp_path)
    return RunDirectory.at(tmp_path / "build" / "demo" / "local")


@pytest.fixture
def service(run: RunDirectory) -> Generator[subprocess.Popen[bytes]]:
    """A process of it."""
    with run.log("service").open("w") as log:
        command = [sys.executable, "-c", "import time; time.sleep(600)", run.root]
        with processes.start(command, run.pid_file("service"), log=log) as process:
            yield process
            process.kill()


def _clean(tree: Path) -> subprocess.CompletedProcess[str]:
    (tree / ".venv").symlink_to(sys.prefix)
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    env = {**outside, "PYTHONPATH": IMPORT_PATH}
    return subprocess.run(["make", "clean"], cwd=tree, env=env, capture_output=True, text=True, check=False)


def test_it_stops_what_runs(tmp_path: Path, service: subprocess.Popen[bytes]) -> None:
    done = _clean(tmp_path)
    assert done.returncode == 0, done.stderr
    assert service.wait(10) != 0
    assert not (tmp_path / "build").exists()
    assert not (tmp_path / ".venv").is_symlink()
    assert Path(sys.executable).exists()


def test_it_refuses_while_a_command_is_at_work(
    tmp_path: Path, run: RunDirectory, service: subprocess.Popen[bytes]
) -> None:
    with run.lock():
        done = _clean(tmp_path)
    assert done.returncode != 0
    assert "stop it first" in done.stderr
    assert service.poll() is None
    assert run.root.exists()


def test_it_refuses_where_a_folder_is_left(tmp_path: Path, run: RunDirectory) -> None:
    other = run.root.parents[1] / "mine" / "local"
    other.mkdir(parents=True)
    done = _clean(tmp_path)
    assert done.returncode != 0
    assert "build/mine/local was not made by the local AKS" in done.stdout
    assert "nothing else is removed" in done.stderr
    assert other.exists()


def test_it_removes_a_tree_where_nothing_was_started(tmp_path: Path, run: RunDirectory) -> None:
    run.remove()
    (run.root.parent / "demo.html").touch()
    assert _clean(tmp_path).returncode == 0
    assert not (tmp_path / "build").exists()
