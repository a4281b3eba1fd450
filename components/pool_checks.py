"""Pools that AKS would refuse, found before anything is created.

Sources: MicrosoftDocs/azure-aks-docs (2026-08-21), articles/aks/spot-node-pool.md, use-system-pools.md,
quotas-skus-regions.md, concepts-storage.md, gpu-multi-instance.md; Azure/azure-rest-api-specs,
containerservice/aks/stable/2025-09-01/managedClusters.json.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from components.conventions import MIG_SLICES, SYSTEM_TAINT
from components.mistakes import Mistake
from components.pool_specs import (
    DEFAULT_MAX_PODS,
    DEFAULT_OS_DISK_GIB,
    DEFAULT_SYSTEM_NODES,
    AgentPoolSpec,
    SystemPoolSpec,
)

_NAME: Final = re.compile(r"[a-z][a-z0-9]{0,11}")
_MOST_NODES: Final = 1000
_LEAST_PODS: Final = {"User": 10, "System": 30}
_MOST_PODS: Final = 250
_OS_DISK_GIB: Final = range(30, 2048 + 1)
_PRICE_DECIMALS: Final = 5


def agent_pool_mistakes(pools: Sequence[AgentPoolSpec], gpu_driver: str) -> Iterator[Mistake]:
    """Every mistake in the pools beside a cluster's own."""
    for at, pool in ((f"pools[{index}]", pool) for index, pool in enumerate(pools)):
        yield from _name(at, pool["name"])
        mode = pool.get("mode", "User")
        yield from _one_of(f"{at}.mode", mode, ("User", "System"))
        yield from _one_of(f"{at}.priority", pool.get("priority", "Regular"), ("Regular", "Spot"))
        yield from _counts(at, pool.get("min_count", 0), pool["max_count"], least=int(mode == "System"))
        if mode == "System":
            yield from _system_only(at, pool)
        yield from _spot_only(at, pool)
        yield from _os_disk(at, pool)
        yield from _gpu_only(at, pool)
        pods, zones = pool.get("max_pods", DEFAULT_MAX_PODS), pool.get("zones", ())
        yield from _nodes(at, pods, zones, least_pods=_LEAST_PODS.get(mode, 10))
    for name, count in Counter(pool["name"] for pool in pools).items():
        if count > 1:
            yield Mistake("pools", name, "a name of its own for each pool")
    yield from _one_of("gpuDriver", gpu_driver, ("Install", "None"))


def system_pool_mistakes(pool: SystemPoolSpec) -> Iterator[Mistake]:
    """Every mistake in the system pool."""
    at, (fewest, most) = "systemPool", DEFAULT_SYSTEM_NODES
    yield from _name(at, pool.get("name", "system"))
    yield from _counts(at, pool.get("min_count", fewest), pool.get("max_count", most), least=1)
    yield from _disk_size(f"{at}.osDiskGib", pool.get("os_disk_gib", DEFAULT_OS_DISK_GIB))
    yield from _nodes(at, pool.get("max_pods", DEFAULT_MAX_PODS), pool.get("zones", ()), least_pods=30)


def _name(at: str, name: str) -> Iterator[Mistake]:
    if not _NAME.fullmatch(name):
        yield Mistake(f"{at}.name", name, "1 to 12 lower-case letters and digits, a letter first")


def _counts(at: str, low: int, high: int, *, least: int) -> Iterator[Mistake]:
    if low < least:
        yield Mistake(f"{at}.minCount", low, f"at least {least}")
    if high > _MOST_NODES:
        yield Mistake(f"{at}.maxCount", high, f"at most {_MOST_NODES}")
    if low > high:
        yield Mistake(f"{at}.minCount", low, f"at most maxCount, which is {high}")


def _system_only(at: str, pool: AgentPoolSpec) -> Iterator[Mistake]:
    """AKS allows no other taint than its own on a system pool (github.com/Azure/AKS/issues/2578)."""
    if pool.get("priority") == "Spot":
        yield Mistake(f"{at}.priority", "Spot", "Regular, because a system pool is always on demand")
    if others := [taint for taint in pool.get("taints", ()) if taint != SYSTEM_TAINT]:
        yield Mistake(f"{at}.taints", others, f"none but {SYSTEM_TAINT}, which a system pool always has")


def _spot_only(at: str, pool: AgentPoolSpec) -> Iterator[Mistake]:
    policy, price = pool.get("eviction_policy"), pool.get("max_price")
    if pool.get("priority") != "Spot":
        for key, value in (("evictionPolicy", policy), ("maxPrice", price)):
            if value is not None:
                yield Mistake(f"{at}.{key}", value, "nothing, because only a pool with priority Spot has one")
        return
    yield from _one_of(f"{at}.evictionPolicy", policy, ("Delete", "Deallocate"))
    if price is not None and price != -1 and (price <= 0 or round(price, _PRICE_DECIMALS) != price):
        yield Mistake(
            f"{at}.maxPrice", price, "-1, or a price in USD per hour above 0 with at most 5 decimals"
        )


def _os_disk(at: str, pool: AgentPoolSpec) -> Iterator[Mistake]:
    disk = pool.get("os_disk", {})
    kind = disk.get("type", "Managed")
    yield from _one_of(f"{at}.osDisk.type", kind, ("Managed", "Ephemeral"))
    yield from _disk_size(f"{at}.osDisk.sizeGib", disk.get("size_gib", DEFAULT_OS_DISK_GIB))
    if kind == "Ephemeral" and pool.get("eviction_policy") == "Deallocate":
        yield Mistake(
            f"{at}.evictionPolicy", "Deallocate", "Delete, because an ephemeral disk cannot be deallocated"
        )


def _gpu_only(at: str, pool: AgentPoolSpec) -> Iterator[Mistake]:
    profile = pool.get("gpu_instance_profile")
    if profile is None:
        return
    if not pool.get("gpu", False):
        yield Mistake(
            f"{at}.gpuInstanceProfile", profile, "nothing, because only a pool with gpu true has one"
        )
    else:
        yield from _one_of(f"{at}.gpuInstanceProfile", profile, tuple(MIG_SLICES))


def _nodes(at: str, max_pods: int, zones: Sequence[str], *, least_pods: int) -> Iterator[Mistake]:
    if not least_pods <= max_pods <= _MOST_PODS:
        yield Mistake(f"{at}.maxPods", max_pods, f"{least_pods} to {_MOST_PODS}")
    if len(set(zones)) != len(zones):
        yield Mistake(f"{at}.zones", list(zones), "each zone once")


def _disk_size(at: str, gib: int) -> Iterator[Mistake]:
    if gib not in _OS_DISK_GIB:
        yield Mistake(at, gib, f"{_OS_DISK_GIB.start} to {_OS_DISK_GIB.stop - 1} GiB")


def _one_of(at: str, value: str | None, allowed: tuple[str, ...]) -> Iterator[Mistake]:
    if value not in allowed:
        yield Mistake(at, value, f"{', '.join(allowed[:-1])} or {allowed[-1]}")
