"""VM sizes that a stack adds to the catalogue, or corrects."""

from typing import Literal

from program.settings._model import Day, SettingsModel, setting


class OwnVmSize(SettingsModel):
    """One VM size as the stack describes it. A size of the catalogue keeps its value for each key that is left out.

    A size that the catalogue lacks needs vCPU and memory; by default it is a plain x64 size of unknown quota family and
    local disks.
    """

    vcpus: int | None = setting(None, "quotas-skus-regions.md: at least 2", unit="vCPU", ge=2, le=4096)
    """vCPU of a node; needed for a size that the catalogue lacks."""
    memory_gib: float | None = setting(None, "docs/facts/aks.md#vm-sizes", unit="GiB", ge=2, le=131072)
    """Memory of a node; needed for a size that the catalogue lacks."""
    family: str | None = setting(None, "aks_facts/vm_sizes.csv", min_length=1)
    """Quota family, as `az vm list-usage` names it."""
    architecture: Literal["x64", "arm64"] | None = setting(None, "aks_facts/vm_sizes.csv")
    """Kind of processor. Left out: x64."""
    gpus: int | None = setting(None, "aks_facts/vm_sizes.csv", unit="GPUs", ge=0, le=64)
    """GPUs of a node; makes its pools GPU pools. Left out: 0."""
    gpu: str | None = setting(None, "aks_facts/vm_sizes.csv", min_length=1)
    """Vendor and model of the GPUs, for instance NVIDIA A100."""
    gpu_memory_gib: int | None = setting(None, "aks_facts/vm_sizes.csv", unit="GiB", ge=1, le=4096)
    """Memory of each GPU."""
    mig: bool | None = setting(None, "gpu-multi-instance.md")
    """Whether the GPUs can be cut into Multi-Instance GPU slices."""
    ephemeral_gib: int | None = setting(None, "docs/facts/aks.md#os-disks", unit="GiB", ge=0, le=2040)
    """Largest ephemeral OS disk; 0 means none."""
    premium_storage: bool | None = setting(None, "aks_facts/vm_sizes.csv")
    """Whether premium disks can be attached."""
    spot: bool | None = setting(None, "spot-vms.md")
    """Whether it can be spot."""
    encryption_at_host: bool | None = setting(None, "aks_facts/vm_sizes.csv")
    """Whether it has encryption at host."""
    retirement: Day | None = setting(None, "retirements-and-capacity-restrictions.md", unit="YYYY-MM-DD")
    """Day on which Azure stops its VMs."""
