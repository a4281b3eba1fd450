"""Rules of single agent pools; each function is one rule and yields the problems it finds.

Here are those that need the facts or the whole stack; `components.pools.pool_checks` has those that hold for any
program.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from aks_facts import VmSize, vm_sizes
from components.arguments.mistakes import Mistake
from components.pools import pool_checks
from program.planning.pools import (
    EVICTION_POLICY,
    Purpose,
    by_size,
    fallback_name,
    fallbacks_by_size,
    purpose,
)
from program.planning.sizes import sizes
from program.settings import Settings, UnreadError, UserPool

_SYSTEM_VCPUS = 4
_SYSTEM_GIB = 4


@dataclass(frozen=True)
class Candidate:
    """One user pool of the settings, or one size of it, for the rules of single pools."""

    name: str
    """Name of the pool in the settings, which several sizes share."""
    settings: UserPool
    """Its settings, with one size at most."""
    stack: Settings

    @property
    def key(self) -> str:
        """Path of the pool in a stack file."""
        return f"pools.{self.name}"

    @property
    def size(self) -> VmSize | None:
        """Its VM size; None if unknown."""
        return sizes(self.stack).get(self.settings.vm_size or "")

    @property
    def fallback_sizes(self) -> dict[str, VmSize]:
        """VM sizes of its fallback by their path in a stack file, those that are unknown left out."""
        pool, catalogue = self.stack.pools[self.name], sizes(self.stack)
        key = "vmSizes[{}]" if pool.fallback and pool.fallback.vm_sizes else "vmSize"
        named = enumerate(fallbacks_by_size(self.name, pool))
        return {
            f"{self.key}.fallback.{key.format(index)}": size
            for index, (_, name) in named
            if (size := catalogue.get(name or ""))
        }

    @property
    def every_size(self) -> tuple[VmSize, ...]:
        """Its VM size and those of its fallback, each once; without unknown ones."""
        return tuple(dict.fromkeys(filter(None, (self.size, *self.fallback_sizes.values()))))

    @property
    def purpose(self) -> Purpose:
        """What it is for."""
        return purpose(self.stack, self.settings, self.size)

    @property
    def spot(self) -> bool:
        """Whether it is a spot pool."""
        return self.settings.spot

    @property
    def may_host(self) -> bool:
        """Whether Charmed Kubeflow could run here."""
        return self.purpose is Purpose.GENERAL

    @property
    def system(self) -> bool:
        """Whether it takes over from the system pool."""
        return self.settings.replaces == self.stack.system_pool.name

    @property
    def arm(self) -> bool:
        """Whether its nodes are ARM, on which Charmed Kubeflow does not run (`program.planning.rules.sizes`)."""
        return self.size is not None and self.size.architecture == "arm64"


def candidates(settings: Settings) -> tuple[Candidate, ...]:
    """Every user pool of the settings, once for each of its sizes."""
    return tuple(
        Candidate(name, one, settings)
        for name, pool in settings.pools.items()
        for one in _by_size(name, pool)
    )


def _by_size(name: str, pool: UserPool) -> list[UserPool]:
    try:
        return [one for _, one in by_size(name, pool)]
    except UnreadError:  # only the rules that read the sizes stop there
        return [pool]


def component_problems(key: str, mistakes: Iterable[Mistake]) -> Iterator[Mistake]:
    """What a component refuses of a pool, as problems of the settings under `key`."""
    for mistake in mistakes:
        yield mistake.within(key)


def name_problems(pool: Candidate) -> Iterator[Mistake]:
    """Pool names, fallbacks included, are such as AKS requires (docs/facts/aks.md#names-counts-and-limits)."""
    for mistake in pool_checks.name_mistakes(pool.name):
        yield Mistake(pool.key, mistake.value, mistake.expected)
        return
    fallback = fallback_name(pool.name)
    if pool.settings.fallback and any(pool_checks.name_mistakes(fallback)):
        yield Mistake(
            pool.key,
            pool.name,
            f"a shorter name, because that of its fallback, {fallback}, has over 12 characters",
        )


def spot_only_problems(pool: Candidate) -> Iterator[Mistake]:
    """Only spot pools have an eviction policy, a price limit and a fallback (docs/facts/aks.md#spot-pools)."""
    values = pool.settings
    policy = values.eviction_policy or (EVICTION_POLICY if pool.spot else None)
    yield from component_problems(
        pool.key, pool_checks.spot_mistakes(values.priority, policy, values.max_price)
    )
    if values.fallback and not pool.spot:
        yield Mistake(f"{pool.key}.fallback", values.fallback.max_count, "no value unless priority is Spot")


def os_disk_problems(pool: Candidate) -> Iterator[Mistake]:
    """An ephemeral OS disk fits the VM size and cannot be deallocated (docs/facts/aks.md#os-disks)."""
    disk, size = pool.settings.os_disk, pool.size
    if disk.type != "Ephemeral" or pool.may_host or pool.system:  # the last two may have none at all
        return
    mistakes = pool_checks.os_disk_mistakes(disk.type, pool.settings.eviction_policy)
    yield from component_problems(pool.key, mistakes)
    yield from _room_problems((f"{pool.key}.osDisk.type", f"{pool.key}.osDisk.sizeGib"), size, disk.size_gib)


def _room_problems(keys: tuple[str, str], size: VmSize | None, size_gib: int | None) -> Iterator[Mistake]:
    """An ephemeral OS disk fits the VM size; the keys are those of the disk's type and size."""
    if size is None or size.ephemeral_gib is None:  # unknown: `size_warnings` warns
        return
    room = size.ephemeral_gib
    if room < pool_checks.MIN_OS_DISK_GIB:
        allowed = (
            f"Managed, because {size.name} has room for {room} GiB and an OS disk takes "
            f"{pool_checks.MIN_OS_DISK_GIB}"
        )
        yield Mistake(keys[0], "Ephemeral", allowed)
    elif size_gib and size_gib > room:
        kind = keys[0].rpartition(".")[2]
        allowed = f"at most {room}, the room that {size.name} has for an ephemeral disk; or {kind} Managed"
        yield Mistake(keys[1], size_gib, allowed)


def mig_problems(pool: Candidate) -> Iterator[Mistake]:
    """MIG only where the sizes of both the pool and its fallback support it (gpu-multi-instance.md)."""
    profile = pool.settings.gpu_instance_profile
    if profile is None:
        return
    for size in pool.every_size:
        if not size.gpus:
            yield from component_problems(pool.key, pool_checks.gpu_mistakes(profile, gpus=0))
        elif size.mig is False:
            able = ", ".join(size.name for size in vm_sizes().values() if size.mig)
            yield Mistake(
                f"{pool.key}.gpuInstanceProfile",
                profile,
                f"no value on {size.name}, which has no MIG; sizes with MIG: {able}",
            )


def encryption_problems(key: str, size: VmSize | None) -> Iterator[Mistake]:
    """Encryption at host only where the size has it (enable-host-encryption.md)."""
    if size and size.encryption_at_host is False:
        yield Mistake(
            f"{key}.encryptionAtHost",
            value=True,
            expected=f"false on {size.name}, which has no encryption at host",
        )


def system_pool_problems(settings: Settings) -> Iterator[Mistake]:
    """The system pool: name, size, counts (docs/facts/aks.md#system-pool)."""
    pool, key = settings.system_pool, "systemPool"
    yield from component_problems(key, pool_checks.name_mistakes(pool.name))
    yield from component_problems(key, pool_checks.other_property_mistakes(pool.other_properties))
    counts = pool_checks.count_mistakes(pool.min_count, pool.max_count, system=True)
    yield from component_problems(key, counts)
    size = sizes(settings).get(pool.vm_size)
    yield from system_node_problems(settings, key, size, pool.min_count)
    if pool.encryption_at_host:
        yield from encryption_problems(key, size)
    if pool.os_disk_type == "Ephemeral" and not settings.adopted:  # AKS made that one, so it had the room
        yield from _room_problems((f"{key}.osDiskType", f"{key}.osDiskGib"), size, pool.os_disk_gib)


def system_is_small(size: VmSize) -> bool:
    """Whether a size has less than a system pool needs (docs/facts/aks.md#system-pool)."""
    return size.vcpus < _SYSTEM_VCPUS or size.memory_gib < _SYSTEM_GIB


def system_node_problems(settings: Settings, key: str, size: VmSize | None, least: int) -> Iterator[Mistake]:
    """Size and number of nodes that every system pool needs (docs/facts/aks.md#system-pool)."""
    too_small = size and system_is_small(size) and not settings.adopted
    if (
        size and too_small and not pool_checks.BURSTABLE.match(size.name)
    ):  # `size_problems` refuses those anyway
        needed, has = f"{_SYSTEM_VCPUS} vCPU and {_SYSTEM_GIB} GiB", f"{size.vcpus} and {size.memory_gib}"
        yield Mistake(f"{key}.vmSize", size.name, f"at least {needed}; this has {has}")
    if size and size.gpus:
        yield Mistake(f"{key}.vmSize", size.name, "a size without GPU")
    if least == 1 and settings.production:
        yield Mistake(
            f"{key}.minCount",
            1,
            "at least 2 in production, because otherwise one lost node stops the cluster's DNS",
        )


def pool_problems(pool: Candidate) -> Iterator[Mistake]:
    """Every broken rule of one user pool, labels and taints aside."""
    key, values = pool.key, pool.settings
    yield from name_problems(pool)
    counts = pool_checks.count_mistakes(values.min_count, values.max_count, system=pool.system)
    yield from component_problems(key, counts)
    if pool.system:
        yield from component_problems(key, pool_checks.system_pod_mistakes(values.max_pods))
    yield from spot_only_problems(pool)
    yield from os_disk_problems(pool)
    yield from mig_problems(pool)
    for size in pool.every_size:
        slices = pool_checks.time_slice_mistakes(
            values.gpu_time_slices, size.gpus, values.gpu_instance_profile
        )
        yield from component_problems(key, slices)
    if values.encryption_at_host:
        for size in pool.every_size:  # the fallback has it as well
            yield from encryption_problems(key, size)
