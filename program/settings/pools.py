"""Settings of the agent pools."""

from typing import Literal

from pydantic import ValidationInfo, field_validator
from pydantic_core import PydanticCustomError, PydanticKnownError

from components.arguments import choices, defaults, limits
from components.pools import pool_checks
from program.settings._model import SettingsModel, setting
from program.settings.node_upgrades import NodeUpgrade


class OsDisk(SettingsModel):
    """The nodes' operating system disk."""

    type: choices.OsDiskType | None = setting(
        None,
        about="Managed survives and is paid for; Ephemeral lives on the node. Left out: Ephemeral for spot CPU pools "
        "whose size has room, else Managed.",
        source="docs/facts/aks.md#os-disks",
    )
    size_gib: int | None = setting(
        None,
        about=f"Size of the disk. Left out: {defaults.OS_DISK_GIB}, or what fits up to that when Ephemeral.",
        unit="GiB",
        source="docs/facts/aks.md#os-disks",
        ge=pool_checks.MIN_OS_DISK_GIB,
        le=pool_checks.MAX_OS_DISK_GIB,
    )


class SystemPool(SettingsModel):
    """The pool of AKS's own add-ons: Linux, on demand, closed to everything else."""

    name: str = setting(defaults.SYSTEM_POOL_NAME, about="Name of the pool.", source="our choice")
    vm_size: str = setting(
        defaults.SYSTEM_VM_SIZE,
        about="VM size, at least 4 vCPU and no B-series.",
        source="use-system-pools.md",
    )
    min_count: int = setting(
        defaults.SYSTEM_MIN_COUNT,
        about="Fewest nodes; 1 only outside production.",
        unit="nodes",
        source="use-system-pools.md: at least 2 in production",
        ge=1,
        le=pool_checks.MAX_NODES,
    )
    max_count: int = setting(
        defaults.SYSTEM_MAX_COUNT,
        about="Most nodes.",
        unit="nodes",
        source="our choice; limit: quotas-skus-regions.md",
        ge=1,
        le=pool_checks.MAX_NODES,
    )
    os_disk_type: choices.OsDiskType = setting(
        defaults.OS_DISK_TYPE,
        about="Managed survives and is paid for; Ephemeral lives on the node. It never changes.",
        source="docs/facts/aks.md#os-disks",
    )
    os_disk_gib: int = setting(
        defaults.OS_DISK_GIB,
        about="Size of the OS disk.",
        unit="GiB",
        source="docs/facts/aks.md#os-disks",
        ge=pool_checks.MIN_OS_DISK_GIB,
        le=pool_checks.MAX_OS_DISK_GIB,
    )
    max_pods: int = setting(
        defaults.MAX_PODS,
        about="Most pods on a node.",
        unit="pods",
        source="our choice; at least 30: use-system-pools.md",
        ge=pool_checks.MIN_SYSTEM_PODS,
        le=pool_checks.MAX_PODS,
    )
    zones: tuple[Literal["1", "2", "3"], ...] = setting(
        (),
        about="Availability zones of the nodes; empty means no zones.",
        source="docs/facts/aks.md#availability-zones",
    )
    encryption_at_host: bool = setting(
        defaults.ENCRYPTION_AT_HOST,
        about="Encrypt caches and temporary disk on the VM's host, for the life of the pool; the subscription needs "
        "the feature Microsoft.Compute/EncryptionAtHost.",
        source="enable-host-encryption.md",
    )
    upgrade: NodeUpgrade = setting(
        NodeUpgrade(),
        about="How AKS upgrades its nodes.",
        source="docs/facts/aks.md#upgrade-settings-of-pools",
    )


_RESERVATION = (
    "ARM id of the capacity reservation group that its nodes come from, for the life of the pool; what it reserves is "
    "paid for, used or not. Left out: none."
)


class Fallback(SettingsModel):
    """The on-demand pool that takes the work when spot is sold out."""

    max_count: int = setting(
        about="Most nodes of the fallback pool; it always scales from 0.",
        unit="nodes",
        source="our choice; limit: quotas-skus-regions.md",
        ge=1,
        le=pool_checks.MAX_NODES,
    )
    vm_size: str | None = setting(
        None,
        about="VM size of the fallback pool. Left out: `vmSize` of the spot pool, which is then needed.",
        source="our choice",
    )
    capacity_reservation_group_id: str | None = setting(
        None, about=_RESERVATION, source="docs/facts/aks.md#capacity-reservations"
    )


