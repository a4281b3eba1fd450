"""Jobs as batch work on the demo stack: the shape recommended for spot, and deviations from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Object = dict[str, Any]

SPOT: Final = {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NoSchedule"}
FALLBACK: Final = {"key": "kubeflow-aks/fallback", "value": "true", "effect": "NoSchedule"}
CPU_WORK: Final = {"kubeflow-aks/workload": "cpu"}
GPU_WORK: Final = {"kubeflow-aks/workload": "gpu"}
SPOT_ONLY: Final = {"kubernetes.azure.com/scalesetpriority": "spot"}

SURVIVES_EVICTION: Final[Object] = {
    "podFailurePolicy": {
        "rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
    }
}
"""An evicted pod does not count as failed (docs/facts/placement.md#evicted-jobs)."""


def job(
    name: str,
    namespace: str,
    *,
    seconds: float,
    selector: Mapping[str, str] = CPU_WORK,
    tolerations: Sequence[Mapping[str, str]] = (SPOT, FALLBACK),
    cpu: str = "1",
    gpus: int = 0,
    **spec: Any,
) -> Object:
    """A Job that fails with its first failed pod.

    Args:
        name: its name, and the value of its pods' label `work`.
        namespace: where it is.
        seconds: how long a pod works, in wall time.
        selector: node selector.
        tolerations: of its pods.
        cpu: cores a pod requests.
        gpus: GPUs a pod requests.
        spec: more of the Job's spec.
    """
    resources = {"requests": {"cpu": cpu}, "limits": {"nvidia.com/gpu": str(gpus)} if gpus else {}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "backoffLimit": 0,
            "template": {
                "metadata": {
                    "labels": {"work": name},
                    "annotations": {
                        "local-aks/run-seconds": str(seconds),
                        "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
                    },
                },
                "spec": {
                    "restartPolicy": "Never",
                    "nodeSelector": dict(selector),
                    "tolerations": [dict(toleration) for toleration in tolerations],
                    "containers": [{"name": "main", "image": "work", "resources": resources}],
                },
            },
            **spec,
        },
    }


def ended(live: Object) -> str:
    """How a Job ended, `Complete` or `Failed`; empty while it goes on."""
    conditions = live.get("status", {}).get("conditions", [])
    met = [entry["type"] for entry in conditions if entry["status"] == "True"]
    return next((end for end in met if end in {"Complete", "Failed"}), "")
