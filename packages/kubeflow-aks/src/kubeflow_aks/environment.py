"""Virtual environments of what lock files list. Only the standard library is needed: nothing else is there yet.

A lock file may be a stranger's, and nobody reads its hashes. So it lists packages of the index alone, which are
installed as wheels: none of their code runs meanwhile, and nothing of an earlier lock file stays.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.ownership import MARKER, empty_folder, open_folder, remove

GROUPS: Final = {
    "runtime": "requirements.txt",
    "commands": "packages/kubeflow-aks/requirements-commands.txt",
    "dev": "packages/kubeflow-aks/requirements-dev.txt",
}
"""Lock file of each group of packages; a group holds all of the one before it, at the same versions."""
_SOURCES: Final = ("packages/ckf-spot/src", "packages/kubeflow-aks/src")
"""Folders of the checkout's own packages, on the path of its environment."""
_MARKERS: Final = (MARKER, *(f".{group}" for group in GROUPS))
"""Files that mark an environment as made here; before there was the first, the notes of its groups did."""
_UV: Final = re.compile(r"^uv==(?:.*\\\n)*.*\n", re.MULTILINE)
"""The lines of uv in the lock file of dev."""
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
_LINE: Final = re.compile(
    r"(?P<name>[A-Za-z0-9][\w.-]*)(?P<version>(?:\[[\w., -]+\])?==[\w.!+-]+)"
    r"(?P<marker>\s*;(?:(?!\s-).)*)?"
    r"(?P<hashes>(?:\s+--hash=sha256:[0-9a-f]{64})+)",
    re.ASCII,
)
"""A package in a lock file, as `uv pip compile --generate-hashes` writes it."""
_PASSED_ON: Final = re.compile(
    r"PATH|HOME|LANG|LC_\w+|TMPDIR|TEMP|TMP|XDG_(CACHE|CONFIG)_HOME|SYSTEMROOT|USERPROFILE|(LOCAL)?APPDATA"
    r"|(HTTPS?|ALL|NO)_PROXY|SSL_CERT_(FILE|DIR)|(REQUESTS|CURL)_CA_BUNDLE"
    r"|(PIP|UV)_(CONFIG_FILE|INDEX|(DEFAULT|NO)_INDEX|(EXTRA_)?INDEX_URL|FIND_LINKS|CACHE_DIR|OFFLINE)"
    r"|PIP_(CERT|CLIENT_CERT|PROXY|TRUSTED_HOST|DEFAULT_TIMEOUT|RETRIES)"
    r"|UV_(NATIVE_TLS|SYSTEM_CERTS|INSECURE_HOST|HTTP_TIMEOUT|HTTP_RETRIES|LINK_MODE)",
    re.IGNORECASE,
)
"""Variables that an installer gets: where things are, and which index to ask. Tokens of clouds and forges stay out."""
_PYTHON: Final = str(getattr(sys, "_base_executable", sys.executable))
"""The Python that this environment was made of, where this process runs in one: it may be replaced meanwhile."""
_LAST_LINES: Final = 3
_MOST_SHOWN: Final = 100
"""Characters of a line that a message shows."""
_BEHIND_THE_END: Final = 1 << 30
"""Byte of a file that is locked on Windows, where nobody can read what is locked."""


class InstallError(CommandError):
    """An environment cannot be made; the text is one line for the user."""


