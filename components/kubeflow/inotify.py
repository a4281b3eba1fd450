"""Kernel limits that Kubeflow's controllers need and AKS's node configuration cannot set (ckf.md §1.6)."""

from typing import TypedDict

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSet
from pulumi_kubernetes.core.v1 import ResourceRequirementsArgsDict

from components.kubeflow.images import BUSYBOX, PAUSE

_SMALL: ResourceRequirementsArgsDict = {
    "requests": {"cpu": "1m", "memory": "8Mi"},
    "limits": {"memory": "16Mi"},
}


class InotifyArgs(TypedDict):
    """Least values of the limits."""

    max_user_instances: int
    """fs.inotify.max_user_instances."""
    max_user_watches: int
    """fs.inotify.max_user_watches."""


def inotify_limits(
    name: str,
    namespace: pulumi.Input[str],
    limits: InotifyArgs,
    node_labels: dict[str, str],
    opts: pulumi.ResourceOptions,
) -> DaemonSet:
    """A DaemonSet that raises the limits of nodes with these labels as they start, and never lowers them."""
    labels = {"app.kubernetes.io/name": "inotify-limits"}
    wanted = {
        "max_user_instances": limits["max_user_instances"],
        "max_user_watches": limits["max_user_watches"],
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
