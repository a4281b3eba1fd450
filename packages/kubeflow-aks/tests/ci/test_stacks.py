"""The stacks that a workflow runs for, where file names may be anything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kubeflow_aks.ci import stacks
from kubeflow_aks.cli.process import main
from kubeflow_aks.project import IMPORT_PATH, PROJECT_ROOT


def listed(capsys: pytest.CaptureFixture[str], root: Path, *arguments: str) -> tuple[int, str, str]:
    code = main(["ci", "stacks", f"--root={root}", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def git(folder: Path, *words: str) -> str:
    options = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.hooksPath=/dev/null"]
    done = subprocess.run(["git", *options, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_this_project_has_its_stacks(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = listed(capsys, PROJECT_ROOT)
    assert (code, json.loads(out), err) == (0, ["demo", "dev", "prod"], "")


def test_the_output_is_one_line_that_github_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (
        "Pulumi.yaml",
        "Pulumi.a.yaml",
        "Pulumi.b-2_x.y.yaml",
        "Pulumi.c.yml",
        "Pulumi.yaml.bak",
        "pulumi.c.yaml",
    ):
        (tmp_path / name).touch()
    assert listed(capsys, tmp_path) == (0, '["a", "b-2_x.y"]\n', "")


@pytest.mark.parametrize(
    "stack",
    ["$(id)", "a b", "a;b", "a'", '"', "${{ github.token }}", "a\nb=c", "-x", "..", "é", "a" * 101, "`id`"],
)
def test_a_name_that_no_stack_can_have_is_named_and_left_out(
    stack: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Pulumi.good.yaml").touch()
    (tmp_path / f"Pulumi.{stack}.yaml").touch()
    code, out, err = listed(capsys, tmp_path)
    assert (code, out) == (0, '["good"]\n')
    assert err.count("\n") == 1
    assert err.isascii()


def test_a_stack_that_only_the_base_has_is_listed_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "Pulumi.gone.yaml").touch()
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message=base")
    base = git(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "Pulumi.gone.yaml").rename(tmp_path / "Pulumi.new.yaml")
    assert listed(capsys, tmp_path, "--base", base) == (0, '["gone", "new"]\n', "")


@pytest.mark.parametrize("base", ["HEAD", "--help", "0" * 40, "main; id"])
def test_a_base_that_is_no_commit_here_is_one_line(
    base: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(tmp_path, "init", "--quiet")
    code, out, err = listed(capsys, tmp_path, f"--base={base}")
    assert (code, out, err.count("\n")) == (1, "", 1)


def test_only_the_named_ones_are_listed_and_a_mistyped_one_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for stack in ("dev", "prod", "demo"):
        (tmp_path / f"Pulumi.{stack}.yaml").touch()
    assert listed(capsys, tmp_path, "--only", "prod dev") == (0, '["dev", "prod"]\n', "")
    code, out, err = listed(capsys, tmp_path, "--only", "prod dve")
    assert (code, out) == (1, "")
    assert "'dve' has no file" in err


def test_too_many_stacks_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(stacks.LIMIT + 1):
        (tmp_path / f"Pulumi.s{number}.yaml").touch()
    code, out, _ = listed(capsys, tmp_path)
    assert (code, out) == (1, "")


def test_python_alone_is_enough(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.dev.yaml").touch()
    command = [sys.executable, "-S", "-m", "kubeflow_aks.ci.stacks", "--only"]
    environment = {"PYTHONPATH": IMPORT_PATH, "PATH": os.environ["PATH"]}
    shown = {
        only: subprocess.run(
            [*command, only], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        for only in ("dev", "dve")
    }
    assert [(done.returncode, done.stdout) for done in shown.values()] == [(0, '["dev"]\n'), (1, "")]
    assert shown["dve"].stderr == "error: 'dve' has no file Pulumi.<stack>.yaml here\n"
