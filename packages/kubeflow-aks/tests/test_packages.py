"""Each package has the repository's version, however they are built: from a folder, an sdist or a git repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from kubeflow_aks.project import PROJECT_ROOT

VERSION: Final = "7.8.9"
FILES: Final = (
    "NOTICE",
    "aks_facts/__init__.py",
    *(
        f"packages/kubeflow-aks/{name}"
        for name in ("LICENSE", "README.md", "hatch_build.py", "pyproject.toml")
    ),
    *(
        "packages/kubeflow-aks/src/kubeflow_aks/__init__.py",
        "packages/kubeflow-aks/src/kubeflow_aks/version.py",
    ),
    *(
        "components/LICENSE",
        "components/PulumiPlugin.yaml",
        "components/__init__.py",
        "components/pyproject.toml",
    ),
    *(
        "packages/ckf-spot/LICENSE",
        "packages/ckf-spot/README.md",
        "packages/ckf-spot/pyproject.toml",
        "packages/ckf-spot/src/ckf_spot/__init__.py",
    ),
)
PACKAGES: Final = {
    "kubeflow-aks": "packages/kubeflow-aks",
    "ckf-spot": "packages/ckf-spot",
    "kubeflow-aks-components": "components",
}
"""Each package's folder."""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository of the packages, with a version of its own."""
    folder = tmp_path_factory.mktemp("repository")
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT_ROOT / name, folder / name)
    declared = folder / "components/PulumiPlugin.yaml"
    declared.write_text(re.sub("version: .*", f"version: {VERSION}", declared.read_text(encoding="utf-8")))
    git = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], check=True)
    return folder


def _sdist(folder: Path, out: Path) -> str:
    code = "import sys, hatchling.build as build; print(build.build_sdist(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(out)], cwd=folder, capture_output=True, text=True, check=True
    )
    return str(out / done.stdout.split()[-1])


@pytest.mark.parametrize("source", ["folder", "sdist", "git"])
@pytest.mark.parametrize("package", PACKAGES)
def test_a_wheel_has_the_version(package: str, source: str, repository: Path, tmp_path: Path) -> None:
    folder = PACKAGES[package]
    requirement = {
        "folder": lambda: str(repository / folder),
        "sdist": lambda: _sdist(repository / folder, tmp_path),
        "git": lambda: f"{package} @ git+file://localhost{repository}#subdirectory={folder}",
    }[source]()
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "-q",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            tmp_path,
            requirement,
        ],
        env=os.environ | {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        check=True,
    )
    name = package.replace("-", "_")
    assert [file.name for file in tmp_path.glob("*.whl")] == [f"{name}-{VERSION}-py3-none-any.whl"]
