"""The commands of the documentation, run by make in a tree of its own: that tree's code previews that tree."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.local.pull_request.conftest import environment
from tests.revisions.repository import Project


def make(build: Project, *words: str) -> subprocess.CompletedProcess[str]:
    """Calls make in a project's folder, which needs no set-up there."""
    variables = {
        name: value for name, value in environment().items() if name not in {"MAKEFLAGS", "PYTHONPATH"}
    }
    return subprocess.run(
        ["make", "--silent", "--old-file=.venv/.dev", f"PY={sys.executable}", *words],
        cwd=build.root,
        env=variables | {"PYTHONPYCACHEPREFIX": os.devnull},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def build(this_tree: Project) -> Project:
    return this_tree


def test_all_stacks_are_previewed_since_the_main_branch(build: Project) -> None:
    before = build.seen()
    done = make(build, "pr-preview")
    assert done.returncode == 0, done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines() if "nothing changes" in line] == [
        "demo",
        "dev",
        "prod",
    ]
    assert build.seen() == before


def test_one_stack_is_previewed_since_another_commit(build: Project) -> None:
    done = make(build, "pr-preview", "BASE=main", "STACK=demo")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("demo: nothing changes")


def test_a_usage_error_is_one_line(build: Project) -> None:
    done = make(build, "pr-preview", "BASE=main", "STACK=nothing-such")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == (
        "error: --stack: nothing-such is not allowed; expected one of demo, dev, prod"
    )
