"""The tools that a test needs."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest
from filelock import FileLock

from kubeflow_aks import tools
from kubeflow_aks.tools import Missing, Tools, crds
from kubeflow_aks.tools.places import cache


def required(*extras: str) -> Tools:
    """The tools; without them a test is skipped, and fails where KUBEFLOW_AKS_REQUIRE_TOOLS=1 requires them.

    Args:
        extras: optional ones (`./kubeflow-aks local build --with`).
    """
    result = tools.find(*extras)
    if isinstance(result, Missing):
        skip(str(result))
    return result


def required_only(*names: str) -> Tools:
    """These tools and no others; without them as without all.

    Args:
        names: of the tools.
    """
    result = tools.find_only(*names)
    if isinstance(result, Missing):
        skip(str(result))
    return result


def required_crds(name: str) -> tuple[Path, ...]:
    """Files of custom resources; without them as without the tools.

    Args:
        name: key of `crds.CRDS`.
    """
    files = crds.find(name)
    if not files:
        skip(
            f"not downloaded yet: custom resources of {crds.CRDS[name]} (`./kubeflow-aks local build --crds`)"
        )
    return files


def required_node_modules(project: Path) -> Path:
    """The `node_modules` of what a package-lock.json lists, installed once; without npm as without the tools.

    Args:
        project: folder of package.json and package-lock.json.
    """
    npm = shutil.which("npm")
    if npm is None:
        skip("npm is not on PATH")
    lock = (project / "package-lock.json").read_bytes()
    kept = cache().parent / "node_modules" / hashlib.sha256(lock).hexdigest()[:16]
    kept.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(kept.with_suffix(".lock")):
        if not kept.exists():
            _install_node_modules(npm, project, kept)
    return kept / "node_modules"


def _install_node_modules(npm: str, project: Path, kept: Path) -> None:
    scratch = Path(tempfile.mkdtemp(dir=kept.parent))
    for name in ("package.json", "package-lock.json"):
        shutil.copy(project / name, scratch)
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(scratch)
        skip(f"npm can't install the packages of {project.name}: {done.stderr[-500:]}")
    scratch.rename(kept)


def skip(reason: str) -> NoReturn:
    """Skips the test, or fails it where KUBEFLOW_AKS_REQUIRE_TOOLS=1 requires what it lacks."""
    if os.environ.get("KUBEFLOW_AKS_REQUIRE_TOOLS") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
