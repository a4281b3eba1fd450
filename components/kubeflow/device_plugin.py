"""NVIDIA's device plugin, on every GPU node whatever its taints."""

from typing import Final

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSet
from pulumi_kubernetes.core.v1 import EnvVarArgsDict, ResourceRequirementsArgsDict, SecurityContextArgsDict

from .images import DEVICE_PLUGIN, version
from .labels import labels, selector
from .pods import CONFINED, RUNTIME_SECCOMP

_APP: Final = "nvidia-device-plugin"
_SOCKETS = "/var/lib/kubelet/device-plugins"
"""Where the kubelet listens for device plugins (Kubernetes documentation)."""
_RESOURCES: Final[ResourceRequirementsArgsDict] = {
    "requests": {"cpu": "10m", "memory": "32Mi"},
    "limits": {"memory": "256Mi"},
}
"""Others measured 1m and 25Mi, and saw it killed with limits too near (zalando-incubator/kubernetes-on-aws#7065)."""
_RIGHTS: Final[SecurityContextArgsDict] = {**CONFINED, "run_as_user": 0}
"""Root, because only root may write in the kubelet's folder."""
_RIGHTS_OVER_SLICES: Final[SecurityContextArgsDict] = {
    "capabilities": {"drop": ["ALL"], "add": ["SYS_ADMIN"]},
    "read_only_root_filesystem": True,
    "run_as_user": 0,
}
"""The driver shows slices to no one without this capability (NVIDIA/k8s-device-plugin#609), which may gain others."""
_SEE_SLICES: Final[EnvVarArgsDict] = {"name": "NVIDIA_MIG_MONITOR_DEVICES", "value": "all"}
"""As NVIDIA's chart sets it (docs/facts/aks.md#multi-instance-gpu)."""


def device_plugin(
    name: str, namespace: pulumi.Input[str], opts: pulumi.ResourceOptions, *, slices: bool = False
) -> DaemonSet:
    """A DaemonSet on nodes with AKS's accelerator label.

    It tolerates every taint: the manifest of Azure's documentation does not tolerate spot, so GPUs of spot nodes
    never showed up and pods stayed pending (github.com/Azure/AKS/issues/4418).

    `up` does not wait for its pods: one on a spot node that is being evicted never becomes ready, and the provider
    would wait ten minutes for it (pulumi/pulumi-kubernetes, provider/pkg/await/awaiters.go). Nor does such a node hold
    up the others: the plugin is restarted everywhere at once, which work that already has its GPU does not notice.

    Args:
        name: what the resource's name starts with.
        namespace: where it stands.
        opts: options of the resource.
        slices: whether some node's GPUs are cut into slices.
    """
    worn = labels("device-plugin", app=_APP, version=version(DEVICE_PLUGIN))
    # Slices keep the name nvidia.com/gpu, which the autoscaler knows; whole GPUs too.
    environment: list[EnvVarArgsDict] = [
        {"name": "FAIL_ON_INIT_ERROR", "value": "false"},
        {"name": "MIG_STRATEGY", "value": "single"},
    ]
    return DaemonSet(
        f"{name}-device-plugin",
        metadata={
            "name": _APP,
            "namespace": namespace,
            "labels": worn,
            "annotations": {"pulumi.com/skipAwait": "true"},
        },
        spec={
            "selector": {"match_labels": selector(_APP)},
            "update_strategy": {"type": "RollingUpdate", "rolling_update": {"max_unavailable": "100%"}},
            "template": {
                "metadata": {"labels": worn},
                "spec": {
                    "automount_service_account_token": False,
                    "security_context": RUNTIME_SECCOMP,
                    "priority_class_name": "system-node-critical",
                    "node_selector": {"kubernetes.azure.com/accelerator": "nvidia"},
                    "tolerations": [{"operator": "Exists"}],
                    "containers": [
                        {
                            "name": _APP,
                            "image": DEVICE_PLUGIN,
                            "env": [*environment, _SEE_SLICES] if slices else environment,
                            "security_context": _RIGHTS_OVER_SLICES if slices else _RIGHTS,
                            "resources": _RESOURCES,
                            "volume_mounts": [{"name": "sockets", "mount_path": _SOCKETS}],
                        }
                    ],
                    "volumes": [{"name": "sockets", "host_path": {"path": _SOCKETS}}],
                },
            },
        },
        opts=opts,
    )
