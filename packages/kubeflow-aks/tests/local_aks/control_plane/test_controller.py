"""Starting a controller: it is ready, or nothing is left of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kubeflow_aks.clients.kubernetes.errors import UnreachableError
from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.local_aks.control_plane.controllers.controller import Controller
from kubeflow_aks.local_aks.run.directory import RunDirectory


@pytest.fixture
def controller(tmp_path: Path) -> Controller:
    return Controller(RunDirectory.at(tmp_path), "one")


def _program(controller: Controller, text: str) -> list[str]:
    return [sys.executable, "-c", text, str(controller.run.root)]


def test_it_runs_when_it_is_ready_and_stops(controller: Controller) -> None:
    controller.start(
        _program(controller, "import time; print('up', flush=True); time.sleep(60)"),
        lambda: controller.count_in_log("up") > 0,
    )
    assert controller.running()
    controller.stop()
    assert not controller.running()


def test_one_that_ends_at_once_is_reported_with_its_last_words(controller: Controller) -> None:
    with pytest.raises(CommandError, match=r"^one does not start: out of order"):
        controller.start(_program(controller, "print('out of order')"), lambda: False)


def test_nothing_is_left_when_nobody_can_say_whether_it_is_ready(controller: Controller) -> None:
    def ready() -> bool:
        raise UnreachableError("the API server does not answer")

    with pytest.raises(UnreachableError):
        controller.start(_program(controller, "import time; time.sleep(60)"), ready)
    assert not controller.running()
    assert controller.run.pid_files() == []
