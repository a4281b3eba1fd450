"""The agent pools of a stack, made from its settings: the exact pools AKS will have, fallbacks included."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, Final, cast

from pydantic import Field

from aks_facts import VmSize
from components.arguments.declaration import default_of
from components.azure.arm_ids import group_of, name_of, subscription_of
from components.pools import node_upgrades, pool_checks
from components.pools.conventions import PLATFORM_WORKLOAD, SPOT_KEY, SPOT_TAINT, SYSTEM_TAINT, WORKLOAD_LABEL
from components.pools.pool_contract import announced_gpus
from components.pools.pool_specs import OsDiskSpec
from program.planning.conventions import ARM_TAINT, AUTOSCALER_GPUS, FALLBACK_TAINT, REPLACED_KEY
from program.planning.hardware import CPU, Hardware, hardware
from program.planning.names import agent_pool_name
from program.planning.sizes import sizes
from program.settings import Fallback, NodeUpgrade, OsDisk, Settings, UserPool

EVICTION_POLICY: Final = "Delete"
"""Policy of a spot pool that names none."""
OS_DISK_GIB: Final[int] = default_of(OsDiskSpec, "size_gib")


class Purpose(StrEnum):
    """What a pool is for. The first two have a subnet of the same name."""

    SYSTEM = "system"
    """AKS's own add-ons."""
    GENERAL = "general"
    """Charmed Kubeflow, Juju and notebooks."""
    WORK = "work"
    """Batch work."""


class AgentPool(UserPool):
    """One agent pool as AKS will have it: its settings, with every default filled in.

    A setting of a user pool is also one here, and of the pool's fallback. The OS disk always has type and size.
    """

    name: str
    pool: str
    """Name of the pool in the settings, or of a fallback, which several VM sizes share."""
    vm_size: str = ""  # pyright: ignore[reportIncompatibleVariableOverride] - read-only, and decided here
    size: VmSize
    """Its VM size, as the catalogue or the stack describes it."""
    purpose: Purpose
    hardware: Hardware
    tags: dict[str, str] = Field(default_factory=dict[str, str])
    """Azure tags beside those of every resource."""
    fallback_of: str | None = None
    """Name in the settings of the spot pool whose fallback this is, or None."""
    replaced_by: str | None = None
    """Name of the pool that takes over from this one, or None."""

    @property
    def subnet(self) -> str:
        """Name of the subnet of its nodes, a field of `settings.Subnets`."""
        return self.hardware.subnet if self.purpose is Purpose.WORK else self.purpose.value

    @property
    def most_nodes(self) -> int:
        """Most nodes at once: an upgrade adds some to an on-demand pool, to a spot pool never.

        Source: docs/facts/aks.md#upgrade-settings-of-pools.
        """
        if self.spot:
            return self.max_count
        surge = node_upgrades.surge(self.upgrade.max_surge, self.upgrade.max_unavailable)
        return self.max_count + node_upgrades.surge_nodes(surge, self.max_count)


def agent_pools(settings: Settings) -> tuple[AgentPool, ...]:
    """Every pool of a stack: system, the one that hosts Kubeflow, then the others by name, each before its fallback.

    One of several VM sizes is there once for each, in the order of its setting `vmSizes`.

    While one of the first two moves to another pool, it is there twice.

    The order of the stack file is lost: the Pulumi CLI sorts mappings by key. Pools of an unknown VM size are left out;
    `program.planning.rules.sizes` reports them.
    """
    work_last = sorted(user_pools(settings), key=lambda pool: list(Purpose).index(pool.purpose))
    return (*system_pools(settings), *work_last)


def system_pools(settings: Settings) -> Iterator[AgentPool]:
    """The on-demand pool of AKS's add-ons that the cluster itself describes."""
    pool = settings.system_pool
    size = sizes(settings).get(pool.vm_size)
    if size is None:
        return
    yield _complete(
        dict(pool),
        pool=pool.name,
        size=size,
        purpose=Purpose.SYSTEM,
        hardware=CPU,
        taints=(SYSTEM_TAINT,),
        os_disk=OsDisk(type=pool.os_disk_type, size_gib=pool.os_disk_gib),
        replaced_by=successors(settings).get(pool.name),
    )


