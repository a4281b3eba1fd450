"""The demo's workflows have the shape that Kubeflow's own compiler gives them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from ckf_spot import Placement, Pools
from kubeflow_aks.clients.kubernetes.objects import fields, is_list, is_object
from kubeflow_aks.scenario.workloads.kfp_compiler import Retries, Task, compiled
from kubeflow_aks.scenario.workloads.pipelines import Work, simulated
from tests.argo_runs import Attempt, attempts
from tests.kfp_recording import EXAMPLES, RECORDED

NAME = "the-run"
FIVE = Retries(5, backoff=300)
KEPT = ("componentRef", "taskInfo", "retryPolicy", "dependentTasks", "image", "resources", "executorLabel")
"""What is compared of a task, a component and a container: not their inputs, caching and source."""


def _tasks(name: str) -> list[Task]:
    """An example's tasks."""
    pools = Pools.sample()
    cpu: dict[str, Placement | None] = {
        "01-base-workload": None,
        "02-spot-workload": pools["cpu"].placement(require="spot"),
    }
    where = cpu.get(name, pools["cpu"].placement(prefer="spot"))
    retries = None if name in cpu else FIVE
    tasks = [
        Task("web-downloader", where, retries),
        Task("merge-csv", where, retries, after=("web-downloader",)),
    ]
    if name == "04-gpu-spot-workload":
        gpu, image = pools["gpu"].placement(prefer="spot"), "cupy/cupy:v13.6.0"
        tasks.append(Task("train", gpu, FIVE, after=("merge-csv",), gpus=1, image=image))
    return tasks


def _recorded(name: str) -> dict[str, Any]:
    """An example's workflow, with names instead of hashes and run ids."""
    pipeline = RECORDED[name]["ir"][0]["pipelineInfo"]["name"]
    text = json.dumps(RECORDED[name]["workflow"])
    for value in (pipeline, name, "11111111-2222-3333-4444-555555555555"):
        text = text.replace(f'"{value}"', f'"{NAME}"').replace(f'"{value}-"', f'"{NAME}-"')
    [root] = [t for t in RECORDED[name]["workflow"]["spec"]["templates"] if t["name"] == "root"]
    for task in root["dag"]["tasks"]:
        values = {parameter["name"]: parameter["value"] for parameter in task["arguments"]["parameters"]}
        if digest := re.search("[0-9a-f]{64}", values.get("component", "")):
            text = text.replace(digest[0], values["task-name"])
    return json.loads(text)


def _shape(value: Any) -> Any:
    """A workflow to compare: lists of names as maps, JSON texts as what they say, without what is not ours to know."""
    if isinstance(value, str) and value.startswith("{") and not value.startswith("{{"):
        return _plain(json.loads(value))
    if is_list(value):
        named = all("name" in fields(entry) for entry in value)
        return (
            {entry["name"]: _shape(entry) for entry in value} if named else [_shape(entry) for entry in value]
        )
    if is_object(value):
        return {
            key: _shape(entry)
            for key, entry in value.items()
            if key not in {"creationTimestamp", "namespace"}
        }
    return value


def _plain(value: dict[str, Any]) -> Any:
    if "dag" in value:
        return {name: _plain(task) for name, task in value["dag"]["tasks"].items()}
    kept = {key: value[key] for key in KEPT if key in value}
    return kept or value


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_pipeline_is_compiled_as_kubeflow_does(name: str) -> None:
    assert _shape(compiled(NAME, _tasks(name), {"url": "x"})) == _shape(_recorded(name))
    assert json.dumps(_tasks_of(compiled(NAME, _tasks(name)))) == json.dumps(_tasks_of(_recorded(name)))


def _tasks_of(workflow: dict[str, Any]) -> list[str]:
    """The order of the pipeline's tasks."""
    [root] = [template for template in workflow["spec"]["templates"] if template["name"] == "root"]
    return [task["name"] for task in root["dag"]["tasks"]]


def test_to_run_on_simulated_nodes_a_workflow_gets_what_they_have_to_know_and_nothing_else() -> None:
    recorded = RECORDED["03-spot-retries-workload"]["workflow"]
    before = json.dumps(recorded)
    work = {"web-downloader": Work(3, first=Work(9, exit_code=1)), "merge-csv": Work(4)}
    made = simulated(recorded, NAME, "team-a", work, {"part": "x"})
    assert json.dumps(recorded) == before
    assert made["metadata"]["name"] == NAME
    templates = {template["name"]: template for template in made["spec"]["templates"]}
    [task] = [
        task_of_root
        for task_of_root in templates["root"]["dag"]["tasks"]
        if task_of_root["name"] == "web-downloader"
    ]
    arguments = {parameter["name"]: parameter["value"] for parameter in task["arguments"]["parameters"]}
    assert {key: value for key, value in arguments.items() if key.endswith(("run-seconds", "exit-code"))} == {
        "run-seconds": "3",
        "exit-code": "0",
        "first-run-seconds": "9",
        "first-exit-code": "1",
    }
    assert arguments["retry-backoff-duration"] == "300"
    assert templates["retry-system-container-impl"]["metadata"]["labels"] == {"part": "x"}
    assert "labels" not in templates["system-container-driver"]["metadata"]
    for driver in ("system-container-driver", "system-dag-driver"):
        assert templates[driver]["metadata"]["annotations"]["local-aks/run-seconds"] == "0"


@pytest.mark.parametrize("setting", ["with", "without"])
def test_attempts_are_found_in_a_workflow_that_ran(setting: str) -> None:
    nodes = {
        str(number): {"name": name, "type": kind, "phase": phase, "message": message}
        for number, (name, kind, phase, message) in enumerate(RECORDED["a1-prefer"]["runs"][setting])
    }
    lost, again = Attempt(0, "Error", "pod deleted"), Attempt(1, "Succeeded", "")
    assert attempts({"status": {"nodes": nodes}}) == {"work": [lost, again] if setting == "with" else [lost]}
