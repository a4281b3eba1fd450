"""From settings to agent pools: the exact pools AKS will have, fallbacks included."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from catalogue import VmSize, vm_sizes
from planning import conventions as c
from settings import Fallback, Settings, UserPool

DEFAULT_OS_DISK_GIB = 128
MIN_OS_DISK_GIB = 30
"""Smallest OS disk that AKS accepts (managedClusters.json, osDiskSizeGB)."""


class Role(StrEnum):
    """What a pool is for; each role has a subnet of its own."""

    SYSTEM = "system"
    GENERAL = "general"
    CPU = "cpu"
    GPU = "gpu"


@dataclass(frozen=True, kw_only=True)
class AgentPool:
    """One agent pool as AKS will have it. Disks in GiB, price in USD per hour."""

    name: str
    role: Role
    vm_size: str
    spot: bool
    min_count: int
    max_count: int
    labels: Mapping[str, str]
    taints: tuple[str, ...]
    eviction_policy: str | None
    max_price: float | None
    os_disk_type: str
    os_disk_gib: int
    zones: tuple[str, ...]
    max_pods: int
    gpu_instance_profile: str | None
    fallback_of: str | None
    """Name of the spot pool this one stands in for, or None."""

    @property
    def priority(self) -> str:
        """`Spot` or `Regular`, as AKS names it."""
        return "Spot" if self.spot else "Regular"


def agent_pools(settings: Settings) -> tuple[AgentPool, ...]:
    """Every pool of a stack: system, Kubeflow's home, then the others by name, each followed by its fallback.

    The order of the stack file is not known: the Pulumi CLI hands mappings on sorted by key. Pools whose VM size
    the catalogue does not know are left out; `planning.pool_rules` reports them.
    """
    home_first = sorted(user_pools(settings), key=lambda pool: pool.role is not Role.GENERAL)
    return (system_pool(settings), *home_first)


def system_pool(settings: Settings) -> AgentPool:
    """The on-demand pool of AKS's add-ons."""
    pool = settings.system_pool
    return AgentPool(
        name=pool.name,
        role=Role.SYSTEM,
        vm_size=pool.vm_size,
        spot=False,
        min_count=pool.min_count,
        max_count=pool.max_count,
        labels=MappingProxyType({}),
        taints=(c.SYSTEM_TAINT,),
        eviction_policy=None,
        max_price=None,
        os_disk_type="Managed",
        os_disk_gib=pool.os_disk_gib,
        zones=pool.zones,
        max_pods=pool.max_pods,
        gpu_instance_profile=None,
        fallback_of=None,
    )


def user_pools(settings: Settings) -> Iterator[AgentPool]:
    """The user pools by name, each spot pool followed by its fallback."""
    for name, pool in sorted(settings.pools.items()):
        size = vm_sizes().get(pool.vm_size)
        if size is None:
            continue
        yield _user_pool(name, pool, size)
        twin = pool.fallback
        if twin and (twin_size := vm_sizes().get(twin.vm_size or pool.vm_size)):
            yield _fallback(name, pool, twin, twin_size)


def fallback_name(spot_pool: str) -> str:
    """Name of a spot pool's on-demand twin: `cpuspot` → `cpuod`, `batch` → `batchod` (our choice)."""
    return spot_pool.removesuffix("spot") + "od" if spot_pool != "spot" else "spotod"


def _user_pool(name: str, pool: UserPool, size: VmSize) -> AgentPool:
    spot = pool.priority == "Spot"
    role = _role(pool, size)
    ephemeral = pool.os_disk.type == "Ephemeral" or (
        pool.os_disk.type is None and _may_be_ephemeral(pool, size)
    )
    return AgentPool(
        name=name,
        role=role,
        vm_size=pool.vm_size,
        spot=spot,
        min_count=pool.min_count,
        max_count=pool.max_count,
        labels=_labels(pool, role, spot=spot),
        taints=_taints(pool, size, (c.SPOT_TAINT,) if spot else ()),
        eviction_policy=(pool.eviction_policy or "Delete") if spot else None,
        max_price=(-1.0 if pool.max_price is None else pool.max_price) if spot else None,
        os_disk_type="Ephemeral" if ephemeral else "Managed",
        os_disk_gib=pool.os_disk.size_gib or _default_disk(size, ephemeral=ephemeral),
        zones=pool.zones,
        max_pods=pool.max_pods,
        gpu_instance_profile=pool.gpu_instance_profile,
        fallback_of=None,
    )


def _fallback(spot_pool: str, pool: UserPool, twin: Fallback, size: VmSize) -> AgentPool:
    role = _role(pool, size)
    return AgentPool(
        name=fallback_name(spot_pool),
        role=role,
        vm_size=size.name,
        spot=False,
        min_count=0,
        max_count=twin.max_count,
        labels=_labels(pool, role, spot=False),
        taints=_taints(pool, size, (c.FALLBACK_TAINT,)),
        eviction_policy=None,
        max_price=None,
        os_disk_type="Managed",
        os_disk_gib=DEFAULT_OS_DISK_GIB,
        zones=pool.zones,
        max_pods=pool.max_pods,
        gpu_instance_profile=pool.gpu_instance_profile,
        fallback_of=spot_pool,
    )


def _role(pool: UserPool, size: VmSize) -> Role:
    if size.gpus:
        return Role.GPU
    return Role.GENERAL if pool.priority == "Regular" and not pool.taints else Role.CPU


def _labels(pool: UserPool, role: Role, *, spot: bool) -> Mapping[str, str]:
    workload = c.PLATFORM_WORKLOAD if role is Role.GENERAL else pool.workload or role.value
    own = {c.WORKLOAD_LABEL: workload} | ({c.SPOT_KEY: "spot"} if spot else {})
    extra = {key: value for key, value in pool.labels.items() if spot or key != c.SPOT_KEY}
    return MappingProxyType(own | extra)


def _taints(pool: UserPool, size: VmSize, own: tuple[str, ...]) -> tuple[str, ...]:
    extra = (taint for taint in pool.taints if taint != c.SPOT_TAINT)  # a fallback must not repeat it
    return (*own, *((c.GPU_TAINT,) if size.gpus else ()), *dict.fromkeys(extra))


def _may_be_ephemeral(pool: UserPool, size: VmSize) -> bool:
    """Spot CPU pools take an ephemeral OS disk where one fits: it is free (docs/facts/prices.md#os-disks)."""
    wanted = pool.os_disk.size_gib or min(DEFAULT_OS_DISK_GIB, size.ephemeral_gib)
    return (
        pool.priority == "Spot"
        and pool.eviction_policy != "Deallocate"
        and not size.gpus
        and MIN_OS_DISK_GIB <= wanted <= size.ephemeral_gib
    )


def _default_disk(size: VmSize, *, ephemeral: bool) -> int:
    return min(DEFAULT_OS_DISK_GIB, size.ephemeral_gib) if ephemeral else DEFAULT_OS_DISK_GIB
