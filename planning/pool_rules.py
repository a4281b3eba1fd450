"""Rules of single agent pools; each function is one rule and yields the problems it finds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from catalogue import VmSize, retired_series, vm_sizes
from planning.pools import MIN_OS_DISK_GIB, becomes_system_pool, fallback_name, hosts_kubeflow
from settings import Problem, Settings, UserPool

POOL_NAME = re.compile(r"[a-z][a-z0-9]{0,11}")
_NAME_RULE = "1 to 12 lower-case letters and digits, a letter first"
_BURSTABLE = re.compile(r"standard_b\d", re.IGNORECASE)
_PROMO = re.compile(r".*_promo", re.IGNORECASE)
_SYSTEM_VCPUS = 4
_PRICE_DECIMALS = 5


@dataclass(frozen=True)
class Candidate:
    """One user pool of the settings, with its VM size from the catalogue."""

    name: str
    settings: UserPool
    size: VmSize | None
    system: bool = False
    """Whether it takes over from the system pool."""

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
        return hosts_kubeflow(self.settings, self.size) and not self.system


def candidates(settings: Settings) -> tuple[Candidate, ...]:
    """The user pools of the settings, as the rules see them."""
    return tuple(
        Candidate(name, pool, vm_sizes().get(pool.vm_size), system=becomes_system_pool(settings, pool))
        for name, pool in settings.pools.items()
    )


def vm_size_problems(key: str, name: str, today: date) -> Iterator[Problem]:
    """A size is known and not retired (catalogue/vm_sizes.csv, catalogue/retired_vm_sizes.csv)."""
    retired = retired_series(name)
    if retired and retired.retired_on <= today:
        yield Problem(
            key,
            name,
            f"a current size like {retired.replacement}; Azure retired {retired.series} on {retired.retired_on}",
        )
    elif name not in vm_sizes() and not _BURSTABLE.match(name) and not _PROMO.match(name):
        same = next((size for size in vm_sizes() if size.lower() == name.lower()), None)
        allowed = (
            f"the spelling {same}"
            if same
            else "a size of catalogue/vm_sizes.csv; add it there if Azure has it"
        )
        yield Problem(key, name, allowed)


def burstable_problems(key: str, name: str) -> Iterator[Problem]:
    """No B-series or Promo size: not for spot (spot-vms.md), nor for the system pool (use-system-pools.md)."""
    if _BURSTABLE.match(name) or _PROMO.match(name):
        yield Problem(
            key,
            name,
            "a size other than B-series and Promo, which cannot be spot and throttle under steady load",
        )


def name_problems(pool: Candidate) -> Iterator[Problem]:
    """Pool names, fallbacks included, are as short as AKS requires (docs/facts/aks.md#names-counts-and-limits)."""
    if not POOL_NAME.fullmatch(pool.name):
        yield Problem(pool.key, pool.name, f"a pool name of {_NAME_RULE}")
    elif pool.settings.fallback and not POOL_NAME.fullmatch(fallback_name(pool.name)):
        yield Problem(
            pool.key,
            pool.name,
            f"a name short enough for its fallback {fallback_name(pool.name)!r} to be {_NAME_RULE}",
        )


def count_problems(pool: Candidate) -> Iterator[Problem]:
    """The least nodes are not above the most; GPU pools start from 0 (our choice)."""
    low, high = pool.settings.min_count, pool.settings.max_count
    if low > high:
        yield Problem(f"{pool.key}.minCount", low, f"at most maxCount, which is {high}")
    if low and pool.size and pool.size.gpus:
        yield Problem(f"{pool.key}.minCount", low, "0 for a GPU pool, so that an idle GPU costs nothing")


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


def price_problems(pool: Candidate) -> Iterator[Problem]:
    """A price limit that AKS accepts (spot-node-pool.md, "Max price for a Spot pool")."""
    price = pool.settings.max_price
    if price is None or not pool.spot or price == -1:
        return
    if price <= 0 or round(price, _PRICE_DECIMALS) != price:
        yield Problem(
            f"{pool.key}.maxPrice", price, "-1, or a price in USD per hour above 0 with at most 5 decimals"
        )


def os_disk_problems(pool: Candidate) -> Iterator[Problem]:
    """An ephemeral OS disk fits the VM size and cannot be deallocated (docs/facts/aks.md#os-disks)."""
    disk, size = pool.settings.os_disk, pool.size
    if disk.type != "Ephemeral":
        return
    if pool.settings.eviction_policy == "Deallocate":
        yield Problem(
            f"{pool.key}.evictionPolicy",
            "Deallocate",
            "Delete, because an ephemeral OS disk cannot be deallocated",
        )
    if size and max(disk.size_gib or 0, MIN_OS_DISK_GIB) > size.ephemeral_gib:
        room = f"{size.name} has room for {size.ephemeral_gib} GiB"
        yield Problem(
            f"{pool.key}.osDisk", disk.size_gib or "Ephemeral", f"Managed, or a size that fits: {room}"
        )


def mig_problems(pool: Candidate) -> Iterator[Problem]:
    """MIG only where the sizes of both the pool and its fallback support it (gpu-multi-instance.md)."""
    profile = pool.settings.gpu_instance_profile
    if profile is None:
        return
    names = [pool.settings.vm_size, *([pool.settings.fallback.vm_size] if pool.settings.fallback else [])]
    for name in filter(None, names):
        size = vm_sizes().get(name)
        if size and not size.mig:
            able = ", ".join(size.name for size in vm_sizes().values() if size.mig)
            yield Problem(
                f"{pool.key}.gpuInstanceProfile",
                profile,
                f"no value on {name}, which has no MIG; sizes with MIG: {able}",
            )


def fallback_problems(pool: Candidate, today: date) -> Iterator[Problem]:
    """The fallback is of a known size that can do the same kind of work: GPU or not (our choice)."""
    if not pool.settings.fallback or pool.settings.fallback.vm_size is None:
        return
    key, name = f"{pool.key}.fallback.vmSize", pool.settings.fallback.vm_size
    yield from vm_size_problems(key, name, today)
    yield from burstable_problems(key, name)
    twin = vm_sizes().get(name)
    if twin and pool.size and bool(twin.gpus) != bool(pool.size.gpus):
        kind = "a GPU size" if pool.size.gpus else "a size without GPU"
        yield Problem(key, name, f"{kind}, because it replaces {pool.settings.vm_size}")


def system_pool_problems(settings: Settings, today: date) -> Iterator[Problem]:
    """The system pool: name, size, counts (docs/facts/aks.md#system-pool)."""
    pool, key = settings.system_pool, "systemPool"
    if not POOL_NAME.fullmatch(pool.name):
        yield Problem(f"{key}.name", pool.name, f"a pool name of {_NAME_RULE}")
    yield from vm_size_problems(f"{key}.vmSize", pool.vm_size, today)
    yield from burstable_problems(f"{key}.vmSize", pool.vm_size)
    if pool.min_count > pool.max_count:
        yield Problem(f"{key}.minCount", pool.min_count, f"at most maxCount, which is {pool.max_count}")
    yield from system_node_problems(settings, key, vm_sizes().get(pool.vm_size), pool.min_count)


def system_node_problems(settings: Settings, key: str, size: VmSize | None, least: int) -> Iterator[Problem]:
    """Size and number of nodes that every system pool needs (docs/facts/aks.md#system-pool)."""
    if size and size.vcpus < _SYSTEM_VCPUS:
        yield Problem(f"{key}.vmSize", size.name, f"at least {_SYSTEM_VCPUS} vCPU; this has {size.vcpus}")
    if size and size.gpus:
        yield Problem(f"{key}.vmSize", size.name, "a size without GPU")
    if least == 1 and settings.production:
        yield Problem(
            f"{key}.minCount",
            1,
            "at least 2 in production, because otherwise one lost node stops the cluster's DNS",
        )


def pool_problems(pool: Candidate, today: date) -> Iterator[Problem]:
    """Every broken rule of one user pool, labels and taints aside."""
    key = f"{pool.key}.vmSize"
    yield from name_problems(pool)
    yield from vm_size_problems(key, pool.settings.vm_size, today)
    yield from burstable_problems(key, pool.settings.vm_size)
    yield from count_problems(pool)
    yield from spot_only_problems(pool)
    yield from price_problems(pool)
    yield from os_disk_problems(pool)
    yield from mig_problems(pool)
    yield from fallback_problems(pool, today)
