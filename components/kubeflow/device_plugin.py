"""NVIDIA's device plugin, on every GPU node whatever its taints."""

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSet

from components.kubeflow.images import DEVICE_PLUGIN

_SOCKETS = "/var/lib/kubelet/device-plugins"
"""Where the kubelet listens for device plugins (Kubernetes documentation)."""


def device_plugin(name: str, namespace: pulumi.Input[str], opts: pulumi.ResourceOptions) -> DaemonSet:
    """A DaemonSet on nodes with AKS's accelerator label.

    It tolerates every taint: the manifest of Azure's documentation does not tolerate spot, so GPUs of spot nodes
    never showed up and pods stayed pending (aks.md §2.3, AKS#4418).
    """
    labels = {"app.kubernetes.io/name": "nvidia-device-plugin"}
    return DaemonSet(
        f"{name}-device-plugin",
        metadata={"name": "nvidia-device-plugin", "namespace": namespace, "labels": labels},
        spec={
            "selector": {"match_labels": labels},
            "update_strategy": {"type": "RollingUpdate"},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "automount_service_account_token": False,
                    "priority_class_name": "system-node-critical",
                    "node_selector": {"kubernetes.azure.com/accelerator": "nvidia"},
                    "tolerations": [{"operator": "Exists"}],
                    "containers": [
                        {
                            "name": "nvidia-device-plugin",
                            "image": DEVICE_PLUGIN,
                            "env": [
                                {"name": "FAIL_ON_INIT_ERROR", "value": "false"},
                                # Slices keep the name nvidia.com/gpu, which the autoscaler knows; whole GPUs too.
                                {"name": "MIG_STRATEGY", "value": "single"},
                            ],
                            "security_context": {
                                "allow_privilege_escalation": False,
                                "capabilities": {"drop": ["ALL"]},
                            },
                            "volume_mounts": [{"name": "sockets", "mount_path": _SOCKETS}],
                        }
                    ],
                    "volumes": [{"name": "sockets", "host_path": {"path": _SOCKETS}}],
                },
            },
        },
        opts=opts,
    )
