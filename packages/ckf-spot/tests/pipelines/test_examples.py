"""The example notebooks: one source with their scripts, compiled as they promise, and run for real.

They run with kfp's local runner on a made-up tgz, and send their runs to an API server that keeps them. What Kubeflow's
compiler and driver made of them is recorded: `test_conformance.py` holds it against what the examples ask for.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import pytest
from compiling import DEMO, Compiled
from nbclient import NotebookClient
from recorded import COMPILED, without_pins
from scheduling import admits, wished
from servers import MERGED, PipelinesApi, archive, pipelines_api

from ckf_spot import Pools

FOLDER = Path(__file__).parents[2] / "examples" / "pipelines"
NAMES = [path.stem for path in sorted(FOLDER.glob("*.py"))]
BLOG = "https://storage.googleapis.com/ml-pipeline-playground/iris-csv-files.tar.gz"
CPU = {"exec-web-downloader", "exec-merge-csv"}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with archive(tmp_path_factory.mktemp("web")) as address:
        yield address


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PipelinesApi]:
    """The API server, and an environment in which an example finds it and the pools, and can't install a thing."""
    with pipelines_api() as server:
        monkeypatch.setenv("KF_PIPELINES_ENDPOINT", server.address)
        monkeypatch.setenv("CKF_SPOT_POOLS", str(DEMO))
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield server


@pytest.fixture(scope="module", params=NAMES)
def compiled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What one script compiles and sends when it is run as a script."""
    folder = tmp_path_factory.mktemp("script")
    with pipelines_api() as server:
        done = subprocess.run(
            [sys.executable, FOLDER / f"{request.param}.py"],
            cwd=folder,
            env=os.environ
            | {
                "KF_PIPELINES_ENDPOINT": server.address,
                "CKF_SPOT_POOLS": str(DEMO),
                "HOME": str(folder),
                "no_proxy": "127.0.0.1",
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return {
        "name": request.param,
        "compiled": Compiled.read(folder / f"{request.param}.yaml"),
        "runs": server.runs,
    }


def test_the_blogs_three_and_one_more_are_there() -> None:
    assert NAMES == [
        "01-base-workload",
        "02-spot-workload",
        "03-spot-retries-workload",
        "04-gpu-spot-workload",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_notebook_and_script_are_the_same(name: str) -> None:
    script = jupytext.read(FOLDER / f"{name}.py")
    notebook: Any = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    assert [(cell.cell_type, cell.source) for cell in notebook.cells] == [
        (cell.cell_type, cell.source) for cell in script.cells
    ], "jupytext --update --to ipynb examples/pipelines/*.py writes the notebooks"
    assert not any(cell.get("outputs") for cell in notebook.cells)


def test_a_script_sends_what_it_has_compiled(compiled: dict[str, Any]) -> None:
    (run,) = compiled["runs"]
    pipeline: Compiled = compiled["compiled"]
    sent = run["pipeline_spec"]
    if pipeline.platform:
        assert sent == {"pipeline_spec": pipeline.pipeline, "platform_spec": pipeline.platform}
    else:
        assert sent == pipeline.pipeline
    assert run["runtime_config"]["parameters"] == {"url": BLOG}


def test_a_script_compiles_to_what_kubeflow_was_given_when_it_was_recorded(compiled: dict[str, Any]) -> None:
    pipeline: Compiled = compiled["compiled"]
    documents = [document for document in (pipeline.pipeline, pipeline.platform) if document]
    assert without_pins(documents) == without_pins(COMPILED[compiled["name"]])


def test_a_script_places_its_steps_as_it_says(compiled: dict[str, Any], pools: Pools) -> None:
    pipeline: Compiled = compiled["compiled"]
    runs_on = {
        step: {pool.name for pool in pools.all if admits(placement, pool)}
        for step, placement in pipeline.placements.items()
    }
    on_cpu = {"cpuspot", "cpuod"}
    both_steps = dict.fromkeys(CPU, on_cpu)
    expected: dict[str, dict[str, set[str]]] = {
        "01-base-workload": {},
        "02-spot-workload": {step: {"cpuspot"} for step in CPU},
        "03-spot-retries-workload": both_steps,
        "04-gpu-spot-workload": both_steps | {"exec-train": {"gpuspot", "gpuod"}},
    }
    assert runs_on == expected[compiled["name"]]
    if compiled["name"].startswith(("03", "04")):
        for placement in pipeline.placements.values():
            assert {pool.name for pool in pools.all if wished(placement, pool)} == {"cpuspot", "gpuspot"}


def test_what_is_not_placed_runs_next_to_kubeflow(pools: Pools) -> None:
    assert [pool.name for pool in pools.all if admits({}, pool)] == ["general"]


def test_a_script_retries_its_steps_as_it_says(compiled: dict[str, Any]) -> None:
    pipeline: Compiled = compiled["compiled"]
    tasks = pipeline.pipeline["root"]["dag"]["tasks"]
    expected = (
        None
        if compiled["name"].startswith(("01", "02"))
        else {
            "maxRetryCount": 5,
            "backoffDuration": "300s",
            "backoffFactor": 1.0,
            "backoffMaxDuration": "604800s",
        }
    )
    assert {name: task.get("retryPolicy") for name, task in tasks.items()} == dict.fromkeys(tasks, expected)


def test_only_the_step_that_trains_asks_for_a_gpu(compiled: dict[str, Any]) -> None:
    pipeline: Compiled = compiled["compiled"]
    asking = {
        step: executor["container"]["resources"]["accelerator"]["resourceCount"]
        for step, executor in pipeline.pipeline["deploymentSpec"]["executors"].items()
        if "resources" in executor["container"]
    }
    assert asking == ({"exec-train": "1"} if compiled["name"].startswith("04") else {})


def test_the_steps_are_the_same_in_all_of_them() -> None:
    sources = [jupytext.read(FOLDER / f"{name}.py").cells for name in NAMES]
    steps = [
        [
            cell.source
            for cell in cells
            if cell.source.startswith("@dsl.component") and "def train" not in cell.source
        ]
        for cells in sources
    ]
    assert len(steps[0]) == 2
    assert all(code == steps[0] for code in steps)


def test_pandas_in_the_examples_is_the_one_of_this_environment() -> None:
    source = (FOLDER / "01-base-workload.py").read_text(encoding="utf-8")
    assert f'"pandas=={metadata.version("pandas")}"' in source


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_from_top_to_bottom_and_its_pipeline_gives_the_merged_csv(
    name: str, url: str, api: PipelinesApi, tmp_path: Path
) -> None:
    notebook: Any = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    locally = f"""
from kfp import local
local.init(
    local.SubprocessRunner(use_venv=False),
    pipeline_root={str(tmp_path / "outputs")!r},
    workspace_root={str(tmp_path / "workspace")!r},
)
my_pipeline(url={url!r})
"""
    notebook.cells.append(nbformat.v4.new_code_cell(locally))
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()

    assert len(api.runs) == 1
    (merged,) = (tmp_path / "outputs").rglob("output_csv")
    assert merged.read_text(encoding="utf-8") == MERGED
    if name.startswith("04"):
        (model,) = (tmp_path / "outputs").rglob("model")
        assert json.loads(model.read_text(encoding="utf-8"))["species"] == [
            "Iris-setosa",
            "Iris-versicolor",
            "Iris-virginica",
        ]
