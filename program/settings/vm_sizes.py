"""VM sizes that a stack adds to the catalogue, or corrects."""

from typing import Literal

from program.settings._model import Day, SettingsModel, setting


class OwnVmSize(SettingsModel):
    """One VM size as the stack describes it. A size of the catalogue keeps its value for each key that is left out.

    A size that the catalogue lacks needs vCPU and memory; by default it is a plain x64 size of unknown quota family and
    local disks.
    """

    vcpus: int | None = setting(
        None,
        about="vCPU of a node; needed for a size that the catalogue lacks.",
        unit="vCPU",
        source="quotas-skus-regions.md: at least 2",
        ge=2,
        le=4096,
    )
    memory_gib: float | None = setting(
        None,
        about="Memory of a node; needed for a size that the catalogue lacks.",
        unit="GiB",
        source="docs/facts/aks.md#vm-sizes",
        ge=2,
        le=131072,
    )
    family: str | None = setting(
        None,
        about="Quota family, as `az vm list-usage` names it.",
        source="aks_facts/vm_sizes.csv",
        min_length=1,
    )
    architecture: Literal["x64", "arm64"] | None = setting(
        None, about="Kind of processor. Left out: x64.", source="aks_facts/vm_sizes.csv"
    )
    gpus: int | None = setting(
        None,
        about="GPUs of a node; makes its pools GPU pools. Left out: 0.",
        unit="GPUs",
        source="aks_facts/vm_sizes.csv",
        ge=0,
        le=64,
    )
    gpu: str | None = setting(
        None,
        about="Vendor and model of the GPUs, for instance NVIDIA A100.",
        source="aks_facts/vm_sizes.csv",
        min_length=1,
    )
    gpu_memory_gib: int | None = setting(
        None,
        about="Memory of each GPU.",
        unit="GiB",
        source="aks_facts/vm_sizes.csv",
        ge=1,
        le=4096,
    )
    mig: bool | None = setting(
        None,
        about="Whether the GPUs can be cut into Multi-Instance GPU slices.",
        source="gpu-multi-instance.md",
    )
    ephemeral_gib: int | None = setting(
        None,
        about="Largest ephemeral OS disk; 0 means none.",
        unit="GiB",
        source="docs/facts/aks.md#os-disks",
        ge=0,
        le=2040,
    )
    premium_storage: bool | None = setting(
        None, about="Whether premium disks can be attached.", source="aks_facts/vm_sizes.csv"
    )
    spot: bool | None = setting(None, about="Whether it can be spot.", source="spot-vms.md")
    encryption_at_host: bool | None = setting(
        None, about="Whether it has encryption at host.", source="aks_facts/vm_sizes.csv"
    )
    retirement: Day | None = setting(
        None,
        about="Day on which Azure stops its VMs.",
        unit="YYYY-MM-DD",
        source="retirements-and-capacity-restrictions.md",
    )