class UserPool(SettingsModel):
    """One pool for work. A GPU size makes it a GPU pool; the one untainted Regular pool hosts Kubeflow."""

    vm_sizes: tuple[str, ...] = setting(
        (),
        about="Spot only: several VM sizes for the same work, in the order in which the autoscaler tries them. Each is "
        "an agent pool with all other settings of this pool, counts included, named after the pool and the size.",
        source="docs/how-to/use-several-vm-sizes.md",
        max_length=pool_checks.MAX_SIZES,
    )
    vm_size: str | None = setting(
        None,
        about="VM size: one of the catalogue, or of the stack's `vmSizes`. With `vmSizes` of the pool: the one of them "
        "whose agent pool has the pool's own name, if any.",
        source="aks_facts/vm_sizes.csv",
        validate_default=True,
    )
    priority: choices.Priority = setting(
        defaults.PRIORITY, about="On demand, or spot.", source="spot-node-pool.md"
    )
    min_count: int = setting(
        defaults.MIN_COUNT,
        about="Fewest nodes; with `vmSizes` of each size.",
        unit="nodes",
        source="managedClusters.json, count",
        ge=0,
        le=pool_checks.MAX_NODES,
    )
    max_count: int = setting(
        about="Most nodes; with `vmSizes` of each size.",
        unit="nodes",
        source="quotas-skus-regions.md",
        ge=1,
        le=pool_checks.MAX_NODES,
    )
    eviction_policy: choices.EvictionPolicy | None = setting(
        None,
        about="What happens to an evicted spot node. Left out: Delete; Deallocate keeps paying for the disk.",
        source="docs/facts/aks.md#eviction-policy",
    )
    max_price: float | None = setting(
        None,
        about="Most to pay for a spot node; -1 means up to the on-demand price and no eviction on price. Left out: -1.",
        unit="USD per hour",
        source="spot-node-pool.md",
    )
    workload: str | None = setting(
        None,
        about="Value of the label that a spot pool and its fallback share. Left out: cpu or gpu.",
        unit="label value",
        source="our choice: docs/decisions/0003-labels-and-taints.md",
        pattern=r"^[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$",
        form="1 to 63 letters, digits and inner hyphens, underscores and dots",
    )
    labels: dict[str, str] = setting({}, about="More node labels.", unit="key: value", source="use-labels.md")
    taints: tuple[str, ...] = setting(
        (), about="More node taints.", unit="key=value:Effect or key:Effect", source="use-node-taints.md"
    )
    os_disk: OsDisk = setting(
        OsDisk(), about="The nodes' operating system disk.", source="docs/facts/aks.md#os-disks"
    )
    zones: tuple[Literal["1", "2", "3"], ...] = setting(
        (),
        about="Availability zones of the nodes; empty means no zones.",
        source="docs/facts/aks.md#availability-zones",
    )
    max_pods: int = setting(
        defaults.MAX_PODS,
        about="Most pods on a node.",
        unit="pods",
        source="our choice; 10 to 250: concepts-network-azure-cni-overlay.md",
        ge=pool_checks.MIN_PODS,
        le=pool_checks.MAX_PODS,
    )
    encryption_at_host: bool = setting(
        defaults.ENCRYPTION_AT_HOST,
        about="Encrypt caches and temporary disk on the VM's host, for the life of the pool; the subscription needs "
        "the feature Microsoft.Compute/EncryptionAtHost.",
        source="enable-host-encryption.md",
    )
    gpu_instance_profile: choices.MigProfile | None = setting(
        None,
        about="Cut each GPU into Multi-Instance GPU slices of this size.",
        source="gpu-multi-instance.md",
    )
    gpu_time_slices: int | None = setting(
        None,
        about="How many pods share each GPU in turn, by the device plugin; each may fill its memory. Left out: one.",
        unit="pods",
        source="docs/facts/aks.md#time-slices",
        **limits.TIME_SLICES,
    )
    capacity_reservation_group_id: str | None = setting(
        None,
        about=f"On demand only: {_RESERVATION}",
        source="docs/facts/aks.md#capacity-reservations",
    )
    upgrade: NodeUpgrade = setting(
        NodeUpgrade(),
        about="How AKS upgrades the nodes of an on-demand pool; of a spot pool those of its fallback.",
        source="docs/facts/aks.md#upgrade-settings-of-pools",
    )
    fallback: Fallback | None = setting(
        None,
        about="On-demand pool that takes the work when spot is sold out; null means none.",
        source="docs/facts/aks.md#shortage-and-fallback",
    )
    replaces: str | None = setting(
        None,
        about="Name of the pool that this one takes over from, for the time of a move: the system pool, or the pool "
        "that hosts Kubeflow.",
        source="resize-node-pool.md, use-system-pools.md",
    )

    @field_validator("vm_size")
    @classmethod
    def _is_given(cls, size: str | None, others: ValidationInfo) -> str | None:
        """One size at least."""
        if size is None and not others.data.get("vm_sizes", True):  # not there if its own form is wrong
            raise PydanticKnownError("missing")
        return size

    @field_validator("max_price")
    @classmethod
    def _is_price(cls, price: float | None) -> float | None:
        """A price that AKS takes."""
        for mistake in pool_checks.price_mistakes(price):
            raise PydanticCustomError("price", "{expected}", {"expected": mistake.expected})
        return price

    @property
    def spot(self) -> bool:
        """Whether it is a spot pool."""
        return self.priority == "Spot"


def standard_pools() -> dict[str, UserPool]:
    """The pools of a stack that sets none: one that hosts Kubeflow, CPU spot and GPU spot, each with its fallback."""
    return {
        "general": UserPool(vm_size="Standard_D8s_v5", min_count=2, max_count=3),
        "cpuspot": UserPool(
            vm_size="Standard_D8ds_v5", priority="Spot", max_count=10, fallback=Fallback(max_count=5)
        ),
        "gpuspot": UserPool(
            vm_size="Standard_NC4as_T4_v3", priority="Spot", max_count=4, fallback=Fallback(max_count=2)
        ),
    }
