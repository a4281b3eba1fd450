"""OpenTofu under the scripts' runner: interrupted in the middle of its work, it keeps its state and goes on."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from tests.local.commands import PATIENCE_SECONDS, until
from tests.local.required import required_only

_RUNNER = PROJECT_ROOT / "packages/kubeflow-aks/src/kubeflow_aks" / "handoff" / "scripts" / "run.py"
_APPLICATIONS = 6


@pytest.fixture(scope="module")
def tofu() -> Path:
    """OpenTofu."""
    return required_only("tofu")["tofu"]


@pytest.fixture
def root(tofu: Path, tmp_path: Path) -> Path:
    """A root whose resources are made one after another; the one after the second waits for a file `go`."""
    folder = tmp_path / "root"
    folder.mkdir()
    waiting = f"until [ -e {shlex.quote(str(folder / 'go'))} ]; do sleep 0.1; done"
    resources = {
        f"application_{number}": {
            "depends_on": [f"terraform_data.application_{number - 1}"] if number else [],
            "provisioner": {"local-exec": {"command": waiting if number == 2 else "true"}},
        }
        for number in range(_APPLICATIONS)
    }
    (folder / "main.tf.json").write_text(json.dumps({"resource": {"terraform_data": resources}}))
    _start(tofu, folder, "init").communicate(timeout=PATIENCE_SECONDS)
    return folder


def _start(tofu: Path, root: Path, *arguments: str) -> subprocess.Popen[str]:
    mine = {key: value for key, value in os.environ.items() if not key.startswith(("TF_", "TOFU_"))}
    return subprocess.Popen(
        [
            sys.executable,
            _RUNNER,
            "--log",
            root.parent / "log",
            "tofu",
            "--",
            tofu,
            f"-chdir={root}",
            *arguments,
        ],
        env={**mine, "TF_CLI_CONFIG_FILE": os.devnull, "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def _made(root: Path) -> int:
    state: Any = json.loads((root / "terraform.tfstate").read_text())
    return sum(len(resource["instances"]) for resource in state["resources"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_apply_that_is_interrupted_keeps_its_state_and_goes_on(
    tofu: Path, root: Path, number: signal.Signals
) -> None:
    apply = _start(tofu, root, "apply", "-auto-approve", "-no-color")
    until(apply, "application_1: Creation complete")
    os.killpg(apply.pid, number)
    time.sleep(0.1)
    os.killpg(apply.pid, signal.SIGTERM)  # the script's own, of the same Ctrl-C
    rest = apply.communicate(timeout=PATIENCE_SECONDS)[0]
    assert apply.returncode == 130
    assert "Interrupt received" in rest
    assert "Two interrupts received" not in rest
    assert not (root / ".terraform.tfstate.lock.info").exists()
    assert 2 <= _made(root) < _APPLICATIONS
    (root / "go").touch()
    again = _start(tofu, root, "apply", "-auto-approve", "-no-color")
    text = again.communicate(timeout=PATIENCE_SECONDS)[0]
    assert again.returncode == 0, text
    assert _made(root) == _APPLICATIONS


def test_a_second_interrupt_ends_it_at_once(tofu: Path, root: Path) -> None:
    apply = _start(tofu, root, "apply", "-auto-approve", "-no-color")
    until(apply, "application_2: Creating")
    os.killpg(apply.pid, signal.SIGINT)
    time.sleep(1.1)
    os.killpg(apply.pid, signal.SIGINT)
    apply.communicate(timeout=PATIENCE_SECONDS)
    assert apply.returncode == 130


def test_a_reader_that_went_away_does_not_end_it(tofu: Path, root: Path) -> None:
    """As `tee` did, which died first of Ctrl-C and took Terraform along."""
    apply = _start(tofu, root, "apply", "-auto-approve", "-no-color")
    until(apply, "application_0: Creating")
    assert apply.stdout is not None
    apply.stdout.close()
    (root / "go").touch()
    assert apply.wait(timeout=PATIENCE_SECONDS) == 0
    assert _made(root) == _APPLICATIONS
    assert "Apply complete!" in (root.parent / "log").read_text()
