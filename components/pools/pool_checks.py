"""Rules of agent pools that AKS would refuse, found before anything is created; each yields the mistakes it finds.

Keys are relative to the pool, for instance `osDisk.sizeGib`. That a choice is one of its values is a matter of form
(`form`), and comes first. Pure: planning calls the same rules without the SDKs.

Sources: MicrosoftDocs/azure-aks-docs (2026-08-21), articles/aks/spot-node-pool.md, use-system-pools.md,
quotas-skus-regions.md, concepts-storage.md, gpu-multi-instance.md; Azure/azure-rest-api-specs,
containerservice/aks/stable/2025-09-01/managedClusters.json.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..arguments import limits
from ..arguments.mistakes import Mistake, one_of
from .conventions import SPOT_KEY, SYSTEM_TAINT, TIME_SLICES_LABEL, WORKLOAD_LABEL
from .labels_and_taints import label_form_mistakes, taint_form_mistakes

MAX_SIZES: Final = 10
"""Sizes of one pool, as many as there are levels of the autoscaler's priority map for one kind of pool (our choice)."""
MIN_SYSTEM_PODS: Final = 30
MIN_OS_DISK_GIB: Final = 30
BURSTABLE: Final = re.compile(r"standard_b\d", re.IGNORECASE)
_NAME: Final = re.compile(r"[a-z][a-z0-9]{0,11}")
_NAME_OF_AKS: Final = "aksmanagedap"
"""Name that AKS keeps for node auto-provisioning (Azure/AKS, CHANGELOG.md, 2025-04-27)."""
_PRICE_DECIMALS: Final = 5
_STATED: Final = {
    *("count", "enableAutoScaling", "maxCount", "maxPods", "minCount", "mode", "name", "nodeTaints"),
    *("osDiskSizeGB", "osDiskType", "osSKU", "osType", "tags", "type", "upgradeSettings", "vmSize"),
    "orchestratorVersion",
}
"""What is stated of a system pool anyway, and its version, which AKS refuses beside pools without one."""


def name_mistakes(name: str) -> Iterator[Mistake]:
    """A name has the form that AKS requires, and is not AKS's own."""
    if not _NAME.fullmatch(name):
        yield Mistake("name", name, "a name of 1 to 12 lower-case letters and digits, a letter first")
    elif name == _NAME_OF_AKS:
        yield Mistake("name", name, "another name, because AKS keeps this one for itself")


def count_mistakes(min_count: int, max_count: int, *, system: bool = False) -> Iterator[Mistake]:
    """The fewest nodes are not above the most, and a system pool always has one."""
    if system and min_count == 0:
        yield Mistake("minCount", min_count, "at least 1 in a system pool")
    if min_count > max_count:
        yield Mistake("minCount", min_count, f"at most maxCount, which is {max_count}")


def system_mistakes(priority: str, taints: Sequence[str]) -> Iterator[Mistake]:
    """A system pool is on demand, and has no taint but AKS's own (github.com/Azure/AKS/issues/2578)."""
    if priority == "Spot":
        yield Mistake("priority", priority, "Regular, because a system pool is always on demand")
    if others := [taint for taint in taints if taint != SYSTEM_TAINT]:
        yield Mistake("taints", others, f"none but {SYSTEM_TAINT}, which a system pool always has")


def other_property_mistakes(properties: Mapping[str, Any]) -> Iterator[Mistake]:
    """What is stated of a system pool anyway would be lost among its other properties."""
    for name in sorted(_STATED & properties.keys()):
        yield Mistake(
            f"otherProperties.{name}",
            properties[name],
            "a property that no other argument and no default states",
        )


def system_size_mistakes(vm_size: str) -> Iterator[Mistake]:
    """No B-series in a system pool (quotas-skus-regions.md, "Restricted VM sizes")."""
    if BURSTABLE.match(vm_size):
        yield Mistake(
            "vmSize", vm_size, "a size other than B-series, which AKS does not support in system pools"
        )


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


