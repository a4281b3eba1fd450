"""NVIDIA's device plugin, on every GPU node whatever its taints."""

from collections.abc import Sequence
from typing import Final, TypedDict

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSet
from pulumi_kubernetes.core.v1 import (
    AffinityArgsDict,
    ConfigMap,
    EnvVarArgsDict,
    PodSpecArgsDict,
    ResourceRequirementsArgsDict,
    SecurityContextArgsDict,
    VolumeArgsDict,
    VolumeMountArgsDict,
)

from ..pools.conventions import TIME_SLICES_LABEL
from .images import DEVICE_PLUGIN, version
from .labels import labels, selector
from .pods import CONFINED, RUNTIME_SECCOMP, unawaited

_APP: Final = "nvidia-device-plugin"
_SOCKETS = "/var/lib/kubelet/device-plugins"
"""Where the kubelet listens for device plugins (Kubernetes documentation)."""
_GPU_NODES: Final = {"kubernetes.azure.com/accelerator": "nvidia"}
_NO_TIME_SLICES: Final[AffinityArgsDict] = {
    "node_affinity": {
        "required_during_scheduling_ignored_during_execution": {
            "node_selector_terms": [
                {"match_expressions": [{"key": TIME_SLICES_LABEL, "operator": "DoesNotExist"}]}
            ]
        }
    }
}
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


_TIME_SLICES: Final = """\
version: v1
sharing:
  timeSlicing:
    failRequestsGreaterThanOne: true
    resources:
      - name: nvidia.com/gpu
        replicas: {}
"""
"""The plugin's configuration. The resource keeps its name, which the autoscaler and the GPU taint's toleration know.

A second slice may be one of the same GPU, so a container that requests two is refused (docs/facts/aks.md#time-slices).
"""
_FOLDER: Final = "/config"


def device_plugins(
    name: str,
    namespace: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
    *,
    slices: bool,
    time_slices: Sequence[int],
) -> list[pulumi.Resource]:
    """A DaemonSet on nodes with AKS's accelerator label, and one more for each number of time slices.

    They tolerate every taint: the manifest of Azure's documentation does not tolerate spot, so GPUs of spot nodes
    never showed up and pods stayed pending (github.com/Azure/AKS/issues/4418).

    `up` does not wait for their pods: one on a spot node that is being evicted never becomes ready, and the provider
    would wait ten minutes for it (pulumi/pulumi-kubernetes, provider/pkg/await/awaiters.go). Nor does such a node hold
    up the others: the plugin is restarted everywhere at once, which work that already has its GPU does not notice.

    Args:
        name: what the resources' names start with.
        namespace: where they stand.
        opts: options of the resources.
        slices: whether some node's GPUs are cut into slices.
        time_slices: numbers of pods that share a GPU on some nodes, which have the number as a label.
    """
    made: list[pulumi.Resource] = [
        _daemon(name, namespace, opts, _for_whole_gpus(slices=slices, apart=bool(time_slices)))
    ]
    for number in time_slices:
        config = ConfigMap(
            f"{name}-time-slices-{number}",
            metadata={"name": _app(number), "namespace": namespace, "labels": labels("device-plugin")},
            data={"config.yaml": _TIME_SLICES.format(number)},
            opts=opts,
        )
        after = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[config]))
        made += [config, _daemon(name, namespace, after, _for_time_slices(number), number)]
    return made


def _app(time_slices: int | None) -> str:
    return f"{_APP}-{time_slices}" if time_slices else _APP


class _Differences(TypedDict):
    """What differs between the plugins."""

    env: list[EnvVarArgsDict]
    rights: SecurityContextArgsDict
    nodes: dict[str, str]
    affinity: AffinityArgsDict
    mounts: list[VolumeMountArgsDict]
    volumes: list[VolumeArgsDict]


def _for_whole_gpus(*, slices: bool, apart: bool) -> _Differences:
    """Whole GPUs, and slices of those that are cut: on all nodes, or on those without time slices."""
    return {
        "env": [_SEE_SLICES] if slices else [],
        "rights": _RIGHTS_OVER_SLICES if slices else _RIGHTS,
        "nodes": _GPU_NODES,
        "affinity": _NO_TIME_SLICES if apart else {},
        "mounts": [],
        "volumes": [],
    }


def _for_time_slices(number: int) -> _Differences:
    return {
        "env": [{"name": "CONFIG_FILE", "value": f"{_FOLDER}/config.yaml"}],
        "rights": _RIGHTS,
        "nodes": {**_GPU_NODES, TIME_SLICES_LABEL: str(number)},
        "affinity": {},
        "mounts": [{"name": "config", "mount_path": _FOLDER, "read_only": True}],
        "volumes": [{"name": "config", "config_map": {"name": _app(number)}}],
    }


def _daemon(
    name: str,
    namespace: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
    differences: _Differences,
    time_slices: int | None = None,
) -> DaemonSet:
    app = _app(time_slices)
    worn = labels("device-plugin", app=app, version=version(DEVICE_PLUGIN))
    return DaemonSet(
        f"{name}-device-plugin-{time_slices}" if time_slices else f"{name}-device-plugin",
        metadata=unawaited(app, namespace, worn),
        spec={
            "selector": {"match_labels": selector(app)},
            "update_strategy": {"type": "RollingUpdate", "rolling_update": {"max_unavailable": "100%"}},
            "template": {"metadata": {"labels": worn}, "spec": _pod(differences)},
        },
        opts=opts,
    )


def _pod(differences: _Differences) -> PodSpecArgsDict:
    # Slices keep the name nvidia.com/gpu, which the autoscaler knows; whole GPUs too.
    environment: list[EnvVarArgsDict] = [
        {"name": "FAIL_ON_INIT_ERROR", "value": "false"},
        {"name": "MIG_STRATEGY", "value": "single"},
    ]
    pod: PodSpecArgsDict = {
        "automount_service_account_token": False,
        "security_context": RUNTIME_SECCOMP,
        "priority_class_name": "system-node-critical",
        "node_selector": differences["nodes"],
        "tolerations": [{"operator": "Exists"}],
        "containers": [
            {
                "name": _APP,
                "image": DEVICE_PLUGIN,
                "env": [*environment, *differences["env"]],
                "security_context": differences["rights"],
                "resources": _RESOURCES,
                "volume_mounts": [{"name": "sockets", "mount_path": _SOCKETS}, *differences["mounts"]],
            }
        ],
        "volumes": [{"name": "sockets", "host_path": {"path": _SOCKETS}}, *differences["volumes"]],
    }
    if differences["affinity"]:
        pod["affinity"] = differences["affinity"]
    return pod
