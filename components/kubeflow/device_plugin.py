"""NVIDIA's device plugin, on every GPU node whatever its taints."""

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSet

from components.kubeflow.images import DEVICE_PLUGIN

_SOCKETS = "/var/lib/kubelet/device-plugins"
"""Where the kubelet listens for device plugins (Kubernetes documentation)."""


def device_plugin(name: str, namespace: pulumi.Input[str], opts: pulumi.ResourceOptions) -> DaemonSet:
    """A DaemonSet on nodes with AKS's accelerator label.

    It tolerates every taint: the manifest of Azure's documentation does not tolerate spot, so GPUs of spot nodes
    never showed up and pods stayed pending (github.com/Azure/AKS/issues/4418).

    `up` does not wait for its pods: one on a spot node that is being evicted never becomes ready, and the provider
    would wait ten minutes for it (pulumi/pulumi-kubernetes, provider/pkg/await/awaiters.go). Nor does such a node hold
    up the others: the plugin is restarted everywhere at once, which work that already has its GPU does not notice.
    """
    labels = {"app.kubernetes.io/name": "nvidia-device-plugin"}
    return DaemonSet(
        f"{name}-device-plugin",
        metadata={
            "name": "nvidia-device-plugin",
            "namespace": namespace,
            "labels": labels,
            "annotations": {"pulumi.com/skipAwait": "true"},
        },
        spec={
            "selector": {"match_labels": labels},
            "update_strategy": {"type": "RollingUpdate", "rolling_update": {"max_unavailable": "100%"}},
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
