"""Pipelines of Kubeflow on simulated nodes.

A compiled workflow lacks what kwok's nodes need: how long a step runs and how it ends. Both are
added to it, as inputs of the templates that all steps share; nothing else changes.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Object
from kubeflow_aks.scenario.workloads.kfp_compiler import Task, compiled

_WORK: Final = ("run-seconds", "exit-code")
_FIRST: Final = "first-"
_ALL_WORK: Final = (*_WORK, *(f"{_FIRST}{key}" for key in _WORK))
_DRIVERS: Final = frozenset({"system-container-driver", "system-dag-driver"})
_EXECUTOR: Final = "system-container-executor"
_POD: Final = "system-container-impl"


@dataclass(frozen=True)
class Work:
    """What a step's pod does in seconds of wall time, how it ends, and what its first attempt of several does."""

    seconds: float
    exit_code: int = 0
    first: Work | None = None

    def values(self) -> dict[str, str]:
        """As inputs of a template."""
        first = self.first or self
        numbers = (self.seconds, self.exit_code, first.seconds, first.exit_code)
        return dict(zip(_ALL_WORK, map(str, numbers), strict=True))


def workflow(
    name: str,
    namespace: str,
    steps: Sequence[tuple[Task, Work]],
    labels: Mapping[str, str] | None = None,
) -> Object:
    """A workflow of tasks that do some work; see `simulated`."""
    work = {task.name: step for task, step in steps}
    return simulated(compiled(name, [task for task, _ in steps]), name, namespace, work, labels)


def simulated(
    workflow: Object,
    name: str,
    namespace: str,
    work: Mapping[str, Work],
    labels: Mapping[str, str] | None = None,
) -> Object:
    """A copy of a compiled workflow that runs on simulated nodes: each task does its work, drivers end at once.

    The workflow and the pods of its steps get the labels.
    """
    workflow = copy.deepcopy(workflow)
    metadata = workflow["metadata"]
    metadata.pop("generateName", None)
    metadata |= {"name": name, "namespace": namespace, "labels": {**metadata["labels"], **(labels or {})}}
    for template in workflow["spec"]["templates"]:
        called = template["name"].removeprefix("retry-")
        if called in _DRIVERS:
            template["metadata"]["annotations"]["local-aks/run-seconds"] = "0"
        elif called == _POD:
            _take_work(template)
            template["metadata"]["labels"] = dict(labels or {})
            several = "retryStrategy" in template
            template["metadata"]["annotations"] |= {
                f"local-aks/{key}": _this_attempt(key) if several else _input(key) for key in _WORK
            }
        elif called == _EXECUTOR:
            _take_work(template)
            _give(template, {key: _input(key) for key in _ALL_WORK}, _POD)
        else:
            for task in template["dag"]["tasks"]:
                if task["name"] in work:
                    _give({"dag": {"tasks": [task]}}, work[task["name"]].values(), _EXECUTOR)
    return workflow


def _input(name: str) -> str:
    return f"{{{{inputs.parameters.{name}}}}}"


def _this_attempt(name: str) -> str:
    return f"{{{{=inputs.parameters[retries == '0' ? '{_FIRST}{name}' : '{name}']}}}}"


def _take_work(template: Object) -> None:
    template["inputs"]["parameters"] += [{"name": key} for key in _ALL_WORK]


def _give(template: Object, values: Mapping[str, str], called: str) -> None:
    """Gives arguments to the tasks of a DAG that call a template."""
    for task in template["dag"]["tasks"]:
        if task["template"].endswith(called):
            task["arguments"]["parameters"] += [
                {"name": key, "value": value} for key, value in values.items()
            ]
