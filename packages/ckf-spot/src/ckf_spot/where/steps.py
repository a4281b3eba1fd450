"""Steps of Argo workflows by the names that people gave them: `wf(0).root(0).train(0).executor(1)` is `train`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ckf_spot.fields import Object

KUBEFLOW: Final = "pipelines.kubeflow.org/v2_component"
"""Label of every pod of a pipeline's run, the drivers' included."""
_ATTEMPT: Final = re.compile(r"\(\d+\)")
"""Argo's mark of an attempt; an item of a loop is `(0:item)`."""
_EXECUTOR: Final = ".executor"
"""What Kubeflow Pipelines calls the pod of a task; its drivers, which prepare tasks, are called `<task>-driver`
(`backend/src/v2/compiler/argocompiler/container.go`)."""
_DRIVER: Final = "-driver"
_ITERATION: Final = re.compile(r"\.iteration-iterations\((\d+):[^)]*\)\.iteration-item")
_EXIT: Final = re.compile(r"[^.]+\.onExit\.")
"""The task of an ExitHandler hangs below the handler; the pipeline has it beside the handler."""


def step(node_name: str, workflow: str, labels: Mapping[str, str]) -> str:
    """The step that a node of a workflow's status is, whichever attempt it is.

    Args:
        node_name: its name.
        workflow: name of the workflow.
        labels: of its pod; they show whether Kubeflow Pipelines made the workflow. Of such a one it is the task as the
            pipeline names it: `train`, in a nested pipeline `inner.train`, in a loop `for-loop-2[0].train`; or its
            driver, `train-driver`.
    """
    name = _ATTEMPT.sub("", node_name).removeprefix(workflow).removeprefix(".")
    if KUBEFLOW not in labels:
        return name
    name = _EXIT.sub("", _ITERATION.sub(r"[\1]", name.removesuffix(_EXECUTOR)))
    return name.removeprefix("root.")


def is_driver(node_name: str, labels: Mapping[str, str]) -> bool:
    """Whether a node of a workflow's status is a driver: Kubeflow's own pod, which prepares a task."""
    return KUBEFLOW in labels and _ATTEMPT.sub("", node_name).endswith(_DRIVER)


def pod_labels(workflow: Object) -> Mapping[str, str]:
    """Labels that a workflow gives its pods."""
    return ((workflow.get("spec") or {}).get("podMetadata") or {}).get("labels") or {}
