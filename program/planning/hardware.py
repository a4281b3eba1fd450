"""CPU and GPU pools: name, taints, subnet and autoscaler priority of each."""

from dataclasses import dataclass
from typing import Final

from components.conventions import GPU_TAINT
from kubeflow_aks.catalogue import VmSize


@dataclass(frozen=True, kw_only=True)
class Hardware:
    """One kind of machine for batch work."""

    name: str
    """Role of its pools in the pool contract; also their workload label where a stack sets none."""
    subnet: str
    """Name of the subnet of its nodes, a field of `settings.Subnets`."""
    taints: tuple[str, ...]
    """What keeps other work off its nodes."""
    spot_priority: int
    """Level of its spot pools in the autoscaler's priority map; the highest is tried first."""
    on_demand_priority: int
    """Level of its on-demand pools."""


CPU: Final = Hardware(name="cpu", subnet="cpu", taints=(), spot_priority=40, on_demand_priority=20)
GPU: Final = Hardware(name="gpu", subnet="gpu", taints=(GPU_TAINT,), spot_priority=30, on_demand_priority=10)
"""Below CPU, so that CPU work never starts a GPU node while a CPU pool fits."""
EVERY: Final = (CPU, GPU)


def hardware(size: VmSize) -> Hardware:
    """The kind of machine that a VM size is."""
    return GPU if size.gpus else CPU


def gpu_model(size: VmSize) -> str | None:
    """Vendor and model of a size's GPUs, even for a part of one; None without GPUs or if unknown."""
    return size.gpu.partition(" (")[0] if size.gpu else None
