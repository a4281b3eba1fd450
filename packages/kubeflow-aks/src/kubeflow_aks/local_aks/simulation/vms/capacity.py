"""What a node has and what of it AKS leaves to pods: reservations for the system, and the OS disk."""

from typing import Final

from aks_facts import VmSize
from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool

GIB_IN_MIB: Final = 1024

_CPU_RESERVED: Final = ((1, 60), (2, 100), (4, 140), (8, 180), (16, 260), (32, 420), (64, 740))
"""(cores, millicores AKS reserves): node-resource-reservations.md, "CPU reservations"."""

_EVICTION_THRESHOLD_MIB: Final = 100
_MANAGED_DISK_GIB: Final = ((8, 128), (16, 256), (64, 512))
"""(below this many vCPUs, default managed OS disk in GiB): concepts-storage.md; 1,024 above."""
_DEFAULT_EPHEMERAL_MIN_GIB: Final = 128
_NODEFS_HELD_BACK: Final = 0.1
"""Kubelet's default hard eviction threshold `nodefs.available<10%`."""


_GPU: Final = "nvidia.com/gpu"
_TAGGED: Final = "k8s.io_cluster-autoscaler_node-template_resources_"
"""Start of the scale set's tags that correct the autoscaler's template, with `_` for `/` (azure_template.go)."""


def capacity(pool: AgentPool, size: VmSize) -> dict[str, str]:
    """`status.capacity` of a pool's node, as Kubernetes quantities."""
    return {
        "cpu": str(size.vcpus),
        "memory": f"{size.memory_gib}Gi",
        "ephemeral-storage": f"{_os_disk_gib(pool, size)}Gi",
        "pods": str(pool.max_pods),
        **_gpus(pool, size),
    }


def allocatable(pool: AgentPool, size: VmSize) -> dict[str, str]:
    """`status.allocatable` of a pool's node, as Kubernetes quantities."""
    disk_mib = int(_os_disk_gib(pool, size) * GIB_IN_MIB * (1 - _NODEFS_HELD_BACK))
    return {
        "cpu": f"{allocatable_cpu(size.vcpus)}m",
        "memory": f"{allocatable_memory(size.memory_gib, pool.max_pods)}Mi",
        "ephemeral-storage": f"{disk_mib}Mi",
        "pods": str(pool.max_pods),
        **_gpus(pool, size),
    }


def expected(pool: AgentPool, size: VmSize) -> dict[str, str]:
    """What the autoscaler expects to be allocatable on the next node of a pool that has none.

    It knows the VM size but not how its GPUs are cut or shared; the scale set's tags have the last word
    (azure_template.go).
    """
    whole = {_GPU: str(size.gpus)} if size.gpus else {}
    tagged = {
        tag.removeprefix(_TAGGED).replace("_", "/"): value
        for tag, value in pool.tags.items()
        if tag.startswith(_TAGGED)
    }
    return allocatable(pool, size) | whole | tagged


def allocatable_cpu(vcpus: int) -> int:
    """Millicores left for pods; between two rows of AKS's table the reservation is interpolated."""
    cores, reserved = _CPU_RESERVED[0]
    for next_cores, next_reserved in _CPU_RESERVED[1:]:
        if vcpus <= next_cores:
            share = (vcpus - cores) / (next_cores - cores)
            return vcpus * 1000 - round(reserved + share * (next_reserved - reserved))
        cores, reserved = next_cores, next_reserved
    return vcpus * 1000 - (reserved + 10 * (vcpus - cores))


def allocatable_memory(memory_gib: float, max_pods: int) -> int:
    """MiB left for pods on AKS ≥ 1.29 (node-resource-reservations.md, "Memory reservations").

    Reserved are the lesser of 20 MiB x max pods + 50 MiB and a quarter, and the eviction threshold on top.
    """
    memory = int(memory_gib * GIB_IN_MIB)
    reserved = min(20 * max_pods + 50, memory // 4)
    return memory - reserved - _EVICTION_THRESHOLD_MIB


def _os_disk_gib(pool: AgentPool, size: VmSize) -> int:
    if pool.os_disk_gb is not None:
        return pool.os_disk_gb
    room = size.ephemeral_gib or 0
    if pool.os_disk_type == "Ephemeral" and room >= _DEFAULT_EPHEMERAL_MIN_GIB:
        return room
    return next((gib for below, gib in _MANAGED_DISK_GIB if size.vcpus < below), 1024)


def _gpus(pool: AgentPool, size: VmSize) -> dict[str, str]:
    return {_GPU: str(size.gpus * pool.gpu_slices * pool.time_slices)} if size.gpus else {}
