"""What may change in single pools: sizes, disks, fewer nodes, a shorter wait for the autoscaler."""

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from aks_facts import VmSize, ondemand_prices, restricted_families, vm_sizes
from kubeflow_aks.cost.advice.advice import Change, Path
from kubeflow_aks.cost.advice.situation import Situation
from kubeflow_aks.cost.basis import Work
from kubeflow_aks.cost.figures import HOURS_A_MONTH
from kubeflow_aks.cost.reading import Pool, hours

_LETTERS = re.compile(r"Standard_([A-Z]+)")
_USUAL = ("D", "DS", "E", "F", "FX")
_GENERATION = re.compile(r".*_v(\d+)")
_TRIED = 3
"""Sizes that a bill is guessed for: the cheapest on demand with room for an OS disk, and as many without."""
_MOVE = "move an existing pool to the new size as in docs/how-to/move-a-pool.md"
_AGAIN = "an existing pool is replaced; measure a step there: another processor does not do the same work in an hour"
_LEAST_GIB = 30
"""Smallest OS disk that AKS accepts (managedClusters.json, osDiskSizeGB)."""
_SMALLER_GIB = 64
"""The next size that Azure bills for, below the default of 128 (disks-types.md, "Azure managed disk billing")."""
_DEVIATIONS = 3
"""Standard deviations above its mean up to which a pool's demand should find nodes (our choice)."""
_MINUTES = 5
"""Least minutes: with less, a node is often gone when the next step comes, and a new boot is billed (our choice)."""


def other_sizes(situation: Situation) -> Iterator[Change]:
    """One change for each pool: the size of the same shape with which the bill is lowest."""
    for name, pool in situation.cluster.pools.items():
        path = _path(situation, name)
        size = vm_sizes().get(pool.size)
        if path is None or size is None or pool.sizes:
            continue
        taken = families_beside(situation, pool)
        best = situation.cheapest(
            {
                other.name: _inputs(situation, pool, other)
                for other in alike(size, pool, situation.bill.region)
                if other.family not in taken
            }
        )
        if best:
            yield Change(
                f"size of {name}",
                f"the size {best} instead of {pool.size} for {name}",
                {path: best},
                (_MOVE if pool.home else _AGAIN,),
            )


def families_beside(situation: Situation, pool: Pool) -> frozenset[str | None]:
    """Families of the other spot pools: of one series they would all be sold out and evicted together."""
    return frozenset(
        size.family
        for other in situation.cluster.pools.values()
        if pool.spot and other.spot and other.name != pool.name
        for one in other.agent_pools
        if (size := vm_sizes().get(one.size))
    )


def alike(size: VmSize, pool: Pool, region: str) -> list[VmSize]:
    """Equivalent sizes: as many vCPU and GPUs, no less memory, no older; with and without local disk."""
    prices = {
        other.name: price
        for other in vm_sizes().values()
        if other.name != size.name
        and _same(size, other, pool)
        and (price := ondemand_prices(other.name).get(region)) is not None
    }
    sizes = [vm_sizes()[name] for name in sorted(prices, key=lambda name: prices[name])]
    local, managed = ([it for it in sizes if bool(it.ephemeral_gib) == room] for room in (True, False))
    return [*local[:_TRIED], *managed[:_TRIED]]


def _same(size: VmSize, other: VmSize, pool: Pool) -> bool:
    shape = (other.vcpus, other.gpus, other.gpu, other.architecture, kind(other))
    room = 0 if pool.disk.managed else pool.disk.size_gib or 0
    return (
        shape == (size.vcpus, size.gpus, size.gpu, size.architecture, kind(size))
        and other.memory_gib >= size.memory_gib
        and generation(other) >= generation(size)
        and other.quota_vcpus == other.vcpus
        and (other.gpu_memory_gib or 0) >= (size.gpu_memory_gib or 0)
        and (other.ephemeral_gib or 0) >= room
        and (bool(other.premium_storage) or not size.premium_storage)
        and (bool(other.spot) or not pool.spot)
        and other.retirement is None
        and other.family not in restricted_families()
    )


