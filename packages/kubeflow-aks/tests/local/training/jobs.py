"""Training jobs as a data scientist writes them, and what the operator reports and does."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.objects import Kind
from tests.local.demo_stack import DemoStack
from tests.local.kubectl import Kubectl

Object = dict[str, Any]

_FOREVER: Final = {"image": "trainer", "command": ["python", "/app/train.py"]}


@dataclass(frozen=True)
class Shape:
    """One kind of training job.

    Attributes:
        kind: of the API group kubeflow.org.
        replicas: the field that holds the roles.
        container: name of the container that trains.
        chief: the role that holds the job together; empty where the kind has none.
        workload: what its workers run on.
        resources: of a worker, so that each has a node of its own.
    """

    kind: str
    replicas: str
    container: str
    chief: str
    workload: str = "cpu"
    resources: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])


PYTORCH: Final = Shape(
    "PyTorchJob", "pytorchReplicaSpecs", "pytorch", "Master", "gpu", {"limits": {"nvidia.com/gpu": "1"}}
)
TENSORFLOW: Final = Shape("TFJob", "tfReplicaSpecs", "tensorflow", "Chief", "cpu", {"requests": {"cpu": "5"}})
SHAPES: Final = {
    shape.kind: shape
    for shape in (
        PYTORCH,
        TENSORFLOW,
        Shape("PaddleJob", "paddleReplicaSpecs", "paddle", "Master"),
        Shape("JAXJob", "jaxReplicaSpecs", "jax", ""),
        Shape("XGBoostJob", "xgbReplicaSpecs", "xgboost", "Master"),
        Shape("MPIJob", "mpiReplicaSpecs", "mpi", "Launcher"),
    )
}
KINDS: Final = tuple(Kind("kubeflow.org", "v1", kind) for kind in SHAPES)


def training_job(shape: Shape, namespace: str, workers: int = 2) -> Object:
    """A job without any placement."""

    def role(replicas: int, resources: Mapping[str, Any]) -> Object:
        container = {**_FOREVER, "name": shape.container, "resources": dict(resources)}
        return {"replicas": replicas, "template": {"spec": {"containers": [container]}}}

    chief = {shape.chief: role(1, {})} if shape.chief else {}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": shape.kind,
        "metadata": {"name": "train", "namespace": namespace},
        "spec": {shape.replicas: {**chief, "Worker": role(workers, shape.resources)}},
    }


@dataclass(frozen=True)
class Training:
    """A job at work.

    Attributes:
        job: as it was applied.
    """

    demo: DemoStack
    job: Object

    def pods(self, role: str, phase: str = "Running") -> dict[int, Object]:
        """The pods of a role that are in a phase and not on their way out, by index."""
        namespace = self.job["metadata"]["namespace"]
        return {
            int(pod["metadata"]["labels"]["training.kubeflow.org/replica-index"]): pod
            for pod in self.demo.pods(namespace)
            if pod["metadata"]["labels"]["training.kubeflow.org/replica-type"] == role.lower()
            and pod["status"].get("phase") == phase
            and "deletionTimestamp" not in pod["metadata"]
        }

    def end(self, pod: Object, code: int) -> None:
        """Let a pod's container end with an exit code."""
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        annotations = (f"local-aks/exit-code={code}", "local-aks/run-seconds=0")
        self.demo.kubectl.run("annotate", "pod", name, "--namespace", namespace, *annotations)

    def conditions(self) -> dict[str, str]:
        """The conditions that hold, and why."""
        conditions = self.demo.api.get(self.job).get("status", {}).get("conditions", [])
        return {
            condition["type"]: condition["reason"]
            for condition in conditions
            if condition["status"] == "True"
        }


@contextmanager
def light_work(demo: DemoStack, namespace: str) -> Generator[Kubectl]:
    """`kubectl` in a namespace for pods that ask for nothing: nobody minds that they go on going away afterwards."""
    kubectl = replace(demo.kubectl, namespace=namespace)
    demo.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    kubectl.run("wait", "--for=create", "serviceaccount/default")
    try:
        yield kubectl
    finally:
        kubectl.run("delete", "namespace", namespace, "--wait=false")
