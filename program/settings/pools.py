"""Settings of the agent pools and of their nodes: VM sizes, GPUs, upgrades."""

from typing import Literal

from pydantic import ValidationInfo, field_validator
from pydantic_core import PydanticCustomError, PydanticKnownError

from components.arguments import choices
from components.arguments.declaration import default_of
from components.kubeflow.prerequisites_args import HeadroomSpec, HoursSpec
from components.pools import pool_checks
from components.pools.pool_specs import GPU_DRIVER, AgentPoolSpec, OsDiskSpec, SystemPoolSpec, UpgradeSpec
from program.settings._model import Day, SettingsModel, setting, setting_of, settings_of

_DISK_GIB = default_of(OsDiskSpec, "size_gib")
_Zones = tuple[Literal["1", "2", "3"], ...]


class OsDisk(settings_of(OsDiskSpec)):
    """The nodes' operating system disk."""

    type: choices.OsDiskType | None = setting_of(OsDiskSpec, "type", default=None)
    """Managed survives and is paid for; Ephemeral lives on the node. Left out: Ephemeral for spot CPU pools whose size
    has room, else Managed."""
    size_gib: int | None = setting_of(
        OsDiskSpec,
        "size_gib",
        default=None,
        description=f"Size of the disk. Left out: {_DISK_GIB}, or what fits up to that when Ephemeral.",
    )


class NodeUpgrade(settings_of(UpgradeSpec)):
    """How AKS upgrades the nodes of an on-demand pool."""

    @field_validator("max_surge", "max_unavailable", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        """AKS takes text, and YAML makes a number of `2`."""
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class SystemPool(settings_of(SystemPoolSpec)):
    """The pool of AKS's own add-ons: Linux, on demand, closed to everything else."""

    zones: _Zones = setting_of(SystemPoolSpec, "zones")
    upgrade: NodeUpgrade = setting(NodeUpgrade(), "docs/facts/aks.md#upgrade-settings-of-pools")
    """How AKS upgrades its nodes."""


_RESERVATION = (
    "ARM id of the capacity reservation group that its nodes come from, for the life of the pool; what it reserves is "
    "paid for, used or not. Left out: none."
)


class Fallback(SettingsModel):
    """The on-demand pool that takes the work when spot is sold out."""

    max_count: int = setting(..., "our choice; limit: quotas-skus-regions.md", unit="nodes", ge=1, le=1000)
    """Most nodes of the fallback pool, with `vmSizes` of each size; it always scales from 0."""
    vm_sizes: tuple[str, ...] = setting(
        (), "docs/how-to/use-several-vm-sizes.md", max_length=pool_checks.MAX_SIZES
    )
    """Several VM sizes of the fallback, in the order in which the autoscaler tries them. Each is an agent pool, named
    after the fallback and the size."""
    vm_size: str | None = setting(None, "our choice")
    """VM size of the fallback pool; with `vmSizes` the one of them whose agent pool has the fallback's own name. Left
    out: `vmSize` of the spot pool, which is then needed unless there are `vmSizes`."""
    capacity_reservation_group_id: str | None = setting(
        None, "docs/facts/aks.md#capacity-reservations", description=_RESERVATION
    )


class HeadroomHours(settings_of(HoursSpec)):
    """Hours of the week in which nodes are kept warm; work that runs after them goes on."""

    opens: str = setting_of(HoursSpec, "opens", alias="from")
    closes: str = setting_of(HoursSpec, "closes", alias="to")


class Headroom(settings_of(HeadroomSpec)):
    """Spot nodes that are kept warm for work to come, beside those that have work."""

    hours: HeadroomHours | None = setting(None, "docs/how-to/keep-nodes-warm.md")
    """When, in a stack without `officeHours`. Left out: whenever the cluster runs."""


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

    min_count: int = setting_of(AgentPoolSpec, "min_count")
    """Fewest nodes; with `vmSizes` of each size."""
    max_count: int = setting_of(AgentPoolSpec, "max_count")
    """Most nodes; with `vmSizes` of each size."""
    eviction_policy: choices.EvictionPolicy | None = setting_of(AgentPoolSpec, "eviction_policy")
    """What happens to an evicted spot node. Left out: Delete; Deallocate keeps paying for the disk."""
    max_price: float | None = setting_of(AgentPoolSpec, "max_price")
    """Most to pay for a spot node; -1 means up to the on-demand price and no eviction on price. Left out: -1."""
    labels: dict[str, str] = setting_of(AgentPoolSpec, "labels")
    """More node labels."""
    taints: tuple[str, ...] = setting_of(AgentPoolSpec, "taints")
    """More node taints."""
    zones: _Zones = setting_of(AgentPoolSpec, "zones")
    gpu_instance_profile: choices.MigProfile | None = setting_of(AgentPoolSpec, "gpu_instance_profile")
    """Cut each GPU into Multi-Instance GPU slices of this size."""
    gpu_time_slices: int | None = setting_of(AgentPoolSpec, "gpu_time_slices")
    """How many pods share each GPU in turn, by the device plugin; each may fill its memory. Left out: one."""
    capacity_reservation_group_id: str | None = setting_of(
        AgentPoolSpec, "capacity_reservation_group_id", description=f"On demand only: {_RESERVATION}"
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
    headroom: Headroom | None = setting(None, "docs/reference/waiting-for-nodes.md")
    """Spot only: nodes that are kept warm for work to come. Left out: none."""
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


class Gpu(SettingsModel):
    """Who installs the driver, and who runs the device plugin that makes GPUs visible to Kubernetes."""

    driver: choices.GpuDriver = setting(GPU_DRIVER.default, GPU_DRIVER.source)
    """Whether AKS installs the NVIDIA driver; None leaves it to NVIDIA's GPU Operator."""
    plugin: Literal["devicePlugin", "none"] = setting(
        "devicePlugin", "docs/facts/aks.md#gpu-driver-and-device-plugin"
    )
    """Whether this program runs NVIDIA's device plugin; none leaves it to the GPU Operator."""


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
