"""The README's lines install the package where there is no checkout; without the extras' packages, and off line."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

import pytest
from serving import serving

FOLDER = Path(__file__).parents[1]
README = (FOLDER / "README.md").read_text(encoding="utf-8")
FROM_RELEASE, FROM_INDEX, FROM_CHECKOUT, WHEEL, FROM_WHEEL, FROM_GIT = re.findall(
    r"^pip .*", README, re.MULTILINE
)
VERSION = Path("components/PulumiPlugin.yaml")
NOTEBOOK = (
    (FOLDER / "examples/pipelines/01-base-workload.py").read_text(encoding="utf-8").replace("\n# ", " ")
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with this package in it, and the file that has the repository's version."""
    folder = tmp_path / "checkout"
    (folder / VERSION.parent).mkdir(parents=True)
    shutil.copy(FOLDER.parents[1] / VERSION, folder / VERSION)
    for name in ("pyproject.toml", "README.md", "src"):
        copy = shutil.copytree if (FOLDER / name).is_dir() else shutil.copy
        (folder / "packages/ckf-spot").mkdir(parents=True, exist_ok=True)
        copy(FOLDER / name, folder / "packages/ckf-spot" / name)
    return folder


def pip(command: str, folder: Path, **settings: str) -> None:
    """Runs a line of the page."""
    environment = {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", **settings}
    subprocess.run(
        [sys.executable, "-m", *shlex.split(command), "-q", "--disable-pip-version-check"],
        cwd=folder,
        env=os.environ | environment,
        check=True,
        timeout=120,
    )


def works(site: Path) -> bool:
    """Whether the package that was installed there works."""
    code = "import ckf_spot; print(ckf_spot.__file__, *ckf_spot.Pools.sample())"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    path, *names = ran.stdout.split()
    return Path(path).is_relative_to(site) and "cpu" in names


def test_from_a_checkout(checkout: Path, tmp_path: Path) -> None:
    pip(FROM_CHECKOUT, checkout, PIP_TARGET=str(tmp_path / "site"))
    assert works(tmp_path / "site")


@pytest.fixture
def served(checkout: Path) -> Iterator[tuple[str, str]]:
    """The address of a server with the wheel, as a release and as a package index has it, and the version."""
    pip(WHEEL, checkout)
    (wheel,) = (checkout / "dist").glob("*.whl")
    version = wheel.name.split("-")[1]
    for folder in (f"releases/download/v{version}", "simple/ckf-spot"):
        (checkout / "served" / folder).mkdir(parents=True)
        shutil.copy(wheel, checkout / "served" / folder)
    page = checkout / "served/simple/ckf-spot/index.html"
    page.write_text(f'<!DOCTYPE html><a href="{wheel.name}">{wheel.name}</a>', encoding="utf-8")
    handler = partial(SimpleHTTPRequestHandler, directory=str(checkout / "served"))
    with serving(handler) as address:
        yield address, version


def test_from_a_release(served: tuple[str, str], tmp_path: Path) -> None:
    address, version = served
    line = FROM_RELEASE.replace("https://git.example.org/kubeflow-aks", address).replace("<version>", version)
    assert address in line
    pip(line, tmp_path, PIP_TARGET=str(tmp_path / "site"))
    assert works(tmp_path / "site")


def test_from_an_index(served: tuple[str, str], tmp_path: Path) -> None:
    address, _ = served
    line = FROM_INDEX.replace("https://packages.example.org", address)
    assert address in line
    pip(line, tmp_path, PIP_NO_INDEX="0", PIP_TARGET=str(tmp_path / "site"))
    assert works(tmp_path / "site")


def test_in_a_notebook_from_the_wheel(checkout: Path, tmp_path: Path) -> None:
    pip(WHEEL, checkout)
    (wheel,) = (checkout / "dist").glob("*.whl")
    line = FROM_WHEEL.replace("<version>", wheel.name.split("-")[1])
    assert line != FROM_WHEEL
    pip(line, checkout / "dist", PIP_TARGET=str(tmp_path / "site"))
    assert works(tmp_path / "site")


def test_in_a_notebook_from_the_repository(checkout: Path, tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], cwd=checkout, check=True, timeout=60)
    line = FROM_GIT.replace("https://git.example.org/kubeflow-aks.git", f"file://localhost{checkout}")
    assert line != FROM_GIT
    pip(line, tmp_path, PIP_TARGET=str(tmp_path / "site"))
    assert works(tmp_path / "site")


def test_the_first_notebook_says_the_same() -> None:
    assert f"`{WHEEL}`" in NOTEBOOK
    assert f"`%{FROM_WHEEL}`" in NOTEBOOK
