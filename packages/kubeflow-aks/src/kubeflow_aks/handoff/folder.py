"""The folder of a hand-off: all of its files or none, for the user's own eyes, and nobody else's folder touched."""

import os
import shutil
import stat
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.ownership import is_own, open_folder


class FolderError(StackError):
    """The folder can't be written; the text is one line for the user."""

    exit_code = ExitCode.FINDING


MARKER: Final = ".handoff"
"""Marks a folder that `./kubeflow-aks handoff` made and may replace."""
LOGS: Final = "logs"
"""What the scripts in the folder write; stays when the files are written anew."""
_DRAFT: Final = ".handoff-draft-"


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Writes the texts into a draft beside the folder, and puts that into the folder's place when it is whole.

    Whatever stops it, a full disk, Ctrl-C or the end of the process, leaves the files of before as they were; what a
    killed process left of its draft goes at the next call. Those called `*.sh` that begin with `#!` become programs.

    Raises:
        FolderError: the folder can't be written, or is not ours; nothing of it was changed.
    """
    try:
        open_folder(folder.parents[1], folder.parent.name)
        with alone(folder):
            if os.path.lexists(folder) and not _is_ours(folder):
                raise FolderError(
                    f"{folder}: was not made by `./kubeflow-aks handoff` and is left alone; remove or move it yourself"
                )
            draft = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=folder.parent))
            try:
                for name, text in {MARKER: "", **files}.items():
                    _write(draft / name, text)
                _put(draft, folder)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise FolderError(
            f"{folder}: can't be written: {error.strerror}; what was there before is as it was"
        ) from None


def _write(path: Path, text: str) -> None:
    mode = stat.S_IRWXU if path.suffix == ".sh" and text.startswith("#!") else stat.S_IRUSR | stat.S_IWUSR
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _put(draft: Path, folder: Path) -> None:
    """The draft in the folder's place; the old one comes back where that fails."""
    old = draft.with_name(f"{draft.name}-old")
    if os.path.lexists(folder):
        folder.rename(old)
    try:
        draft.rename(folder)
    except BaseException:
        if os.path.lexists(old):
            old.rename(folder)
        raise
    with suppress(OSError):
        (old / LOGS).rename(folder / LOGS)  # a script that runs meanwhile goes on writing there
    shutil.rmtree(old, ignore_errors=True)


def _is_ours(folder: Path) -> bool:
    """Whether it is a folder of this user's that `write` made, and no link; an empty one is nobody's."""
    try:
        root = folder.lstat()
        if not stat.S_ISDIR(root.st_mode) or not is_own(root):
            return False
        if not any(folder.iterdir()):
            return True
        marker = (folder / MARKER).lstat()
    except OSError:
        return False
    return stat.S_ISREG(marker.st_mode) and is_own(marker)


@contextmanager
def alone(folder: Path) -> Generator[None]:
    """Keeps other hand-offs out, and removes the drafts of those that were killed; ends with the process."""
    lock = FileLock(folder.with_name(".handoff.lock"), mode=0o600)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise FolderError(
            f"{folder}: another `./kubeflow-aks handoff` writes it right now; wait for it"
        ) from None
    try:
        for left in sorted(folder.parent.glob(f"{_DRAFT}*")):
            with suppress(OSError):
                # Killed between the two renames: the old folder is the only one there is.
                if left.name.endswith("-old") and not os.path.lexists(folder):
                    left.rename(folder)
                else:
                    shutil.rmtree(left)
        yield
    finally:
        lock.release()
