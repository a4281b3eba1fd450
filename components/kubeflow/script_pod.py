"""A pod of ours that acts on the cluster: a script from a ConfigMap in a public image of Python, so none is built."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pulumi
from pulumi_kubernetes.apps.v1 import Deployment
from pulumi_kubernetes.core.v1 import (
    ConfigMap,
    ContainerArgsDict,
    ProbeArgsDict,
    ResourceRequirementsArgsDict,
    SecurityContextArgsDict,
    ServiceAccount,
    VolumeArgsDict,
)
from pulumi_kubernetes.networking.v1 import NetworkPolicy
from pulumi_kubernetes.rbac.v1 import (
    ClusterRole,
    ClusterRoleBinding,
    PolicyRuleArgs,
    RoleRefArgs,
    SubjectArgs,
)

from ..arguments.declaration import TextsByName
from ..arguments.inputs import merged
from .images import PYTHON, version
from .labels import labels, selector
from .pods import CONFINED, unawaited
from .script_client import READY
from .script_metrics import PATH, PORT

_FOLDER: Final = "/opt"
_PACKAGE: Final = "scripts"
"""Folder of the scripts, by whose name they find each other: Python needs no more for a package."""
_SHARED: Final = ("script_client.py", "script_metrics.py")
"""Scripts that every other one needs."""
REPORT: Final = "/dev/termination-log"
"""File that the kubelet gives each container, and whose content it writes into the pod's status when the container ends
("Customizing the termination message"); the scripts report there what keeps them from their work."""
PROBE_COMMAND: Final = (
    "/usr/bin/python3",
    "-EsSB",
    "-c",
    f"import sys; text = open('{REPORT}').read(); sys.exit(text != '{READY}' and text)",
)
"""Fails with what the script reports, so that it stands in the pod's events, too."""
_PROBE: Final[ProbeArgsDict] = {
    "exec_": {"command": list(PROBE_COMMAND)},
    "initial_delay_seconds": 3,
    "period_seconds": 10,
    "timeout_seconds": 5,
    "failure_threshold": 3,
}
_SCRAPED: Final = {
    "prometheus.io/scrape": "true",
    "prometheus.io/port": str(PORT),
    "prometheus.io/path": PATH,
}
_SCRAPER: Final = "kube-system"
"""Namespace of AKS's managed Prometheus."""
_NOBODY: Final = 65532
"""The user of the image's tag `nonroot`, as a number, which the kubelet can tell from root."""
_RESOURCES: Final[ResourceRequirementsArgsDict] = {
    "requests": {"cpu": "10m", "memory": "48Mi"},
    "limits": {"memory": "256Mi"},
}
"""Our choice: it is an interpreter and what it last read of the cluster; not measured on a large one."""
_USER: Final[SecurityContextArgsDict] = {
    **CONFINED,
    "run_as_non_root": True,
    "run_as_user": _NOBODY,
    "run_as_group": _NOBODY,
    "seccomp_profile": {"type": "RuntimeDefault"},
}


@dataclass(frozen=True, kw_only=True)
class ScriptPod:
    """A pod that runs a script.

    Attributes:
        app: its name, and that of its objects.
        scripts: files of this folder that it needs beside the shared ones, that which it runs first.
        rights: verbs by resource of the API group "", in the whole cluster.
        settings: environment of the script.
    """

    app: str
    scripts: Sequence[str]
    rights: Mapping[str, Sequence[str]]
    settings: Mapping[str, pulumi.Input[str]] = field(default_factory=dict[str, pulumi.Input[str]])