def os_disk_mistakes(kind: str, eviction_policy: str | None) -> Iterator[Mistake]:
    """An ephemeral OS disk cannot be deallocated."""
    if kind == "Ephemeral" and eviction_policy == "Deallocate":
        yield Mistake(
            "evictionPolicy", eviction_policy, "Delete, because an ephemeral OS disk cannot be deallocated"
        )


def gpu_mistakes(gpu_instance_profile: str | None, gpus: int) -> Iterator[Mistake]:
    """Nodes have no GPU, or some, and only GPUs are cut into slices."""
    if gpus < 0:
        yield Mistake("gpus", gpus, "at least 0")
    if gpu_instance_profile is not None and not gpus:
        yield Mistake("gpuInstanceProfile", gpu_instance_profile, "no value on nodes without a GPU")


def time_slice_mistakes(
    time_slices: int | None, gpus: int, gpu_instance_profile: str | None
) -> Iterator[Mistake]:
    """Only whole GPUs are shared in time, each by several pods.

    Source: docs/facts/aks.md#time-slices; that GPUs which are cut are not shared as well is our choice.
    """
    if time_slices is None:
        return
    if not gpus:
        yield Mistake("gpuTimeSlices", time_slices, "no value on nodes without a GPU")
    elif gpu_instance_profile is not None:
        yield Mistake("gpuTimeSlices", time_slices, "no value beside gpuInstanceProfile, which cuts the GPUs")


def plugin_mistakes(time_slices: Sequence[int]) -> Iterator[Mistake]:
    """The numbers of time slices for which there is a device plugin are such as it takes."""
    for number, count in Counter(time_slices).items():
        yield from limits.number_mistakes("gpuTimeSlices", limits.TIME_SLICES, number)
        if count > 1:
            yield Mistake("gpuTimeSlices", number, "each number once")


def missing_plugin_mistakes(
    pools: Sequence[Mapping[str, Any]], time_slices: Sequence[int]
) -> Iterator[Mistake]:
    """There is a device plugin for the time slices of each pool.

    Args:
        pools: as the pool contract has them.
        time_slices: numbers for which there is one.
    """
    for pool in pools:
        number = pool["labels"].get(TIME_SLICES_LABEL)
        if number is not None and number not in map(str, time_slices):
            yield Mistake(
                "gpuTimeSlices", list(time_slices), f"{number} as well, which pool {pool['name']} has"
            )


def system_pod_mistakes(max_pods: int) -> Iterator[Mistake]:
    """A node of a system pool takes enough pods for AKS's own add-ons."""
    if max_pods < MIN_SYSTEM_PODS:
        yield Mistake("maxPods", max_pods, f"at least {MIN_SYSTEM_PODS} in a system pool")


def on_demand_mistakes(
    priority: str, upgrade: Mapping[str, Any], capacity_reservation_group_id: str | None
) -> Iterator[Mistake]:
    """Spot pools have neither surge nor drain nor reserved capacity.

    Sources: spot-node-pool.md, "Upgrade a Spot node pool"; MicrosoftDocs/azure-compute-docs (2026-02-17),
    articles/virtual-machines/capacity-reservation-overview.md, "Limitations and restrictions".
    """
    if priority != "Spot":
        return
    if stated := {key: value for key, value in upgrade.items() if value is not None}:
        yield Mistake(
            "upgrade", stated, "no value on a spot pool, which AKS upgrades without surge and drain"
        )
    if capacity_reservation_group_id is not None:
        yield Mistake(
            "capacityReservationGroupId",
            capacity_reservation_group_id,
            "no value on a spot pool, for which Azure reserves no capacity",
        )


def zone_mistakes(zones: Sequence[str]) -> Iterator[Mistake]:
    """Zones that Azure has, each named once."""
    for index, zone in enumerate(zones):
        yield from one_of(f"zones[{index}]", zone, ("1", "2", "3"))
    if len(set(zones)) != len(zones):
        yield Mistake("zones", list(zones), "each zone once")


