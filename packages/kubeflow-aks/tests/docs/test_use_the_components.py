"""The page on the components, followed as it is written by a team that has the wheel and no checkout of ours."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Final

import pytest

from kubeflow_aks.environment import program
from kubeflow_aks.project import PROJECT_ROOT
from tests.docs.pages import blocks, commands
from tests.installed import Installed, empty, wheel

PAGE: Final = PROJECT_ROOT / "docs/how-to/use-the-components.md"
BUILD, FROM_WHEEL, FROM_GIT, IMPORT, ADD_FROM_GIT, ADD_FROM_CHECKOUT = commands(PAGE)
ALIASES, TEST = blocks(PAGE, "python")
COMPONENTS: Final = PROJECT_ROOT / "components"
NOT_INSTALLED: Final = {"LICENSE", "pyproject.toml", "requirements.txt"}
"""What the wheel has in another form, in its metadata."""


def _sources() -> set[str]:
    files = (file.relative_to(COMPONENTS) for file in COMPONENTS.rglob("*") if file.is_file())
    return {file.as_posix() for file in files if not {".venv", "venv", "__pycache__"} & set(file.parts)}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy in which Pulumi's Python host has made its environment, and no git ignores it."""
    root = tmp_path_factory.mktemp("checkout")
    left_out = shutil.ignore_patterns(".venv", "venv", "__pycache__")
    shutil.copytree(COMPONENTS, root / "components", ignore=left_out)
    for environment in (".venv", "venv"):
        file = root / "components" / environment / "lib" / "pulumi" / "__init__.py"
        file.parent.mkdir(parents=True)
        file.touch()
    return wheel(root, tuple(shlex.split(BUILD)), root)


@pytest.fixture(scope="module")
def team(built: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Installed, Path]:
    """Another team's environment, in which the page's command has installed the wheel, and a folder for its files."""
    folder = tmp_path_factory.mktemp("team")
    environment = empty(folder / "environment")
    pip, install, file = shlex.split(FROM_WHEEL.replace("<version>", built.name.split("-")[1]))
    assert (pip, install) == ("pip", "install")
    environment.install(file, cwd=built.parent)
    return environment, folder


def test_the_wheel_has_the_sources_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(built) as archive:
        names = [name.partition("/") for name in archive.namelist()]
    modules = {name for folder, _, name in names if folder == "kubeflow_aks_components"}
    assert modules == _sources() - NOT_INSTALLED
    assert {"PulumiPlugin.yaml", "py.typed", "kubeflow/prerequisites.py"} <= modules
    assert {folder.partition("-")[2] for folder, _, _ in names} == {
        "",
        f"{built.name.split('-')[1]}.dist-info",
    }


def test_the_installed_package_is_a_plugin(team: tuple[Installed, Path]) -> None:
    """As Pulumi's Python host runs a package, which is by the name of its distribution."""
    environment, folder = team
    host = [
        environment.program("python"),
        "-m",
        "pulumi.run.plugin",
        "kubeflow-aks-components",
        "127.0.0.1:1",
    ]
    with subprocess.Popen(host, cwd=folder, stdout=subprocess.PIPE, text=True) as plugin:
        try:
            assert plugin.stdout
            assert int(plugin.stdout.readline()) > 0
        finally:
            plugin.terminate()


def test_the_test_of_the_page_passes_without_azure(team: tuple[Installed, Path]) -> None:
    environment, folder = team
    environment.install("pytest", cwd=folder)
    (folder / "test_platform.py").write_text(TEST, encoding="utf-8")
    pytest_ = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    done = environment.run(*pytest_, "test_platform.py", cwd=folder)
    assert "1 passed" in done.stdout, done.stdout
    (folder / "test_wrong.py").write_text(TEST.replace(":NoSchedule", ":NoExecute"), encoding="utf-8")
    wrong = environment.run(*pytest_, "test_wrong.py", cwd=folder)
    assert (wrong.returncode, "NoExecute" in wrong.stdout) == (1, True)


def test_the_page_and_the_example_have_the_right_types(team: tuple[Installed, Path]) -> None:
    environment, folder = team
    (folder / "aliases.py").write_text(ALIASES, encoding="utf-8")
    (folder / "test_platform.py").write_text(TEST, encoding="utf-8")
    shutil.copy(PROJECT_ROOT / "examples" / "two-pools" / "__main__.py", folder)
    files = ["aliases.py", "test_platform.py", "__main__.py"]
    settings = {"include": files}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    pyright = program(PROJECT_ROOT / ".venv", "pyright")
    done = subprocess.run(
        [pyright, "--project", folder, "--pythonpath", environment.program("python")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_addresses_name_the_folder_and_a_tag_of_this_version() -> None:
    """Pulumi takes what follows `.git/` for the folder, and the version for that of a tag."""
    place = r"https://git\.example\.org/team/kubeflow-aks\.git"
    assert re.fullmatch(rf"pip install '[\w-]+ @ git\+{place}#subdirectory={COMPONENTS.name}'", FROM_GIT)
    assert re.fullmatch(rf"pulumi package add {place}/{COMPONENTS.name}@\d+\.\d+\.\d+", ADD_FROM_GIT)
    assert ADD_FROM_CHECKOUT.endswith(f"/{COMPONENTS.name}")