@dataclass(frozen=True)
class ProjectEnvironment:
    """The `.venv` of a checkout."""

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
        """Whether it has what the lock file of a group lists now: by that one, or by one of a group that holds it."""
        names = list(GROUPS)
        return self.python.exists() and self.has(self._lock(group), names[names.index(group) :])

    def has(self, lock: str, groups: Iterable[str] = GROUPS) -> bool:
        """Whether the lock file of a group set it up, and lists all packages of this one with the same hashes."""
        with suppress(InstallError):
            return any(
                lock == text or _identities(lock) <= _identities(text)
                for text in map(self._lock, filter(self._noted, groups))
            )
        return False

    def set_up(self, group: str) -> None:
        """Installs what the lock file of a group lists now, and the packages of this checkout.

        It is made anew: a package of an earlier lock file, such as a pull request's, may have files that no installer
        removes. Where that fails, it is as it was before.

        Raises:
            InstallError: Python cannot make an environment here, or a package cannot be installed.
        """
        with _exclusive_lock(self.root / "kubeflow-aks"):
            if self.is_fresh(group):
                return
            name, lock = Path(GROUPS[group]).name, self._lock(group)
            packages(lock, name)  # what is refused takes nothing away
            with _made_anew(self.folder):
                create(self.folder)
                self._get_uv()
                install(self.folder, lock, name)
                for modules in (
                    *self.folder.glob("lib/python3*/site-packages"),
                    self.folder / "Lib/site-packages",
                ):
                    if modules.exists():
                        (modules / "_checkout.pth").write_text(
                            "".join(f"{self.root / folder}\n" for folder in _SOURCES), encoding="utf-8"
                        )
                self._note(group).write_text(self.digest(group), encoding="utf-8")

    def _get_uv(self) -> None:
        """Gets uv at the version and hash of the lock file; where there is none for this system, pip does its work."""
        listed = _UV.search(self._lock("dev"))
        if listed:
            with suppress(InstallError):
                _pip(self.folder, packages(listed[0]), "uv")

    def _lock(self, group: str) -> str:
        file = self.root / GROUPS[group]
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InstallError(f"{file.name} cannot be read: {error}") from error

    def _noted(self, group: str) -> bool:
        try:
            return self._note(group).read_text(encoding="utf-8") == self.digest(group)
        except OSError:
            return False

    def _note(self, group: str) -> Path:
        return self.folder / f".{group}"

    def digest(self, group: str) -> str:
        """What the note of a group holds when it is fresh: the hash of the lock file and of where the packages are."""
        return hashlib.sha256((self.root / GROUPS[group]).read_bytes() + repr(_SOURCES).encode()).hexdigest()


def program(folder: Path, name: str) -> Path:
    """A program of an environment."""
    return folder / "Scripts" / f"{name}.exe" if sys.platform == "win32" else folder / "bin" / name


@dataclass(frozen=True)
class Package:
    """A package in a lock file.

    Attributes:
        name: as the file has it.
        version: from `==` on; extras stand before it.
        marker: from `;` on, where it is not for every system.
        hashes: SHA-256 of each of its files, in hexadecimal digits.
    """

    name: str
    version: str
    marker: str
    hashes: frozenset[str]

    @property
    def requirement(self) -> str:
        """What an installer reads, without the hashes."""
        return f"{self.name}{self.version}{self.marker}"


def packages(lock: str, name: str = "") -> list[Package]:
    """The packages that a lock file lists.

    Raises:
        InstallError: a line is anything else, such as a URL, a path or an option: installing that could run its code.
    """
    listed: list[Package] = []
    joined = lock.replace("\r\n", "\n").replace("\\\n", " ").splitlines()
    for line in filter(None, (_COMMENT.sub("", line).strip() for line in joined)):
        match = _LINE.fullmatch(line)
        if not match:
            shown = ascii(line.partition(" --hash")[0][:_MOST_SHOWN])[1:-1]
            raise InstallError(
                f"{name} cannot be installed: {shown} is not allowed; "
                "expected name==version with its sha256 hashes, of a package on the index"
            )
        hashes = frozenset(re.findall(r"[0-9a-f]{64}", match["hashes"]))
        listed.append(Package(match["name"], match["version"], (match["marker"] or "").rstrip(), hashes))
    return listed


def _identities(lock: str) -> set[tuple[str, str, frozenset[str]]]:
    return {(package.name, package.version, package.hashes) for package in packages(lock)}


def create(folder: Path) -> None:
    """Makes an empty environment with the Python that runs this, in the place of one that was made here.

    Raises:
        InstallError: Python cannot, such as where the folder cannot be written.
        NotOurFolderError: something else is in the folder.
    """
    try:
        empty_folder(folder.parent, folder.name, markers=_MARKERS)
    except OSError as error:
        raise InstallError(f"{folder} cannot be made: {error.strerror}") from error
    _run([_PYTHON, "-I", "-m", "venv", "--without-pip", str(folder)], f"{folder} cannot be made")


