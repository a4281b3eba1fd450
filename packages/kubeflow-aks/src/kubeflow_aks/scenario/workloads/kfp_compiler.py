"""Argo workflows as the compiler of Kubeflow Pipelines 2.16 writes them for a pipeline of tasks at the top level.

The compiler itself is not installed here; tests/scenario/test_scenario_pipelines.py compares this one with
workflows of the real one. Each task has a driver before it, which turns the task's requests into the pod; the task's
placement reaches it as the workflow argument `kubernetes-comp-…`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any, Final

import yaml

from ckf_spot import Placement
from kubeflow_aks.clients.kubernetes.objects import Object

ACCOUNT: Final = "default-editor"
"""The service account that a profile's pipelines run as."""
_TEMPLATES: Final = Path(__file__).with_name("kfp-2.16-templates.yaml")
_ANNOTATIONS: Final = {"annotations": {"sidecar.istio.io/inject": "false"}}
_IMAGE: Final = "python:3.11-slim"


@dataclass(frozen=True)
class Retries:
    """The settings of `set_retry`: retries after the first, seconds before each, and seconds until none starts."""

    count: int
    backoff: int = 1
    give_up: int = 604800


@dataclass(frozen=True)
class Task:
    """One task of a pipeline; without a placement nobody placed it, without retries nobody called `set_retry`."""

    name: str
    placement: Placement | None = None
    retries: Retries | None = None
    after: tuple[str, ...] = ()
    cpu: str = ""
    gpus: int = 0
    image: str = _IMAGE


def compiled(name: str, tasks: Sequence[Task], parameters: Mapping[str, Any] | None = None) -> Object:
    """The workflow of a pipeline, as the API server of Kubeflow Pipelines submits it."""
    tasks = sorted(tasks, key=lambda task: task.name)
    run = {"pipeline/runid": name}
    used = {"system-container-driver", "system-dag-driver"}
    for task in tasks:
        used |= {f"{_prefix(task)}system-container-executor", f"{_prefix(task)}system-container-impl"}
    values = {"pipeline": name, "run": name, "id": name}
    shared = yaml.safe_load(Template(_TEMPLATES.read_text(encoding="utf-8")).substitute(values))
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {
            "generateName": f"{name}-",
            "annotations": {"pipelines.kubeflow.org/run_name": name},
            "labels": run,
        },
        "spec": {
            "entrypoint": "entrypoint",
            "serviceAccountName": ACCOUNT,
            "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
            "podMetadata": {
                "annotations": {"pipelines.kubeflow.org/v2_component": "true"},
                "labels": {**run, "pipelines.kubeflow.org/v2_component": "true"},
            },
            "arguments": {"parameters": _arguments(tasks)},
            "templates": [
                *(template for template in shared if template["name"] in used),
                _dag(
                    "root",
                    [template for task in tasks for template in _driver_and_task(task)],
                    ["parent-dag-id"],
                ),
                _dag("entrypoint", _root(parameters or {})),
            ],
        },
    }


def _prefix(task: Task) -> str:
    return "retry-" if task.retries else ""


def _dag(name: str, tasks: Sequence[Object], inputs: Sequence[str] = ()) -> Object:
    parameters = {"parameters": [{"name": name} for name in inputs]} if inputs else {}
    return {
        "name": name,
        "dag": {"tasks": tasks},
        "inputs": parameters,
        "outputs": {},
        "metadata": _ANNOTATIONS,
    }


def _arguments(tasks: Sequence[Task]) -> list[Object]:
    """What every driver reads: the component, its container, and where it runs."""
    arguments: dict[str, Object] = {}
    for task in tasks:
        if task.placement:
            arguments[f"kubernetes-comp-{task.name}"] = _kubernetes(task.placement)
        arguments[f"components-{task.name}"] = {"executorLabel": f"exec-{task.name}"}
        arguments[f"implementations-{task.name}"] = _container(task)
    arguments["components-root"] = {"dag": {"tasks": {task.name: _spec(task) for task in tasks}}}
    return _parameters({name: json.dumps(value) for name, value in arguments.items()})


