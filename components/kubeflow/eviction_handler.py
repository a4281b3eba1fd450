"""What acts on Azure's notice of an eviction: one pod, beside Charmed Kubeflow, that watches the nodes.

docs/decisions/0018-an-eviction-handler-of-our-own.md says why it is no daemon on the spot nodes.
"""

import hashlib
from pathlib import Path
from typing import Final

import pulumi
from pulumi_kubernetes.apps.v1 import Deployment
from pulumi_kubernetes.core.v1 import (
    ConfigMap,
    ResourceRequirementsArgsDict,
    SecurityContextArgsDict,
    ServiceAccount,
)
from pulumi_kubernetes.networking.v1 import NetworkPolicy
from pulumi_kubernetes.rbac.v1 import (
    ClusterRole,
    ClusterRoleBinding,
    PolicyRuleArgs,
    RoleRefArgs,
    SubjectArgs,
)

from ..inputs import TextsByName, merged
from .images import PYTHON, version
from .labels import labels, selector
from .pods import CONFINED

_APP: Final = "eviction-handler"
_ROLE: Final = f"kubeflow-aks-{_APP}"
_SCRIPT: Final = Path(__file__).with_name("eviction_script.py")
_FOLDER: Final = "/handler"
_NOBODY: Final = 65532
"""The user of the image's tag `nonroot`, as a number, which the kubelet can tell from root."""
_RIGHTS: Final = [
    PolicyRuleArgs(api_groups=[""], resources=["nodes"], verbs=["get", "list", "watch", "patch"]),
    PolicyRuleArgs(api_groups=[""], resources=["pods"], verbs=["list", "delete"]),
    PolicyRuleArgs(api_groups=[""], resources=["pods/eviction"], verbs=["create"]),
]
"""It deletes only the pods of a node with a notice that a disruption budget would leave to the VM's end."""
_RESOURCES: Final[ResourceRequirementsArgsDict] = {
    "requests": {"cpu": "10m", "memory": "48Mi"},
    "limits": {"memory": "256Mi"},
}
"""Our choice: it is an interpreter and what it last read of the nodes; not measured on a large cluster."""
_USER: Final[SecurityContextArgsDict] = {
    **CONFINED,
    "run_as_non_root": True,
    "run_as_user": _NOBODY,
    "run_as_group": _NOBODY,
    "seccomp_profile": {"type": "RuntimeDefault"},
}


def eviction_handler(
    name: str,
    namespace: pulumi.Input[str],
    node_labels: TextsByName,
    opts: pulumi.ResourceOptions,
    *,
    isolated: bool,
) -> list[pulumi.Resource]:
    """The pod, its script and its rights.

    Args:
        name: what the resources' names start with.
        namespace: where it stands.
        node_labels: of the nodes that host Charmed Kubeflow, which are never taken; it tolerates no taint.
        opts: options of the resources.
        isolated: whether a network policy closes the namespace, so that it needs one of its own.
    """
    worn = labels(_APP, app=_APP, version=version(PYTHON))
    account = ServiceAccount(
        f"{name}-{_APP}-account",
        metadata={"name": _APP, "namespace": namespace, "labels": labels(_APP)},
        automount_service_account_token=False,
        opts=opts,
    )
    role = ClusterRole(
        f"{name}-{_APP}-role",
        metadata={"name": _ROLE, "labels": labels(_APP)},
        rules=_RIGHTS,
        opts=opts,
    )
    binding = ClusterRoleBinding(
        f"{name}-{_APP}-binding",
        metadata={"name": _ROLE, "labels": labels(_APP)},
        role_ref=RoleRefArgs(api_group="rbac.authorization.k8s.io", kind="ClusterRole", name=_ROLE),
        subjects=[SubjectArgs(kind="ServiceAccount", name=_APP, namespace=namespace)],
        opts=opts,
    )
    text = _SCRIPT.read_text(encoding="utf-8")
    script = ConfigMap(
        f"{name}-{_APP}-script",
        metadata={"name": _APP, "namespace": namespace, "labels": labels(_APP)},
        data={_SCRIPT.name: text},
        opts=opts,
    )
    made: list[pulumi.Resource] = [account, role, binding, script]
    if isolated:
        made.append(_traffic(name, namespace, opts))
    deployment = Deployment(
        f"{name}-{_APP}",
        # `up` does not wait for a node that has room for it, and `verify` checks that it runs.
        metadata={
            "name": _APP,
            "namespace": namespace,
            "labels": worn,
            "annotations": {"pulumi.com/skipAwait": "true"},
        },
        spec={
            "replicas": 1,
            "selector": {"match_labels": selector(_APP)},
            "template": {
                # A changed ConfigMap restarts nothing by itself.
                "metadata": {"labels": worn, "annotations": {"kubeflow-aks/script": _digest(text)}},
                "spec": {
                    "service_account_name": _APP,
                    "automount_service_account_token": True,
                    "priority_class_name": "system-cluster-critical",
                    "node_selector": merged({"kubernetes.io/os": "linux"}, node_labels),
                    "security_context": {"seccomp_profile": {"type": "RuntimeDefault"}},
                    "containers": [
                        {
                            "name": _APP,
                            "image": PYTHON,
                            "command": ["/usr/bin/python3", "-IB", f"{_FOLDER}/{_SCRIPT.name}"],
                            "security_context": _USER,
                            "resources": _RESOURCES,
                            "volume_mounts": [{"name": "script", "mount_path": _FOLDER, "read_only": True}],
                        }
                    ],
                    "volumes": [{"name": "script", "config_map": {"name": _APP}}],
                },
            },
        },
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=made)),
    )
    return [*made, deployment]


def _traffic(name: str, namespace: pulumi.Input[str], opts: pulumi.ResourceOptions) -> NetworkPolicy:
    """Lets the pod reach the API server, whose address no engine lets a policy name: so it names the port alone."""
    return NetworkPolicy(
        f"{name}-{_APP}-traffic",
        metadata={"name": _APP, "namespace": namespace, "labels": labels(_APP)},
        spec={
            "pod_selector": {"match_labels": selector(_APP)},
            "policy_types": ["Egress"],
            "egress": [{"ports": [{"port": 443, "protocol": "TCP"}]}],
        },
        opts=opts,
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
