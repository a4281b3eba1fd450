"""Where the tools are: built into the cache, or on PATH at exactly the pinned version."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tools import manifest
from tools.manifest import Tool

SOURCE: Final = Path(__file__).parent
_ASKING_SECONDS: Final = 20


@dataclass(frozen=True)
class Tools:
    """A complete set of tools: name to executable."""

    paths: Mapping[str, Path]

    def __getitem__(self, name: str) -> Path:
        return self.paths[name]

    def manifests(self, name: str) -> tuple[Path, ...]:
        """The files that were kept beside a built tool (`manifest.Tool.manifests`)."""
        return tuple(sorted(manifests_folder(name).iterdir()))

    def environment(self) -> dict[str, str]:
        """This process's environment with the tools' folders first on PATH."""
        folders = dict.fromkeys(str(path.parent) for path in self.paths.values())
        return {**os.environ, "PATH": os.pathsep.join((*folders, os.environ.get("PATH", os.defpath)))}


@dataclass(frozen=True)
class Missing:
    """The tools that are neither built nor on PATH."""

    tools: tuple[Tool, ...]

    def __str__(self) -> str:
        names = ", ".join(str(tool) for tool in self.tools)
        return f"not built yet: {names} (`python -m tools` builds them)"


def cache() -> Path:
    """The folder outside the tree that keeps what is expensive to make."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "kubeflow-aks" / "tools"


def store(source: Path = SOURCE) -> Path:
    """The cache folder of exactly these tools, named after the hash of everything that determines their content."""
    digest = hashlib.sha256()
    for file in sorted((*source.glob("*/go.mod"), *source.glob("*/go.sum"), source / "manifest.py")):
        digest.update(f"{file.relative_to(source)}\0".encode() + file.read_bytes())
    return cache() / digest.hexdigest()[:16]


def bin_folder() -> Path:
    """Where the builder puts finished binaries."""
    return store() / "bin"


def manifests_folder(name: str) -> Path:
    """Where the builder keeps the files of a tool's module."""
    return store() / "manifests" / name


def find(*extras: str) -> Tools | Missing:
    """All tools if they are there, else what is missing; builds nothing.

    Args:
        extras: keys of `manifest.OPTIONAL`.
    """
    tools = manifest.wanted(extras)
    located = {tool.name: locate(tool) for tool in tools}
    missing = tuple(tool for tool in tools if located[tool.name] is None)
    return Missing(missing) if missing else Tools({name: path for name, path in located.items() if path})


def locate(tool: Tool) -> Path | None:
    """The tool's executable: the built one, else the one on PATH if it is exactly the pinned version."""
    built = bin_folder() / tool.name
    if os.access(built, os.X_OK):
        return built
    on_path = shutil.which(tool.name)
    return Path(on_path) if on_path and _says(on_path, tool) else None


def _says(program: str, tool: Tool) -> bool:
    """Whether a program names the pinned version, neither another nor one with a suffix."""
    if not tool.version_arguments:
        return False
    try:
        answer = subprocess.run(  # noqa: S603 - a program of the user's own PATH, asked for its version
            [program, *tool.version_arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=_ASKING_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return re.search(rf"(?<![\w.+-])v?{re.escape(tool.version)}(?![\w.+-])", answer.stdout) is not None