def _kubernetes(placement: Placement) -> Object:
    """A placement as `kfp.kubernetes` compiles it."""
    terms: list[Object] = [{"matchExpressions": [term.as_dict() for term in placement.required]}]
    if placement.preferred:
        preferred = [term.as_dict() for term in placement.preferred]
        terms.append({"matchExpressions": preferred, "weight": placement.weight})
    return {"nodeAffinity": terms, "tolerations": placement.tolerations}


def _container(task: Task) -> Object:
    resources: Object = {}
    if task.cpu:
        resources |= {"cpuRequest": float(task.cpu), "resourceCpuRequest": task.cpu}
    if task.gpus:
        kind, count = "nvidia.com/gpu", str(task.gpus)
        resources["accelerator"] = {
            "type": kind,
            "count": count,
            "resourceType": kind,
            "resourceCount": count,
        }
    return {"image": task.image, **({"resources": resources} if resources else {})}


def _spec(task: Task) -> Object:
    """The task as the pipeline's own document has it."""
    spec: Object = {"componentRef": {"name": f"comp-{task.name}"}, "taskInfo": {"name": task.name}}
    if task.after:
        spec["dependentTasks"] = list(task.after)
    if task.retries:
        spec["retryPolicy"] = {
            "maxRetryCount": task.retries.count,
            "backoffDuration": f"{task.retries.backoff}s",
            "backoffFactor": 1,
            "backoffMaxDuration": f"{task.retries.give_up}s",
        }
    return spec


def _driver_and_task(task: Task) -> list[Object]:
    driver = f"{task.name}-driver"
    values = {
        "component": f"{{{{workflow.parameters.components-{task.name}}}}}",
        "task": json.dumps(_spec(task)),
        "container": f"{{{{workflow.parameters.implementations-{task.name}}}}}",
        "task-name": task.name,
        "parent-dag-id": "{{inputs.parameters.parent-dag-id}}",
    }
    if task.placement:
        values["kubernetes-config"] = f"{{{{workflow.parameters.kubernetes-comp-{task.name}}}}}"
    answered = [
        {"name": "pod-spec-patch", "value": f"{{{{tasks.{driver}.outputs.parameters.pod-spec-patch}}}}"},
        {
            "name": "cached-decision",
            "value": f"{{{{tasks.{driver}.outputs.parameters.cached-decision}}}}",
            "default": "false",
        },
    ]
    retries = (
        {
            "retry-max-count": task.retries.count,
            "retry-backoff-duration": task.retries.backoff,
            "retry-backoff-factor": 1,
            "retry-backoff-max-duration": task.retries.give_up,
        }
        if task.retries
        else {}
    )
    depends = {"depends": " && ".join(f"{name}.Succeeded" for name in task.after)} if task.after else {}
    return [
        {
            "name": driver,
            "template": "system-container-driver",
            "arguments": {"parameters": _parameters(values)},
            **depends,
        },
        {
            "name": task.name,
            "template": f"{_prefix(task)}system-container-executor",
            "arguments": {
                "parameters": [*answered, *_parameters({key: str(value) for key, value in retries.items()})]
            },
            "depends": f"{driver}.Succeeded",
        },
    ]


def _root(parameters: Mapping[str, Any]) -> list[Object]:
    """The pipeline's own driver, and the pipeline."""
    values = {
        "component": "{{workflow.parameters.components-root}}",
        "runtime-config": json.dumps({"parameterValues": dict(parameters)} if parameters else {}),
        "driver-type": "ROOT_DAG",
    }
    passed = {"parent-dag-id": "{{tasks.root-driver.outputs.parameters.execution-id}}", "condition": ""}
    return [
        {
            "name": "root-driver",
            "template": "system-dag-driver",
            "arguments": {"parameters": _parameters(values)},
        },
        {
            "name": "root",
            "template": "root",
            "arguments": {"parameters": _parameters(passed)},
            "depends": "root-driver.Succeeded",
        },
    ]


def _parameters(values: Mapping[str, str]) -> list[Object]:
    return [{"name": name, "value": value} for name, value in values.items()]
