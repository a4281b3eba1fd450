"""The background service: one for each run directory, with the clock of the last start."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from kubeflow_aks.local_aks.lifecycle import service_files
from kubeflow_aks.local_aks.lifecycle.instance import LocalAks
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.run.processes import command_line
from kubeflow_aks.tools import Tools


@pytest.fixture
def aks(tools: Tools, kubeconfig: Path, tmp_path: Path) -> Generator[LocalAks]:
    """A local AKS with nothing in it, its service at work on the shared control plane."""
    run = RunDirectory.at(tmp_path / "run")
    run.kubeconfig.touch(mode=0o600)
    run.kubeconfig.write_text(kubeconfig.read_text())
    aks = LocalAks(run, tools, "demo")
    aks.start_service()
    yield aks
    aks.stop_service()


def _pid(aks: LocalAks) -> int | None:
    return aks.run.pid_file(service_files.PID_FILE).running()


def test_a_service_that_runs_is_used_as_it_is(aks: LocalAks) -> None:
    before = _pid(aks)
    aks.start_service()
    assert _pid(aks) == before


def test_a_service_with_another_clock_gives_way(aks: LocalAks) -> None:
    before = _pid(aks)
    replace(aks, speed=30.0).start_service()
    after = _pid(aks)
    assert before is not None
    assert after is not None
    assert "--speed 30.0" in command_line(after)
    assert command_line(before) == ""
