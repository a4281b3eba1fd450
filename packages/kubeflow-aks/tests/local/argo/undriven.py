"""Workflows without drivers: the shape that Kubeflow's compiler gives them, with a third of its pods and nodes.

For storms over many workflows: a small machine that runs the drivers too keeps Argo so busy that its view of the
workflows falls behind (docs/facts/engine.md#argo). What drivers would do to the placement is in the pods.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubeflow_aks.scenario.workloads.kfp_compiler import ACCOUNT, Task

Object = dict[str, Any]


def undriven(name: str, namespace: str, tasks: Sequence[Task], seconds: float) -> Object:
    """A workflow of placed tasks with retries.

    Args:
        name: what it is called.
        namespace: where it runs.
        tasks: each a pod named `executor` in a step of its own, as Kubeflow's are.
        seconds: how long each works, in wall time.
    """
    steps = [{"name": task.name, "template": task.name, "dependencies": list(task.after)} for task in tasks]
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "entrypoint": "entrypoint",
            "serviceAccountName": ACCOUNT,
            "templates": [
                {"name": "entrypoint", "dag": {"tasks": [{"name": "root", "template": "root"}]}},
                {"name": "root", "dag": {"tasks": steps}},
                *(template for task in tasks for template in _of(task, seconds)),
            ],
        },
    }


def _of(task: Task, seconds: float) -> list[Object]:
    """The templates of a step: a DAG of one task, and its pod."""
    assert task.placement
    assert task.retries
    executor = {"name": "executor", "template": f"{task.name}-pod"}
    backoff = {"duration": str(task.retries.backoff), "factor": 1, "maxDuration": str(task.retries.give_up)}
    container = {"image": task.image, "command": ["work"], "resources": {"requests": {"cpu": task.cpu}}}
    return [
        {"name": task.name, "dag": {"tasks": [executor]}},
        {
            "name": f"{task.name}-pod",
            "metadata": {"annotations": {"local-aks/run-seconds": str(seconds), "local-aks/exit-code": "0"}},
            "tolerations": task.placement.tolerations,
            "affinity": {"nodeAffinity": task.placement.node_affinity},
            "container": container,
            "retryStrategy": {"limit": task.retries.count, "backoff": backoff},
        },
    ]
