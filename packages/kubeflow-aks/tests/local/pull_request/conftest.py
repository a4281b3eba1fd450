"""The command as a user calls it, on a project in a git repository of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.project import IMPORT_PATH, PROJECT_ROOT
from kubeflow_aks.pull_request.command import COMMENT
from kubeflow_aks.pull_request.report import MARKER
from kubeflow_aks.tools import Tools
from tests.local.commands import PATIENCE_SECONDS
from tests.revisions.repository import ALICE, Project


@dataclass(frozen=True)
class Shown:
    """What a preview of a change printed, and what it wrote: one comment, and the document of each stack."""

    printed: str
    errors: str
    comment: str
    documents: Mapping[str, dict[str, Any]]

    def document(self, stack: str) -> dict[str, Any]:
        """What it wrote for machines."""
        assert self.comment.startswith(MARKER)
        return self.documents[stack]

    def changes(self, stack: str) -> dict[str, str]:
        """Name and action of each resource that changes."""
        return {change["name"]: change["action"] for change in self.document(stack)["changes"]}


def environment() -> dict[str, str]:
    """Variables of the command."""
    return {**os.environ, **ALICE, "PYTHONPATH": IMPORT_PATH}


def command(project: Project, *arguments: str, base: str = "main") -> list[str]:
    """The command that previews a project's change against its branch `main`."""
    return [sys.executable, "-m", "kubeflow_aks", "diff", base, "--root", str(project.root), *arguments]


def previewed(
    project: Project, *arguments: str, base: str = "main", code: int = 0, **variables: str
) -> Shown:
    """Previews a project's change."""
    return run(project, command(project, *arguments, base=base), {**environment(), **variables}, code=code)


def run(
    project: Project,
    words: Sequence[str],
    variables: Mapping[str, str],
    *,
    folder: Path | None = None,
    code: int = 0,
) -> Shown:
    """Runs a command that previews a project's change, which touches nothing of the project."""
    results = project.root / "build" / "pr-preview"
    for earlier in results.glob("*.json"):
        earlier.unlink()
    before = project.state()
    done = subprocess.run(
        words,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == code, done.stderr[-3000:] + done.stdout[-3000:]
    assert "Traceback" not in done.stderr + done.stdout
    assert project.state() == before
    documents = {file.stem: file.read_text(encoding="utf-8") for file in results.glob("*.json")}
    return Shown(
        done.stdout,
        done.stderr,
        (results / COMMENT).read_text(encoding="utf-8") if (results / COMMENT).exists() else "",
        {stack: json.loads(text) for stack, text in documents.items()},
    )


@pytest.fixture(scope="session")
def this_tree(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """This program in a repository of its own, on a branch that equals `main`; tests put back what they edit."""
    assert tools["pulumi"]
    root = tmp_path_factory.mktemp("this-tree") / "project"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=PROJECT_ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (PROJECT_ROOT / name).is_file() and not name.startswith(
            ("tests/", "docs/", "packages/ckf-spot/", "packages/kubeflow-aks/tests/")
        ):
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
