"""OpenTofu under the scripts' runner: interrupted in the middle of its work, it keeps its state and goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from tests.local.required import required_only

_RUNNER = PROJECT_ROOT / "kubeflow_aks" / "handoff" / "scripts" / "run.py"
_APPLICATIONS = 6


@pytest.fixture(scope="module")
def tofu() -> Path:
    """OpenTofu."""
    return required_only("tofu")["tofu"]


@pytest.fixture
def root(tofu: Path, tmp_path: Path) -> Path:
    """A root whose resources take half a second each, one after another."""
    resources = {
        f"application_{number}": {
            "depends_on": [f"terraform_data.application_{number - 1}"] if number else [],
            "provisioner": {"local-exec": {"command": "sleep 0.5"}},
        }
        for number in range(_APPLICATIONS)
    }
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "main.tf.json").write_text(json.dumps({"resource": {"terraform_data": resources}}))
    _start(tofu, folder, "init").communicate(timeout=60)
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


def _until(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            return
    pytest.fail(f"{text!r} was never printed")


def _made(root: Path) -> int:
    state: Any = json.loads((root / "terraform.tfstate").read_text())
    return sum(len(each["instances"]) for each in state["resources"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_apply_that_is_interrupted_keeps_its_state_and_goes_on(
    tofu: Path, root: Path, number: signal.Signals
) -> None:
    apply = _start(tofu, root, "apply", "-auto-approve", "-no-color")
    _until(apply, "application_1: Creation complete")
    os.killpg(apply.pid, number)
    time.sleep(0.1)
    os.killpg(apply.pid, signal.SIGTERM)  # the script's own, of the same Ctrl-C
    rest = apply.communicate(timeout=60)[0]
    assert apply.returncode == 130
    assert "Interrupt received" in rest
    assert "Two interrupts received" not in rest
    assert not (root / ".terraform.tfstate.lock.info").exists()
    assert 2 <= _made(root) < _APPLICATIONS
    again = _start(tofu, root, "apply", "-auto-approve", "-no-color")
    text = again.communicate(timeout=60)[0]
    assert again.returncode == 0, text
    assert _made(root) == _APPLICATIONS


def test_a_second_interrupt_ends_it_at_once(tofu: Path, root: Path) -> None:
    apply = _start(tofu, root, "apply", "-auto-approve", "-no-color")
    _until(apply, "application_0: Creating")
    os.killpg(apply.pid, signal.SIGINT)
    time.sleep(1.1)
    os.killpg(apply.pid, signal.SIGINT)
    apply.communicate(timeout=60)
    assert apply.returncode == 130


def test_a_reader_that_went_away_does_not_end_it(tofu: Path, root: Path) -> None:
    """As `tee` did, which died first of Ctrl-C and took Terraform along."""
    apply = _start(tofu, root, "apply", "-auto-approve", "-no-color")
    _until(apply, "application_0: Creating")
    assert apply.stdout is not None
    apply.stdout.close()
    assert apply.wait(timeout=60) == 0
    assert _made(root) == _APPLICATIONS
    assert "Apply complete!" in (root.parent / "log").read_text()
