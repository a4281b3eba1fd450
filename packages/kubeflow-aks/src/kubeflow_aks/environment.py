"""Virtual environments of what lock files list. Only the standard library is needed: nothing else is there yet."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

GROUPS: Final = {
    "runtime": "requirements.txt",
    "commands": "packages/kubeflow-aks/requirements-commands.txt",
    "dev": "packages/kubeflow-aks/requirements-dev.txt",
}
"""Lock file of each group of packages; a group holds all of the one before it, at the same versions."""
_UV: Final = re.compile(r"^uv==(?:.*\\\n)*.*\n", re.MULTILINE)
"""The lines of uv in the lock file of dev."""
_LAST_LINES: Final = 3
_BEHIND_THE_END: Final = 1 << 30
"""Byte of a file that is locked on Windows, where nobody can read what is locked."""


class InstallError(Exception):
    """An environment cannot be made; the text is one line for the user."""


@dataclass(frozen=True)
class ProjectEnvironment:
    """The `.venv` of a checkout.

    Attributes:
        root: the checkout.
    """

    root: Path

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return program(self.folder, "python")

    def is_fresh(self, group: str) -> bool:
        """Whether it has what the lock file of a group, or of a group that holds it, lists now."""
        names = list(GROUPS)
        return self.python.exists() and any(map(self._noted, names[names.index(group) :]))

    def set_up(self, group: str) -> None:
        """Installs what the lock file of a group lists now, and the packages of this checkout.

        Raises:
            InstallError: Python cannot make an environment here, or a package cannot be installed.
        """
        with _alone(self.root / "kubeflow-aks"):
            if self.is_fresh(group):
                return
            if not self.python.exists():
                create(self.folder)
            self._get_uv()
            install(self.folder, self.root / GROUPS[group])
            for packages in (
                *self.folder.glob("lib/python3*/site-packages"),
                self.folder / "Lib/site-packages",
            ):
                if packages.exists():
                    (packages / "_checkout.pth").write_text(self._sources(), encoding="utf-8")
            self._note(group).write_text(self.digest(group), encoding="utf-8")

    def _get_uv(self) -> None:
        """Gets uv at the version and hash of the lock file; where there is none for this system, pip does its work."""
        found = _UV.search((self.root / GROUPS["dev"]).read_text(encoding="utf-8"))
        lock = self.folder / "requirements-uv.txt"
        if found and not (lock.exists() and lock.read_text(encoding="utf-8") == found[0]):
            draft = lock.with_suffix(".draft")
            draft.write_text(found[0], encoding="utf-8")
            with suppress(InstallError):
                _pip(self.folder, draft)
                draft.replace(lock)

    def _noted(self, group: str) -> bool:
        try:
            return self._note(group).read_text(encoding="utf-8") == self.digest(group)
        except OSError:
            return False

    def _note(self, group: str) -> Path:
        return self.folder / f".{group}"

    def digest(self, group: str) -> str:
        """What the note of a group holds when it is fresh: the hash of the lock file and of where the packages are."""
        return hashlib.sha256((self.root / GROUPS[group]).read_bytes() + self._sources().encode()).hexdigest()

    def _sources(self) -> str:
        """The folders of the checkout's packages, a line each, as Python reads them at its start."""
        return "".join(f"{self.root / 'packages' / name / 'src'}\n" for name in ("ckf-spot", "kubeflow-aks"))


def program(folder: Path, name: str) -> Path:
    """A program of an environment."""
    return folder / "Scripts" / f"{name}.exe" if sys.platform == "win32" else folder / "bin" / name


def create(folder: Path) -> None:
    """Makes an empty environment, in the place of what is in the folder, with the Python that runs this.

    Raises:
        InstallError: Python cannot, such as where the folder cannot be written.
    """
    _run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)], f"{folder} cannot be made")


def install(folder: Path, lock: Path, *, uv: Path | None = None, wheels_only: bool = False) -> None:
    """Installs what a lock file lists, by uv, and by pip where there is no uv or it does not reach the index.

    uv takes a second for what pip unpacks in half a minute.

    Args:
        folder: the environment.
        lock: the file, with the hash of each package.
        uv: the program; by default the environment's own.
        wheels_only: refuse packages that are built here, which runs code of theirs.

    Raises:
        InstallError: a package cannot be had, or does not have its hash.
    """
    uv = uv or program(folder, "uv")
    by_uv = [str(uv), "pip", "install", "--quiet", "--python", str(program(folder, "python"))]
    wheels = ["--only-binary", ":all:"] if wheels_only else []
    if not uv.exists() or _fails([*by_uv, *wheels, "--require-hashes", "--requirement", str(lock)]):
        _pip(folder, lock, wheels)


def _pip(folder: Path, lock: Path, wheels: Sequence[str] = ()) -> None:
    python = str(program(folder, "python"))
    pip = [sys.executable, "-m", "pip", "--python", python]
    if _fails([*pip, "--version"]):  # a system's Python may have none, or one before 22.3
        _run([python, "-m", "ensurepip"], f"{folder}: pip cannot be installed")
        pip = [python, "-m", "pip"]
    options = ["--quiet", "--no-compile", "--disable-pip-version-check", "--require-hashes", "--requirement"]
    _run([*pip, "install", *wheels, *options, str(lock)], f"{lock.name} cannot be installed")


def _run(command: Sequence[str], problem: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603 - ours
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise InstallError(f"{problem}: {' | '.join(lines[-_LAST_LINES:]) or f'exit code {done.returncode}'}")


def _fails(command: Sequence[str]) -> bool:
    try:
        _run(command, "")
    except (InstallError, OSError):
        return True
    return False


@contextmanager
def _alone(file: Path) -> Generator[None]:
    """Keeps other processes waiting, until this one is done or gone.

    Args:
        file: any that all of them can open for writing; nothing is written.
    """
    with file.open("r+b") as opened:
        _lock(opened)
        yield


def _lock(opened: IO[bytes]) -> None:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - only Windows has it

        opened.seek(_BEHIND_THE_END)
        while True:
            with suppress(OSError):  # after ten seconds of waiting
                msvcrt.locking(opened.fileno(), msvcrt.LK_LOCK, 1)
                return
    else:
        import fcntl  # noqa: PLC0415 - Windows has none

        fcntl.flock(opened, fcntl.LOCK_EX)


def main(arguments: Sequence[str]) -> int:
    """Installs a lock file into an environment, which is made unless it is there: `FOLDER LOCK`.

    Returns:
        0; 1 where that fails.
    """
    folder, lock = map(Path, arguments)
    try:
        if not program(folder, "python").exists():
            create(folder)
        install(folder, lock, uv=program(Path(sys.prefix), "uv"))
    except InstallError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
