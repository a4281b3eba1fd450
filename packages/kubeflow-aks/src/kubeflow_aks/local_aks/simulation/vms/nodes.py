"""Node objects as AKS makes them from an agent pool: names, labels, taints."""

import hashlib
from typing import Any, Final

import aks_facts
from aks_facts import VmSize
from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool
from kubeflow_aks.local_aks.simulation.vms.capacity import GIB_IN_MIB, allocatable, capacity, expected

_BASE36: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_INSTANCE_DIGITS: Final = 6
_ARCHITECTURES: Final = {"x64": "amd64", "arm64": "arm64"}
"""What the kubelet calls the processors that Azure calls x64 and arm64."""


class UnknownVmSizeError(ValueError):
    """The catalogue has no such VM size, so its nodes' capacity is unknown."""


def scale_set_name(pool: AgentPool) -> str:
    """`aks-<pool>-<8 digits>-vmss`, the name that autoscaler and expander know the pool by.

    Source: docs/facts/aks.md#priority-expander.
    """
    digest = hashlib.sha256(f"{pool.cluster_id}/{pool.name}".encode()).digest()
    return f"aks-{pool.name}-{int.from_bytes(digest[:8]) % 10**8:08d}-vmss"


def scale_set_id(pool: AgentPool) -> str:
    """The ARM id of the pool's scale set, in the group that AKS keeps for the nodes."""
    subscription = pool.cluster_id.split("/")[2]
    group = f"/subscriptions/{subscription}/resourceGroups/{pool.node_resource_group}"
    return f"{group}/providers/Microsoft.Compute/virtualMachineScaleSets/{scale_set_name(pool)}"


def provider_id(pool: AgentPool, index: int) -> str:
    """What Azure's cloud provider knows a node by: `azure://` and the VM's id with its group in lower case.

    Source: docs/facts/engine.md#nodes-of-scale-sets.
    """
    group = f"/{pool.node_resource_group}/"
    lowered = scale_set_id(pool).replace(group, group.lower())
    return f"azure://{lowered}/virtualMachines/{index}"


def node_name(pool: AgentPool, index: int) -> str:
    """The scale set's name and the instance number in base 36, as VMSS computer names are."""
    digits: list[str] = []
    while index:
        index, digit = divmod(index, 36)
        digits.append(_BASE36[digit])
    return scale_set_name(pool) + "".join(reversed(digits)).rjust(_INSTANCE_DIGITS, "0")


def instance_index(pool: AgentPool, name: str) -> int | None:
    """The instance number in a node's name, or None when the node is not of this pool."""
    prefix = scale_set_name(pool)
    if not name.startswith(prefix) or len(name) != len(prefix) + _INSTANCE_DIGITS:
        return None
    return int(name[-_INSTANCE_DIGITS:], 36)


def node(pool: AgentPool, index: int) -> dict[str, Any]:
    """The Node object of the pool's instance `index`, ready to be created.

    Instances are dealt to the pool's zones in turn.

    Raises:
        UnknownVmSizeError: the catalogue does not know the pool's VM size.
    """
    name = node_name(pool, index)
    return _node(pool, name, {"kubernetes.io/hostname": name}, index)


def template_node(pool: AgentPool) -> dict[str, Any]:
    """What the autoscaler expects of the pool's next node, also when the pool has none.

    Real Azure predicts the zone at random and an allocatable equal to the capacity; this one knows both. Like the
    real one it takes every machine for x64 (docs/facts/aks.md#scale-from-zero).

    Raises:
        UnknownVmSizeError: the catalogue does not know the pool's VM size.
    """
    x64 = {"kubernetes.io/arch": "amd64", "beta.kubernetes.io/arch": "amd64"}
    node = _node(pool, f"{scale_set_name(pool)}-template", x64, 0)
    node["status"]["allocatable"] = expected(pool, vm_size(pool))
    return node


