"""Starts the stand-ins for Azure and Kubernetes, in a process of their own, while a program is brought up or previewed.

The process runs this tree's stand-ins with the Python of the previewed tree's environment, so that they
behave as the SDKs there would: a change of an SDK's version shows. It ends with this process, however that ends.
"""

from __future__ import annotations

import json
import secrets
import socket
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, NoReturn

from kubeflow_aks.project import IMPORT_PATH
from kubeflow_aks.revisions.bytecode import remove_stale_bytecode
from kubeflow_aks.text.sentences import last_lines

if TYPE_CHECKING:  # it needs packages that requirements.txt does not install
    from kubeflow_aks.local_aks.run.directory import RunDirectory

_LAST_LINES: Final = 3


class StandInsError(Exception):
    """The stand-ins do not start; the text is meant for the user."""


@dataclass(frozen=True)
class StandInRequest:
    """What the process should serve: plain values, because they go over a socket.

    Attributes:
        token: that a connection to it must send.
        unknown_types: file for the types that no stand-in knows.
        reads: file for what a program reads and none of the stack has made.
        today: the date that Azure uses, `2026-11-22`.
        kubeconfig: of a real API server; empty without one.
    """

    azure: str
    token: str
    objects: str
    unknown_types: str
    reads: str
    today: str
    kubeconfig: str = ""

    @classmethod
    def of(cls, run: RunDirectory, today: date, kubeconfig: Path | None) -> StandInRequest:
        """The request for a run."""
        return cls(
            azure=str(run.azure),
            token=run.azure_token(),
            objects=str(objects_of(run)),
            unknown_types=str(_unknown_types(run)),
            reads=str(_reads(run)),
            today=today.isoformat(),
            kubeconfig=str(kubeconfig or ""),
        )


@dataclass(frozen=True)
class StandIns:
    """Stand-ins that are served.

    Attributes:
        providers: package name to port on 127.0.0.1, as the engine attaches them.
    """

    providers: Mapping[str, int]
    _run: RunDirectory

    def not_simulated(self) -> tuple[str, ...]:
        """Types and functions that a program of this run used and no stand-in knows, sorted."""
        return _lines(_unknown_types(self._run))

    def reads(self) -> tuple[str, ...]:
        """Type and id of each resource that a program of this run read and none has made, sorted."""
        return _lines(_reads(self._run))


def objects_of(run: RunDirectory) -> Path:
    """The file of the Kubernetes objects of a run without an API server."""
    return run.root / "kubernetes.json"


@contextmanager
def stand_ins(
    python: Path,
    run: RunDirectory,
    *,
    today: date,
    kubeconfig: Path | None = None,
    processes: StandInProcesses | None = None,
) -> Generator[StandIns]:
    """Serves every Pulumi package of an environment to this user's engines.

    State is in the run directory, so that two trees can be served one after the other, each by its own environment.
    Without a kubeconfig of a real API server the Kubernetes stand-in stores the objects itself.

    Raises:
        StandInsError: the environment lacks a package that the stand-ins need.
    """
    with nullcontext(processes) if processes else StandInProcesses() as all_processes:
        process = all_processes.take(python, run)
        ports = process.serve(StandInRequest.of(run, today, kubeconfig))
        if ports is None:
            process.end()
            _failed(python, last_lines(process.log.read_text(errors="replace"), _LAST_LINES) or "no output")
        yield StandIns(ports, run)
        all_processes.give_back(process)


class StandInProcesses:
    """Processes of stand-ins, each of which serves one run after another. Safe for many threads.

    One that is not given back, because the run failed, serves no other; all end with the block.

    Attributes:
        idle: those that serve no run at the moment.
    """

    def __init__(self) -> None:
        self._all: list[_Process] = []
        self.idle: list[_Process] = []
        self._lock = Lock()

    def __enter__(self) -> StandInProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._all:
            process.end()

    def take(self, python: Path, run: RunDirectory) -> _Process:
        """An idle process of an environment, or a new one, which works in the folder of the run.

        Raises:
            StandInsError: it does not start.
        """
        with self._lock:
            process = next((one for one in self.idle if one.python == python and one.folder.is_dir()), None)
            if process:
                self.idle.remove(process)
                return process
            process = _Process(python, run)
            self._all.append(process)
            return process

    def give_back(self, process: _Process) -> None:
        """Makes a process serve the next run."""
        with self._lock:
            self.idle.append(process)


class _Process:
    """One process of stand-ins, whose log is with the first run that it serves.

    Raises:
        StandInsError: it does not start.
    """

    def __init__(self, python: Path, run: RunDirectory) -> None:
        remove_stale_bytecode()
        self.python, self.folder, self.log = python, run.root, run.log("stand-ins")
        self._socket, theirs = socket.socketpair()
        with theirs, self.log.open("w", encoding="utf-8") as log:
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our own module
                    [str(python), "-P", "-m", "kubeflow_aks.pull_request.serving", str(theirs.fileno())],
                    cwd=run.root,
                    env=_environment(run),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,  # Ctrl-C is for the foreground command; this process ends with it
                )
            except OSError as error:
                self._socket.close()
                _failed(python, str(error.strerror), error)
        self._lines = self._socket.makefile("rw", encoding="utf-8")

    def serve(self, request: StandInRequest) -> Mapping[str, int] | None:
        """Serves another run; the ports by package, or None if the process ends before it answers."""
        with suppress(OSError):
            print(json.dumps(asdict(request)), file=self._lines, flush=True)
            line = self._lines.readline()
            return json.loads(line) if line else None
        return None

    def end(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.wait()
        with suppress(OSError):
            self._lines.close()
        self._socket.close()


def _failed(python: Path, why: str, cause: Exception | None = None) -> NoReturn:
    raise StandInsError(f"the stand-ins cannot start with {python}: {why}") from cause


def _unknown_types(run: RunDirectory) -> Path:
    """The file of type tokens that no stand-in knows, one a line; it stays with the state that has them."""
    return run.root / "not-simulated.txt"


def _reads(run: RunDirectory) -> Path:
    """The file of what is read and assumed to be there; it stays with the state, too."""
    return run.root / "assumed.txt"


def _lines(file: Path) -> tuple[str, ...]:
    return tuple(sorted({*file.read_text(encoding="utf-8").splitlines()})) if file.exists() else ()


def _environment(run: RunDirectory) -> dict[str, str]:
    """The variables of the process: packages of an untrusted tree run in it. Python finds this tree's modules."""
    from kubeflow_aks.revisions.programs import environment  # noqa: PLC0415 - the process lacks what it needs

    return environment(run.root, secrets.token_hex(8)) | {"PYTHONPATH": IMPORT_PATH}
