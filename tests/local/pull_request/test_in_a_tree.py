"""The command in a tree of its own: that tree's code previews that tree."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kubeflow_aks.revisions.bytecode import bytecode
from tests.kubeflow_aks.revisions.repository import Project
from tests.local.pull_request.conftest import environment


def diff(build: Project, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs `diff` in a project's folder."""
    variables = {name: value for name, value in environment().items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-m", "kubeflow_aks", "diff", *words],
        cwd=build.root,
        env=variables | {"PYTHONPYCACHEPREFIX": str(bytecode())},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def build(this_tree: Project) -> Project:
    return this_tree


def test_all_stacks_are_previewed_since_the_main_branch(build: Project) -> None:
    before = build.state()
    done = diff(build)
    assert done.returncode == 0, done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines() if "nothing changes" in line] == [
        "demo",
        "dev",
        "prod",
    ]
    assert build.state() == before


def test_one_stack_is_previewed_since_another_commit(build: Project) -> None:
    done = diff(build, "main", "--stack", "demo")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("demo: nothing changes")


def test_a_usage_error_is_one_line(build: Project) -> None:
    done = diff(build, "main", "--stack=nothing-such")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == (
        "error: --stack: nothing-such is not allowed; expected one of demo, dev, prod"
    )
