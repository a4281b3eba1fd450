"""The commands of the local AKS as a user runs them, with everything kept in a folder of a test's own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

from kubeflow_aks.project import PROJECT_ROOT

PATIENCE_SECONDS = 1200
"""After so long a command hangs; alone, 2 cores take less than a minute for the longest one."""


def run(
    build: Path, *arguments: str, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `kubeflow-aks demo` or a command of `kubeflow-aks local` and wait for its end."""
    return subprocess.run(
        _command(build, *arguments),
        cwd=PROJECT_ROOT,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )


def start(build: Path, *arguments: str) -> subprocess.Popen[str]:
    """Begin such a command in a process group of its own."""
    return subprocess.Popen(
        _command(build, *arguments),
        cwd=PROJECT_ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def until(process: subprocess.Popen[str], text: str) -> str:
    """Read a command's output until a line has a text; returns what was read."""
    assert process.stdout is not None
    read = ""
    for line in process.stdout:
        read += line
        if text in line:
            return read
    pytest.fail(f"{text!r} was never printed: {process.communicate()[1]}")


def processes_of(build: Path) -> list[str]:
    """Command lines of every process that has the folder in it, this one and zombies apart."""
    others = (process for process in psutil.process_iter(["cmdline"]) if process.pid != os.getpid())
    lines = (" ".join(process.info["cmdline"] or []) for process in others)
    return [line for line in lines if str(build) in line]


def _command(build: Path, *arguments: str) -> list[str]:
    words = arguments if arguments[0] == "demo" else ("local", *arguments)
    return [sys.executable, "-m", "kubeflow_aks", *words, "--build", str(build)]
