"""The folder of one local AKS."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from local_aks.run.directory import AlreadyInUseError, RunDirectory


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory.at(tmp_path / "run")


def test_it_is_private_to_the_user(run: RunDirectory) -> None:
    assert run.root.stat().st_mode & 0o077 == 0


SECRETS = {"passphrase": RunDirectory.passphrase, "azure-token": RunDirectory.azure_token}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_random_private_and_stays(run: RunDirectory, tmp_path: Path, name: str) -> None:
    first = SECRETS[name](run)
    assert len(first) >= 32
    assert SECRETS[name](run) == first
    assert (run.root / name).stat().st_mode & 0o077 == 0
    assert SECRETS[name](RunDirectory.at(tmp_path / "other")) != first
    assert [file.name for file in run.root.iterdir()] == [name]


@pytest.mark.parametrize("name", SECRETS)
def test_who_asks_for_a_secret_at_the_same_time_gets_the_same(run: RunDirectory, name: str) -> None:
    together = threading.Barrier(8)

    def ask(_: int) -> str:
        together.wait()
        return SECRETS[name](run)

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(ask, range(8)))) == 1


def test_each_has_a_name_of_its_own_that_does_not_change(run: RunDirectory, tmp_path: Path) -> None:
    assert RunDirectory.at(run.root).name == run.name
    assert RunDirectory.at(tmp_path / "other").name != run.name


def test_a_second_command_is_kept_out(run: RunDirectory) -> None:
    with run.claim(), pytest.raises(AlreadyInUseError, match=str(run.root)), run.claim():
        pass
    with run.claim():
        pass


def test_a_killed_command_does_not_keep_others_out(run: RunDirectory) -> None:
    program = f"""
import os, pathlib
from local_aks.run.directory import RunDirectory
with RunDirectory.at(pathlib.Path({str(run.root)!r})).claim():
    os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    with run.claim():
        pass


def test_removing_it_leaves_nothing(run: RunDirectory) -> None:
    run.pid_file("one").write(1)
    run.log("one").touch()
    run.remove()
    assert not run.root.exists()
