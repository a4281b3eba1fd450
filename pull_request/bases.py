"""States of bases that were brought up before, so that the second preview of a pull request need not do it again."""

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

from local_aks.run.directory import MARKER, RunDirectory
from pull_request.observed import Resource, Run
from recorder.run import PROJECT_ROOT
from tools.manifest import PULUMI_VERSION

_CODE: Final = ("catalogue", "local_aks", "pull_request", "recorder", "revisions")
"""What decides what a state holds, besides the base itself."""
_RUN: Final = "base.json"
"""File beside a state with what the base's program asked for, and the digest of the state."""
_KEPT: Final = 20
_KEPT_DAYS: Final = 30
_DIGITS: Final = 20


@dataclass(frozen=True)
class Bases:
    """The states that a folder keeps; each is private to the user."""

    folder: Path

    def take(self, key: str, into: RunDirectory) -> Run | None:
        """Copies a state into an empty run directory and gives the run that made it; None without a whole one."""
        kept = self.folder / key
        try:
            shutil.copytree(kept, into.root, symlinks=True, dirs_exist_ok=True)
            document = json.loads((into.root / _RUN).read_text(encoding="utf-8"))
            run = _run(document["run"]) if document["digest"] == _digest(into.root) else None
            (kept / _RUN).touch()
        except (OSError, ValueError, KeyError, TypeError, shutil.Error):
            run = None
        into.mark()
        if run is None:
            shutil.rmtree(kept, ignore_errors=True)
            for left in into.root.iterdir():
                if left.name != MARKER:
                    shutil.rmtree(left, ignore_errors=True)
                    left.unlink(missing_ok=True)
        return run

    def keep(self, key: str, run: RunDirectory, what: Run) -> None:
        """Keeps a copy of a state, whole or not at all, and removes the oldest ones."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = Path(mkdtemp(dir=self.folder, prefix=".draft-"))
        try:
            shutil.copytree(run.root, draft, symlinks=True, dirs_exist_ok=True)
            document = {"digest": _digest(draft), "run": asdict(what)}
            (draft / _RUN).write_text(json.dumps(document), encoding="utf-8")
            draft.chmod(0o700)
            draft.rename(self.folder / key)
        except OSError:  # another preview was faster, or there is no room: then the next one makes it anew
            shutil.rmtree(draft, ignore_errors=True)
        self._remove_old()

    def _remove_old(self) -> None:
        kept = sorted(self.folder.iterdir(), key=_used, reverse=True)
        for number, folder in enumerate(kept):
            if number >= _KEPT or time.time() - _used(folder) > _KEPT_DAYS * 86_400:
                shutil.rmtree(folder, ignore_errors=True)


def key_of(tree: str, stack: str, lock: bytes, extra: Mapping[str, Any], day: str) -> str:
    """The name of a state: it changes with all that decides what the state holds.

    Args:
        tree: hash of the base's files.
        stack: the stack.
        lock: the base's lock file.
        extra: configuration on top of the stack's file.
        day: the day on which program and Azure judged.
    """
    digest = hashlib.sha256(
        repr((tree, stack, lock, sorted(extra.items()), day, PULUMI_VERSION, sys.version)).encode()
    )
    for folder in _CODE:
        for file in sorted((PROJECT_ROOT / folder).rglob("*")):
            if file.suffix != ".pyc" and file.is_file():
                digest.update(f"{file.relative_to(PROJECT_ROOT)}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:_DIGITS]


def _digest(folder: Path) -> str:
    """Of all files of a state; the marker names the folder and is another one in each."""
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
    return Run(resources, document["outputs"], tuple(document["warnings"]), document["failure"])


def _used(folder: Path) -> float:
    note = folder / _RUN
    try:
        return (note if note.exists() else folder).stat().st_mtime
    except OSError:
        return 0.0
