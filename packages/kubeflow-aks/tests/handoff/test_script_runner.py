"""The runner of the hand-off's scripts: signals that come close to one another are one, whenever they come."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

from kubeflow_aks.project import PROJECT_ROOT

_RUNNER: Final = PROJECT_ROOT / "packages/kubeflow-aks/src/kubeflow_aks" / "handoff" / "scripts" / "run.py"
_COUNTS: Final = """
import os, signal, sys, time
count = 0
def interrupted(*_):
    global count
    count += 1
    os.write(1, b"interrupt %d\\n" % count)
signal.signal(signal.SIGINT, interrupted)
signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended at once"))
os.write(1, b"ready\\n")
until = time.monotonic() + 2
while time.monotonic() < until and not count:
    time.sleep(0.01)
"""
"""A program that ends when it is interrupted."""
_ENDS_AT_ONCE: Final = "import os; os.kill(os.getppid(), 2)"
"""A program that interrupts its runner and ends."""


def _start(folder: Path, program: str) -> subprocess.Popen[str]:
    command = [_RUNNER, "--log", folder / "log", "program", "--", sys.executable, "-I", "-S", "-c", program]
    return subprocess.Popen(
        [sys.executable, "-I", "-S", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


@pytest.mark.parametrize("attempt", range(10))
def test_a_terminals_signal_and_the_scripts_own_are_one(tmp_path: Path, attempt: int) -> None:
    """The second one comes in the middle of the first one's handling, after it, or when the program has ended."""
    with _start(tmp_path, _COUNTS) as runner:
        assert runner.stdout is not None
        assert runner.stdout.readline() == "ready\n"
        os.kill(runner.pid, signal.SIGINT)
        time.sleep(0.01 * attempt)
        os.kill(runner.pid, signal.SIGTERM)
        text = runner.stdout.read()
    assert text == "interrupted: it gets time to clean up; interrupt again to end it at once\ninterrupt 1\n"
    assert runner.returncode == 130


def test_a_signal_at_the_very_end_does_not_change_the_exit_code(tmp_path: Path) -> None:
    with _start(tmp_path, _ENDS_AT_ONCE) as runner:
        assert runner.stdout is not None
        assert runner.stdout.readline().startswith("interrupted: ")
        while runner.poll() is None:
            os.kill(runner.pid, signal.SIGTERM)
    assert runner.returncode == 130
