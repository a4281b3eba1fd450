"""What stands in for Kubeflow's driver makes of a task what the real one made of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubeflow_aks.clients.kubernetes.objects import at
from kubeflow_aks.local_aks.control_plane.controllers.kfp_driver import (
    outputs_of,
    pod_spec_patch,
    task_result,
)
from tests.kfp_recording import RECORDED

PATCHES = [(name, task) for name, recorded in RECORDED.items() for task in recorded["patches"]]
DRIVER: dict[str, Any] = {
    "metadata": {
        "name": "run-system-dag-driver-1",
        "namespace": "team-a",
        "ownerReferences": [{"kind": "Workflow", "name": "run", "uid": "1"}],
        "labels": {"workflows.argoproj.io/workflow": "run"},
        "annotations": {"workflows.argoproj.io/node-id": "run-1"},
    },
    "spec": {
        "containers": [
            {"name": "wait", "command": ["argoexec", "wait"]},
            {
                "name": "main",
                "command": ["/var/run/argo/argoexec", "emissary", "--", "driver"],
                "args": [
                    *("--type", "ROOT_DAG", "--runtime_config", "{}"),
                    *("--execution_id_path", "/outputs/execution-id"),
                    *("--condition_path", "/outputs/condition"),
                ],
            },
        ]
    },
}


def _task(name: str, task: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A recorded task's container and its settings for Kubernetes, from the compiled documents."""
    pipeline, *more = RECORDED[name]["ir"]
    template, _, driver = task.partition("--")
    dag = pipeline["components"].get(template, pipeline["root"])["dag"]
    component = dag["tasks"][driver.removesuffix("-driver")]["componentRef"]["name"]
    executor = pipeline["components"][component]["executorLabel"]
    platform = (
        at(more[0], "platforms", "kubernetes", "deploymentSpec", "executors", executor) if more else None
    )
    return pipeline["deploymentSpec"]["executors"][executor]["container"], platform or {}


@pytest.mark.parametrize(("name", "task"), PATCHES)
def test_a_pod_is_what_the_real_driver_made_of_it(name: str, task: str) -> None:
    patch = pod_spec_patch(*_task(name, task))
    for container in patch["containers"]:
        del container["command"], container["args"]  # left out of the recording
    assert patch == RECORDED[name]["patches"][task]


def test_the_container_runs_the_steps_command() -> None:
    container, settings = _task("03-spot-retries-workload", "root--merge-csv-driver")
    [main] = pod_spec_patch(container, settings)["containers"]
    assert main["args"] == [*container["command"], *container["args"]]


def test_a_driver_writes_the_files_of_its_arguments() -> None:
    arguments = {
        "--container": json.dumps({"image": "x", "resources": {"resourceCpuRequest": "5"}}),
        "--kubernetes_config": "",
        "--cached_decision_path": "/outputs/cached-decision",
        "--pod_spec_patch_path": "/outputs/pod-spec-patch",
    }
    outputs = outputs_of(arguments)
    assert outputs.keys() == {"cached-decision", "pod-spec-patch"}
    assert outputs["cached-decision"] == "false"
    [main] = json.loads(outputs["pod-spec-patch"])["containers"]
    assert (main["image"], main["resources"]) == ("x", {"requests": {"cpu": "5"}})


def test_argo_gets_a_drivers_result_under_the_name_of_its_node() -> None:
    result = task_result(DRIVER)
    assert result is not None
    assert result["metadata"]["name"] == "run-1"
    assert result["metadata"]["labels"]["workflows.argoproj.io/workflow"] == "run"
    assert result["metadata"]["ownerReferences"] == DRIVER["metadata"]["ownerReferences"]
    assert result["outputs"]["parameters"] == [
        {"name": "execution-id", "value": "1"},
        {"name": "condition", "value": "nil"},
    ]


def test_other_pods_have_no_result() -> None:
    step = {
        "containers": [{"name": "main", "command": ["argoexec", "emissary", "--", "python"], "args": ["-V"]}]
    }
    assert task_result({**DRIVER, "spec": step}) is None