def kind(size: VmSize) -> str:
    """Letters of its series; those of general purpose, more memory and more processor are one kind.

    Others are something else: burstable ones slow down under a lasting load, confidential ones are encrypted, and so on
    (vm-naming-conventions.md).
    """
    letters = _LETTERS.match(size.name)
    return "" if letters and letters[1] in _USUAL else letters[1] if letters else size.name


def generation(size: VmSize) -> int:
    """Number of its generation; an older one does less in an hour (vm-naming-conventions.md)."""
    match = _GENERATION.fullmatch(size.name)
    return int(match[1]) if match else 1


def _path(situation: Situation, name: str) -> Path | None:
    if name in situation.own_pools:
        return "pools", name, "vmSize"
    if name == (situation.file.get("systemPool", "name") or "system"):
        return "systemPool", "vmSize"
    return None  # a fallback: it follows its spot pool


def _inputs(situation: Situation, pool: Pool, size: VmSize) -> dict[str, dict[str, Any]]:
    """The inputs that the program would register: the size, also of the fallback, and by default a local OS disk."""
    inputs: dict[str, Any] = {"vmSize": size.name}
    follows = pool.fallback and not situation.file.get("pools", pool.name, "fallback", "vmSize")
    if pool.spot and not pool.gpus and not situation.file.get("pools", pool.name, "osDisk", "type"):
        inputs["osDiskType"] = "Ephemeral" if size.ephemeral_gib else "Managed"
    return {pool.name: inputs, **({pool.fallback: {"vmSize": size.name}} if follows else {})}


def second_sizes(situation: Situation) -> Iterator[Change]:
    """One change for each spot pool of one size, if both are sold out independently of each other."""
    cost = situation.basis.cost
    for name, pool in situation.own_pools.items():
        size, figures = vm_sizes().get(pool.size), cost.pools.get(name)
        stated = figures.sold_out_share if figures else None
        if not (pool.spot and size and (stated or cost.sold_out_share)) or pool.sizes:
            continue
        taken = {size.family, *families_beside(situation, pool)}
        other = next((it for it in alike(size, pool, situation.bill.region) if it.family not in taken), None)
        if other is None:
            continue
        values: dict[Path, object] = {("pools", name, "vmSizes"): [pool.size, other.name]}
        if stated:  # it is the share in which the pool has no VM at all
            values["cost", "pools", name, "soldOutShare"] = round(stated**2, 6)
        yield Change(
            f"second size for {name}",
            f"a second VM size, {other.name}, for {name}",
            values,
            (f"assumes that {pool.size} and {other.name} are sold out independently of each other",),
        )


def local_disks(situation: Situation) -> Iterator[Change]:
    """One change for each pool of batch work whose size has room."""
    for name, pool in situation.own_pools.items():
        size = vm_sizes().get(pool.size)
        if pool.home or not pool.disk.managed or size is None or (size.ephemeral_gib or 0) < _LEAST_GIB:
            continue
        yield Change(
            f"disks of {name}",
            f"OS disks of {name} on the nodes themselves",
            {("pools", name, "osDisk", "type"): "Ephemeral"},
        )


def smaller_system_disk(situation: Situation) -> Iterator[Change]:
    """A separate decision, not in production: a smaller disk is slower, and all add-ons' images and logs are on it."""
    name = situation.file.get("systemPool", "name") or "system"
    pool = situation.cluster.pools.get(name)
    if pool is None or not pool.disk.managed or situation.file.get("production"):
        return
    if (pool.disk.size_gib or 0) > _SMALLER_GIB:
        yield Change(
            f"disks of {name}",
            f"OS disks of {_SMALLER_GIB} GiB instead of {pool.disk.size_gib} for {name}",
            {("systemPool", "osDiskGib"): _SMALLER_GIB},
            ("a smaller disk allows fewer operations a second; existing nodes are replaced",),
            alone=True,
        )