def taint(text: str) -> dict[str, str]:
    """`key=value:Effect` or `key:Effect`, as in `nodeTaints`, as a taint of the Node object."""
    body, _, effect = text.rpartition(":")
    key, _, value = body.partition("=")
    return {"key": key, "effect": effect} | ({"value": value} if value else {})


def _node(pool: AgentPool, name: str, extra_labels: dict[str, str], index: int) -> dict[str, Any]:
    size = vm_size(pool)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": _labels(pool, size, index) | extra_labels,
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "spec": {"providerID": provider_id(pool, index), "taints": [taint(text) for text in pool.taints]},
        "status": {
            "capacity": capacity(pool, size),
            "allocatable": allocatable(pool, size),
            "nodeInfo": _node_info(pool, size),
        },
    }


def vm_size(pool: AgentPool) -> VmSize:
    """The VM size of a pool's nodes.

    Raises:
        UnknownVmSizeError: the catalogue does not know it.
    """
    try:
        return aks_facts.vm_size(pool.vm_size)
    except KeyError:
        raise UnknownVmSizeError(
            f"pool {pool.name}: VM size {pool.vm_size!r} is not in the catalogue, so its nodes can't be simulated"
        ) from None


def _labels(pool: AgentPool, size: VmSize, index: int) -> dict[str, str]:
    """What AKS, its cloud provider and the kubelet put on a node.

    Source: use-labels.md; azure_template.go; docs/facts/aks.md#node-labels.
    """
    zone = f"{pool.location}-{pool.zones[index % len(pool.zones)]}" if pool.zones else "0"
    accelerator = {"kubernetes.azure.com/accelerator": "nvidia", "accelerator": "nvidia"} if size.gpus else {}
    return {
        "kubernetes.io/arch": _ARCHITECTURES[size.architecture],
        "kubernetes.io/os": "linux",
        "beta.kubernetes.io/arch": _ARCHITECTURES[size.architecture],
        "beta.kubernetes.io/os": "linux",
        "beta.kubernetes.io/instance-type": pool.vm_size,
        "node.kubernetes.io/instance-type": pool.vm_size,
        "topology.kubernetes.io/region": pool.location,
        "topology.kubernetes.io/zone": zone,
        "agentpool": pool.name,
        "storageprofile": pool.os_disk_type.lower(),
        "kubernetes.azure.com/agentpool": pool.name,
        "kubernetes.azure.com/cluster": pool.node_resource_group,
        "kubernetes.azure.com/managedby": "aks",
        "kubernetes.azure.com/mode": pool.mode.lower(),
        "kubernetes.azure.com/nodepool-type": "VirtualMachineScaleSets",
        "kubernetes.azure.com/os-sku": pool.os_sku,
        "kubernetes.azure.com/priority": "spot" if pool.spot else "regular",
        "kubernetes.azure.com/role": "agent",
        "kubernetes.azure.com/sku-cpu": str(size.vcpus),
        "kubernetes.azure.com/sku-memory": str(int(size.memory_gib * GIB_IN_MIB)),
        "kubernetes.azure.com/storageprofile": pool.os_disk_type.lower(),
        **accelerator,
        **pool.labels,
    }


def _node_info(pool: AgentPool, size: VmSize) -> dict[str, str]:
    version = f"v{pool.kubernetes_version.removeprefix('v')}"
    ubuntu = aks_facts.ubuntu(pool.os_sku, pool.kubernetes_version)
    return {
        "architecture": _ARCHITECTURES[size.architecture],
        "bootID": "",
        "containerRuntimeVersion": "containerd://2.0",
        "kernelVersion": "simulated",
        "kubeProxyVersion": version,
        "kubeletVersion": version,
        "machineID": "",
        "operatingSystem": "linux",
        "osImage": f"Ubuntu {ubuntu.release} LTS" if ubuntu else pool.os_sku,
        "systemUUID": "",
    }
