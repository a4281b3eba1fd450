"""The command as a user calls it, on a project in a git repository of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.pull_request.report import marker
from kubeflow_aks.tools import Tools
from tests.kubeflow_aks.revisions.repository import ALICE, Project
from tests.local.commands import PATIENCE_SECONDS


@dataclass(frozen=True)
class Shown:
    """What a preview of a change gave."""

    code: int
    printed: str
    errors: str
    folder: Path

    def document(self, stack: str) -> dict[str, Any]:
        """What it wrote for machines."""
        assert (self.folder / f"{stack}.md").read_text(encoding="utf-8").startswith(marker(stack))
        return json.loads((self.folder / f"{stack}.json").read_text(encoding="utf-8"))

    def changes(self, stack: str) -> dict[str, str]:
        """Name and action of each resource that changes."""
        return {change["name"]: change["action"] for change in self.document(stack)["changes"]}


def environment() -> dict[str, str]:
    """Variables of the command."""
    return {**os.environ, **ALICE, "PYTHONPATH": str(PROJECT_ROOT)}


def command(project: Project, *arguments: str, base: str = "main") -> list[str]:
    """The command that previews a project's change against its branch `main`."""
    return [sys.executable, "-m", "kubeflow_aks", "diff", base, "--root", str(project.root), *arguments]


def previewed(
    project: Project, *arguments: str, base: str = "main", code: int = 0, **variables: str
) -> Shown:
    """Previews a project's change, which touches nothing of the project."""
    before = project.state()
    done = subprocess.run(
        command(project, *arguments, base=base),
        env={**environment(), **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == code, done.stderr[-3000:] + done.stdout[-3000:]
    assert "Traceback" not in done.stderr + done.stdout
    assert project.state() == before
    return Shown(done.returncode, done.stdout, done.stderr, project.root / "build" / "pr-preview")


@pytest.fixture(scope="session")
def this_tree(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """This program in a repository of its own, on a branch that equals `main`; tests put back what they edit."""
    assert tools["pulumi"]
    root = tmp_path_factory.mktemp("this-tree") / "project"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=PROJECT_ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (PROJECT_ROOT / name).is_file() and not name.startswith(("tests/", "docs/", "ckf_spot/")):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes((PROJECT_ROOT / name).read_bytes())
    project = Project(root, root)
    project.git("init", "--quiet", "--initial-branch=main")
    for stack in ("demo", "dev"):
        file = root / f"Pulumi.{stack}.yaml"
        file.write_text(f'{file.read_text()}  kubeflow-aks:asOf: "2026-09-01"\n')
    project.commit("2026-09-01")
    project.git("update-ref", "refs/remotes/origin/main", "main")
    project.git("checkout", "--quiet", "-b", "change")
    return project
