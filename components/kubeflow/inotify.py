"""Kernel limits that Kubeflow's controllers need and AKS's node configuration cannot set.

Sources: Azure/AgentBaker, parts/linux/cloud-init/artifacts/sysctl-d-60-CIS.conf (what nodes have, 2026-08-21);
MicrosoftDocs/azure-aks-docs, articles/aks/custom-node-configuration-reference.md (what can be set);
canonical/bundle-kubeflow, scripts/gh-actions/set_eks_sysctl_config.sh (what Charmed Kubeflow needs).
"""

from typing import Final

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSet
from pulumi_kubernetes.core.v1 import ResourceRequirementsArgsDict

from ..arguments.declaration import TextsByName
from ..arguments.inputs import merged, when_known
from .images import BUSYBOX, PAUSE, version
from .labels import labels, selector
from .pods import CONFINED_TO_PAUSE, RUNTIME_SECCOMP
from .prerequisites_args import InotifySpec

_APP: Final = "inotify-limits"
_SMALL: ResourceRequirementsArgsDict = {
    "requests": {"cpu": "1m", "memory": "8Mi"},
    "limits": {"memory": "16Mi"},
}


def inotify_limits(
    name: str,
    namespace: pulumi.Input[str],
    limits: InotifySpec,
    node_labels: TextsByName,
    opts: pulumi.ResourceOptions,
) -> DaemonSet:
    """A DaemonSet that raises the limits of nodes with these labels as they start, and never lowers them.

    It tolerates no taint, so it never runs on a spot node, whatever the labels: a rollout waits for the nodes that host
    Charmed Kubeflow and for no other. What a node ends up with is in the log of the container, line by line.
    """
    worn = labels("kernel-limits", app=_APP, version=version(BUSYBOX))
    script = when_known(_script, limits.get("max_user_instances"), limits.get("max_user_watches"))
    return DaemonSet(
        f"{name}-inotify",
        metadata={"name": _APP, "namespace": namespace, "labels": worn},
        spec={
            "selector": {"match_labels": selector(_APP)},
            "template": {
                "metadata": {"labels": worn},
                "spec": {
                    # A node under pressure evicts pods without a class first, and a full one admits none of them.
                    "priority_class_name": "system-node-critical",
                    "automount_service_account_token": False,
                    "security_context": RUNTIME_SECCOMP,
                    "node_selector": merged({"kubernetes.io/os": "linux"}, node_labels),
                    "init_containers": [
                        {
                            "name": "raise",
                            "image": BUSYBOX,
                            "command": ["sh", "-ec", script],
                            # The container runtime mounts /proc/sys read-only for all others, and gives a privileged
                            # one every capability and no seccomp profile, whatever else stands here.
                            "security_context": {"privileged": True, "read_only_root_filesystem": True},
                            "resources": _SMALL,
                        }
                    ],
                    "containers": [
                        {
                            "name": "pause",
                            "image": PAUSE,
                            "security_context": CONFINED_TO_PAUSE,
                            "resources": _SMALL,
                        }
                    ],
                },
            },
        },
        opts=opts,
    )


def _script(instances: int, watches: int) -> str:
    return "\n".join(
        f'f=/proc/sys/fs/inotify/{key}; [ "$(cat "$f")" -ge {least} ] || echo {least} > "$f"; '
        f'echo "{key} $(cat "$f")"'
        for key, least in (("max_user_instances", instances), ("max_user_watches", watches))
    )
