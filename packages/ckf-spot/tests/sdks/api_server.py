"""An API server with one training runtime of Kubeflow Trainer."""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

RUNTIME: Json = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "ClusterTrainingRuntime",
    "metadata": {"name": "torch-distributed", "labels": {"trainer.kubeflow.org/framework": "torch"}},
    "spec": {
        "mlPolicy": {"numNodes": 1, "torch": {}},
        "template": {
            "spec": {
                "replicatedJobs": [
                    {
                        "name": "node",
                        "template": {
                            "metadata": {
                                "labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
                            },
                            "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "i"}]}}},
                        },
                    }
                ]
            }
        },
    },
}


@dataclass
class ApiServer:
    """An API server with one training runtime.

    Attributes:
        created: what the SDK creates there.
        fields: those of a TrainJob's spec in this cluster; None: not published.
    """

    created: list[Json] = field(default_factory=list[Json])
    fields: tuple[str, ...] | None = ("runtimePatches",)

    def answer(self, path: str) -> Json | None:
        """What is at a path; None: nothing."""
        if path.endswith("/clustertrainingruntimes/torch-distributed"):
            return RUNTIME
        if path == "/openapi/v3/apis/trainer.kubeflow.org/v1alpha1" and self.fields is not None:
            spec = {"properties": {key: {"type": "array"} for key in self.fields}}
            name = "org.kubeflow.trainer.v1alpha1.TrainJob"
            return {"components": {"schemas": {name: {"properties": {"spec": spec}}}}}
        return None
