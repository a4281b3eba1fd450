"""A control plane for as long as tests need it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from kubeflow_aks.local_aks.control_plane.kwokctl import ControlPlane
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.tools import Tools


@contextmanager
def running(tools: Tools, folder: Path) -> Generator[ControlPlane]:
    """One with nothing in it, whose run directory is a folder."""
    plane = ControlPlane(RunDirectory.at(folder), tools)
    plane.start()
    yield plane
    plane.stop()
