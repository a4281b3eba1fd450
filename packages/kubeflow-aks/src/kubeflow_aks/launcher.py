"""What the file `kubeflow-aks` does: `.venv` first, then the command; until then the standard library is enough."""

from __future__ import annotations

import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kubeflow_aks.environment import GROUPS, ProjectEnvironment
from kubeflow_aks.exit_codes import CommandError, ExitCode

RUNTIME: Final = frozenset(
    {"adopt", "cost-trace", "handoff", "policy", "preview", "quota", "sizes", "start", "stop", "verify"}
)
"""Commands that need no package that `pulumi up` does not need."""
OTHERS: Final = frozenset({"ci", "cost", "demo", "diff", "drill", "local"})
"""Commands that need the packages of the group `commands`."""
SET_UP: Final = "set-up"
_ENVIRONMENT: Final = ProjectEnvironment(Path(__file__).resolve().parents[4])


def main(arguments: Sequence[str]) -> int:
    """Runs a command in `.venv`, or only sets it up: `set-up [runtime|commands|dev]`.

    Returns:
        The command's exit code; 1 where `.venv` cannot be set up, 2 for an unknown group of packages.

    Raises:
        KeyboardInterrupt: after Ctrl-C.
        SystemExit: the command's end, where this process already runs in `.venv`.
    """
    if arguments[:1] == [SET_UP]:
        return _set_up(arguments[1:])
    group = "commands" if OTHERS & set(arguments[:1]) else "runtime"
    return _install(group) or _run(arguments)


def _set_up(arguments: Sequence[str]) -> int:
    group = arguments[0] if arguments else "commands"
    if group not in GROUPS or len(arguments) > 1:
        print(f"usage: kubeflow-aks {SET_UP} [{'|'.join(GROUPS)}]", file=sys.stderr)
        return ExitCode.USAGE
    return _install(group)


def _install(group: str) -> int:
    try:
        if _ENVIRONMENT.is_fresh(group):
            return 0
        begun = "Bringing .venv up to date" if _ENVIRONMENT.python.exists() else "Setting up .venv"
        print(
            f"{begun} for Python {sys.version_info.major}.{sys.version_info.minor} (once, seconds) …",
            file=sys.stderr,
        )
        _ENVIRONMENT.set_up(group)
    except (CommandError, OSError) as error:
        print(f"error: .venv: {error}", file=sys.stderr)
        return ExitCode.FINDING
    return 0


def _run(arguments: Sequence[str]) -> int:
    # The Azure SDK has thousands of modules: where Python may not keep them compiled, every start takes seconds longer.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    inside = Path(sys.prefix).resolve() == _ENVIRONMENT.folder.resolve()
    again = [str(_ENVIRONMENT.python), sys.argv[0], *arguments]
    if not inside and sys.platform == "win32":  # where the shell does not wait for what exec starts
        return subprocess.run(again, check=False).returncode  # noqa: S603 - this file once more
    if not inside:
        _hold_interrupts(hold=True)  # a Python that is starting would answer with a traceback
        os.execv(again[0], again)  # noqa: S606 - this file once more
    _hold_interrupts(hold=False)
    runpy.run_module("kubeflow_aks", run_name="__main__")
    return 0


def _hold_interrupts(*, hold: bool) -> None:
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_BLOCK if hold else signal.SIG_UNBLOCK, {signal.SIGINT})
