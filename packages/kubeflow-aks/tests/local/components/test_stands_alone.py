"""Components need nothing else of this repository, so that another team can use a copy of them under any name.

Each test starts processes that load the SDKs, seconds each: too long for the quick tests.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[5]
IN_THE_CACHE = "resource-git.example.org_team_aks.git-v0.1.0"
"""What Pulumi's plugin cache calls the folder: no name of a Python package."""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but copies of the components."""
    folder = tmp_path_factory.mktemp("team")
    for name in ("aks", IN_THE_CACHE):
        shutil.copytree(
            ROOT / "components", folder / name, ignore=shutil.ignore_patterns(".venv", "__pycache__")
        )
    return folder


def loaded_by(*modules: str, cwd: Path) -> set[str]:
    """Names of the modules that imports load, in a process of its own."""
    program = (
        "import gc, importlib, json, sys\n"
        "gc.disable()\n"  # the SDKs make a million objects, none of them garbage
        f"for module in {modules}: importlib.import_module(module)\n"
        "print(json.dumps(list(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_every_module_of_a_copy_loads_and_nothing_of_the_other_rooms(elsewhere: Path) -> None:
    files = sorted((elsewhere / "aks").rglob("*.py"))
    modules = [".".join(file.relative_to(elsewhere).with_suffix("").parts) for file in files]
    modules_loaded = loaded_by(*modules, cwd=elsewhere)
    assert {"aks.package", "aks.kubeflow.prerequisites"} <= set(modules) <= modules_loaded
    assert {name.partition(".")[0] for name in modules_loaded} & {"components", "pydantic"} == set()


@pytest.mark.parametrize(
    "module",
    ["components.pools.conventions", "components.cluster.kubeconfig", "components.pools.pool_contract"],
)
def test_what_planning_shares_with_components_loads_no_sdk(module: str) -> None:
    assert not {name for name in loaded_by(module, cwd=ROOT) if name.startswith("pulumi")}


@pytest.mark.parametrize("command", [["aks"], [IN_THE_CACHE], ["-m", "aks"]])
def test_the_plugin_starts_as_a_folder_and_as_a_package(command: list[str], elsewhere: Path) -> None:
    arguments = [sys.executable, *command, "127.0.0.1:1"]
    with subprocess.Popen(arguments, cwd=elsewhere, stdout=subprocess.PIPE, text=True) as plugin:
        try:
            assert plugin.stdout
            assert int(plugin.stdout.readline()) > 0
        finally:
            plugin.terminate()
