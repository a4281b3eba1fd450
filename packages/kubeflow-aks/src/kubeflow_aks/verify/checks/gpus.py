"""Each GPU node offers the GPUs of the pool contract."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Object, at, condition, name_of
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import listed
from kubeflow_aks.verify.findings import CheckResult, failed, group_by_first, passed, pools_have, unknown
from kubeflow_aks.verify.snapshot import ClusterSnapshot, is_ready, labels, pool_of, seconds, text, why

_RESOURCE: Final = "nvidia.com/gpu"
_APP: Final = "nvidia-device-plugin"
_FAULTS: Final = (
    "GPUMissing",
    "XIDErrors",
    "GPUXIDErrors",
    "NVLinkStatusInactive",
    "IBLinkFlapping",
    "GPUClockThrottling",
    "UnhealthyNvidiaDevicePlugin",
    "UnhealthyNvidiaDCGMServices",
)
"""Node conditions of AKS's Node Problem Detector that are True for a fault (docs/facts/aks.md#node-conditions).

VM sizes that it does not check have none of them.
"""


def offered(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """NVIDIA's device plugin is ready on each GPU node, and the node offers all its GPUs to pods."""
    pools = {str(pool["name"]): pool.get("gpus") for pool in outputs.pools() if pool.get("gpus")}
    if not pools:
        yield passed("the stack has no GPU pool")
        return
    limit = seconds(outputs.basis("autoscaler", "maxNodeProvisionTime"))
    nodes = [node for node in snapshot.nodes.required() if pool_of(node) in pools]
    old = [node for node in nodes if snapshot.age(at(node, "metadata", "creationTimestamp")) > limit]
    wrong = [
        (f"with {offers or 'none'} of {pools[pool_of(node)]} GPUs to offer", name_of(node))
        for node in old
        if (offers := str(at(node, "status", "allocatable", _RESOURCE) or "")) != str(pools[pool_of(node)])
    ]
    if outputs.basis("gpu", "plugin") == "devicePlugin":
        plugged = {
            text(pod, "spec", "nodeName")
            for pod in snapshot.pods.required()
            if _is_plugin(pod) and is_ready(pod)
        }
        wrong += [
            ("without a device plugin that is ready", name_of(node))
            for node in old
            if name_of(node) not in plugged
        ]
    faults = [
        (f"{type_}: {why(reported)}", name_of(node))
        for node in nodes
        for type_ in _FAULTS
        if (reported := condition(node, type_)).get("status") == "True"
    ]
    for what, names in group_by_first(faults).items():
        yield failed(
            f"{counted(len(names), 'GPU node')} with the condition {what} ({listed(names)})",
            "drain the node and delete its VM, so that the autoscaler gets another one; XID errors are explained in "
            "docs.nvidia.com/deploy/xid-errors",
        )
    for what, names in group_by_first(wrong).items():
        yield failed(
            f"{counted(len(names), 'GPU node')} {what} ({listed(names)})",
            "check `kubectl --namespace kubeflow-aks get pods --output wide` and the node's events: the driver or the "
            "plugin is missing",
        )
    if young := len(nodes) - len(old):
        yield unknown(f"{counted(young, 'GPU node')} just starting, so its GPUs cannot be checked yet")
    if not nodes:
        yield unknown(f"{pools_have(pools)} no node now, so its GPUs cannot be checked")
    elif old and not wrong and not faults:
        yield passed(f"GPUs match the pool contract on {counted(len(old), 'GPU node')}")


def _is_plugin(pod: Object) -> bool:
    """Whether it is a device plugin, be it that of nodes with time slices, such as `nvidia-device-plugin-4`."""
    name = labels(pod).get("app.kubernetes.io/name", "")
    return name == _APP or name.startswith(f"{_APP}-")
