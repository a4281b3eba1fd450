"""Each GPU node offers the GPUs that the contract says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deployed.outputs import Outputs
from kube.objects import at, name_of
from story.formatting import counted
from verify.findings import Told, broken, by_first, kept, names, pools_named, unseen
from verify.seen import Seen, is_ready, labels, pool_of, seconds, text

_RESOURCE: Final = "nvidia.com/gpu"
_APP: Final = "nvidia-device-plugin"


def offered(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """NVIDIA's device plugin is ready on each GPU node, and the node offers all its GPUs to pods."""
    pools = {str(pool["name"]): pool.get("gpus") for pool in outputs.pools() if pool.get("gpus")}
    if not pools:
        yield kept("the stack has no GPU pool")
        return
    given = seconds(outputs.basis("autoscaler", "maxNodeProvisionTime"))
    nodes = [node for node in seen.nodes.known() if pool_of(node) in pools]
    old = [node for node in nodes if seen.age(at(node, "metadata", "creationTimestamp")) > given]
    wrong = [
        (f"with {offers or 'none'} of {pools[pool_of(node)]} GPUs to offer", name_of(node))
        for node in old
        if (offers := str(at(node, "status", "allocatable", _RESOURCE) or "")) != str(pools[pool_of(node)])
    ]
    if outputs.basis("gpu", "plugin") == "devicePlugin":
        plugged = {
            text(pod, "spec", "nodeName")
            for pod in seen.pods.known()
            if labels(pod).get("app.kubernetes.io/name") == _APP and is_ready(pod)
        }
        wrong += [
            ("without a device plugin that is ready", name_of(node))
            for node in old
            if name_of(node) not in plugged
        ]
    for what, found in by_first(wrong).items():
        yield broken(
            f"{counted(len(found), 'GPU node')} {what} ({names(found)})",
            "see `kubectl --namespace kubeflow-aks get pods --output wide` and the node's events: the driver or the "
            "plugin is missing",
        )
    if young := len(nodes) - len(old):
        yield unseen(f"{counted(young, 'GPU node')} just starting, so the GPUs can't be seen yet")
    if not nodes:
        yield unseen(f"{pools_named(pools)} no node now, so GPUs can't be seen")
    elif old and not wrong:
        yield kept(f"GPUs are offered as the pool contract says on {counted(len(old), 'GPU node')}")
