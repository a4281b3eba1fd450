"""Rules of single agent pools; each function is one rule and yields the problems it finds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from catalogue import VmSize, vm_sizes
from planning.pools import MIN_OS_DISK_GIB, Purpose, fallback_name, purpose
from planning.rules.sizes import BURSTABLE
from planning.sizes import sizes
from settings import Problem, Settings, UserPool

POOL_NAME = re.compile(r"[a-z][a-z0-9]{0,11}")
_NAME_RULE = "1 to 12 lower-case letters and digits, a letter first"
_NAME_OF_AKS = "aksmanagedap"
"""Name that AKS keeps for node auto-provisioning (CHANGELOG.md, 2025-04-27)."""
_SYSTEM_VCPUS = 4
_SYSTEM_GIB = 4


@dataclass(frozen=True)
class Candidate:
    """One user pool of the settings, with its VM sizes; None where nobody knows them."""

    name: str
    settings: UserPool
    size: VmSize | None
    twin: VmSize | None
    """VM size of its fallback, where it has one."""
    purpose: Purpose

    @property
    def key(self) -> str:
        """Path of the pool in a stack file."""
        return f"pools.{self.name}"

    @property
    def spot(self) -> bool:
        """Whether the pool is a spot pool."""
        return self.settings.spot

    @property
    def may_host(self) -> bool:
        """Whether Charmed Kubeflow could run here."""
        return self.purpose is Purpose.GENERAL

    @property
    def system(self) -> bool:
        """Whether it takes over from the system pool."""
        return self.purpose is Purpose.SYSTEM

    @property
    def arm(self) -> bool:
        """Whether its nodes are ARM, on which Charmed Kubeflow does not run (`planning.rules.sizes`)."""
        return self.size is not None and self.size.architecture == "arm64"


def candidates(settings: Settings) -> tuple[Candidate, ...]:
    """The user pools of the settings, as the rules see them."""
    known = sizes(settings)
    return tuple(
        Candidate(
            name,
            pool,
            known.get(pool.vm_size),
            known.get(pool.fallback.vm_size or pool.vm_size) if pool.fallback else None,
            purpose(settings, pool, known.get(pool.vm_size)),
        )
        for name, pool in settings.pools.items()
    )


def name_problems(pool: Candidate) -> Iterator[Problem]:
    """Pool names, fallbacks included, are such as AKS requires (docs/facts/aks.md#names-counts-and-limits)."""
    yield from own_name_problems(pool.key, pool.name)
    twin = fallback_name(pool.name)
    if POOL_NAME.fullmatch(pool.name) and pool.settings.fallback and not POOL_NAME.fullmatch(twin):
        yield Problem(
            pool.key, pool.name, f"a name short enough for its fallback {twin!r} to be {_NAME_RULE}"
        )


def own_name_problems(key: str, name: str) -> Iterator[Problem]:
    """One pool's name is well-formed and not AKS's own."""
    if not POOL_NAME.fullmatch(name):
        yield Problem(key, name, f"a pool name of {_NAME_RULE}")
    elif name == _NAME_OF_AKS:
        yield Problem(key, name, "another name, because AKS keeps this one for itself")


def count_problems(pool: Candidate) -> Iterator[Problem]:
    """The least nodes are not above the most."""
    low, high = pool.settings.min_count, pool.settings.max_count
    if low > high:
        yield Problem(f"{pool.key}.minCount", low, f"at most maxCount, which is {high}")


def spot_only_problems(pool: Candidate) -> Iterator[Problem]:
    """Only spot pools have an eviction policy, a price limit and a fallback (docs/facts/aks.md#spot-pools)."""
    if pool.spot:
        return
    for key, value in (
        ("evictionPolicy", pool.settings.eviction_policy),
        ("maxPrice", pool.settings.max_price),
        ("fallback", pool.settings.fallback and pool.settings.fallback.max_count),
    ):
        if value is not None:
            yield Problem(f"{pool.key}.{key}", value, "no value unless priority is Spot")


def os_disk_problems(pool: Candidate) -> Iterator[Problem]:
    """An ephemeral OS disk fits the VM size and cannot be deallocated (docs/facts/aks.md#os-disks)."""
    disk, size = pool.settings.os_disk, pool.size
    if disk.type != "Ephemeral" or pool.may_host or pool.system:  # the last two may have none at all
        return
    if pool.settings.eviction_policy == "Deallocate":
        yield Problem(
            f"{pool.key}.evictionPolicy",
            "Deallocate",
            "Delete, because an ephemeral OS disk cannot be deallocated",
        )
    if size is None or size.ephemeral_gib is None:  # nobody knows: `size_warnings` warns
        return
    room = size.ephemeral_gib
    if room < MIN_OS_DISK_GIB:
        allowed = (
            f"Managed, because {size.name} has room for {room} GiB and an OS disk takes {MIN_OS_DISK_GIB}"
        )
        yield Problem(f"{pool.key}.osDisk.type", "Ephemeral", allowed)
    elif disk.size_gib and disk.size_gib > room:
        allowed = f"at most {room}, the room that {size.name} has for an ephemeral disk; or type Managed"
        yield Problem(f"{pool.key}.osDisk.sizeGib", disk.size_gib, allowed)


def mig_problems(pool: Candidate) -> Iterator[Problem]:
    """MIG only where the sizes of both the pool and its fallback support it (gpu-multi-instance.md)."""
    profile = pool.settings.gpu_instance_profile
    if profile is None:
        return
    for size in dict.fromkeys(filter(None, (pool.size, pool.twin))):
        if size.mig is False:
            able = ", ".join(size.name for size in vm_sizes().values() if size.mig)
            yield Problem(
                f"{pool.key}.gpuInstanceProfile",
                profile,
                f"no value on {size.name}, which has no MIG; sizes with MIG: {able}",
            )


def encryption_problems(key: str, size: VmSize | None) -> Iterator[Problem]:
    """Encryption at host only where the size has it (enable-host-encryption.md)."""
    if size and size.encryption_at_host is False:
        yield Problem(
            f"{key}.encryptionAtHost",
            value=True,
            allowed=f"false on {size.name}, which has no encryption at host",
        )


def system_pool_problems(settings: Settings) -> Iterator[Problem]:
    """The system pool: name, size, counts (docs/facts/aks.md#system-pool)."""
    pool, key = settings.system_pool, "systemPool"
    yield from own_name_problems(f"{key}.name", pool.name)
    if pool.min_count > pool.max_count:
        yield Problem(f"{key}.minCount", pool.min_count, f"at most maxCount, which is {pool.max_count}")
    size = sizes(settings).get(pool.vm_size)
    yield from system_node_problems(settings, key, size, pool.min_count)
    if pool.encryption_at_host:
        yield from encryption_problems(key, size)


def system_node_problems(settings: Settings, key: str, size: VmSize | None, least: int) -> Iterator[Problem]:
    """Size and number of nodes that every system pool needs (docs/facts/aks.md#system-pool)."""
    too_small = size and (size.vcpus < _SYSTEM_VCPUS or size.memory_gib < _SYSTEM_GIB)
    if size and too_small and not BURSTABLE.match(size.name):  # `size_problems` refuses those anyway
        wanted, has = f"{_SYSTEM_VCPUS} vCPU and {_SYSTEM_GIB} GiB", f"{size.vcpus} and {size.memory_gib}"
        yield Problem(f"{key}.vmSize", size.name, f"at least {wanted}; this has {has}")
    if size and size.gpus:
        yield Problem(f"{key}.vmSize", size.name, "a size without GPU")
    if least == 1 and settings.production:
        yield Problem(
            f"{key}.minCount",
            1,
            "at least 2 in production, because otherwise one lost node stops the cluster's DNS",
        )


def pool_problems(pool: Candidate) -> Iterator[Problem]:
    """Every broken rule of one user pool, labels and taints aside."""
    yield from name_problems(pool)
    yield from count_problems(pool)
    yield from spot_only_problems(pool)
    yield from os_disk_problems(pool)
    yield from mig_problems(pool)
    if pool.settings.encryption_at_host:
        for size in dict.fromkeys((pool.size, pool.twin)):  # the fallback has it as well
            yield from encryption_problems(pool.key, size)
