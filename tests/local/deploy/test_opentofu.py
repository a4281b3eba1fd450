"""The Terraform root under OpenTofu itself, with a stand-in of Canonical's module and no provider to download."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from handoff import terraform
from tests.deploy import recorded
from tests.handoff.made_up_outputs import outputs
from tests.local.required import required_only


@pytest.fixture(scope="session")
def tofu() -> Path:
    """OpenTofu."""
    return required_only("tofu")["tofu"]


@pytest.fixture
def root(tofu: Path, tmp_path: Path) -> Path:
    """The root with the stand-in, set up."""
    copy = recorded.root_of_stand_in(tmp_path)
    answer = _run(tofu, copy, "init", "-backend=false")
    assert answer.returncode == 0, answer.stderr
    return copy


def _run(tofu: Path, root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    mine = {key: value for key, value in os.environ.items() if not key.startswith(("TF_", "TOFU_"))}
    return subprocess.run(
        [tofu, f"-chdir={root}", *arguments, "-no-color"],
        env={**mine, "TF_CLI_CONFIG_FILE": os.devnull, "CHECKPOINT_DISABLE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_it_is_formatted(tofu: Path) -> None:
    answer = _run(tofu, recorded.ROOT, "fmt", "-check", "-diff", "-recursive")
    assert answer.returncode == 0, answer.stdout


def test_it_is_valid(tofu: Path, root: Path) -> None:
    answer = _run(tofu, root, "validate")
    assert answer.returncode == 0, answer.stderr


def test_what_it_refuses(tofu: Path, root: Path) -> None:
    """Runs `deploy/tests/`."""
    answer = _run(tofu, root, "test")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert ", 0 failed" in answer.stdout


def test_an_argument_that_the_module_does_not_have_is_refused(tofu: Path, root: Path) -> None:
    main = root / "main.tf"
    main.write_text(main.read_text().replace("  minio_size ", "  minio_storage_size ", 1))
    answer = _run(tofu, root, "validate")
    assert answer.returncode == 1
    assert 'An argument named "minio_storage_size" is not expected here' in answer.stderr


def test_a_broken_rule_is_found(tofu: Path, root: Path) -> None:
    """The root's own tests can fail."""
    variables = root / "variables.tf"
    rule = 'var.minio_mode == "server"'
    variables.write_text(variables.read_text().replace(rule, f'{rule} || var.minio_mode == "gateway"', 1))
    answer = _run(tofu, root, "test")
    assert answer.returncode == 1
    assert 'run "a_gateway"... fail' in answer.stdout


def test_it_takes_what_the_hand_off_writes(tofu: Path, root: Path, tmp_path: Path) -> None:
    file = tmp_path / "ckf.auto.tfvars.json"
    file.write_text(json.dumps(terraform.modules_kubeflow(outputs())))
    answer = _run(tofu, root, "plan", "-input=false", f"-var-file={file}")
    assert answer.returncode == 0, answer.stderr
    assert "undeclared" not in answer.stdout + answer.stderr


def test_without_the_hand_off_nothing_is_deployed(tofu: Path, root: Path) -> None:
    answer = _run(tofu, root, "plan", "-input=false")
    assert answer.returncode == 1
    assert 'The root module input variable "minio_size" is not set' in answer.stderr


def test_a_password_is_not_shown(tofu: Path, root: Path, tmp_path: Path) -> None:
    file = tmp_path / "variables.tfvars.json"
    secret = "not-a-real-one"  # noqa: S105
    given = terraform.modules_kubeflow(outputs()) | {
        "dex_static_username": "someone",
        "dex_static_password": secret,
    }
    file.write_text(json.dumps(given))
    answer = _run(tofu, root, "plan", "-input=false", f"-var-file={file}")
    assert answer.returncode == 0, answer.stderr
    assert secret not in answer.stdout + answer.stderr
