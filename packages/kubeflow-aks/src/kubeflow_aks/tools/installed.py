"""Where the tools are: built into the cache, or on PATH at exactly the pinned version."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kubeflow_aks.tools import golang, manifest
from kubeflow_aks.tools.manifest import Tool
from kubeflow_aks.tools.places import SOURCE, cache, is_unused

_ASKING_SECONDS: Final = 20
_DIGITS: Final = 16
_USED: Final = "used"
"""File of a store that is touched whenever the store is used."""


@dataclass(frozen=True)
class Tools:
    """A complete set of tools: name to executable."""

    paths: Mapping[str, Path]

    def __getitem__(self, name: str) -> Path:
        return self.paths[name]

    def manifests(self, name: str) -> tuple[Path, ...]:
        """The files that were kept beside a built tool (`manifest.Tool.manifests`)."""
        [tool] = manifest.only([name])
        return tuple(sorted(manifests_folder(tool).iterdir()))

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
        return f"not built yet: {names} (`./kubeflow-aks local build` builds them)"


def store(group: str, source: Path = SOURCE) -> Path:
    """The cache folder of a group's tools, named by the hash of all that decides what they do.

    A new tool, or a new version of one, so leaves what is built of the other groups as it is. Groups are folders in
    `source`.
    """
    digest = hashlib.sha256(golang.release().encode())
    for tool in manifest.TOOLS:
        if tool.group == group:
            digest.update(repr((tool.name, tool.package, tool.build_flags, tool.manifests)).encode())
    sources = sorted(file.name for file in (source / group).glob("*.go"))
    for name in ("go.mod", "go.sum", *sources):
        digest.update(f"{name}\0".encode() + (source / group / name).read_bytes())
    return cache() / f"{group}-{digest.hexdigest()[:_DIGITS]}"


def note_use(tools: Iterable[Tool]) -> None:
    """Notes that the stores of these tools are in use, so that a build of others doesn't remove them."""
    for group in {tool.group for tool in tools}:
        with suppress(OSError):
            (store(group) / _USED).touch()


def remove_unused() -> list[Path]:
    """Removes stores that no tree has used for long; this tree's own and everything else stays."""
    used = {store(tool.group) for tool in manifest.TOOLS}
    removed: list[Path] = []
    for folder in sorted(cache().iterdir()):
        if _is_store(folder) and folder not in used and is_unused(folder / _USED, folder / "bin"):
            shutil.rmtree(folder, ignore_errors=True)
            removed.append(folder)
    return removed


def _is_store(folder: Path) -> bool:
    """Whether a folder is a group's store, or one of all groups together, as an earlier version made them."""
    named = re.fullmatch(rf"([a-z]+-)?[0-9a-f]{{{_DIGITS}}}", folder.name) is not None
    return named and not folder.is_symlink() and (folder / "bin").is_dir()


def bin_folder(group: str) -> Path:
    """Where the builder puts a group's finished binaries."""
    return store(group) / "bin"


def install(tool: Tool, program: Path) -> None:
    """Moves a finished program, which is on the same disk, to where `locate` looks for it."""
    folder = bin_folder(tool.group)
    folder.mkdir(parents=True, exist_ok=True)
    program.replace(folder / tool.name)


def manifests_folder(tool: Tool) -> Path:
    """Where the builder keeps the files of a tool's module."""
    return store(tool.group) / "manifests" / tool.name


def find(*extras: str) -> Tools | Missing:
    """All tools if they are there, with those of keys of `manifest.OPTIONAL`, else what is missing; builds nothing."""
    return _tools_or_missing(manifest.selected(extras))


def find_only(*names: str) -> Tools | Missing:
    """These tools if they are there, else what is missing of them; looks for no others and builds nothing."""
    return _tools_or_missing(manifest.only(names))


def _tools_or_missing(tools: Sequence[Tool]) -> Tools | Missing:
    located = {tool.name: locate(tool) for tool in tools}
    missing = tuple(tool for tool in tools if located[tool.name] is None)
    if missing:
        return Missing(missing)
    note_use(tools)
    return Tools({name: path for name, path in located.items() if path})


def locate(tool: Tool) -> Path | None:
    """The tool's executable: the built one, else the one on PATH if it is exactly the pinned version."""
    built = bin_folder(tool.group) / tool.name
    if os.access(built, os.X_OK):
        return built
    on_path = shutil.which(tool.name)
    return Path(on_path) if on_path and _says(on_path, tool) else None


def _says(program: str, tool: Tool) -> bool:
    """Whether a program names the pinned version, neither another nor one with a suffix."""
    if not tool.version_arguments:
        return False
    try:
        with tempfile.TemporaryDirectory() as home:
            answer = subprocess.run(  # noqa: S603 - prints the version of a program of the user's own PATH
                [program, *tool.version_arguments],
                env={**os.environ, "PULUMI_HOME": home},  # pulumi logs even this
                capture_output=True,
                text=True,
                check=False,
                timeout=_ASKING_SECONDS,
            )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return re.search(rf"(?<![\w.+-])v?{re.escape(tool.version)}(?![\w.+-])", answer.stdout) is not None