def user_pools(settings: Settings) -> Iterator[AgentPool]:
    """The user pools by name, each spot pool followed by its fallback."""
    catalogue = sizes(settings)
    for name, pool in sorted(settings.pools.items()):
        sized = [
            _user_pool(name, agent_pool, one, size, settings)
            for agent_pool, one in by_size(name, pool)
            if (size := catalogue.get(one.vm_size or ""))
        ]
        yield from sized
        for agent_pool, vm_size in fallbacks_by_size(name, pool) if sized else ():
            if size := catalogue.get(vm_size or ""):
                yield _fallback(agent_pool, name, pool, sized[0].size, size)


def by_size(name: str, pool: UserPool) -> list[tuple[str, UserPool]]:
    """The agent pools of a pool: name, and the settings with its one VM size; the first is tried first."""
    if not (pool.spot and pool.vm_sizes):
        return [(name, pool)]
    return [
        (agent_pool, pool.model_copy(update={"vm_size": size, "vm_sizes": ()}))
        for agent_pool, size in _by_size(name, pool.vm_size, pool.vm_sizes)
    ]


def fallbacks_by_size(spot_pool: str, pool: UserPool) -> list[tuple[str, str | None]]:
    """Name and VM size of each agent pool of a pool's fallback; the first is tried first."""
    if pool.fallback is None:
        return []
    return _by_size(fallback_name(spot_pool), pool.fallback.vm_size or pool.vm_size, pool.fallback.vm_sizes)


def _by_size(name: str, vm_size: str | None, vm_sizes: Sequence[str]) -> list[tuple[str, str | None]]:
    return [
        (name if size == vm_size else agent_pool_name(name, size or ""), size)
        for size in dict.fromkeys(vm_sizes or (vm_size,))
    ]


def purpose(settings: Settings, pool: UserPool, size: VmSize | None) -> Purpose:
    """What a user pool is for, whether or not its VM size is known.

    Charmed Kubeflow's pods tolerate no taint, so an on-demand pool without taints and GPU hosts them.
    """
    if pool.replaces == settings.system_pool.name:
        return Purpose.SYSTEM
    hosts = not pool.spot and not pool.taints and not (size and size.gpus)
    return Purpose.GENERAL if hosts else Purpose.WORK


def reservation_groups(pools: Iterable[AgentPool]) -> dict[str, str]:
    """The ARM id of each group once, under a name that no other pool changes: subscription, resource group, group."""
    groups: dict[str, str] = {}
    for pool in pools:
        if arm_id := pool.capacity_reservation_group_id:
            text = arm_id.lower()
            name = "-".join((subscription_of(text).split("-")[0], group_of(text), name_of(text)))
            groups.setdefault(name, arm_id)
    return groups


def successors(settings: Settings) -> dict[str, str]:
    """The name of the pool that takes over, by the name of the pool that it replaces."""
    return {pool.replaces: name for name, pool in settings.pools.items() if pool.replaces is not None}


def fallback_name(spot_pool: str) -> str:
    """Name of a spot pool's fallback: `cpuspot` → `cpuod`, `batch` → `batchod` (our choice)."""
    return spot_pool.removesuffix("spot") + "od" if spot_pool != "spot" else "spotod"


def _user_pool(name: str, agent_pool: str, pool: UserPool, size: VmSize, settings: Settings) -> AgentPool:
    use = purpose(settings, pool, size)
    successor = successors(settings).get(name)
    spot: dict[str, Any] = {
        "eviction_policy": pool.eviction_policy or EVICTION_POLICY,
        "max_price": -1.0 if pool.max_price is None else pool.max_price,
        "upgrade": NodeUpgrade(),  # what is set is for the fallback
    }
    return _complete(
        dict[str, Any](pool) | (spot if pool.spot else {"eviction_policy": None, "max_price": None}),
        name=agent_pool,
        pool=name,
        size=size,
        purpose=use,
        hardware=hardware(size),
        tags=_tags(pool, size),
        labels=_labels(pool, use, size, spot=pool.spot),
        taints=_taints(pool, size, _own_taints(pool, use, size, successor)),
        os_disk=_os_disk(pool, size),
        replaced_by=successor,
    )


