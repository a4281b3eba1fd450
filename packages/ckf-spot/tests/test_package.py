"""The package as users get it: installed without extras, typed, and from pinned tools."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ckf_spot import sources

FOLDER = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))
WITHOUT_EXTRAS = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"kfp", "kubernetes", "kubeflow"}:
            raise ImportError(f"No module named {name!r}")

sys.meta_path.insert(0, Missing())
sys.path.insert(0, sys.argv[1])
import ckf_spot
print(ckf_spot.__file__)
print(ckf_spot.Pools.load(sys.argv[2])["cpu"].placement().node_selector)
try:
    ckf_spot.Pools.load()
except ckf_spot.ContractError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but the installed package."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, FOLDER], check=True, timeout=120
    )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def wants(installed: Path, extra: str = "") -> list[str]:
    """What the wheel requires, for an extra or without any."""
    (notes,) = installed.glob("*.dist-info/METADATA")
    fields = [line.partition("; extra == ") for line in notes.read_text(encoding="utf-8").splitlines()]
    return [
        field.removeprefix("Requires-Dist: ")
        for field, _, name in fields
        if field.startswith("Requires-Dist: ") and name.strip("'") == extra
    ]


def test_the_wheel_has_every_module_and_says_that_it_is_typed(installed: Path) -> None:
    source = FOLDER / "src" / "ckf_spot"
    expected = {path.relative_to(source) for path in source.rglob("*") if path.suffix in {".py", ".typed"}}
    there = {path.relative_to(installed / "ckf_spot") for path in (installed / "ckf_spot").rglob("*.*")}
    assert Path("py.typed") in expected <= there


def test_the_wheel_wants_nothing_but_yaml_and_offers_the_rest_as_extras(installed: Path) -> None:
    assert wants(installed) == ["pyyaml>=6.0.2"]
    assert all(wants(installed, extra) for extra in ("kfp", "kubernetes", "validate"))


def test_pools_are_read_without_any_extra(installed: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS, installed, sources.SAMPLE],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=tmp_path,
        env={"HOME": str(tmp_path)},
    )
    path, selector, error = done.stdout.splitlines()
    assert Path(path).is_relative_to(installed)
    assert selector == "{'kubeflow-aks/workload': 'cpu'}"
    (package,) = map(shlex.quote, wants(installed, "kubernetes"))
    assert f"the kubernetes package is missing; pip install {package}, or name a file" in error


def test_the_lock_file_has_what_the_project_asks_for() -> None:
    locked = (FOLDER / "requirements-dev.txt").read_text(encoding="utf-8").lower().splitlines()
    pins = {line.split()[0] for line in locked if "==" in line}
    pins_of_project = (
        requirement.lower().partition("==") for requirement in PROJECT["dependency-groups"]["dev"]
    )
    assert {
        re.sub("[-_.]+", "-", name) + equals + version for name, equals, version in pins_of_project
    } <= pins
    assert PROJECT["build-system"]["requires"][0] in pins
