"""Wall time of the preview of a change, the first and the second with the same base."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from kubeflow_aks.project import PROJECT_ROOT

STACK: Final = "dev"
REPEATS: Final = 3


def main() -> int:
    """Prints seconds and the ratio; returns 1 where a preview fails."""
    with TemporaryDirectory(prefix="bench-pull-request-") as folder:
        root = _copy(Path(folder) / "project")
        firsts: list[float] = []
        seconds: list[float] = []
        _preview(root)  # compiles what Python keeps, and makes environments
        for _ in range(REPEATS):
            shutil.rmtree(root / "build" / "pr-preview" / "bases", ignore_errors=True)
            firsts.append(_preview(root))
            seconds.append(_preview(root))
    first, second = sorted(firsts)[REPEATS // 2], sorted(seconds)[REPEATS // 2]
    print(f"preview of a change of {STACK}, median of {REPEATS} (targets 45 s and 15 s on 2 cores)")
    print(f"first of a base   {first:6.1f} s")
    print(f"second of it      {second:6.1f} s")
    print(f"first ÷ second    {first / second:6.2f} ×")
    return 0


def _copy(root: Path) -> Path:
    """This tree in a repository of its own, with an edit that replaces two pools and updates a ConfigMap."""
    names = _git(PROJECT_ROOT, "ls-files", "-z").split("\0")
    for name in filter(None, names):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(PROJECT_ROOT / name, root / name)
    _git(root, "init", "--quiet", "--initial-branch=main")
    _git(root, "add", "--all")
    _git(
        root,
        "-c",
        "user.name=bench",
        "-c",
        "user.email=bench@localhost",
        "commit",
        "--quiet",
        "--message=base",
    )
    settings = root / f"Pulumi.{STACK}.yaml"
    pools = "general: {vmSize: Standard_D8s_v5, minCount: 2, maxCount: 3}\n    cpuspot: {vmSize: Standard_D16ds_v5, "
    rest = "priority: Spot, maxCount: 10, fallback: {maxCount: 5}}"
    settings.write_text(f"{settings.read_text()}  kubeflow-aks:pools:\n    {pools}{rest}\n")
    return root


def _preview(root: Path) -> float:
    command = [
        sys.executable,
        "-m",
        "kubeflow_aks.pull_request",
        "main",
        "--root",
        str(root),
        "--stack",
        STACK,
    ]
    begun = time.perf_counter()
    subprocess.run(command, cwd=PROJECT_ROOT, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def _git(folder: Path, *arguments: str) -> str:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