def script_pod(
    name: str,
    namespace: pulumi.Input[str],
    node_labels: TextsByName,
    opts: pulumi.ResourceOptions,
    pod: ScriptPod,
    *,
    isolated: bool,
) -> list[pulumi.Resource]:
    """The pod, its scripts and its rights.

    Args:
        name: what the resources' names start with.
        namespace: where it stands.
        node_labels: of the nodes that host Charmed Kubeflow, which are never taken; it tolerates no taint.
        opts: options of the resources.
        pod: what it runs.
        isolated: whether a network policy closes the namespace, so that it needs one of its own.
    """
    app, role = pod.app, f"kubeflow-aks-{pod.app}"
    worn = labels(app, app=app, version=version(PYTHON))
    digest = hashlib.sha256("".join(_texts(pod.scripts).values()).encode()).hexdigest()[:16]
    settings = {**pod.settings, "REPORT": REPORT, "METRICS": f"0.0.0.0:{PORT}"}
    made: list[pulumi.Resource] = [
        *script_objects(name, app, namespace, pod.scripts, opts),
        ClusterRole(
            f"{name}-{app}-role",
            metadata={"name": role, "labels": labels(app)},
            rules=policy_rules(pod.rights),
            opts=opts,
        ),
        ClusterRoleBinding(
            f"{name}-{app}-binding",
            metadata={"name": role, "labels": labels(app)},
            role_ref=RoleRefArgs(api_group="rbac.authorization.k8s.io", kind="ClusterRole", name=role),
            subjects=[SubjectArgs(kind="ServiceAccount", name=app, namespace=namespace)],
            opts=opts,
        ),
    ]
    if isolated:
        made.append(to_api_server(name, app, namespace, opts, scraped=True))
    deployment = Deployment(
        f"{name}-{app}",
        # `up` does not wait for a node that has room for it, and `verify` checks that it runs.
        metadata=unawaited(app, namespace, worn),
        spec={
            "replicas": 1,
            "selector": {"match_labels": selector(app)},
            "template": {
                # A changed ConfigMap restarts nothing by itself.
                "metadata": {"labels": worn, "annotations": {"kubeflow-aks/script": digest, **_SCRAPED}},
                "spec": {
                    "service_account_name": app,
                    "automount_service_account_token": True,
                    "priority_class_name": "system-cluster-critical",
                    "node_selector": merged({"kubernetes.io/os": "linux"}, node_labels),
                    "security_context": {"seccomp_profile": {"type": "RuntimeDefault"}},
                    "containers": [
                        {
                            **script_container(app, pod.scripts[0], settings),
                            "ports": [{"name": "metrics", "container_port": PORT, "protocol": "TCP"}],
                            "readiness_probe": _PROBE,
                        }
                    ],
                    "volumes": [script_volume(app)],
                },
            },
        },
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=made)),
    )
    return [*made, deployment]


def script_objects(
    name: str, app: str, namespace: pulumi.Input[str], scripts: Sequence[str], opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """The service account of an application, and the ConfigMap with its scripts."""
    return [
        ServiceAccount(
            f"{name}-{app}-account",
            metadata={"name": app, "namespace": namespace, "labels": labels(app)},
            automount_service_account_token=False,
            opts=opts,
        ),
        ConfigMap(
            f"{name}-{app}-script",
            metadata={"name": app, "namespace": namespace, "labels": labels(app)},
            data=_texts(scripts),
            opts=opts,
        ),
    ]


def _texts(scripts: Sequence[str]) -> dict[str, str]:
    """The texts of files of this folder, those that all scripts need included."""
    folder = Path(__file__).parent
    return {script: (folder / script).read_text(encoding="utf-8") for script in (*scripts, *_SHARED)}


def script_container(name: str, script: str, settings: Mapping[str, pulumi.Input[str]]) -> ContainerArgsDict:
    """A container that runs a script of `script_volume` with these settings in its environment."""
    return {
        "name": name,
        "image": PYTHON,
        "command": ["/usr/bin/python3", "-EsB", "-m", f"{_PACKAGE}.{script.removesuffix('.py')}"],
        "working_dir": _FOLDER,
        "env": [{"name": key, "value": value} for key, value in settings.items()],
        "security_context": _USER,
        "resources": _RESOURCES,
        "volume_mounts": [{"name": "script", "mount_path": f"{_FOLDER}/{_PACKAGE}", "read_only": True}],
    }


def script_volume(config_map: str) -> VolumeArgsDict:
    """The volume with the scripts of a ConfigMap."""
    return {"name": "script", "config_map": {"name": config_map}}


def policy_rules(rights: Mapping[str, Sequence[str]]) -> list[PolicyRuleArgs]:
    """The rules of a role for verbs by resource of the API group ""."""
    return [
        PolicyRuleArgs(api_groups=[""], resources=[resource], verbs=list(verbs))
        for resource, verbs in rights.items()
    ]


def to_api_server(
    name: str, app: str, namespace: pulumi.Input[str], opts: pulumi.ResourceOptions, *, scraped: bool = False
) -> NetworkPolicy:
    """Lets pods reach the API server, and AKS's Prometheus their metrics where they are `scraped`.

    No engine lets a policy name the API server's address: so it names the port alone.
    """
    return NetworkPolicy(
        f"{name}-{app}-traffic",
        metadata={"name": app, "namespace": namespace, "labels": labels(app)},
        spec={
            "pod_selector": {"match_labels": selector(app)},
            "policy_types": ["Egress", "Ingress"],
            "egress": [{"ports": [{"port": 443, "protocol": "TCP"}]}],
            "ingress": [
                {
                    "from_": [
                        {"namespace_selector": {"match_labels": {"kubernetes.io/metadata.name": _SCRAPER}}}
                    ],
                    "ports": [{"port": PORT, "protocol": "TCP"}],
                }
            ]
            if scraped
            else [],
        },
        opts=opts,
    )
