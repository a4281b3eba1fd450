"""The commands of the local AKS as a user runs them, with everything kept in a folder of a test's own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

from local_aks.lifecycle.instance import PROJECT_ROOT

COLD_SECONDS = 300
"""Generous for a machine that does other things too; alone, 2 cores take less than a minute."""


def make(build: Path, *words: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run make with a target and settings of the documentation, and more variables of the environment."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return _run(["make", *words, f"BUILD={build}"], {**outside, **(env or {})})


def run(build: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m local_aks` and wait for its end."""
    return _run(_local_aks(build, *arguments), None)


def start(build: Path, *arguments: str) -> subprocess.Popen[str]:
    """Begin `python -m local_aks` in a process group of its own."""
    return subprocess.Popen(
        _local_aks(build, *arguments),
        cwd=PROJECT_ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def until(process: subprocess.Popen[str], text: str) -> None:
    """Read a command's output until a line has a text."""
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            return
    pytest.fail(f"{text!r} was never printed: {process.communicate()[1]}")


def processes_of(build: Path) -> list[str]:
    """Command lines of every process that has the folder in it, this one and zombies apart."""
    others = (process for process in psutil.process_iter(["cmdline"]) if process.pid != os.getpid())
    lines = (" ".join(process.info["cmdline"] or []) for process in others)
    return [line for line in lines if str(build) in line]


def _local_aks(build: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "local_aks", "--build", str(build), *arguments]


def _run(command: list[str], env: Mapping[str, str] | None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=PROJECT_ROOT, env=env, capture_output=True, text=True, check=False, timeout=COLD_SECONDS
    )
