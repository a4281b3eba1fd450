"""Work as a data scientist writes it, before it is placed."""

from pathlib import Path
from typing import Any, Final

from ckf_spot import PoolGroup, yaml_text
from ckf_spot.fields import map_at
from ckf_spot.kinds import placing

Json = dict[str, Any]
EXAMPLES: Final = {
    path.stem: path
    for path in Path(__file__).parents[2].glob("examples/*/*.yaml")
    if path.parent.name != "checkpoint"
}
REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
SPOT: Final = "kubernetes.azure.com/scalesetpriority"
POOL: Final = "kubernetes.azure.com/agentpool"
WORKLOAD: Final = "kubeflow-aks/workload"
GPU: Final = "nvidia.com/gpu"
KEPT: Final[Json] = {"annotations": {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}}
"""Metadata of pods that the autoscaler lets live."""
ON_SPOT: Final[Json] = {"key": SPOT, "operator": "In", "values": ["spot"]}
OFF_SPOT: Final[Json] = {"key": SPOT, "operator": "DoesNotExist"}


def example(name: str) -> Json:
    """An example's document."""
    return yaml_text.load(EXAMPLES[name].read_text(encoding="utf-8"), name).documents[0]


def place(document: object, group: PoolGroup, **request: Any) -> Json:
    """The document placed; what an eviction would still lose is a warning."""
    return placing.placed_object(document, group, **request)


def container(name: str = "main", gpus: int | None = None) -> Json:
    """A container, with so many GPUs as its limit."""
    return {"name": name, "image": "i"} | ({"resources": {"limits": {GPU: gpus}}} if gpus is not None else {})


def job(*containers: Json, **pod: Any) -> Json:
    """A Job with such a pod."""
    spec = {"containers": list(containers) or [container()], **pod}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "j"},
        "spec": {"template": {"spec": spec}},
    }


def training_job(kind: str, field: str, **roles: Json) -> Json:
    """A training job with such pods by role."""
    replicas = {
        role: {"replicas": 1, "template": {"spec": {"containers": [pod]}}} for role, pod in roles.items()
    }
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": kind,
        "metadata": {"name": "t"},
        "spec": {field: replicas},
    }


def pod_of(document: Json) -> Json:
    """The pod of a Job."""
    return document["spec"]["template"]["spec"]


def expressions(pod: Json) -> list[Any]:
    """The expressions of each required term."""
    terms = map_at(pod, "affinity", "nodeAffinity", REQUIRED)["nodeSelectorTerms"]
    return [term["matchExpressions"] for term in terms]
