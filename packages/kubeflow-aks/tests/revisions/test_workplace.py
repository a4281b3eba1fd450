"""The base's tree is made beside the user's and removed, and nothing of theirs is touched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from kubeflow_aks.clients.git import GitError, git
from kubeflow_aks.ownership import open_folder
from kubeflow_aks.policy.exceptions import FILE
from kubeflow_aks.revisions import processes
from kubeflow_aks.revisions.workplace import settings_of, tree_of, workplace
from tests.revisions.repository import Project, project


@pytest.fixture
def small(tmp_path: Path) -> Project:
    made = project(tmp_path / "project")
    made.write("Pulumi.dev.yaml", "config:\n  small:given: edited\n")
    made.write("untracked.txt", "1")
    return made


def _work(small: Project) -> Path:
    return open_folder(small.root / "build", "work")


def test_the_base_is_there_and_gone_again(small: Project) -> None:
    before = small.state()
    with workplace(_work(small), small.root) as place, tree_of("main", place, small.root) as tree:
        assert "given: one" in (tree / "Pulumi.dev.yaml").read_text()
        assert not (tree / "untracked.txt").exists()
        assert place.folder.stat().st_mode & 0o777 == 0o700
    assert small.state() == before
    assert not place.folder.exists()


def test_the_settings_of_the_base_are_there_first_and_all_else_when_it_is_read(small: Project) -> None:
    small.write("stacks/Pulumi.other.yaml", "config:\n")
    small.write(FILE, "[]\n")
    commit = small.commit()
    with workplace(_work(small), small.root) as place, settings_of(commit, place, small.root) as tree:
        there = {path.name for path in tree.folder.rglob("*") if path.is_file()} - {".git"}
        assert there == {"Pulumi.yaml", "Pulumi.dev.yaml", "Pulumi.other.yaml", "requirements.txt", FILE}
        tree.complete()
        assert (tree.folder / "untracked.txt").read_text() == "1"
        (tree.folder / "untracked.txt").unlink()
        tree.complete()
        assert not (tree.folder / "untracked.txt").exists()


def test_a_settings_file_that_is_a_link_leads_where_it_did(small: Project) -> None:
    small.write("shared/stack.yaml", "config:\n  small:given: linked\n")
    (small.root / "Pulumi.dev.yaml").unlink()
    (small.root / "Pulumi.dev.yaml").symlink_to("shared/stack.yaml")
    commit = small.commit()
    with workplace(_work(small), small.root) as place, settings_of(commit, place, small.root) as tree:
        assert "linked" in (tree.folder / "Pulumi.dev.yaml").read_text()


def test_hooks_filters_submodules_and_the_network_stay_out(small: Project, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    hook = small.root / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho hook >> {marker}\n")
    hook.chmod(0o755)
    small.git("config", "filter.lfs.smudge", f"echo smudged >> {marker}; cat")
    small.git("config", "filter.lfs.clean", "cat")
    small.git("config", "filter.lfs.required", "true")
    small.git("config", "submodule.recurse", "true")
    small.write(".gitattributes", "*.bin filter=lfs\n")
    small.write("large.bin", "version https://git-lfs.github.com/spec/v1\n")
    small.write(".gitmodules", '[submodule "far"]\n\tpath = far\n\turl = https://example.invalid/far\n')
    (small.root / "far").mkdir()
    small.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},far")
    commit = small.commit()
    marker.unlink(missing_ok=True)
    with workplace(_work(small), small.root) as place, tree_of(commit, place, small.root) as tree:
        assert (tree / "large.bin").read_text().startswith("version https://git-lfs")
        assert list((tree / "far").iterdir()) == []
    assert not marker.exists()


def test_what_fails_inside_leaves_nothing(small: Project) -> None:
    before = small.state()
    with (
        pytest.raises(KeyboardInterrupt),
        workplace(_work(small), small.root) as place,
        tree_of("main", place, small.root),
    ):
        raise KeyboardInterrupt
    assert small.state() == before
    with (
        workplace(_work(small), small.root) as place,
        pytest.raises(GitError),
        tree_of("1" * 40, place, small.root),
    ):
        pass
    assert small.state() == before


def test_two_at_a_time_have_places_of_their_own(small: Project) -> None:
    before = small.state()
    with workplace(_work(small), small.root) as one, tree_of("main", one, small.root) as first:
        with workplace(_work(small), small.root) as two, tree_of("main", two, small.root) as second:
            assert first != second
        assert (first / "Pulumi.yaml").exists()
        assert not second.exists()
    assert small.state() == before


KILLED = """\
import os, signal, subprocess, sys
from pathlib import Path
from kubeflow_aks.ownership import open_folder
from kubeflow_aks.revisions import processes
from kubeflow_aks.revisions.workplace import settings_of, tree_of, workplace
work, root = Path(sys.argv[1]), Path(sys.argv[2])
with workplace(work, root) as place, tree_of("main", place, root):
    os.environ[processes.MARK] = place.mark
    child = subprocess.Popen(["sleep", "60"], start_new_session=True, stdout=subprocess.DEVNULL)
    print(child.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_one_left_is_cleared_by_the_next(small: Project) -> None:
    before = small.state()
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, _work(small), small.root],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert killed.returncode == -signal.SIGKILL
    child = int(killed.stdout)
    assert (_work(small) / "0" / "tree" / "Pulumi.yaml").exists()
    strange = _work(small) / "1"
    strange.mkdir()
    (strange / "not-ours").touch()
    with workplace(_work(small), small.root) as place:
        assert place.folder.name == "0"
        assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE
    assert small.state() == before
    assert (strange / "not-ours").exists()


@pytest.mark.parametrize("there", [True, False])
def test_a_link_in_the_place_of_one_is_left_alone(small: Project, tmp_path: Path, *, there: bool) -> None:
    theirs = tmp_path / "theirs"
    if there:
        (theirs / "tree").mkdir(parents=True)
        (theirs / ".workplace").write_text("0123")
    (_work(small) / "0").symlink_to(theirs)
    with workplace(_work(small), small.root) as place:
        assert place.folder.name == "1"
    assert (theirs / "tree").exists() is there


def test_only_what_has_the_mark_is_ended() -> None:
    def sleeper(mark: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["sleep", "60"], env={**os.environ, processes.MARK: mark}, start_new_session=True
        )

    mine, other = sleeper("mine"), sleeper("other")
    try:
        processes.end("mine")
        assert mine.wait(120) == -signal.SIGKILL
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_why_git_failed_is_reported_though_its_last_line_lacks_it(
    small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = tmp_path / "bin" / "git"
    full.parent.mkdir()
    full.write_text(
        "#!/bin/sh\necho 'Preparing worktree' >&2\necho 'error: unable to write x: No space left on device' >&2\n"
        "echo 'fatal: Could not reset index file' >&2\nexit 128\n"
    )
    full.chmod(0o700)
    monkeypatch.setenv("PATH", str(full.parent), prepend=os.pathsep)
    with pytest.raises(GitError) as refused:
        git(small.root, "worktree", "add")
    assert (
        str(refused.value) == "error: unable to write x: No space left on device | Could not reset index file"
    )
