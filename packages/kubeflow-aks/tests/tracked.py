"""The files of the repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

from kubeflow_aks.project import PROJECT_ROOT


def tracked(*patterns: str) -> list[Path]:
    """Files that Git tracks and that are there; with patterns only those that match one of them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = (PROJECT_ROOT / name for name in listed.stdout.split("\0") if name)
    return [file for file in files if file.is_file()]