def _own_taints(pool: UserPool, purpose: Purpose, size: VmSize, successor: str | None) -> tuple[str, ...]:
    if purpose is Purpose.SYSTEM:
        return (SYSTEM_TAINT,)
    if purpose is Purpose.GENERAL and successor:
        return (f"{REPLACED_KEY}={successor}:NoSchedule",)
    return (*((SPOT_TAINT,) if pool.spot else ()), *_arm_taints(size))


def _arm_taints(size: VmSize) -> tuple[str, ...]:
    return (ARM_TAINT,) if size.architecture == "arm64" else ()


def _fallback(name: str, spot_pool: str, pool: UserPool, spot_size: VmSize, size: VmSize) -> AgentPool:
    fallback = cast(Fallback, pool.fallback)
    return _complete(
        dict(pool),
        name=name,
        pool=fallback_name(spot_pool),
        fallback_of=spot_pool,
        fallback=None,
        headroom=None,
        purpose=Purpose.WORK,
        hardware=hardware(size),
        vm_size=size.name,
        vm_sizes=(),
        size=size,
        priority="Regular",
        min_count=0,
        max_count=fallback.max_count,
        tags=_tags(pool, size),
        labels=_labels(pool, Purpose.WORK, spot_size, spot=False),
        taints=_taints(pool, size, (FALLBACK_TAINT, *_arm_taints(size))),
        eviction_policy=None,
        max_price=None,
        capacity_reservation_group_id=fallback.capacity_reservation_group_id,
        os_disk=OsDisk(type="Managed", size_gib=OS_DISK_GIB),
    )


def _complete(settings: dict[str, Any], **decided: Any) -> AgentPool:
    """An AgentPool without validation: the rules must be able to read invalid pools."""
    return AgentPool.model_construct(**settings | decided)


def _labels(pool: UserPool, purpose: Purpose, size: VmSize, *, spot: bool) -> dict[str, str]:
    if purpose is Purpose.SYSTEM:
        return {}
    workload = PLATFORM_WORKLOAD if purpose is Purpose.GENERAL else pool.workload or _default_workload(size)
    decided = {WORKLOAD_LABEL: workload} | ({SPOT_KEY: "spot"} if spot else {})
    extra = {key: value for key, value in pool.labels.items() if spot or key != SPOT_KEY}
    return decided | extra


def _default_workload(size: VmSize) -> str:
    """Workload label of a pool that sets none: the kind of machine, ARM apart (our choice)."""
    arm = size.architecture == "arm64"
    return f"{hardware(size).name}-arm64" if arm else hardware(size).name


def _tags(pool: UserPool, size: VmSize) -> dict[str, str]:
    """Its tags, with how many GPUs a node of a sliced pool announces: the autoscaler cannot know it without a node."""
    profile, time_slices = pool.gpu_instance_profile, pool.gpu_time_slices
    if not (profile or time_slices):
        return pool.tags
    return pool.tags | {AUTOSCALER_GPUS: str(announced_gpus(size.gpus, profile, time_slices))}


def _taints(pool: UserPool, size: VmSize, decided: tuple[str, ...]) -> tuple[str, ...]:
    extra = (taint for taint in pool.taints if taint != SPOT_TAINT)  # a fallback must not repeat it
    return tuple(dict.fromkeys((*decided, *hardware(size).taints, *extra)))


def _os_disk(pool: UserPool, size: VmSize) -> OsDisk:
    """Type and size, both decided."""
    disk = pool.os_disk
    local = disk.type == "Ephemeral" or (disk.type is None and _may_be_ephemeral(pool, size))
    room = size.ephemeral_gib  # if unknown, the default: AKS refuses one that is too large
    default = min(OS_DISK_GIB, room) if local and room is not None else OS_DISK_GIB
    return OsDisk.model_construct(type="Ephemeral" if local else "Managed", size_gib=disk.size_gib or default)


def _may_be_ephemeral(pool: UserPool, size: VmSize) -> bool:
    """Spot CPU pools take an ephemeral OS disk where one fits: it is free (docs/facts/prices.md#os-disks)."""
    room = size.ephemeral_gib or 0
    size_gib = pool.os_disk.size_gib or min(OS_DISK_GIB, room)
    return (
        pool.spot
        and pool.eviction_policy != "Deallocate"
        and not size.gpus
        and pool_checks.MIN_OS_DISK_GIB <= size_gib <= room
    )
