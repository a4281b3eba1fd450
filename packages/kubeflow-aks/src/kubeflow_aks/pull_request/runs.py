"""The run directories of one preview, each in its workplace."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from kubeflow_aks.local_aks.lifecycle import teardown
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.ownership import NotOurFolderError

_FOLDER: Final = "runs"


def run_in(place: Path, name: str) -> RunDirectory:
    """A run directory in a workplace."""
    return RunDirectory.at(place / _FOLDER / name)


def stop_runs(place: Path) -> None:
    """Stops the processes that the runs in a workplace left."""
    for run in (place / _FOLDER).glob("*/"):
        with suppress(NotOurFolderError):
            teardown.stop_everything(RunDirectory.existing(run))
