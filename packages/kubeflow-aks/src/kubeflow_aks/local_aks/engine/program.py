"""Makes a project's program available to the engine: ours in this process, any other in a process of its own.

Ours shares the SDKs that this process has loaded already, which saves an `up` about a second. Another tree's program
must neither find our modules nor leave its own behind, and may need other versions of what is installed.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS  # pyright: ignore[reportPrivateUsage] - no other way

import aks_facts
from kubeflow_aks.local_aks.engine import language_host
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder import waiting

_PACKAGE: Final = Path(__file__).resolve().parents[2]
_FACTS: Final = Path(aks_facts.__file__).resolve().parent
_NOT_THE_PROGRAMS: Final = tuple(
    f"{folder}{os.sep}" for folder in (sys.prefix, sys.base_prefix, _PACKAGE, _FACTS)
)
"""The facts are ours and the program's: both use the same tables."""
_OWN_CONNECTIONS: Final = ("grpc.use_local_subchannel_pool", 1)
_CLOCK_TICK_NS: Final = 1_000_000_000
"""More than the time of a change in a file system can be behind the clock."""


@dataclass(frozen=True)
class _Loaded:
    """The modules of a program's last run: loading them is a third of what a preview costs this process."""

    since: int
    """Nanoseconds since the epoch; the first of them was loaded later."""
    modules: Mapping[str, ModuleType]

    def unchanged(self) -> bool:
        """Whether every file is as it was then."""
        files = {file for module in self.modules.values() if (file := getattr(module, "__file__", None))}
        try:
            return all(Path(file).stat().st_ctime_ns + _CLOCK_TICK_NS < self.since for file in files)
        except OSError:
            return False


_loaded: Final[dict[Path, _Loaded]] = {}
"""By the folder of the modules."""


class ProgramError(Exception):
    """A program can't be run; the text is meant for the user."""


def is_ours(entry: Path) -> bool:
    """Whether a program, given by its folder or file, is this tree's own, perhaps by links to it."""
    return _home(entry) == PROJECT_ROOT


def _home(entry: Path) -> Path:
    """The folder of a program's modules."""
    return (entry / "__main__.py" if entry.is_dir() else entry).resolve().parent


@contextmanager
def fresh(entry: Path) -> Generator[None]:
    """Gives the program modules of its own, and puts the caller's back afterwards.

    Those of the program's last run serve again unless a file of them has changed since. Python's import cache and
    working folder belong to the whole process, so only one program can run at a time.

    Args:
        entry: the program's folder; a module belongs to the program when its file lies in the folder of its real
            `__main__.py`, unless it is ours, which runs the program, or is installed in a virtual environment there.
    """
    _prepare()
    home = _home(entry)
    before, path, folder = _take_modules(home), sys.path.copy(), Path.cwd()
    loaded = _loaded.pop(home, None)
    if loaded is None or not loaded.unchanged():
        loaded = _Loaded(time.time_ns(), {})
    sys.modules.update(loaded.modules)
    sys.path.insert(0, str(home))
    os.chdir(entry)
    try:
        yield
    finally:
        os.chdir(folder)
        sys.path[:] = path
        modules = _take_modules(home)
        sys.modules.update(before)
    _loaded[home] = _Loaded(loaded.since, modules)


@contextmanager
def served(
    entry: Path,
    python: Path | None = None,
    *,
    root: Path | None = None,
    imports: bool = True,
    environment: Mapping[str, str] | None = None,
    output: int | None = None,
) -> Generator[str]:
    """Serves the program of a tree from a process of its own, which ends with this one at the latest.

    What the program starts ends with it, unless it leaves the program's process group.

    Args:
        entry: the program's folder, or its file.
        python: what runs it; by default that of the project's `.venv`, if there is one, else this process's.
        root: the project's folder, by default the program's.
        imports: whether it imports resources; otherwise it makes them (`language_host.IMPORTED`).
        environment: its variables, by default this process's.
        output: descriptor that takes what it prints, by default where this process prints.

    Yields:
        Address of the language host, as the engine's `--client` takes it.

    Raises:
        ProgramError: the Python can't serve a program.
    """
    installed = (root or entry) / ".venv" / "bin" / "python"
    python = python or (installed if installed.exists() else Path(sys.executable))
    options = () if imports else (language_host.WITHOUT_IMPORTS,)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = subprocess.Popen(  # noqa: S603 - our own file
            [python, "-P", language_host.__file__, str(entry), str(theirs.fileno()), *options],
            cwd=entry if entry.is_dir() else entry.parent,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C is for the command in front; this one ends with it
        )
        theirs.close()
        try:
            with ours.makefile() as lines:
                address = lines.readline().strip()
            if not address:
                code = process.wait()
                raise ProgramError(
                    f"{python} can't run the program of {root or entry} (exit code {code}): it needs Python 3.11 and "
                    "the Pulumi SDK"
                )
            yield address
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _take_modules(home: Path) -> dict[str, ModuleType]:
    """Removes the modules in a folder, as `_home` gives it, from the import cache and returns them."""
    inside = f"{home}{os.sep}"
    loaded = sys.modules.copy()  # another thread may import something meanwhile
    taken = {name: module for name, module in loaded.items() if _is_the_programs(module, inside)}
    for name in taken:
        del sys.modules[name]
    return taken


def _is_the_programs(module: ModuleType, inside: str) -> bool:
    file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    return file is not None and file.startswith(inside) and not file.startswith(_NOT_THE_PROGRAMS)


@cache
def _prepare() -> None:
    """Sets this process up for running programs, for good.

    Each program connects for itself. One that was abandoned keeps calling the port of its engine, and gRPC would hand
    its broken connection to the next program whose engine happens to get that port, which fails at once: "Resource
    monitor has terminated".
    """
    language_host.leave_out_noise()
    waiting.wait_for_all_at_once()
    waiting.leave_out_positions()
    _GRPC_CHANNEL_OPTIONS.append(_OWN_CONNECTIONS)
