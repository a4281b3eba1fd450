"""Starts what answers for Azure and Kubernetes while a program is brought up or previewed, in a process of its own.

The process runs this tree's stand-ins with the Python of the previewed tree's environment, so that they answer as the
SDKs there would: another version of one shows as what it changes. It ends when this process does, however that comes.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from revisions.bytecode import bytecode, remove_stale_bytecode

if TYPE_CHECKING:  # it needs what requirements.txt does not install
    from local_aks.run.directory import RunDirectory

_ROOT: Final = Path(__file__).resolve().parents[1]
_LAST_LINES: Final = 3


class StandInsError(Exception):
    """The stand-ins do not start; the text is meant for the user."""


@dataclass(frozen=True)
class Wanted:
    """What the process is told: plain values, for they go over a socket.

    Attributes:
        azure: folder of the simulated Azure.
        token: what a connection to it must bring.
        objects: file of the objects that are kept.
        noted: file of the types that no stand-in knows.
        today: the day on which Azure decides, `2026-11-22`.
        kubeconfig: file of a real API server's; empty without one.
    """

    azure: str
    token: str
    objects: str
    noted: str
    today: str
    kubeconfig: str = ""

    @classmethod
    def of(cls, run: RunDirectory, today: date, kubeconfig: Path | None) -> Wanted:
        """What is wanted for a run."""
        return cls(
            azure=str(run.azure),
            token=run.azure_token(),
            objects=str(run.root / "kubernetes.json"),
            noted=str(_noted(run)),
            today=today.isoformat(),
            kubeconfig=str(kubeconfig or ""),
        )


@dataclass(frozen=True)
class StandIns:
    """Stand-ins that answer.

    Attributes:
        providers: package name to port on 127.0.0.1, as the engine attaches them.
    """

    providers: Mapping[str, int]
    _run: RunDirectory

    def not_simulated(self) -> tuple[str, ...]:
        """Types and functions that some program of this run asked for and no stand-in knows, sorted."""
        file = _noted(self._run)
        return tuple(sorted(set(file.read_text(encoding="utf-8").split()))) if file.exists() else ()


@contextmanager
def stand_ins(
    python: Path, run: RunDirectory, *, today: date, kubeconfig: Path | None = None
) -> Generator[StandIns]:
    """Serves every Pulumi package of an environment to this user's engines.

    State lies in the run directory, so that two trees can be served one after the other, each by its own environment.

    Args:
        python: the environment's.
        run: where state, token and log are.
        today: the day on which Azure decides which Kubernetes versions it supports.
        kubeconfig: of a real API server; without one the Kubernetes stand-in keeps the objects itself.

    Raises:
        StandInsError: the environment lacks what the stand-ins need.
    """
    remove_stale_bytecode()
    ours, theirs = socket.socketpair()
    with ours, theirs, run.log("stand-ins").open("w", encoding="utf-8") as log:
        try:
            process = subprocess.Popen(  # noqa: S603 - our own module
                [str(python), "-P", "-m", "pull_request.serving", str(theirs.fileno())],
                cwd=run.root,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the command in front; this one ends with it
            )
        except OSError as error:
            _failed(python, str(error.strerror), error)
        theirs.close()
        try:
            wanted = Wanted.of(run, today, kubeconfig)
            providers = _told(ours, wanted)
            if providers is None:
                _failed(python, _last_words(run))
            yield StandIns(providers, run)
        finally:
            process.kill()
            process.wait()


def _told(process: socket.socket, wanted: Wanted) -> Mapping[str, int] | None:
    """The ports, none of them in an environment without providers; None where the process ends before it tells them."""
    with suppress(OSError), process.makefile("rw", encoding="utf-8") as lines:
        print(json.dumps(asdict(wanted)), file=lines, flush=True)
        line = lines.readline()
        return json.loads(line) if line else None
    return None


def _failed(python: Path, why: str, cause: Exception | None = None) -> NoReturn:
    raise StandInsError(f"the stand-ins do not start with {python}: {why}") from cause


def _noted(run: RunDirectory) -> Path:
    """Type tokens that no stand-in knows, one a line; kept with the state that they are in."""
    return run.root / "not-simulated.txt"


def _environment() -> dict[str, str]:
    """This process's environment, in which Python finds this tree's modules and writes into no tree."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return {**kept, "PYTHONPATH": str(_ROOT), "PYTHONPYCACHEPREFIX": str(bytecode())}


def _last_words(run: RunDirectory) -> str:
    lines = [line for line in run.log("stand-ins").read_text(errors="replace").splitlines() if line.strip()]
    return " | ".join(lines[-_LAST_LINES:]) or "it said nothing"