def install(
    folder: Path, lock: str, name: str, *, uv: Path | None = None, built: Collection[str] = ()
) -> None:
    """Installs what a lock file lists as wheels, by uv, and by pip where there is no uv or it does not reach the index.

    uv takes a second for what pip unpacks in half a minute. Both get the same options.

    Args:
        folder: the environment.
        lock: the lock file's text.
        name: of the lock file, for messages.
        uv: the program; by default the environment's own.
        built: packages without a wheel, whose code may run to build one.

    Raises:
        InstallError: the lock file lists something else, or a package has no wheel, cannot be had, or has another hash.
    """
    uv = uv or program(folder, "uv")
    listed = packages(lock, name)
    if uv.exists():
        by_uv = [str(uv), "pip", "install", "--quiet", "--python", str(program(folder, "python"))]
        if not _fails([*by_uv, *_options(folder, listed, built)]):
            return
        create(folder)  # pip runs in there: not with a part of what uv has installed
    _pip(folder, listed, name, built)


def _options(folder: Path, listed: Sequence[Package], built: Collection[str]) -> list[str]:
    """Options of both installers: wheels but for what is built, each with its hash.

    They get a file of ours, since each reads lines that continue and comments in its own way.
    """
    lock = folder / "requirements.txt"
    lines = (
        " ".join([package.requirement, *(f"--hash=sha256:{digest}" for digest in sorted(package.hashes))])
        for package in listed
    )
    lock.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    names = sorted({package.name for package in listed} - set(built))
    wheels = [word for name in names for word in ("--only-binary", name)]
    return [*wheels, "--require-hashes", "--requirement", str(lock)]


def _pip(folder: Path, listed: Sequence[Package], name: str, built: Collection[str] = ()) -> None:
    python = str(program(folder, "python"))
    pip = [_PYTHON, "-I", "-m", "pip", "--python", python]
    if _fails([*pip, "--version"]):  # a system's Python may have none, or one before 22.3
        _run([python, "-I", "-m", "ensurepip"], f"{folder}: pip cannot be installed")
        pip = [python, "-I", "-m", "pip"]
    quiet = ["--quiet", "--no-compile", "--disable-pip-version-check"]
    _run([*pip, "install", *quiet, *_options(folder, listed, built)], f"{name} cannot be installed")


def _run(command: Sequence[str], problem: str) -> None:
    """Runs an installer, in a folder where no file of the checkout configures it."""
    done = subprocess.run(  # noqa: S603 - ours
        command,
        cwd=Path(sys.prefix).anchor,
        env={name: value for name, value in os.environ.items() if _PASSED_ON.fullmatch(name)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
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
def _made_anew(folder: Path) -> Generator[None]:
    """Takes an environment away; it comes back if the block fails, and else is removed."""
    before = folder.with_name(f"{folder.name}-before")
    if os.path.lexists(before):  # of a process that was killed
        remove(open_folder(before.parent, before.name, markers=_MARKERS))
    if os.path.lexists(folder):
        open_folder(folder.parent, folder.name, markers=_MARKERS).rename(before)
    try:
        yield
    except BaseException:
        remove(folder)
        if before.exists():
            before.rename(folder)
        raise
    remove(before)


@contextmanager
def _exclusive_lock(file: Path) -> Generator[None]:
    """Keeps other processes waiting until this one is done or gone, by a file to which nothing is written."""
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
    """Makes an environment of a lock file, in the place of an earlier one: `FOLDER LOCK [--built PACKAGE]`.

    Returns:
        0; 1 where that fails.
    """
    parser = argparse.ArgumentParser(prog="python3 -m kubeflow_aks.environment")
    parser.add_argument("folder", type=Path)
    parser.add_argument("lock", type=Path)
    parser.add_argument("--built", action="append", default=[], help="a package that has no wheel")
    options = parser.parse_args(arguments)
    folder, lock = options.folder.absolute(), options.lock.absolute()
    try:
        create(folder)
        install(
            folder,
            lock.read_text(encoding="utf-8"),
            lock.name,
            uv=program(Path(sys.prefix), "uv"),
            built=options.built,
        )
    except (CommandError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
