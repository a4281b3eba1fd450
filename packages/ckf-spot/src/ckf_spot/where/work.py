"""What a pod is for: the piece of work that the next pod goes on with, and whether an eviction harms it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from ckf_spot.agent_pool import PLATFORM_NAMESPACES
from ckf_spot.fields import Object
from ckf_spot.where.steps import is_driver, step

Role = Literal["batch", "helper", "notebook", "serving", "platform", "stateful", "daemon", "other"]
"""`helper`: a driver of Kubeflow Pipelines; `other`: a Deployment without a volume, or a pod that nothing makes again.
"""

OWNERS: Final = "owners"
"""Key beside a pod's `metadata`: what its controller belongs to, nearest first, as `ownerReferences` name it."""
STEP: Final = "workflows.argoproj.io/node-name"
"""Annotation of a workflow's pod: the workflow, the step, and which attempt."""
STEP_ID: Final = "workflows.argoproj.io/node-id"
"""Annotation of a workflow's pod: the node of the workflow's status that it is."""
_WORKFLOW: Final = "workflows.argoproj.io/workflow"
_NOTEBOOK: Final = "notebook-name"
"""Label that Kubeflow's notebook controller gives its pods."""
_SERVING: Final = (
    "serving.kserve.io/inferenceservice",
    "serving.knative.dev/service",
    "serving.knative.dev/revision",
)
"""Labels of the pods of KServe and Knative."""
_TRIAL: Final = "katib.kubeflow.org/trial"
_EXPERIMENT: Final = "katib.kubeflow.org/experiment"
"""Labels that Katib's webhook gives the pods of a trial (`pkg/webhook/v1beta1/pod/utils.go`, mutatePodMetadata)."""
_NAMED: Final = (
    (_WORKFLOW, "Workflow"),
    (_NOTEBOOK, "Notebook"),
    (_SERVING[0], "InferenceService"),
    ("sparkoperator.k8s.io/app-name", "SparkApplication"),
    ("spark-app-name", "Spark"),
)
"""Labels whose value is the name of what people made, and its kind; Spark without an operator has no object."""
_JOB_SET: Final = "jobset.sigs.k8s.io/jobset-name"
_JOB_INDEX: Final = "batch.kubernetes.io/job-completion-index"
_REPLICA: Final = ("training.kubeflow.org/replica-type", "training.kubeflow.org/replica-index")
_MPI_REPLICA: Final = ("training.kubeflow.org/job-role", "training.kubeflow.org/replica-index")
_SPARK_ROLE: Final = "spark-role"
_RAY_GROUP: Final = "ray.io/group"
_RAY_HEAD: Final = "headgroup"
"""The group of a Ray cluster's head; a worker's has the name that its user gave it
(`ray-operator/controllers/ray/utils/constant.go`)."""
_MINUTE: Final = re.compile(r"\d{8}")
"""What a CronJob puts behind its name: the minute that the Job was due, counted from 1970 (Kubernetes'
`cronjob_controllerv2.go`)."""
_BATCH: Final = ("Workflow", "JobSet", "Experiment", "RayCluster", "SparkApplication", "Spark")
"""Kinds of batch work whose names do not end in Job."""


@dataclass(frozen=True, order=True)
class Work:
    """A piece of work; when its pod is evicted, another pod goes on with the same.

    Attributes:
        kind: of what people made: Job, CronJob, Workflow, PyTorchJob, RayJob, Notebook; Pod where nothing makes it.
        name: of what people made.
        part: which piece of it: the index of a Job, the step of a workflow, the replica of a training job.
    """

    namespace: str
    kind: str
    name: str
    part: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}" + (f" {self.part}" if self.part else "")


@dataclass(frozen=True)
class Maker:
    """What makes a pod again if it goes, and which of its pods it is.

    Attributes:
        kind: Pod where nothing does.
        member: the index of a Job, the replica of a training job; empty where its pods are all alike.
    """

    kind: str
    name: str
    member: str


def maker_of(pod: Object) -> Maker:
    """What makes a pod again, from its owner, labels and annotations."""
    metadata = pod["metadata"]
    owner = controller(metadata) or {"kind": "Pod", "name": metadata["name"]}
    return Maker(owner["kind"], owner["name"], _member(owner, metadata))


