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
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from local_aks.run.directory import RunDirectory
from tools.places import cache

_ROOT: Final = Path(__file__).resolve().parents[1]
_LAST_LINES: Final = 3


class StandInsError(Exception):
    """The stand-ins do not start; the text is meant for the user."""


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
        file = not_simulated_file(self._run)
        return tuple(sorted(set(file.read_text(encoding="utf-8").split()))) if file.exists() else ()


def objects_file(run: RunDirectory) -> Path:
    """What is in the cluster of a run that has no control plane."""
    return run.root / "kubernetes.json"


def not_simulated_file(run: RunDirectory) -> Path:
    """Type tokens that no stand-in knows, one a line; kept with the state that they are in."""
    return run.root / "not-simulated.txt"


def bytecode() -> Path:
    """Where Python keeps what it compiles, for no tree that is only looked at is written to (PYTHONPYCACHEPREFIX)."""
    return cache().parent / "bytecode"


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
    command = [str(python), "-P", "-m", "pull_request.serving", str(run.root), today.isoformat()]
    ours, theirs = socket.socketpair()
    with ours, theirs, run.log("stand-ins").open("w", encoding="utf-8") as log:
        try:
            process = subprocess.Popen(  # noqa: S603 - our own module
                [*command, str(theirs.fileno()), *([str(kubeconfig)] if kubeconfig else [])],
                cwd=run.root,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the command in front; this one ends with it
            )
        except OSError as error:
            raise StandInsError(f"the stand-ins do not start with {python}: {error.strerror}") from error
        theirs.close()
        try:
            with ours.makefile(encoding="utf-8") as lines:
                ready = lines.readline()
            if not ready:
                raise StandInsError(f"the stand-ins do not start with {python}: {_last_words(run)}")
            yield StandIns(json.loads(ready), run)
        finally:
            process.kill()
            process.wait()


def _environment() -> dict[str, str]:
    """This process's environment, in which Python finds this tree's modules and writes into no tree."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return {**kept, "PYTHONPATH": str(_ROOT), "PYTHONPYCACHEPREFIX": str(bytecode())}


def _last_words(run: RunDirectory) -> str:
    lines = [line for line in run.log("stand-ins").read_text(errors="replace").splitlines() if line.strip()]
    return " | ".join(lines[-_LAST_LINES:]) or "it said nothing"
