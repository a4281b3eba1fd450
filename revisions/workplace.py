"""A folder for what one comparison needs while it runs: the base's tree and what else is thrown away.

Places have numbers, so that the next comparison finds what Python compiled of the base at the same path. Whoever works
in one holds its lock, which ends with the process: a place whose lock is free and whose note is there was left by one
that was killed, and is cleared.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import secrets
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from revisions import processes
from revisions.git import GitError, git

_NOTE: Final = ".workplace"
"""File that says that a place is ours, with the mark of the processes that were started there."""


@dataclass(frozen=True)
class Workplace:
    """A place of one comparison.

    Attributes:
        folder: private to the user; removed in the end.
        mark: what every process that is started for it has in its environment.
    """

    folder: Path
    mark: str


@contextmanager
def workplace(
    folder: Path, root: Path, *, stop: Callable[[Path], None] = lambda _: None
) -> Generator[Workplace]:
    """A place of one's own; all others whose process was killed are cleared.

    Args:
        folder: where places are.
        root: the project, whose git knows of their trees.
        stop: ends what else was started in a place and has no mark.
    """
    folder = folder.absolute()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    mine: Workplace | None = None
    kept = -1
    for number in itertools.count():
        place = folder / str(number)
        if mine and not place.exists():
            break
        lock = _locked(folder / f"{number}.lock")
        if lock is None:
            continue
        with lock:
            _clear(place, root, stop)
            if mine or place.exists():
                continue
            mine = Workplace(place, secrets.token_hex(8))
            place.mkdir(mode=0o700)
            (place / _NOTE).write_text(mine.mark)
            kept = os.dup(lock.fileno())  # the lock holds as long as one descriptor of it is open
    assert mine  # noqa: S101
    try:
        yield mine
    finally:
        _clear(mine.folder, root, stop)
        os.close(kept)


@contextmanager
def tree_of(commit: str, place: Workplace, root: Path) -> Generator[Path]:
    """The repository's files as they are in a commit.

    Raises:
        GitError: git can't make them, such as for want of room or because the clone lacks them.
    """
    tree = place.folder / "tree"
    try:
        git(root, "worktree", "add", "--detach", "--force", "--quiet", tree, commit)
        yield tree
    finally:
        _remove_tree(tree, root)


def _locked(file: Path) -> IO[str] | None:
    lock = file.open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    return lock


def _clear(place: Path, root: Path, stop: Callable[[Path], None]) -> None:
    """Ends what was started in a place and removes it; a folder without our note is left alone."""
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
