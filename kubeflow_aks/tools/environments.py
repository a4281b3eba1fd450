"""Virtual environments of what lock files list, made once and kept in the cache by the hash of the lock file."""

from __future__ import annotations

import hashlib
import shutil
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from filelock import FileLock

from kubeflow_aks.environment import InstallError, create, install, program
from kubeflow_aks.tools.errors import BuildError
from kubeflow_aks.tools.places import cache

_DIGITS: Final = 16
_COMPLETE: Final = "complete"
"""File of a finished environment, touched whenever it is used."""
_KEPT_DAYS: Final = 30


def environment(lock: bytes, what: str, report: Callable[[str], object]) -> Path:
    """The Python of an environment that has exactly what a lock file lists.

    Args:
        lock: the lock file's content, with the hash of each package.
        what: purpose of the environment, for the progress line.
        report: takes that line.

    Raises:
        BuildError: a package can't be downloaded, or does not have its hash.
    """
    digest = hashlib.sha256(f"{sys.version}\0{sysconfig.get_platform()}\0".encode() + lock).hexdigest()
    folder = environments() / digest[:_DIGITS]
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / _COMPLETE).exists():
            report(f"Setting up the environment of {what} (once, about a minute) …")
            _make(folder, lock, what)
        (folder / _COMPLETE).touch()
    _remove_unused(folder)
    return program(folder, "python")


def environments() -> Path:
    """The folder that holds all of them."""
    return cache().parent / "environments"


def _make(folder: Path, lock: bytes, what: str) -> None:
    try:
        create(folder)
        file = folder / "requirements.txt"
        file.write_bytes(lock)
        install(folder, file, uv=program(Path(sys.prefix), "uv"))
    except InstallError as error:
        raise BuildError(f"the environment of {what} can't be made: {error}") from error


def _remove_unused(own: Path) -> None:
    """Removes environments that nobody has used for `_KEPT_DAYS` days, and what is left of unfinished ones."""
    for folder in environments().iterdir():
        note = folder / _COMPLETE
        if folder.is_symlink() or not folder.is_dir() or folder == own:
            continue
        used = (note if note.exists() else folder).stat().st_mtime
        if time.time() - used > _KEPT_DAYS * 86_400:
            shutil.rmtree(folder, ignore_errors=True)
