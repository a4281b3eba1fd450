"""Argo workflows of the shape that Kubeflow Pipelines compiles, and what became of their steps.

Shaped after kubeflow/pipelines, test_data/compiled-workflows/pipeline_with_retry.yaml: templates that all steps share,
the number of retries as template inputs, a retry strategy without a policy, the pod's fields as `podSpecPatch`. The
compiler itself is not to be had here. Left out are the driver steps, which would compute that patch and need a metadata
store: the patch is given. Two inputs are added for the local AKS: how long a step works, and how it ends.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ckf_spot import Placement

Object = dict[str, Any]

ACCOUNT: Final = "default-editor"
"""The service account that a profile's pipelines run as."""
_RETRY: Final = (
    "retry-max-count",
    "retry-backoff-duration",
    "retry-backoff-factor",
    "retry-backoff-max-duration",
)
_POD: Final = ("pod-spec-patch", "run-seconds", "first-exit-code", "exit-code")
_EXIT_CODE: Final = "{{=inputs.parameters[retries == '0' ? 'first-exit-code' : 'exit-code']}}"


@dataclass(frozen=True)
class Retries:
    """What `set_retry` compiles to.

    Attributes:
        count: retries after the first attempt.
        backoff: seconds before each.
        give_up: seconds after the first attempt's start; no retry begins or goes on later.
    """

    count: int
    backoff: int = 1
    give_up: int = 604800


@dataclass(frozen=True)
class PipelineTask:
    """One task of a pipeline.

    Attributes:
        name: its name.
        placement: where its pods may run; None for a task that nobody placed.
        seconds: how long a pod works, in wall time.
        exit_code: how its container ends.
        first_exit_code: how it ends at the first attempt; None for the same.
        retries: None where `set_retry` was not called.
        after: steps that must succeed first.
        cpu: cores a pod asks for.
    """

    name: str
    placement: Placement | None
    seconds: float
    exit_code: int = 0
    first_exit_code: int | None = None
    retries: Retries | None = None
    after: tuple[str, ...] = ()
    cpu: str = "1"


@dataclass(frozen=True)
class Attempt:
    """One pod of a step, as the workflow's status tells it.

    Attributes:
        number: 0 for the first.
        phase: Argo's word: Succeeded, Failed, Error, ...
        message: why.
    """

    number: int
    phase: str
    message: str


def workflow(
    name: str, namespace: str, steps: Sequence[PipelineTask], labels: Mapping[str, str] | None = None
) -> Object:
    """A workflow as the API server of Kubeflow Pipelines submits it; it and its pods carry the labels as well."""
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": name, "namespace": namespace, "labels": dict(labels or {})},
        "spec": {
            "entrypoint": "entrypoint",
            "serviceAccountName": ACCOUNT,
            "podMetadata": {
                "annotations": {"sidecar.istio.io/inject": "false"},
                "labels": {"pipelines.kubeflow.org/v2_component": "true", **(labels or {})},
            },
            "templates": [
                *_shared("", _POD, {}),
                *_shared("retry-", (*_POD, *_RETRY), {"retryStrategy": _strategy()}),
                {"name": "root", "dag": {"tasks": [_task(step) for step in steps]}},
                {"name": "entrypoint", "dag": {"tasks": [{"name": "root", "template": "root"}]}},
            ],
        },
    }


def phase(live: Object) -> str:
    """How a workflow is doing, empty before its first look by the controller."""
    return live.get("status", {}).get("phase", "")


def ended(live: Object) -> bool:
    """Whether a workflow is over."""
    return phase(live) in {"Succeeded", "Failed", "Error"}


def attempts(live: Object) -> dict[str, list[Attempt]]:
    """The attempts at each step that began, in order."""
    found: dict[str, list[Attempt]] = defaultdict(list)
    for step, attempt in _attempts(live):
        found[step].append(attempt)
    return {step: sorted(each, key=lambda attempt: attempt.number) for step, each in found.items()}


def _attempts(live: Object) -> Iterator[tuple[str, Attempt]]:
    for node in live.get("status", {}).get("nodes", {}).values():
        if node["type"] != "Pod":
            continue
        *_, step, last = node["name"].split(
            "."
        )  # workflow, root, step, executor; each may be an attempt itself
        number = re.search(r"\((\d+)\)$", last)
        yield (
            re.sub(r"\(\d+\)$", "", step),
            Attempt(int(number[1]) if number else 0, node.get("phase", ""), node.get("message", "")),
        )


def _shared(prefix: str, inputs: Sequence[str], more: Object) -> list[Object]:
    """The two templates that run any step: a DAG of one task, and its pod."""
    impl = f"{prefix}system-container-impl"
    task = {"name": "executor", "template": impl, "arguments": {"parameters": _passed_on(inputs)}}
    parameters = {"parameters": [{"name": each} for each in inputs]}
    return [
        {
            "name": impl,
            "inputs": parameters,
            "metadata": {
                "annotations": {
                    "local-aks/run-seconds": "{{inputs.parameters.run-seconds}}",
                    "local-aks/exit-code": _EXIT_CODE if more else "{{inputs.parameters.exit-code}}",
                }
            },
            "container": {
                "image": "gcr.io/ml-pipeline/should-be-overridden-during-runtime",
                "command": ["should-be-overridden-during-runtime"],
                "env": [{"name": "KFP_RETRY_INDEX", "value": "{{retries}}"}] if more else [],
            },
            "podSpecPatch": "{{inputs.parameters.pod-spec-patch}}",
            **more,
        },
        {"name": f"{prefix}system-container-executor", "inputs": parameters, "dag": {"tasks": [task]}},
    ]


def _strategy() -> Object:
    count, duration, factor, give_up = (f"{{{{inputs.parameters.{each}}}}}" for each in _RETRY)
    return {"limit": count, "backoff": {"duration": duration, "factor": factor, "maxDuration": give_up}}


def _passed_on(inputs: Sequence[str]) -> list[Object]:
    return [{"name": each, "value": f"{{{{inputs.parameters.{each}}}}}"} for each in inputs]


def _task(step: PipelineTask) -> Object:
    values = {
        "pod-spec-patch": json.dumps(_patch(step)),
        "run-seconds": str(step.seconds),
        "exit-code": str(step.exit_code),
        "first-exit-code": str(step.exit_code if step.first_exit_code is None else step.first_exit_code),
    }
    prefix = ""
    if step.retries:
        prefix = "retry-"
        numbers = (step.retries.count, step.retries.backoff, 1, step.retries.give_up)
        values |= {key: str(value) for key, value in zip(_RETRY, numbers, strict=True)}
    depends = {"depends": " && ".join(f"{each}.Succeeded" for each in step.after)} if step.after else {}
    return {
        "name": step.name,
        "template": f"{prefix}system-container-executor",
        "arguments": {"parameters": [{"name": key, "value": value} for key, value in values.items()]},
        **depends,
    }


def _patch(step: PipelineTask) -> Object:
    """What the driver makes of a task's platform settings."""
    container = {"name": "main", "image": "python:3.11", "resources": {"requests": {"cpu": step.cpu}}}
    if step.placement is None:
        return {"containers": [container]}
    return {
        "containers": [container],
        "tolerations": step.placement.tolerations,
        "affinity": {"nodeAffinity": step.placement.node_affinity},
    }
