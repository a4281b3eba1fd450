"""A small project in a git repository of its own, as the preview of a change finds it."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kubeflow_aks.project import PROJECT_ROOT

ALICE: Final = {
    "GIT_AUTHOR_NAME": "Alice",
    "GIT_AUTHOR_EMAIL": "alice@example.org",
    "GIT_COMMITTER_NAME": "Alice",
    "GIT_COMMITTER_EMAIL": "alice@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}
PROGRAM: Final = """\
import pulumi


class Thing(pulumi.ComponentResource):
    pass


Thing("test:index:Thing", "kept", {"size": 1})
"""


@dataclass(frozen=True)
class Project:
    """A project whose branch `main` has one commit; the branch `change` is checked out and equal to it."""

    root: Path
    top: Path

    def git(self, *arguments: str, **variables: str) -> str:
        """What git prints."""
        return subprocess.run(
            ["git", *arguments],
            cwd=self.top,
            env={**os.environ, **ALICE, **variables},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    def write(self, name: str, text: str) -> None:
        """Writes a file of the project."""
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def commit(self, day: str = "2026-05-04") -> str:
        """Commits all that there is, and gives the commit."""
        self.git("add", "--all")
        moment = f"{day}T12:00:00+00:00"
        self.git(
            "commit",
            "--quiet",
            "--allow-empty",
            "--message=change",
            GIT_COMMITTER_DATE=moment,
            GIT_AUTHOR_DATE=moment,
        )
        return self.git("rev-parse", "HEAD").strip()

    def state(self) -> dict[str, object]:
        """All that a preview must leave as it is: what git knows, and every file with the time of its last change."""
        commands = (
            ("status", "--porcelain", "--ignored=no"),
            ("worktree", "list", "--porcelain"),
            ("stash", "list"),
            ("for-each-ref",),
            ("reflog",),
            ("config", "--list", "--local"),
        )
        answers: dict[str, object] = {
            " ".join(words): self.git("--no-optional-locks", *words) for words in commands
        }
        files = (self.top / ".git" / "index", self.top / ".git" / "HEAD", *_files(self.top))
        return answers | {str(file): file.stat().st_mtime_ns for file in files}


def _files(top: Path) -> list[Path]:
    skipped = (top / ".git", top / "build")
    return [
        file
        for file in top.rglob("*")
        if not any(file.is_relative_to(folder) for folder in skipped) and file != top
    ]


def project(top: Path, within: str = "", *, program: str = PROGRAM) -> Project:
    """Makes one.

    Args:
        top: the repository's folder.
        within: the project's folder in it.
        program: the text of `__main__.py`.
    """
    made = Project(top / within, top)
    made.root.mkdir(parents=True)
    made.git("init", "--quiet", "--initial-branch=main")
    made.write("__main__.py", program)
    made.write("Pulumi.yaml", "name: small\nruntime: python\n")
    made.write("Pulumi.dev.yaml", "config:\n  small:given: one\n")
    made.write("requirements.txt", (PROJECT_ROOT / "requirements.txt").read_text(encoding="utf-8"))
    made.write(".gitignore", "build/\n")
    made.commit()
    made.git("checkout", "--quiet", "-b", "change")
    return made
