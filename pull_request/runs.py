"""The run directories of one preview, each in its workplace."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from local_aks.lifecycle import teardown
from local_aks.run.directory import NotOurFolderError, RunDirectory

_FOLDER: Final = "runs"


def run_in(place: Path, name: str) -> RunDirectory:
    """A run directory in a workplace."""
    return RunDirectory.at(place / _FOLDER / name)


def stop_runs(place: Path) -> None:
    """Stops what the runs in a workplace started and left."""
    for run in (place / _FOLDER).glob("*/"):
        with suppress(NotOurFolderError):
            teardown.stop_everything(RunDirectory.found(run))