def work_of(pod: Object) -> Work:
    """The work of a pod, named after what people made, which may be what made its maker.

    Args:
        pod: as the API gives it, with what its controller belongs to under `OWNERS` where that is known.
    """
    metadata = pod["metadata"]
    labels, annotations = _maps(metadata)
    maker = maker_of(pod)
    kind, name = _top(pod, maker)
    if kind == "Workflow":
        part = step(annotations.get(STEP) or str(metadata["name"]), name, labels)
    elif kind in {"Notebook", "Pod"}:
        part = ""
    elif kind == "InferenceService":
        part = labels.get("component", "")
    else:
        part = "-".join(filter(None, (_between(maker, kind, name), maker.member)))
    return Work(metadata["namespace"], kind, name, part)


def role_of(pod: Object, *, writes_volumes: bool) -> Role:
    """The role of a pod.

    Args:
        pod: as for `work_of`.
        writes_volumes: whether it has a persistent volume that it may write.
    """
    metadata = pod["metadata"]
    labels, annotations = _maps(metadata)
    maker = maker_of(pod)
    kind, _ = _top(pod, maker)
    if maker.kind == "DaemonSet":
        return "daemon"
    if _NOTEBOOK in labels:
        return "notebook"
    if kind == "RayService" or any(label in labels for label in _SERVING):
        return "serving"
    if PLATFORM_NAMESPACES.fullmatch(metadata["namespace"]):
        return "platform"
    if is_driver(annotations.get(STEP) or "", labels):
        return "helper"
    if is_batch(kind) or is_batch(maker.kind):
        return "batch"
    return "stateful" if maker.kind == "StatefulSet" or writes_volumes else "other"


def is_batch(kind: str) -> bool:
    """Whether objects of a kind are batch work."""
    return kind.endswith("Job") or kind in _BATCH


def controller(metadata: Object) -> Object | None:
    """What makes an object again."""
    owners: Sequence[Object] = metadata.get("ownerReferences") or ()
    return next((owner for owner in owners if owner.get("controller")), None)


def _maps(metadata: Object) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Labels and annotations."""
    return metadata.get("labels") or {}, metadata.get("annotations") or {}


def _top(pod: Object, maker: Maker) -> tuple[str, str]:
    """Kind and name of what people made."""
    labels, _ = _maps(pod["metadata"])
    if _TRIAL in labels and _EXPERIMENT in labels and _WORKFLOW not in labels:
        return "Experiment", labels[_EXPERIMENT]
    for label, kind in _NAMED:
        if label in labels:
            return kind, labels[label]
    if pod.get(OWNERS):
        return pod[OWNERS][-1]["kind"], pod[OWNERS][-1]["name"]
    if _JOB_SET in labels:
        return "JobSet", labels[_JOB_SET]
    if maker.kind == "ReplicaSet" and "pod-template-hash" in labels:
        return "Deployment", maker.name.removesuffix(f"-{labels['pod-template-hash']}")
    return maker.kind, maker.name


def _member(owner: Object, metadata: Object) -> str:
    labels, annotations = _maps(metadata)
    if _RAY_GROUP in labels:
        return "head" if labels[_RAY_GROUP] == _RAY_HEAD else labels[_RAY_GROUP]
    if _SPARK_ROLE in labels:
        return labels[_SPARK_ROLE]
    if owner["kind"] == "Job":
        return labels.get(_JOB_INDEX, annotations.get(_JOB_INDEX, ""))
    for replica in (_REPLICA, _MPI_REPLICA):
        if replica[0] in labels:
            return "-".join(labels[key] for key in replica if key in labels)
    return metadata["name"].removeprefix(f"{owner['name']}-") if owner["kind"] == "StatefulSet" else ""


def _between(maker: Maker, kind: str, name: str) -> str:
    """Which of the objects that belong to what people made makes the pod: an Experiment's trial, a JobSet's Job."""
    if maker.kind in {kind, "ReplicaSet", "RayCluster", "Pod"}:
        return ""
    rest = "" if maker.name == name else maker.name.removeprefix(f"{name}-")
    if kind == "CronJob" and _MINUTE.fullmatch(rest):
        return f"{datetime.fromtimestamp(int(rest) * 60, UTC):%Y-%m-%d %H:%M}"
    return "submitter" if kind == "RayJob" and not rest else rest
