"""Virtual environments of what lock files list, made once and kept in the cache by the hash of the lock file."""

import hashlib
import shutil
import sys
import sysconfig
from collections.abc import Callable
from functools import cache as cache_of_calls
from importlib import metadata
from pathlib import Path
from typing import Final

from kubeflow_aks.environment import InstallError, ProjectEnvironment, create, install, packages, program
from kubeflow_aks.ownership import NotOurFolderError, is_only_ours
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools.errors import BuildError
from kubeflow_aks.tools.places import cache, is_unused

_DIGITS: Final = 16
_COMPLETE: Final = "complete"
"""File of a finished environment, touched whenever it is used."""
_UNREACHABLE: Final = "connection broken"
"""What pip prints when it tries again because the package index does not answer."""


@cache_of_calls
def is_installed(lock: bytes) -> bool:
    """Whether this process's environment has each package of a lock file, installed by its hashes."""
    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415 - few commands need it

    project = ProjectEnvironment(PROJECT_ROOT)
    try:
        text = lock.decode()
        return (
            Path(sys.prefix).resolve() == project.folder.resolve()
            and project.has(text)
            and all(
                metadata.version(package.name) in package.specifier
                for package in (Requirement(listed.requirement) for listed in packages(text))
                if package.marker is None or package.marker.evaluate()
            )
        )
    except (UnicodeDecodeError, InvalidRequirement, metadata.PackageNotFoundError):
        return False


def environment(lock: bytes, what: str, report: Callable[[str], object]) -> Path:
    """The Python of an environment that has exactly what a lock file lists; nothing of its packages is run.

    Args:
        lock: the lock file's content, with the hash of each package.
        what: purpose of the environment, for the progress line.
        report: takes that line.

    Raises:
        BuildError: a package can't be downloaded, has no wheel for this machine, or does not have its hash; or others
            can write into the folder of the environments.
    """
    digest = hashlib.sha256(f"{sys.version}\0{sysconfig.get_platform()}\0".encode() + lock).hexdigest()
    folder = environments() / digest[:_DIGITS]
    try:
        return _made_once(folder, lock, what, report)
    except (InstallError, NotOurFolderError, UnicodeDecodeError) as error:
        reason = "the package index does not answer" if _UNREACHABLE in str(error) else error
        raise BuildError(f"the environment of {what} can't be made: {reason}") from error
    except OSError as error:
        raise BuildError(f"the environment of {what} can't be made: {folder}: {error.strerror}") from error


def environments() -> Path:
    """The folder that holds all of them."""
    return cache().parent / "environments"


def _made_once(folder: Path, lock: bytes, what: str, report: Callable[[str], object]) -> Path:
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_only_ours(folder.parent):
        raise InstallError(
            f"others can write to {folder.parent}; expected a folder that is only yours (mode 700)"
        )
    from filelock import FileLock  # noqa: PLC0415 - few commands need it

    with FileLock(_mark(folder)):
        if not (folder / _COMPLETE).exists():
            report(f"Setting up the environment of {what} (once, about a minute) …")
            create(folder)
            install(folder, lock.decode(), "requirements.txt", uv=program(Path(sys.prefix), "uv"))
        (folder / _COMPLETE).touch()
    _remove_unused(folder)
    return program(folder, "python")


def _mark(folder: Path) -> Path:
    """The lock beside an environment, which marks it as ours: it is there before the environment is."""
    return folder.with_suffix(".lock")


def _remove_unused(current: Path) -> None:
    """Removes environments that nobody has used for long, and what is left of unfinished ones."""
    for folder in environments().iterdir():
        note = folder / _COMPLETE
        if folder.is_symlink() or not folder.is_dir() or folder == current or not _mark(folder).exists():
            continue
        if is_unused(note, folder):
            shutil.rmtree(folder, ignore_errors=True)
