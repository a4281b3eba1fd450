"""Rules of one agent pool that AKS would refuse, found before anything is created; each yields the mistakes it finds.

Keys are relative to the pool, for instance `osDisk.sizeGib`. That a choice is one of its values is a matter of form
(`form`), and comes first. Pure: planning calls the same rules without the SDKs.

Sources: MicrosoftDocs/azure-aks-docs (2026-08-21), articles/aks/spot-node-pool.md, use-system-pools.md,
quotas-skus-regions.md, concepts-storage.md, gpu-multi-instance.md; Azure/azure-rest-api-specs,
containerservice/aks/stable/2025-09-01/managedClusters.json.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from .conventions import SYSTEM_TAINT
from .mistakes import Mistake, one_of

MAX_NODES: Final = 1000
MIN_PODS: Final = 10
MIN_SYSTEM_PODS: Final = 30
MAX_PODS: Final = 250
MIN_OS_DISK_GIB: Final = 30
MAX_OS_DISK_GIB: Final = 2048
_NAME: Final = re.compile(r"[a-z][a-z0-9]{0,11}")
_NAME_OF_AKS: Final = "aksmanagedap"
"""Name that AKS keeps for node auto-provisioning (Azure/AKS, CHANGELOG.md, 2025-04-27)."""
_PRICE_DECIMALS: Final = 5


def name_mistakes(name: str) -> Iterator[Mistake]:
    """A name has the form that AKS requires, and is not AKS's own."""
    if not _NAME.fullmatch(name):
        yield Mistake("name", name, "a name of 1 to 12 lower-case letters and digits, a letter first")
    elif name == _NAME_OF_AKS:
        yield Mistake("name", name, "another name, because AKS keeps this one for itself")


def count_mistakes(min_count: int, max_count: int, *, system: bool = False) -> Iterator[Mistake]:
    """The fewest nodes are not above the most, and a system pool always has one."""
    if min_count < int(system):
        yield Mistake("minCount", min_count, f"at least {int(system)}{' in a system pool' if system else ''}")
    if max_count > MAX_NODES:
        yield Mistake("maxCount", max_count, f"at most {MAX_NODES}")
    if min_count > max_count:
        yield Mistake("minCount", min_count, f"at most maxCount, which is {max_count}")


def system_mistakes(priority: str, taints: Sequence[str]) -> Iterator[Mistake]:
    """A system pool is on demand, and has no taint but AKS's own (github.com/Azure/AKS/issues/2578)."""
    if priority == "Spot":
        yield Mistake("priority", priority, "Regular, because a system pool is always on demand")
    if others := [taint for taint in taints if taint != SYSTEM_TAINT]:
        yield Mistake("taints", others, f"none but {SYSTEM_TAINT}, which a system pool always has")


def spot_mistakes(priority: str, eviction_policy: str | None, max_price: float | None) -> Iterator[Mistake]:
    """Spot pools have an eviction policy and may have a price limit, others have neither."""
    if priority == "Spot":
        if eviction_policy is None:
            yield Mistake("evictionPolicy", None, "Delete or Deallocate, because priority is Spot")
        yield from price_mistakes(max_price)
        return
    for key, value in (("evictionPolicy", eviction_policy), ("maxPrice", max_price)):
        if value is not None:
            yield Mistake(key, value, "no value unless priority is Spot")


def price_mistakes(max_price: float | None) -> Iterator[Mistake]:
    """A price limit is one that AKS takes (spot-node-pool.md, "Max price for a Spot pool")."""
    if (
        max_price is None
        or max_price == -1
        or (max_price > 0 and round(max_price, _PRICE_DECIMALS) == max_price)
    ):
        return
    yield Mistake("maxPrice", max_price, "-1, or a price in USD per hour above 0 with at most 5 decimals")


def os_disk_mistakes(kind: str, size_gib: int, eviction_policy: str | None) -> Iterator[Mistake]:
    """An OS disk has a size that AKS takes, and an ephemeral one cannot be deallocated."""
    yield from disk_size_mistakes("osDisk.sizeGib", size_gib)
    if kind == "Ephemeral" and eviction_policy == "Deallocate":
        yield Mistake(
            "evictionPolicy", eviction_policy, "Delete, because an ephemeral OS disk cannot be deallocated"
        )


def disk_size_mistakes(key: str, size_gib: int) -> Iterator[Mistake]:
    """The size of an OS disk is one that AKS takes (managedClusters.json, osDiskSizeGB)."""
    if not MIN_OS_DISK_GIB <= size_gib <= MAX_OS_DISK_GIB:
        yield Mistake(key, size_gib, f"{MIN_OS_DISK_GIB} to {MAX_OS_DISK_GIB} GiB")


def gpu_mistakes(gpu_instance_profile: str | None, *, gpu: bool) -> Iterator[Mistake]:
    """Only GPUs are cut into slices."""
    if gpu_instance_profile is not None and not gpu:
        yield Mistake("gpuInstanceProfile", gpu_instance_profile, "no value on nodes without a GPU")


def pod_mistakes(max_pods: int, *, system: bool = False) -> Iterator[Mistake]:
    """AKS's bounds of the pods on a node; its own add-ons need more than ten."""
    least = MIN_SYSTEM_PODS if system else MIN_PODS
    if not least <= max_pods <= MAX_PODS:
        yield Mistake("maxPods", max_pods, f"{least} to {MAX_PODS}{' in a system pool' if system else ''}")


def zone_mistakes(zones: Sequence[str]) -> Iterator[Mistake]:
    """Zones that Azure has, each named once."""
    for index, zone in enumerate(zones):
        yield from one_of(f"zones[{index}]", zone, ("1", "2", "3"))
    if len(set(zones)) != len(zones):
        yield Mistake("zones", list(zones), "each zone once")
