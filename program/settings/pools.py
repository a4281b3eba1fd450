"""Settings of the agent pools."""

from typing import Literal

from pydantic import ValidationInfo, field_validator
from pydantic_core import PydanticCustomError, PydanticKnownError

from components.arguments import choices
from components.arguments.declaration import arguments_of
from components.pools import pool_checks
from components.pools.pool_specs import AgentPoolSpec, OsDiskSpec, SystemPoolSpec
from program.settings._model import SettingsModel, setting, setting_of, settings_of
from program.settings.node_upgrades import NodeUpgrade

_DISK = arguments_of(OsDiskSpec)
_SYSTEM = arguments_of(SystemPoolSpec)
_POOL = arguments_of(AgentPoolSpec)
_ZONES = "Availability zones of the nodes; empty means no zones."


class OsDisk(settings_of(OsDiskSpec)):
    """The nodes' operating system disk."""

    type: choices.OsDiskType | None = setting_of(_DISK["type"], default=None)
    """Managed survives and is paid for; Ephemeral lives on the node. Left out: Ephemeral for spot CPU pools whose size
    has room, else Managed."""
    size_gib: int | None = setting_of(
        _DISK["size_gib"],
        default=None,
        description=f"Size of the disk. Left out: {_DISK['size_gib'].default}, or what fits up to that when Ephemeral.",
    )


class SystemPool(settings_of(SystemPoolSpec)):
    """The pool of AKS's own add-ons: Linux, on demand, closed to everything else."""

    zones: tuple[Literal["1", "2", "3"], ...] = setting_of(_SYSTEM["zones"], description=_ZONES)
    upgrade: NodeUpgrade = setting(NodeUpgrade(), "docs/facts/aks.md#upgrade-settings-of-pools")
    """How AKS upgrades its nodes."""


_RESERVATION = (
    "ARM id of the capacity reservation group that its nodes come from, for the life of the pool; what it reserves is "
    "paid for, used or not. Left out: none."
)


class Fallback(SettingsModel):
    """The on-demand pool that takes the work when spot is sold out."""

    max_count: int = setting(..., "our choice; limit: quotas-skus-regions.md", unit="nodes", ge=1, le=1000)
    """Most nodes of the fallback pool; it always scales from 0."""
    vm_size: str | None = setting(None, "our choice")
    """VM size of the fallback pool. Left out: `vmSize` of the spot pool, which is then needed."""
    capacity_reservation_group_id: str | None = setting(
        None, "docs/facts/aks.md#capacity-reservations", description=_RESERVATION
    )


class _Sizes(SettingsModel):
    """VM sizes of a pool."""

    vm_sizes: tuple[str, ...] = setting(
        (), "docs/how-to/use-several-vm-sizes.md", max_length=pool_checks.MAX_SIZES
    )
    """Spot only: several VM sizes for the same work, in the order in which the autoscaler tries them. Each is an agent
    pool with all other settings of this pool, counts included, named after the pool and the size."""
    vm_size: str | None = setting(None, "aks_facts/vm_sizes.csv", validate_default=True)
    """VM size: one of the catalogue, or of the stack's `vmSizes`. With `vmSizes` of the pool: the one of them whose
    agent pool has the pool's own name, if any."""


class UserPool(settings_of(AgentPoolSpec, base=_Sizes)):
    """One pool for work. A GPU size makes it a GPU pool; the one untainted Regular pool hosts Kubeflow."""

    min_count: int = setting_of(_POOL["min_count"])
    """Fewest nodes; with `vmSizes` of each size."""
    max_count: int = setting_of(_POOL["max_count"])
    """Most nodes; with `vmSizes` of each size."""
    eviction_policy: choices.EvictionPolicy | None = setting_of(_POOL["eviction_policy"])
    """What happens to an evicted spot node. Left out: Delete; Deallocate keeps paying for the disk."""
    max_price: float | None = setting_of(_POOL["max_price"])
    """Most to pay for a spot node; -1 means up to the on-demand price and no eviction on price. Left out: -1."""
    labels: dict[str, str] = setting_of(_POOL["labels"])
    """More node labels."""
    taints: tuple[str, ...] = setting_of(_POOL["taints"])
    """More node taints."""
    zones: tuple[Literal["1", "2", "3"], ...] = setting_of(_POOL["zones"], description=_ZONES)
    gpu_instance_profile: choices.MigProfile | None = setting_of(_POOL["gpu_instance_profile"])
    """Cut each GPU into Multi-Instance GPU slices of this size."""
    gpu_time_slices: int | None = setting_of(_POOL["gpu_time_slices"])
    """How many pods share each GPU in turn, by the device plugin; each may fill its memory. Left out: one."""
    capacity_reservation_group_id: str | None = setting_of(
        _POOL["capacity_reservation_group_id"], description=f"On demand only: {_RESERVATION}"
    )
    workload: str | None = setting(
        None,
        "our choice: docs/decisions/0003-labels-and-taints.md",
        unit="label value",
        pattern=r"^[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$",
        form="1 to 63 letters, digits and inner hyphens, underscores and dots",
    )
    """Value of the label that a spot pool and its fallback share. Left out: cpu or gpu."""
    os_disk: OsDisk = setting(OsDisk(), "docs/facts/aks.md#os-disks")
    """The nodes' operating system disk."""
    upgrade: NodeUpgrade = setting(NodeUpgrade(), "docs/facts/aks.md#upgrade-settings-of-pools")
    """How AKS upgrades the nodes of an on-demand pool; of a spot pool those of its fallback."""
    fallback: Fallback | None = setting(None, "docs/facts/aks.md#shortage-and-fallback")
    """On-demand pool that takes the work when spot is sold out; null means none."""
    replaces: str | None = setting(None, "resize-node-pool.md, use-system-pools.md")
    """Name of the pool that this one takes over from, for the time of a move: the system pool, or the pool that hosts
    Kubeflow."""

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
