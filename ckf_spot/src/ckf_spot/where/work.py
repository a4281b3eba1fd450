"""What a pod is for: the piece of work that the next pod goes on with, and whether an eviction harms it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from ckf_spot.agent_pool import PLATFORM_NAMESPACES

Role = Literal["batch", "notebook", "serving", "platform", "stateful", "daemon", "other"]
"""`other`: a Deployment without a volume, or a pod that nothing makes again."""

_NOTEBOOK: Final = "notebook-name"
"""Label that Kubeflow's notebook controller gives its pods."""
_SERVING: Final = (
    "serving.kserve.io/inferenceservice",
    "serving.knative.dev/service",
    "serving.knative.dev/revision",
)
"""Labels of the pods of KServe and Knative."""
_JOB_INDEX: Final = "batch.kubernetes.io/job-completion-index"
_WORKFLOW: Final = "workflows.argoproj.io/workflow"
STEP: Final = "workflows.argoproj.io/node-name"
"""Annotation of a workflow's pod: the workflow, the step, and which attempt."""
STEP_ID: Final = "workflows.argoproj.io/node-id"
"""Annotation of a workflow's pod: the node of the workflow's status that it is."""
_REPLICA: Final = ("training.kubeflow.org/replica-type", "training.kubeflow.org/replica-index")
_ATTEMPT: Final = re.compile(r"\(\d+\)")
"""Argo's mark of an attempt; an item of a loop is `(0:item)`."""


@dataclass(frozen=True, order=True)
class Work:
    """A piece of work; when its pod is evicted, another pod goes on with the same.

    Attributes:
        kind: of what makes the pods: Job, Workflow, PyTorchJob, StatefulSet; Pod where nothing does.
        name: of what makes the pods.
        part: which piece of it: the index of a Job, the step of a workflow, the replica of a training job.
    """

    namespace: str
    kind: str
    name: str
    part: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}" + (f" {self.part}" if self.part else "")


def work_of(pod: Mapping[str, Any]) -> Work:
    """The work of a pod, from its owner, labels and annotations."""
    metadata = pod["metadata"]
    labels: Mapping[str, str] = metadata.get("labels") or {}
    annotations: Mapping[str, str] = metadata.get("annotations") or {}
    owner = controller(metadata)
    kind, name = (owner["kind"], owner["name"]) if owner else ("Pod", metadata["name"])
    part = ""
    if _WORKFLOW in labels:
        kind, name = "Workflow", labels[_WORKFLOW]
        part = step(annotations.get(STEP) or str(metadata["name"]), name)
    elif kind == "Job":
        part = labels.get(_JOB_INDEX, annotations.get(_JOB_INDEX, ""))
    elif _REPLICA[0] in labels:
        part = "-".join(labels[key] for key in _REPLICA if key in labels)
    elif kind == "ReplicaSet" and "pod-template-hash" in labels:
        kind, name = "Deployment", name.removesuffix(f"-{labels['pod-template-hash']}")
    elif kind == "StatefulSet":
        part = metadata["name"].removeprefix(f"{name}-")
    return Work(metadata["namespace"], kind, name, part)


def role_of(pod: Mapping[str, Any], *, writes_volumes: bool) -> Role:
    """The role of a pod.

    Args:
        pod: as the API gives it.
        writes_volumes: whether it has a persistent volume that it may write.
    """
    metadata = pod["metadata"]
    labels: Mapping[str, str] = metadata.get("labels") or {}
    kind = (controller(metadata) or {}).get("kind", "Pod")
    if kind == "DaemonSet":
        return "daemon"
    if _NOTEBOOK in labels:
        return "notebook"
    if any(label in labels for label in _SERVING):
        return "serving"
    if PLATFORM_NAMESPACES.fullmatch(metadata["namespace"]):
        return "platform"
    if kind.endswith("Job") or kind == "Workflow":
        return "batch"
    return "stateful" if kind == "StatefulSet" or writes_volumes else "other"


def step(node_name: str, workflow: str) -> str:
    """The step of a workflow by the name of a node of its status, whichever attempt it is."""
    return _ATTEMPT.sub("", node_name).removeprefix(workflow).removeprefix(".")


def controller(metadata: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What makes the pod again."""
    owners: Sequence[Mapping[str, Any]] = metadata.get("ownerReferences") or ()
    return next((owner for owner in owners if owner.get("controller")), None)
