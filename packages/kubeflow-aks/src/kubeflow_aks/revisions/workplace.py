"""A temporary folder for one comparison: the base's tree and other temporary files.

Places are numbered, so that the next comparison finds the base's bytecode at the same path. The process that works in a
place holds its lock, which ends with the process: a place with our note and without a held lock was left by a process
that was killed, and is cleared.
"""

from __future__ import annotations

import itertools
import os
import re
import secrets
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final

from filelock import FileLock, Timeout

from kubeflow_aks.clients.git import GitError, git, names
from kubeflow_aks.revisions import processes

_NOTE: Final = ".workplace"
"""File that marks a place as ours; it has the mark of the processes that were started there."""
_SETTINGS: Final = re.compile(r"Pulumi(\..*)?\.(yaml|yml|json)|requirements\.txt|policy-exceptions\.yaml")
_LINK: Final = "120000"
"""Git's mode of a symbolic link, which may lead to any other file."""


@dataclass(frozen=True)
class Workplace:
    """A place of one comparison.

    Attributes:
        folder: private to the user; removed at the end.
        mark: in the environment of every process that is started for it.
    """

    folder: Path
    mark: str


@contextmanager
def workplace(
    folder: Path, root: Path, *, stop: Callable[[Path], None] = lambda _: None
) -> Generator[Workplace]:
    """A place for this process; places of killed processes are cleared.

    Args:
        folder: for all places; ours alone (`kubeflow_aks.ownership.open_folder`).
        root: the project, whose git has their trees as worktrees.
        stop: ends processes of a place that lack the mark.
    """
    folder = folder.absolute()
    mine: Workplace | None = None
    held: FileLock | None = None
    for number in itertools.count():
        place = folder / str(number)
        if mine and not place.exists():
            break
        lock = _locked(folder / f"{number}.lock")
        if lock is None:
            continue
        try:
            _clear(place, root, stop)
            if mine or os.path.lexists(place):
                continue
            mine, held = Workplace(place, secrets.token_hex(8)), lock
            place.mkdir(mode=0o700)
            (place / _NOTE).write_text(mine.mark)
        finally:
            if lock is not held:
                lock.release()
    assert mine  # noqa: S101
    assert held  # noqa: S101
    try:
        yield mine
    finally:
        _clear(mine.folder, root, stop)
        held.release()


class SettingsTree:
    """The files of a commit that say what would run, with which settings and exceptions; the others come later."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock, self._whole = Lock(), False
        git(folder, "read-tree", "HEAD")
        entries = [entry.partition("\t") for entry in names(folder, "ls-files", "--stage", "-z")]
        settings = {name: mode for mode, _, name in entries if _SETTINGS.fullmatch(Path(name).name)}
        if any(mode.startswith(_LINK) for mode in settings.values()):
            self.complete()
        elif settings:
            git(folder, "checkout-index", "--force", "--index", "--", *settings)

    def complete(self) -> None:
        """Writes the files that are missing, once. Safe for many threads.

        Raises:
            GitError: git cannot write them, for example because the disk is full or the clone lacks them.
        """
        with self._lock:
            if not self._whole:
                git(self.folder, "checkout-index", "--force", "--index", "--all")
                self._whole = True


@contextmanager
def settings_of(commit: str, place: Workplace, root: Path) -> Generator[SettingsTree]:
    """The files of a commit with the settings of its stacks.

    Raises:
        GitError: git cannot write them.
    """
    tree = place.folder / "tree"
    try:
        git(root, "worktree", "add", "--no-checkout", "--detach", "--force", "--quiet", tree, commit)
        yield SettingsTree(tree)
    finally:
        _remove_tree(tree, root)


@contextmanager
def tree_of(commit: str, place: Workplace, root: Path) -> Generator[Path]:
    """The repository's files as they are in a commit.

    Raises:
        GitError: git cannot write them, for example because the disk is full or the clone lacks them.
    """
    with settings_of(commit, place, root) as tree:
        tree.complete()
        yield tree.folder


def _locked(file: Path) -> FileLock | None:
    """The lock of a place, held; None where another process holds it."""
    lock = FileLock(file)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return None
    return lock


def _clear(place: Path, root: Path, stop: Callable[[Path], None]) -> None:
    """Ends the processes of a place and removes it; a link and a folder without our note are left alone."""
    if place.is_symlink():
        return
    try:
        mark = (place / _NOTE).read_text()
    except OSError:
        return
    processes.end(mark)
    stop(place)
    _remove_tree(place / "tree", root)
    shutil.rmtree(place, ignore_errors=True)


def _remove_tree(tree: Path, root: Path) -> None:
    with suppress(GitError):
        git(root, "worktree", "remove", "--force", "--force", tree)
    shutil.rmtree(tree, ignore_errors=True)
