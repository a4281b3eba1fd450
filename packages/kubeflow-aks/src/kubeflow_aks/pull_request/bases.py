"""A cache of the states of bases: the second preview of a pull request does not bring its base up again."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import aks_facts
from kubeflow_aks.local_aks.run.directory import MARKER, RunDirectory
from kubeflow_aks.ownership import remove
from kubeflow_aks.pull_request.observed import Resource, Run
from kubeflow_aks.tools.manifest import PULUMI_VERSION

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_CODE: Final = (
    Path(aks_facts.__file__).resolve().parent,
    *(_PACKAGE / name for name in ("clients", "local_aks", "pull_request", "recorder", "revisions")),
)
"""Code that decides what a state holds, besides the base itself."""
_RUN: Final = "base.json"
"""File beside a state: the run of the base's program, and the digest of the state."""
_MOST_STATES: Final = 20
_MOST_DAYS: Final = 30
_DIGITS: Final = 20


@dataclass(frozen=True)
class Bases:
    """The states in a folder, which is ours alone; each is private to the user."""

    folder: Path

    def restore(self, key: str, into: RunDirectory) -> Run | None:
        """Copies a state into an empty run directory and returns the run that made it; None without a complete one."""
        stored = self.folder / key
        try:
            shutil.copytree(stored, into.root, symlinks=True, dirs_exist_ok=True)
            document = json.loads((into.root / _RUN).read_text(encoding="utf-8"))
            run = _run(document["run"]) if document["digest"] == _digest(into.root) else None
            (stored / _RUN).touch()
        except (OSError, ValueError, KeyError, TypeError, shutil.Error):
            run = None
        into.mark()
        if run is None:
            shutil.rmtree(stored, ignore_errors=True)
            for left in into.root.iterdir():
                if left.name != MARKER:
                    remove(left)
        return run

    def store(self, key: str, directory: RunDirectory, run: Run) -> None:
        """Stores a copy of a state, completely or not at all, and removes the oldest ones."""
        draft = Path(mkdtemp(dir=self.folder, prefix=".draft-"))
        try:
            shutil.copytree(directory.root, draft, symlinks=True, dirs_exist_ok=True)
            document = {"digest": _digest(draft), "run": asdict(run)}
            (draft / _RUN).write_text(json.dumps(document), encoding="utf-8")
            draft.chmod(0o700)
            draft.rename(self.folder / key)
        except OSError:  # another preview was faster, or the disk is full: the next preview tries again
            shutil.rmtree(draft, ignore_errors=True)
        self._remove_old()

    def _remove_old(self) -> None:
        folders = sorted(filter(Path.is_dir, self.folder.iterdir()), key=_last_use, reverse=True)
        for number, folder in enumerate(folders):
            if number >= _MOST_STATES or time.time() - _last_use(folder) > _MOST_DAYS * 86_400:
                shutil.rmtree(folder, ignore_errors=True)


def key_of(tree: str, stack: str, lock: bytes, extra: Mapping[str, Any], day: str) -> str:
    """The name of a state; it changes with everything that the state depends on."""
    digest = hashlib.sha256(
        repr((tree, stack, lock, sorted(extra.items()), day, PULUMI_VERSION, sys.version)).encode()
    )
    for folder in _CODE:
        for file in sorted(folder.rglob("*")):
            if file.suffix != ".pyc" and file.is_file():
                digest.update(f"{file.relative_to(folder.parent)}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:_DIGITS]


def _digest(folder: Path) -> str:
    """The digest of all files of a state but the marker, which differs in each folder."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name not in {MARKER, _RUN}:
            digest.update(f"{file.relative_to(folder)}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def _run(document: dict[str, Any]) -> Run:
    resources: dict[str, Resource] = {
        urn: Resource(**(resource | {"ignore_changes": tuple(resource["ignore_changes"])}))
        for urn, resource in document["resources"].items()
    }
    return Run(
        resources,
        document["outputs"],
        tuple(document["warnings"]),
        tuple(document["assumed"]),
        document["failure"],
    )


def _last_use(folder: Path) -> float:
    file = folder / _RUN
    try:
        return (file if file.exists() else folder).stat().st_mtime
    except OSError:
        return 0.0
