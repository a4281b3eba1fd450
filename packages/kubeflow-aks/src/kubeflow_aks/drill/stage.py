"""The namespace and the containers of a drill's work; the containers wait for an annotation that ends them."""

from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Object
from kubeflow_aks.scenario.workloads.platform_and_jobs import RUN_SECONDS
from kubeflow_aks.scenario.workloads.stage import Stage

NAMESPACE: Final = "kubeflow-aks-drill"
MANAGED_BY: Final = "kubeflow-aks-drill"
"""Value of the label `app.kubernetes.io/managed-by`, and the field manager."""
IMAGE: Final = (
    "mcr.microsoft.com/azurelinux/busybox:1.36"
    "@sha256:330ce7e940f7476089c4c74565c63767988e188b06988e58e76b54890e7f621b"
)
"""The image of the program's own pods (components/kubeflow/images.py)."""
_FOLDER: Final = "/etc/drill"
_FILE: Final = "run-seconds"
_WAIT: Final = f"""trap 'exit 143' TERM
while [ ! -s {_FOLDER}/{_FILE} ]; do sleep 1 & wait $!; done"""
"""Exits 0 once the annotation is set, which a kubelet shows within about a minute; at SIGTERM exits 143."""

STAGE: Final = Stage(
    namespace=NAMESPACE,
    manager=MANAGED_BY,
    container={
        "name": "main",
        "image": IMAGE,
        "command": ["/bin/sh", "-c", _WAIT],
        "volumeMounts": [{"name": "annotations", "mountPath": _FOLDER, "readOnly": True}],
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
                "name": "annotations",
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
