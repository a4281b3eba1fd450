"""Training jobs as a data scientist writes them, and what the operator says and does about them."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tests.local.demo_stack import DemoStack

Object = dict[str, Any]

_FOREVER: Final = {"image": "trainer", "command": ["python", "/app/train.py"]}


@dataclass(frozen=True)
class Shape:
    """One kind of training job.

    Attributes:
        kind: of the API group kubeflow.org.
        replicas: the field that holds the roles.
        container: name of the container that trains.
        chief: the role that holds the job together, on which its success depends.
        workload: what its workers run on.
        resources: of a worker, so that each has a node of its own.
        options: more of the job's spec.
    """

    kind: str
    replicas: str
    container: str
    chief: str
    workload: str
    resources: Mapping[str, Mapping[str, str]]
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


PYTORCH: Final = Shape(
    "PyTorchJob", "pytorchReplicaSpecs", "pytorch", "Master", "gpu", {"limits": {"nvidia.com/gpu": "1"}}
)
TENSORFLOW: Final = Shape(
    "TFJob",
    "tfReplicaSpecs",
    "tensorflow",
    "Chief",
    "cpu",
    {"requests": {"cpu": "5"}},
    options={"enableDynamicWorker": True},
)
"""Without that option the operator counts a worker in its grace period as failed, and the job with it (v1.9.2,
pkg/core/status.go and tensorflow/tfjob_controller.go). With it a worker knows itself and the parameter servers only."""
FIXED_TENSORFLOW: Final = replace(TENSORFLOW, options={})


def training_job(shape: Shape, namespace: str, workers: int = 2) -> Object:
    """A job without any placement."""

    def role(replicas: int, resources: Mapping[str, Any]) -> Object:
        container = {**_FOREVER, "name": shape.container, "resources": dict(resources)}
        return {"replicas": replicas, "template": {"spec": {"containers": [container]}}}

    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": shape.kind,
        "metadata": {"name": "train", "namespace": namespace},
        "spec": {
            **shape.options,
            shape.replicas: {shape.chief: role(1, {}), "Worker": role(workers, shape.resources)},
        },
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

    @contextmanager
    def in_grace_period(self, pods: Iterable[Object]) -> Generator[None]:
        """Keeps pods from going at once when they are deleted: a kubelet takes seconds, kwok takes none."""
        held = [(pod["metadata"]["name"], pod["metadata"]["namespace"]) for pod in pods]
        try:
            self._finalizers(held, ["test/grace-period"])
            yield
        finally:
            self._finalizers(held, [])

    def _finalizers(self, pods: Iterable[tuple[str, str]], finalizers: list[str]) -> None:
        patch = json.dumps({"metadata": {"finalizers": finalizers}})
        for name, namespace in pods:
            self.demo.kubectl.run("patch", "pod", name, "--namespace", namespace, "--type=merge", "-p", patch)

    def conditions(self) -> dict[str, str]:
        """The conditions that hold, and why."""
        found = self.demo.api.get(self.job).get("status", {}).get("conditions", [])
        return {each["type"]: each["reason"] for each in found if each["status"] == "True"}