def fewer_home_nodes(situation: Situation) -> Iterator[Change]:
    """One node less for each, but one in each zone; planning checks the minimum that Charmed Kubeflow and AKS need."""
    for name, pool in situation.cluster.pools.items():
        path = ("pools", name) if name in situation.own_pools else ("systemPool",)
        zones: list[str] = situation.file.get(*path, "zones") or []
        if not pool.home or pool.minimum <= max(len(zones), 1):
            continue
        yield Change(
            f"nodes of {name}",
            f"a minimum of {pool.minimum - 1} instead of {pool.minimum} nodes in {name}",
            {(*path, "minCount"): pool.minimum - 1},
            (f"the autoscaler adds nodes up to {pool.maximum} when pods need them, and each is billed",),
        )


def no_idle_nodes(situation: Situation) -> Iterator[Change]:
    """No node of a pool for batch work that is there without any: what its work needs, the autoscaler adds."""
    for name, pool in situation.own_pools.items():
        if not pool.home and pool.minimum:
            yield Change(
                f"nodes of {name}",
                f"a minimum of 0 instead of {pool.minimum} nodes in {name}",
                {("pools", name, "minCount"): 0},
                ("the first steps after a pause wait for their nodes to boot",),
            )


def no_limit(situation: Situation) -> Iterator[Change]:
    """No limit for the price of a pool whose limit is below that of spot, so that none of its nodes start."""
    for name, pool in situation.own_pools.items():
        begin = f"pools.{name}.maxPrice is "
        if pool.spot and any(
            it.startswith(begin) and it.endswith("raise it") for it in situation.bill.warnings
        ):
            yield Change(
                f"limit of {name}",
                f"no maxPrice for {name}, whose limit is below the price of spot",
                {("pools", name, "maxPrice"): -1},
                ("Azure charges the price of spot, never more than on demand",),
            )


def larger_maximum(situation: Situation) -> Iterator[Change]:
    """As many nodes as the work on a spot pool needs at its peak, where it takes the fallback or waits for nodes."""
    hours_a_month = HOURS_A_MONTH * (
        situation.basis.office_hours.share if situation.basis.office_hours else 1.0
    )
    for name, pool in situation.own_pools.items():
        here = [it for it in situation.bill.work if it.pool == name]
        if not pool.spot or not any(it.overflow or it.waits for it in here):
            continue
        billed = ((situation.work[it.name], it.useful * it.multiple.expected) for it in here)
        count = peak(((work, needed) for work, needed in billed if math.isfinite(needed)), hours_a_month)
        if count > pool.maximum:
            yield Change(
                f"maximum of {name}",
                f"a maximum of {count} instead of {pool.maximum} nodes in {name}",
                {("pools", name, "maxCount"): count},
                ("more of its work is evicted together when spot sells out",),
            )


def peak(demand: Iterable[tuple[Work, float]], hours_a_month: float) -> int:
    """Nodes beyond which the demand hardly ever goes, where bursts come by chance.

    Args:
        demand: kinds of work, each with its node hours a month.
        hours_a_month: in which they come.
    """
    loads = [(it.steps_at_once * it.nodes_per_step, needed / hours_a_month) for it, needed in demand]
    mean, variance = (sum(nodes**power * load for nodes, load in loads) for power in (0, 1))
    return math.ceil(mean + _DEVIATIONS * math.sqrt(variance))


def shorter_tail(situation: Situation) -> Iterator[Change]:
    """Half of AKS's own ten minutes."""
    now = hours(situation.file.get("autoscaler", "scaleDownUnneededTime"))
    if now is not None and now * 60 > _MINUTES:
        yield Change(
            "tail",
            f"nodes without work are removed after {_MINUTES} minutes",
            {("autoscaler", "scaleDownUnneededTime"): f"{_MINUTES}m"},
            ("work that comes in short intervals finds its node gone more often",),
        )
