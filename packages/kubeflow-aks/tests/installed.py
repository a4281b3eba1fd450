"""A package in an environment of its own, as another team installs it, without the network.

The wheel is built from this checkout or a copy of it; what it requires comes from uv's cache, at the versions of the
lock file.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from kubeflow_aks.environment import program
from kubeflow_aks.project import PROJECT_ROOT

_UV = str(program(PROJECT_ROOT / ".venv", "uv"))
_LIMIT = 120


@dataclass(frozen=True)
class Installed:
    """An environment.

    Attributes:
        folder: where it is.
    """

    folder: Path

    def install(self, *requirements: str, cwd: Path) -> None:
        """What `pip install` does, at the versions of the lock file."""
        lock = str(PROJECT_ROOT / "packages/kubeflow-aks/requirements-commands.txt")
        install = [
            _UV,
            "pip",
            "install",
            "-q",
            "--offline",
            "--python",
            str(self.program("python")),
            "-c",
            lock,
        ]
        subprocess.run([*install, *requirements], cwd=cwd, check=True, timeout=_LIMIT)

    def program(self, name: str) -> Path:
        """A program that the environment has."""
        return program(self.folder, name)

    def run(self, *command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Runs a program of the environment as its user does."""
        path = f"{self.program('python').parent}{os.pathsep}{os.defpath}"
        hidden = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "VIRTUAL_ENV", "PULUMI_ERROR_OUTPUT_STRING")
        return subprocess.run(
            [self.program(command[0]), *command[1:]],
            cwd=cwd,
            env={key: value for key, value in os.environ.items() if key not in hidden} | {"PATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=_LIMIT,
        )


def wheel(
    folder: Path,
    command: tuple[str, ...] = (
        "pip",
        "wheel",
        "--no-deps",
        "--wheel-dir",
        "dist",
        "./packages/kubeflow-aks",
    ),
    root: Path = PROJECT_ROOT,
) -> Path:
    """Builds a wheel into `folder/dist`, by the page's command.

    Args:
        folder: gets the folder that the command names.
        command: a line of the page.
        root: the checkout, or a copy of what the command needs of it.
    """
    words = [str(folder / "dist") if word == "dist" else word for word in command[1:]]
    subprocess.run(
        [sys.executable, "-m", command[0], *words, "-q"],
        cwd=root,
        env=os.environ
        | {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"},  # which reads as "no isolation"
        check=True,
        timeout=_LIMIT,
    )
    (built,) = (folder / "dist").glob("*.whl")
    return built


def empty(folder: Path) -> Installed:
    """A new environment without packages."""
    subprocess.run([_UV, "venv", "-q", "--python", sys.executable, str(folder)], check=True, timeout=_LIMIT)
    return Installed(folder)
