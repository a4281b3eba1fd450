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
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from kubeflow_aks.project import IMPORT_PATH
from kubeflow_aks.revisions.bytecode import remove_stale_bytecode

if TYPE_CHECKING:  # it needs packages that requirements.txt does not install
    from kubeflow_aks.local_aks.run.directory import RunDirectory

_LAST_LINES: Final = 3


class StandInsError(Exception):
    """The stand-ins do not start; the text is meant for the user."""


@dataclass(frozen=True)
class StandInRequest:
    """What the process should serve: plain values, because they go over a socket.

    Attributes:
        azure: folder of the simulated Azure.
        token: that a connection to it must send.
        objects: file of the Kubernetes objects.
        unknown_types: file for the types that no stand-in knows.
        today: the date that Azure uses, `2026-11-22`.
        kubeconfig: of a real API server; empty without one.
    """

    azure: str
    token: str
    objects: str
    unknown_types: str
    today: str
    kubeconfig: str = ""

    @classmethod
    def of(cls, run: RunDirectory, today: date, kubeconfig: Path | None) -> StandInRequest:
        """The request for a run."""
        return cls(
            azure=str(run.azure),
            token=run.azure_token(),
            objects=str(run.root / "kubernetes.json"),
            unknown_types=str(_unknown_types(run)),
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
        file = _unknown_types(self._run)
        return tuple(sorted(set(file.read_text(encoding="utf-8").split()))) if file.exists() else ()


@contextmanager
def stand_ins(
    python: Path, run: RunDirectory, *, today: date, kubeconfig: Path | None = None
) -> Generator[StandIns]:
    """Serves every Pulumi package of an environment to this user's engines.

    State is in the run directory, so that two trees can be served one after the other, each by its own environment.

    Args:
        python: the environment's.
        run: where state, token and log are.
        today: the date that decides which Kubernetes versions Azure supports.
        kubeconfig: of a real API server; without one the Kubernetes stand-in stores the objects itself.

    Raises:
        StandInsError: the environment lacks a package that the stand-ins need.
    """
    remove_stale_bytecode()
    ours, theirs = socket.socketpair()
    with ours, theirs, run.log("stand-ins").open("w", encoding="utf-8") as log:
        try:
            process = subprocess.Popen(  # noqa: S603 - our own module
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
            _failed(python, str(error.strerror), error)
        theirs.close()
        try:
            providers = _exchange(ours, StandInRequest.of(run, today, kubeconfig))
            if providers is None:
                _failed(python, _last_lines(run))
            yield StandIns(providers, run)
        finally:
            process.kill()
            process.wait()


def _exchange(process: socket.socket, request: StandInRequest) -> Mapping[str, int] | None:
    """Sends the request and receives the ports, by package; None if the process ends before it answers."""
    with suppress(OSError), process.makefile("rw", encoding="utf-8") as lines:
        print(json.dumps(asdict(request)), file=lines, flush=True)
        line = lines.readline()
        return json.loads(line) if line else None
    return None


def _failed(python: Path, why: str, cause: Exception | None = None) -> NoReturn:
    raise StandInsError(f"the stand-ins cannot start with {python}: {why}") from cause


def _unknown_types(run: RunDirectory) -> Path:
    """The file of type tokens that no stand-in knows, one a line; it stays with the state that has them."""
    return run.root / "not-simulated.txt"


def _environment(run: RunDirectory) -> dict[str, str]:
    """The variables of the process: packages of an untrusted tree run in it. Python finds this tree's modules."""
    from kubeflow_aks.revisions.programs import environment  # noqa: PLC0415 - the process lacks what it needs

    return environment(run.root, secrets.token_hex(8)) | {"PYTHONPATH": IMPORT_PATH}


def _last_lines(run: RunDirectory) -> str:
    lines = [line for line in run.log("stand-ins").read_text(errors="replace").splitlines() if line.strip()]
    return " | ".join(lines[-_LAST_LINES:]) or "no output"
