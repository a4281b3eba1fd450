"""Runs a command-line program; a missing, hanging or failing one is one error with one line."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice, takewhile
from pathlib import Path
from typing import Final

from kubeflow_aks.clients.errors import ClientError
from kubeflow_aks.exit_codes import MissingProgramError
from kubeflow_aks.text.sentences import last_lines, one_line

_LONGEST: Final = 600
_NAMED_ARGUMENTS: Final = 2
_SECRET: Final = re.compile(r"(?i)bearer\s+\S+|eyJ[\w.-]{10,}")
"""What looks like an access token: a program's own errors have none, those of a proxy between may."""


class ProgramError(ClientError):
    """A program is missing, took too long, failed, or printed something unexpected; no access token is shown."""

    def __init__(self, text: str) -> None:
        super().__init__(one_line(_SECRET.sub("[secret]", text), _LONGEST))


def is_installed(command: str) -> bool:
    """Whether a program is on the PATH."""
    return shutil.which(command) is not None


def run(
    command: Sequence[str],
    *,
    error: type[ProgramError],
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    seconds: float | None = None,
    undecodable: str = "replace",
) -> tuple[int, str, str]:
    """Runs a program without input and waits for its end.

    With a time limit it ends together with all that it has started, at the limit and when this process is interrupted.

    Args:
        command: the program and its arguments; no shell sees them.
        error: the client's error, raised for every failure.
        cwd: working directory; this process's if None.
        environment: this process's if None.
        seconds: time limit; None for no limit.
        undecodable: how bytes that are not UTF-8 are decoded (`errors` of `bytes.decode`).

    Returns:
        Exit code, standard output and standard error.

    Raises:
        ProgramError: as `error`; the program is missing, cannot be run, or exceeds the time limit.
    """
    program, *arguments = command
    path = shutil.which(program)  # Windows needs the whole name of a .cmd
    if path is None:
        raise error(str(MissingProgramError(program)))
    try:
        process = subprocess.Popen(  # noqa: S603 - arguments of our own, and no shell
            [path, *arguments],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=None if seconds is None or sys.platform == "win32" else 0,
        )
    except (OSError, ValueError) as cause:  # a zero byte in a word is the latter
        reason = cause.strerror if isinstance(cause, OSError) else cause
        raise error(f"`{program}` cannot be run: {reason}") from None
    with process:
        try:
            streams = process.communicate(timeout=seconds)
        except BaseException as cause:
            _end(process, tree=seconds is not None)
            if not isinstance(cause, subprocess.TimeoutExpired):
                raise
            printed = last_lines((cause.stderr or b"").decode("utf-8", "replace"))
            limit = f"{called(command)} took longer than {seconds:.0f} s"
            raise error(f"{limit}: {printed}" if printed else limit) from None
    out, err = (stream.decode("utf-8", undecodable) for stream in streams)
    return process.returncode, out, err


def _end(process: subprocess.Popen[bytes], *, tree: bool) -> None:
    """Kills a program, and all that it has started if it is the head of a process group."""
    if tree and sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)  # noqa: S603, S607
    elif tree:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def called(command: Sequence[str]) -> str:
    """A command in a message: the program's name and its first words, such as `az account show`."""
    program, *arguments = command
    words = takewhile(lambda word: not word.startswith("-"), arguments)
    return f"`{' '.join([Path(program).name, *islice(words, _NAMED_ARGUMENTS)])}`"


def reason_of(code: int, output: str, lines: int = 2) -> str:
    """Why a program failed: the last lines of its output, else its exit code."""
    return last_lines(output, lines) or f"exit code {code}"
