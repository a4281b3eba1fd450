"""The folder of a hand-off is written as a whole or not at all, and for one user only."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kubeflow_aks import ownership
from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.handoff import folder as folders
from kubeflow_aks.handoff.folder import MARKER, write
from kubeflow_aks.project import PROJECT_ROOT

BEFORE = {"credentials.yaml": "old", "bootstrap.sh": "#!/bin/sh\n"}
AFTER = {"credentials.yaml": "new", "kubeconfig": "new"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return ownership.open_folder(tmp_path / "build", "dev") / "handoff"


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.name != MARKER}


def left(folder: Path) -> set[str]:
    """What else lies beside the folder."""
    return {path.name for path in folder.parent.iterdir()} - {folder.name, ".handoff.lock", ownership.MARKER}


def test_only_the_user_may_read_it(folder: Path) -> None:
    before = os.umask(0)
    try:
        write(folder, BEFORE)
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert modes == {MARKER: 0o600, "credentials.yaml": 0o600, "bootstrap.sh": 0o700}


def test_a_second_hand_off_takes_the_place_of_the_first(folder: Path) -> None:
    write(folder, BEFORE)
    write(folder, AFTER)
    assert content(folder) == AFTER
    assert not left(folder)


def test_a_full_disk_leaves_the_files_of_before(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, BEFORE)

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(folders.os, "fsync", full)
    with pytest.raises(StackError, match="can't be written: No space left on device; what was there before"):
        write(folder, AFTER)
    assert content(folder) == BEFORE
    assert not left(folder)


def test_a_file_that_the_kernel_cuts_off_leaves_no_half_file(folder: Path) -> None:
    write(folder, BEFORE)
    program = "import sys; from pathlib import Path; from kubeflow_aks.handoff.folder import write\n"
    program += "try:\n    write(Path(sys.argv[1]), {'a': 'x', 'credentials.yaml': 'secret' * 100})\n"
    program += "except Exception as error:\n    sys.exit(str(error))"
    done = subprocess.run(
        [sys.executable, "-B", "-c", program, str(folder)],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50)),
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "File too large" in done.stderr
    assert content(folder) == BEFORE
    assert not left(folder)


@pytest.mark.parametrize("renames", [0, 1])
def test_ctrl_c_leaves_the_files_of_before(
    folder: Path, renames: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, BEFORE)
    rename, done = Path.rename, 0

    def interrupted(self: Path, target: Path) -> Path:
        nonlocal done
        if done == renames:
            done += 1
            raise KeyboardInterrupt
        done += 1
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(folder, AFTER)
    assert content(folder) == BEFORE
    assert not left(folder)


@pytest.mark.parametrize("renames", [0, 1, 2])
def test_what_a_killed_hand_off_left_goes_with_the_next(folder: Path, renames: int) -> None:
    write(folder, BEFORE)
    program = f"""
import os, signal, sys
from pathlib import Path
from kubeflow_aks.handoff.folder import write
rename, done = Path.rename, 0
def killed(self, target):
    global done
    if done == {renames}: os.kill(os.getpid(), signal.SIGKILL)
    done += 1
    return rename(self, target)
Path.rename = killed
write(Path(sys.argv[1]), {AFTER!r})
if done == {renames}: os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-B", "-c", program, str(folder)], cwd=PROJECT_ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    with folders.alone(folder):
        assert content(folder) == (AFTER if renames > 1 else BEFORE)
        assert not left(folder)


def test_another_s_folder_is_left_alone(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.tex").write_text("years")
    with pytest.raises(StackError, match=r"was not made by `\./kubeflow-aks handoff` and is left alone"):
        write(folder, AFTER)
    assert content(folder) == {"thesis.tex": "years"}


def test_a_link_is_left_alone(folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "elsewhere" / "handoff", BEFORE)
    folder.symlink_to(tmp_path / "elsewhere" / "handoff")
    with pytest.raises(StackError, match="is left alone"):
        write(folder, AFTER)
    assert content(tmp_path / "elsewhere" / "handoff") == BEFORE


def test_another_user_s_folder_is_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, BEFORE)
    monkeypatch.setattr(folders.os, "getuid", lambda: os.geteuid() + 1)
    with pytest.raises(StackError, match="is left alone"):
        write(folder, AFTER)


def test_an_empty_folder_is_taken(folder: Path) -> None:
    folder.mkdir()
    write(folder, AFTER)
    assert content(folder) == AFTER


def test_a_place_that_can_t_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "build").write_text("a file")
    with pytest.raises(ownership.NotOurFolderError, match="build: is a link or a file and is left alone"):
        write(tmp_path / "build" / "dev" / "handoff", AFTER)


def test_two_at_once_are_kept_apart(folder: Path) -> None:
    write(folder, BEFORE)
    with (
        folders.alone(folder),
        pytest.raises(StackError, match=r"another `\./kubeflow-aks handoff` writes it right now"),
    ):
        write(folder, AFTER)
    assert content(folder) == BEFORE


def test_git_never_takes_it() -> None:
    name = "build/x/handoff/credentials.yaml"
    ignored = subprocess.run(["git", "check-ignore", "--quiet", name], cwd=PROJECT_ROOT, check=False)
    assert ignored.returncode == 0
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True
    )
    secret = {"credentials.yaml", "kubeconfig", "clouds.yaml", "names.sh"}
    assert not [line for line in tracked.stdout.splitlines() if Path(line).name in secret]


def test_what_the_scripts_wrote_stays(folder: Path) -> None:
    write(folder, BEFORE)
    (folder / "logs").mkdir()
    with (folder / "logs" / "apply.log").open("w") as log:
        log.write("before\n")
        log.flush()
        write(folder, AFTER)
        log.write("after\n")
    assert (folder / "logs" / "apply.log").read_text() == "before\nafter\n"
    assert left(folder) == set()
