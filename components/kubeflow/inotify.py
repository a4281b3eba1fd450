"""Kernel limits that Kubeflow's controllers need and AKS's node configuration cannot set.

Sources: Azure/AgentBaker, parts/linux/cloud-init/artifacts/sysctl-d-60-CIS.conf (what nodes have, 2026-08-21);
MicrosoftDocs/azure-aks-docs, articles/aks/custom-node-configuration-reference.md (what can be set);
canonical/bundle-kubeflow, scripts/gh-actions/set_eks_sysctl_config.sh (what Charmed Kubeflow needs).
"""

from typing import NotRequired, TypedDict

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSet
from pulumi_kubernetes.core.v1 import ResourceRequirementsArgsDict

from components.kubeflow.images import BUSYBOX, PAUSE

_SMALL: ResourceRequirementsArgsDict = {
    "requests": {"cpu": "1m", "memory": "8Mi"},
    "limits": {"memory": "16Mi"},
}


class InotifySpec(TypedDict):
    """Least values of the limits."""

    enabled: NotRequired[bool]
    """Whether to raise them. Default: true."""
    max_user_instances: NotRequired[int]
    """fs.inotify.max_user_instances. Default: 1280."""
    max_user_watches: NotRequired[int]
    """fs.inotify.max_user_watches. Default: 655360."""


def inotify_limits(
    name: str,
    namespace: pulumi.Input[str],
    limits: InotifySpec,
    node_labels: dict[str, str],
    opts: pulumi.ResourceOptions,
) -> DaemonSet:
    """A DaemonSet that raises the limits of nodes with these labels as they start, and never lowers them.

    It tolerates no taint, so it never runs on a spot node, whatever the labels: a rollout waits for the nodes that host
    Charmed Kubeflow and for no other.
    """
    labels = {"app.kubernetes.io/name": "inotify-limits"}
    wanted = {
        "max_user_instances": limits.get("max_user_instances", 1280),
        "max_user_watches": limits.get("max_user_watches", 655360),
    }
    script = "\n".join(
        f'f=/proc/sys/fs/inotify/{key}; [ "$(cat "$f")" -ge {least} ] || echo {least} > "$f"'
        for key, least in wanted.items()
    )
    return DaemonSet(
        f"{name}-inotify",
        metadata={"name": "inotify-limits", "namespace": namespace, "labels": labels},
        spec={
            "selector": {"match_labels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "automount_service_account_token": False,
                    "node_selector": {"kubernetes.io/os": "linux"} | node_labels,
                    "init_containers": [
                        {
                            "name": "raise",
                            "image": BUSYBOX,
                            "command": ["sh", "-ec", script],
                            "security_context": {"privileged": True},
                            "resources": _SMALL,
                        }
                    ],
                    "containers": [{"name": "pause", "image": PAUSE, "resources": _SMALL}],
                },
            },
        },
        opts=opts,
    )
