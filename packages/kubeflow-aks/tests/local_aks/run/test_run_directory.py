"""The folder of one local AKS."""

from __future__ import annotations

import errno
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kubeflow_aks.local_aks.run.directory import MARKER, AlreadyInUseError, RunDirectory
from kubeflow_aks.ownership import NotOurFolderError


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
    assert {file.name for file in run.root.iterdir()} == {name, MARKER}


@pytest.mark.parametrize("name", SECRETS)
def test_concurrent_callers_get_the_same_secret(run: RunDirectory, name: str) -> None:
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
    with run.lock(), pytest.raises(AlreadyInUseError, match=str(run.root)), run.lock():
        pass
    with run.lock():
        pass


def test_a_killed_command_does_not_keep_others_out(run: RunDirectory) -> None:
    program = f"""
import os, pathlib
from kubeflow_aks.local_aks.run.directory import MARKER, RunDirectory
with RunDirectory.at(pathlib.Path({str(run.root)!r})).lock():
    os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    with run.lock():
        pass


def test_removing_it_leaves_nothing(run: RunDirectory) -> None:
    run.pid_file("one").write(1)
    run.log("one").touch()
    run.remove()
    assert not run.root.exists()


def test_only_a_folder_that_was_empty_becomes_one(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert RunDirectory.at(tmp_path / "empty") == RunDirectory.existing(tmp_path / "empty")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "work").touch()
    with pytest.raises(NotOurFolderError, match=f"{tmp_path / 'full'} was not made by the local AKS"):
        RunDirectory.at(tmp_path / "full")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["work"]


def _link(run: RunDirectory, place: Path) -> None:
    place.symlink_to(run.root)


def _copy(run: RunDirectory, place: Path) -> None:
    shutil.copytree(run.root, place)


def _linked_marker(run: RunDirectory, place: Path) -> None:
    place.mkdir()
    (run.root / MARKER).write_text(str(place))
    (place / MARKER).symlink_to(run.root / MARKER)


@pytest.mark.parametrize("level", ["build", "build/dev"])
def test_what_a_link_on_the_way_leads_to_is_not_ours(level: str, tmp_path: Path) -> None:
    """As of another checkout, whose local AKS is its own to remove."""
    theirs = tmp_path / "theirs"
    RunDirectory.at(theirs / "build" / "dev" / "local")
    link = tmp_path / "mine" / level
    link.parent.mkdir(parents=True)
    link.symlink_to(theirs / level)
    with pytest.raises(NotOurFolderError):
        RunDirectory.existing(tmp_path / "mine" / "build" / "dev" / "local")


@pytest.mark.parametrize("make", [_link, _copy, _linked_marker])
def test_a_link_and_a_copy_are_not_ours(
    run: RunDirectory, tmp_path: Path, make: Callable[[RunDirectory, Path], None]
) -> None:
    make(run, tmp_path / "another")
    with pytest.raises(NotOurFolderError):
        RunDirectory.existing(tmp_path / "another")


def test_another_users_folder_is_not_ours(run: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getuid", lambda: run.root.stat().st_uid + 1)
    with pytest.raises(NotOurFolderError):
        RunDirectory.existing(run.root)


def test_what_can_not_be_removed_is_reported_and_stays_known_as_ours(
    run: RunDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: object, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    (run.root / "kept").mkdir()
    monkeypatch.setattr("os.rmdir", refuse)
    with pytest.raises(PermissionError, match="Permission denied"):
        run.remove()
    assert RunDirectory.existing(run.root) == run


@pytest.mark.parametrize("name", ["az", "pulumi"])
def test_a_shell_that_outlives_its_local_aks_never_reaches_the_real_program(
    run: RunDirectory, tmp_path: Path, name: str
) -> None:
    real = tmp_path / "bin" / name
    real.parent.mkdir()
    real.write_text("#!/bin/sh\necho real\n")
    real.chmod(0o755)
    environment = {"PATH": f"{real.parent}:/usr/bin:/bin"}
    for program in ("az", "pulumi"):
        environment = run.with_program(program, "#!/bin/sh\necho simulated\n", environment)

    def call() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", "-c", f"{name} aks stop"],
            env=environment,
            check=False,
            capture_output=True,
            text=True,
        )

    assert call().stdout == "simulated\n"
    run.remove()
    after = call()
    assert (after.returncode, after.stdout) == (1, "")
    assert after.stderr == "error: the local AKS of this shell was removed; leave this shell\n"
