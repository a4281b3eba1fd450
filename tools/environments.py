"""Virtual environments of what lock files list, made once and kept in the cache by the hash of the lock file."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tools.errors import BuildError
from tools.places import cache

_DIGITS: Final = 16
_COMPLETE: Final = "complete"
"""File of a finished environment, touched whenever it is used."""
_KEPT_DAYS: Final = 30
_LAST_LINES: Final = 3


def environment(lock: bytes, what: str, report: Callable[[str], object]) -> Path:
    """The Python of an environment that has exactly what a lock file lists.

    Args:
        lock: the lock file's content, with the hash of each package.
        what: what the environment is for, in the line that says that it is being made.
        report: takes that line.

    Raises:
        BuildError: a package can't be had, or does not have its hash.
    """
    digest = hashlib.sha256(f"{sys.version}\0{sysconfig.get_platform()}\0".encode() + lock).hexdigest()
    folder = environments() / digest[:_DIGITS]
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(folder):
        if not (folder / _COMPLETE).exists():
            report(f"Setting up the environment of {what} (once, about a minute) …")
            shutil.rmtree(folder, ignore_errors=True)
            _make(folder, lock, what)
        (folder / _COMPLETE).touch()
    _remove_unused(folder)
    return folder / "bin" / "python"


def environments() -> Path:
    """The folder that holds all of them."""
    return cache().parent / "environments"


def _make(folder: Path, lock: bytes, what: str) -> None:
    """Installs by uv, which takes a second for what pip unpacks in half a minute; by pip where there is no uv."""
    _run([sys.executable, "-m", "venv", str(folder)], b"", what)
    python, uv = str(folder / "bin" / "python"), Path(sys.executable).with_name("uv")
    file = folder / "requirements.txt"
    file.write_bytes(lock)
    install = ["--quiet", "--require-hashes", "--requirement", str(file)]
    if uv.exists():
        _run([str(uv), "pip", "install", "--python", python, *install], b"", what)
    else:
        _run([python, "-m", "pip", "install", "--disable-pip-version-check", *install], b"", what)


def _run(command: list[str], given: bytes, what: str) -> None:
    done = subprocess.run(command, input=given, capture_output=True, check=False)  # noqa: S603 - our own words
    if done.returncode:
        said = [line for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
        raise BuildError(
            f"the environment of {what} can't be made: {' | '.join(said[-_LAST_LINES:]) or 'no word'}"
        )


@contextmanager
def _alone(folder: Path) -> Generator[None]:
    """Keeps others from making the same environment at the same time; ends with the process."""
    with folder.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _remove_unused(own: Path) -> None:
    """Removes environments that nobody has used for `_KEPT_DAYS` days, and what is left of unfinished ones."""
    for folder in environments().iterdir():
        note = folder / _COMPLETE
        if folder.is_symlink() or not folder.is_dir() or folder == own:
            continue
        used = (note if note.exists() else folder).stat().st_mtime
        if time.time() - used > _KEPT_DAYS * 86_400:
            shutil.rmtree(folder, ignore_errors=True)
