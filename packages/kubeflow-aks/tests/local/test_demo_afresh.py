"""A demo that was interrupted, and the next one: a user presses Ctrl-C, or whoever reads the output goes away."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from kubeflow_aks.local_aks.control_plane.kwokctl import component, log_file
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.tools import Tools
from tests.local.commands import PATIENCE_SECONDS, processes_of, run, start, until


@pytest.fixture
def build(tools: Tools, tmp_path: Path) -> Generator[Path]:  # noqa: ARG001 - skips
    """A folder of one test's own."""
    yield tmp_path / "build"
    assert run(tmp_path / "build", "down").returncode == 0
    assert processes_of(tmp_path) == []


def _interrupted(build: Path, *command: str, moment: str) -> None:
    """Ctrl-C a second after the line of that moment."""
    begun = start(build, *command)
    until(begun, moment)
    time.sleep(1)
    os.killpg(begun.pid, signal.SIGINT)  # as a terminal does: to the engine too
    _, errors = begun.communicate(timeout=PATIENCE_SECONDS)
    assert begun.returncode == 130
    assert errors.strip() == "error: interrupted; `./kubeflow-aks local down` removes what was started"


def test_ctrl_c_is_one_line_and_down_removes_what_is_left(build: Path) -> None:
    _interrupted(build, "demo", moment="[3/7]")
    assert run(build, "down").returncode == 0
    assert processes_of(build) == []
    assert not (build / "demo" / "local").exists()


def test_an_up_after_ones_that_did_not_end_begins_afresh_and_a_demo_goes_on_from_there(build: Path) -> None:
    _an_up_whose_api_server_ends_names_it(build)
    # The cluster's creation begins then, which takes 4 s at this speed.
    _interrupted(build, "up", "dev", "--speed", "15", moment="Network: 2 resources")
    again = run(build, "up", "dev")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "47 create" in again.stdout
    shown = run(build, "demo", "dev")
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert "Plan of stack dev" in shown.stdout
    assert "47 same" in shown.stdout.partition("[5/7]")[0]
    assert "✘" not in shown.stdout
    assert (build / "dev" / "demo.html").exists()


def _an_up_whose_api_server_ends_names_it(build: Path) -> None:
    begun = start(build, "up", "dev", "--speed", "15")
    until(begun, "Network: 2 resources")
    local = RunDirectory(build / "dev" / "local")
    api_server = component(local, "kube-apiserver").running()
    assert api_server is not None
    os.kill(api_server, signal.SIGKILL)
    _, errors = begun.communicate(timeout=PATIENCE_SECONDS)
    assert begun.returncode == 1
    assert errors == (
        "error: kube-apiserver of the local AKS ended while the engine worked; "
        f"see {log_file(local, 'kube-apiserver')}; run the command again\n"
    )


def test_a_reader_that_goes_away_ends_the_demo_quietly(build: Path) -> None:
    demo = start(build, "demo")
    until(demo, "[1/7]")
    assert demo.stdout is not None
    demo.stdout.close()
    assert demo.wait(timeout=PATIENCE_SECONDS) == 1
    assert demo.stderr is not None
    assert demo.stderr.read() == ""
