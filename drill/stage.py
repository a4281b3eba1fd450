"""Where a drill's work lives: a namespace of its own, and containers that wait until they are told to end."""

from __future__ import annotations

from typing import Final

from kube.objects import Object
from story.workloads.platform_and_jobs import RUN_SECONDS
from story.workloads.stage import Stage

NAMESPACE: Final = "kubeflow-aks-drill"
MANAGED_BY: Final = "kubeflow-aks-drill"
"""Value of the label `app.kubernetes.io/managed-by`, and the field manager."""
IMAGE: Final = (
    "mcr.microsoft.com/cbl-mariner/busybox:2.0"
    "@sha256:e4fb4d51fc9b70d6cdc1ce66a0af02ab40554d2ca632e1d188fabc760e432fdd"
)
"""The image that the program's own pods have (components/kubeflow/images.py)."""
_FOLDER: Final = "/etc/drill"
_FILE: Final = "run-seconds"
_WAIT: Final = f"""trap 'exit 143' TERM
while [ ! -s {_FOLDER}/{_FILE} ]; do sleep 1 & wait $!; done"""
"""Ends well once the annotation is there, which a kubelet shows within about a minute; at SIGTERM as work would."""

STAGE: Final = Stage(
    namespace=NAMESPACE,
    manager=MANAGED_BY,
    container={
        "name": "main",
        "image": IMAGE,
        "command": ["/bin/sh", "-c", _WAIT],
        "volumeMounts": [{"name": "told", "mountPath": _FOLDER, "readOnly": True}],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
    },
    pod={
        "automountServiceAccountToken": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 65534,
            "runAsGroup": 65534,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumes": [
            {
                "name": "told",
                "downwardAPI": {
                    "items": [
                        {"path": _FILE, "fieldRef": {"fieldPath": f"metadata.annotations['{RUN_SECONDS}']"}}
                    ]
                },
            }
        ],
    },
    requests={"memory": "32Mi"},
    limited=True,
    guarded=(NAMESPACE, {"notebook-name": "drill"}),
)


def namespace(annotations: dict[str, str]) -> Object:
    """The namespace; its pods keep to the strictest of the Pod Security Standards."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": NAMESPACE,
            "labels": {
                "app.kubernetes.io/managed-by": MANAGED_BY,
                "pod-security.kubernetes.io/enforce": "restricted",
            },
            "annotations": annotations,
        },
    }
