"""Components need nothing else of this repository, so that another team can use them as they are.

Each test starts processes that load the SDKs, seconds each: too long for the quick tests.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ROOMS = {file.parent.name for file in ROOT.glob("*/__init__.py")} | {file.stem for file in ROOT.glob("*.py")}
OTHER_ROOMS = ROOMS - {"components", "__main__"}
MODULES = sorted(
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for file in (ROOT / "components").rglob("*.py")
)


def loaded_by(module: str) -> set[str]:
    """Names of the top-level modules that an import loads, in a process of its own."""
    program = f"import json, sys, {module}; print(json.dumps([name.split('.')[0] for name in sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout))


def test_there_are_other_rooms_to_stay_out_of() -> None:
    assert {"kubeflow_aks", "program"} <= OTHER_ROOMS


def test_every_module_loads_nothing_of_the_other_rooms() -> None:
    program = (
        "import importlib, json, sys\n"
        f"for module in {MODULES}:\n"
        "    importlib.import_module(module)\n"
        "print(json.dumps([name.split('.')[0] for name in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert {"components", "pulumi"} <= (found := set(json.loads(done.stdout)))
    assert found & (OTHER_ROOMS | {"pydantic"}) == set()


@pytest.mark.parametrize("module", ["components.conventions", "components.kubeconfig"])
def test_what_planning_shares_with_components_loads_no_sdk(module: str) -> None:
    assert not {name for name in loaded_by(module) if name.startswith("pulumi")}


@pytest.mark.parametrize("command", [["components"], ["-m", "components"]])
def test_the_plugin_starts_as_a_folder_and_as_a_package(command: list[str]) -> None:
    arguments = [sys.executable, *command, "127.0.0.1:1"]
    with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True) as plugin:
        try:
            assert plugin.stdout
            assert int(plugin.stdout.readline()) > 0
        finally:
            plugin.terminate()
