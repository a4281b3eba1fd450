"""CPU and GPU pools: name, taints and subnet of each."""

from dataclasses import dataclass
from typing import Final

from aks_facts import VmSize
from components.pools.conventions import GPU_TAINT


@dataclass(frozen=True, kw_only=True)
class Hardware:
    """One kind of machine for batch work."""

    name: str
    """Workload label of its pools where a stack sets none."""
    subnet: str
    """Name of the subnet of its nodes, a field of `settings.Subnets`."""
    taints: tuple[str, ...]
    """What keeps other work off its nodes."""


CPU: Final = Hardware(name="cpu", subnet="cpu", taints=())
GPU: Final = Hardware(name="gpu", subnet="gpu", taints=(GPU_TAINT,))


def hardware(size: VmSize) -> Hardware:
    """The kind of machine that a VM size is."""
    return GPU if size.gpus else CPU


def gpu_model(size: VmSize) -> str | None:
    """Vendor and model of a size's GPUs, even for a part of one; None without GPUs or if unknown."""
    return size.gpu.partition(" (")[0] if size.gpu else None
