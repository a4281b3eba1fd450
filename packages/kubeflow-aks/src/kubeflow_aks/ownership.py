"""Whose a file is, and the folders that commands write and empty. Only the standard library is needed."""

import os
import shutil
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from kubeflow_aks.exit_codes import CommandError

MARKER: Final = ".kubeflow-aks"
"""File that marks a folder as made by a command, which may write into it and empty it."""
_TEXT: Final = "Commands of kubeflow-aks made this folder: they write into it and may empty it.\n"


class NotOurFolderError(CommandError):
    """A folder was not made by a command, or is a link; nothing in it is touched."""


def open_folder(top: Path, *names: str, markers: Sequence[str] = (MARKER,)) -> Path:
    """Opens a folder for what a command writes or removes, and returns its path; it is made where it is missing.

    Anybody's branch may have a link at each of these levels, through which a command would write and remove elsewhere.

    Args:
        top: folder that may have files of others, too, such as `build`; links above it are the user's own.
        names: folders, each in the one before. They are ours alone, and each has our marker.
        markers: files of which one is enough where a folder is there already.

    Raises:
        NotOurFolderError: a level is a link or a file, or one below `top` has content without our marker.
        OSError: a folder can't be made.
    """
    top.parent.mkdir(parents=True, exist_ok=True)
    _make(top)
    folder = top
    for name in names:
        folder /= name
        _make(folder)
        # The markers are read last: another command may be making the folder.
        if any(folder.iterdir()) and not any(os.path.lexists(folder / marker) for marker in markers):
            raise NotOurFolderError(
                f"{folder}: was not made by kubeflow-aks and is left alone; remove or move it yourself"
            )
        if not os.path.lexists(folder / MARKER):
            (folder / MARKER).write_text(_TEXT, encoding="utf-8")
    return folder


def empty_folder(top: Path, *names: str, markers: Sequence[str] = (MARKER,)) -> Path:
    """Opens a folder as `open_folder` does, and removes all that is in it but our marker.

    Raises:
        NotOurFolderError: as of `open_folder`.
        OSError: something can't be removed.
    """
    folder = open_folder(top, *names, markers=markers)
    for entry in folder.iterdir():
        if entry.name != MARKER:
            remove(entry)
    return folder


def remove(path: Path) -> None:
    """Removes a folder with all in it, a file or a link; what a link leads to stays.

    Raises:
        OSError: something can't be removed.
    """
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _make(folder: Path) -> None:
    with suppress(FileExistsError):
        folder.mkdir()
    if not stat.S_ISDIR(folder.lstat().st_mode):
        raise NotOurFolderError(
            f"{folder}: is a link or a file and is left alone; expected a folder, or nothing there"
        )


def is_own(status: os.stat_result) -> bool:
    """Whether a file belongs to the user of this process.

    Windows has no numbers of users; there it is true of every file, and a user's folders are private as they are made.
    """
    return sys.platform == "win32" or status.st_uid == os.getuid()


def is_only_ours(path: Path) -> bool:
    """Whether only this user can have written a file, or what is directly in a folder.

    Raises:
        OSError: it is missing.
    """
    status = path.lstat()
    others = stat.S_IWGRP | stat.S_IWOTH
    shared = sys.platform != "win32" and status.st_mode & others  # Windows shows none of its rights there
    return is_own(status) and not shared and not stat.S_ISLNK(status.st_mode)