def repeated_name_mistakes(names: Sequence[str]) -> Iterator[Mistake]:
    """Each pool of a cluster has a name of its own."""
    for name, count in Counter(names).items():
        if count > 1:
            yield Mistake("pools", name, "a name of its own for each pool")


def fallback_mistakes(pools: Sequence[Mapping[str, Any]]) -> Iterator[Mistake]:
    """A fallback is an on-demand pool of the same workload, so that one node selector covers both.

    Args:
        pools: name, and if any priority, labels and fallback, of every pool of a cluster.
    """
    for index, pool in enumerate(pools):
        key, fallback = f"pools[{index}].fallback", pool.get("fallback")
        if fallback is None:
            continue
        if pool.get("priority") != "Spot":
            yield Mistake(key, fallback, "no value unless priority is Spot")
        elif fallback not in (names := _on_demand(_workload(pool), pools)):
            choice = f"one of {', '.join(names)}" if names else "of which there is none"
            yield Mistake(key, fallback, f"an on-demand pool with the same label {WORKLOAD_LABEL}, {choice}")


def shared_pool_mistakes(pools: Sequence[Mapping[str, Any]]) -> Iterator[Mistake]:
    """Pools that share a name have the same priority, workload and fallback, and are not too many.

    Args:
        pools: as for `fallback_mistakes`, and if any pool.
    """
    first: dict[str, Mapping[str, Any]] = {}
    sizes = Counter[str]()
    for index, pool in enumerate(pools):
        shared = _shared(pool)
        key, other = f"pools[{index}].pool", first.setdefault(shared, pool)
        sizes[shared] += 1
        if pool["name"] != other["name"] and _alike(pool) != _alike(other):
            yield Mistake(
                key,
                shared,
                f"another name, or priority, {WORKLOAD_LABEL} and fallback as {other['name']} has them",
            )
        if sizes[shared] == MAX_SIZES + 1:
            yield Mistake(key, shared, f"at most {MAX_SIZES} pools of one name")


def _shared(pool: Mapping[str, Any]) -> str:
    """The name that pools of several sizes share; a pool's own where none is stated."""
    return pool.get("pool") or pool["name"]


def _alike(pool: Mapping[str, Any]) -> tuple[bool, str | None, str | None]:
    """What pools that share a name have in common."""
    return pool.get("priority") == "Spot", _workload(pool), pool.get("fallback")


def _workload(pool: Mapping[str, Any]) -> str | None:
    return pool.get("labels", {}).get(WORKLOAD_LABEL)


def _on_demand(workload: str | None, pools: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the on-demand pools of a workload, each once."""
    if workload is None:
        return []
    on_demand = (pool for pool in pools if pool.get("priority") != "Spot")
    return list(dict.fromkeys(_shared(pool) for pool in on_demand if _workload(pool) == workload))


def contract_mistakes(pools: Sequence[Mapping[str, Any]]) -> Iterator[Mistake]:
    """The pool contract is one that `ckf_spot` reads."""
    yield from repeated_name_mistakes([pool["name"] for pool in pools])
    yield from fallback_mistakes(pools)
    yield from shared_pool_mistakes(pools)
    for index, pool in enumerate(pools):
        yield from (mistake.within(f"pools[{index}]") for mistake in _contract_pool_mistakes(pool))


def _contract_pool_mistakes(pool: Mapping[str, Any]) -> Iterator[Mistake]:
    yield from name_mistakes(pool["name"])
    yield from gpu_mistakes(None, pool["gpus"])
    yield from limits.number_mistakes("maxCount", limits.NODES, pool["maxCount"])
    yield from label_form_mistakes(pool["labels"])
    yield from taint_form_mistakes(pool["taints"])
    if not _workload(pool):
        yield Mistake(f"labels.{WORKLOAD_LABEL}", None, "the name of the work that the pool takes")
    spot, label = pool["priority"] == "Spot", pool["labels"].get(SPOT_KEY)
    if spot != (label == "spot"):
        yield Mistake(f"labels.{SPOT_KEY}", label, "spot on a spot pool, and no value on others")
