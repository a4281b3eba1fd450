"""Rules across pools: the pool that hosts Kubeflow, unique names, limits of a cluster."""

from collections import Counter
from collections.abc import Iterator

from components.arguments.mistakes import Mistake
from components.pools.conventions import WORKLOAD_LABEL
from program.planning.pools import AgentPool, by_size, fallbacks_by_size, successors
from program.planning.rules.kubeflow_options import additional_applications
from program.planning.rules.pools import Candidate, candidates, system_is_small
from program.planning.sizes import sizes
from program.settings import Settings
from program.settings.kubeflow import Kubeflow

_MIN_VCPUS = 16
_MIN_MEMORY_GIB = 64
_MIN_DISK_GIB = 100
_MIN_PODS = 100
_AKS_PODS = 10
"""Pods of AKS's own on every node, roughly."""
_MAX_POOLS = 100
_MAX_NODES = 5000


def stack_problems(settings: Settings) -> Iterator[Mistake]:
    """Every broken rule that concerns more than one pool."""
    yield from general_pool_problems(settings)
    yield from unique_name_problems(settings)
    yield from limit_problems(settings)


def general_pool_problems(settings: Settings) -> Iterator[Mistake]:
    """Exactly one untainted Regular pool, large enough for Charmed Kubeflow; beside it one that takes over from it.

    Its pods tolerate no taint (docs/facts/charmed-kubeflow.md#charms-and-tolerations); the sizes are those of
    docs/facts/charmed-kubeflow.md#size-of-the-cluster. A pool of an unknown size may have a GPU, so it does
    not count as a second one; nor does an ARM pool, which the size's own rule reports.
    """
    hosts = [pool for pool in candidates(settings) if pool.may_host]
    hosts = [pool for pool in hosts if not pool.arm] or hosts
    settled = [pool for pool in hosts if pool.settings.replaces is None] or hosts
    sure = [pool for pool in settled if pool.size]
    if not settled or len(sure) > 1:
        way_out = "give any other a taint, or replaces for a move" if settled else _no_host(settings)
        yield Mistake(
            "pools",
            [pool.name for pool in settled] or [*settings.pools],
            f"exactly one Regular pool without taints and without GPU to host Charmed Kubeflow; {way_out}",
        )
        return
    for pool in hosts:
        if pool.name not in successors(settings) and (pool.size or not sure):
            yield from _host_problems(pool)


def _no_host(settings: Settings) -> str:
    """Why none of the pools hosts Charmed Kubeflow."""
    reasons: dict[str, list[str]] = {}
    for pool in candidates(settings):
        other = "tainted" if pool.settings.taints else "with GPUs"
        reason = "spot" if pool.spot else "for AKS's add-ons" if pool.system else other
        reasons.setdefault(reason, []).append(pool.name)
    shown = (f"{reason}: {', '.join(dict.fromkeys(names))}" for reason, names in reasons.items())
    return "; ".join(shown) or "there is no pool"


def _host_problems(pool: Candidate) -> Iterator[Mistake]:
    count, size = pool.settings.min_count, pool.size
    if size and (count * size.vcpus < _MIN_VCPUS or count * size.memory_gib < _MIN_MEMORY_GIB):
        have = f"{count} × {size.name} provide {count * size.vcpus} vCPU and {count * size.memory_gib} GiB"
        yield Mistake(
            f"{pool.key}.minCount",
            count,
            f"enough nodes for {_MIN_VCPUS} vCPU and {_MIN_MEMORY_GIB} GiB in all; {have}",
        )
    disk = pool.settings.os_disk
    if disk.type == "Ephemeral":
        yield Mistake(
            f"{pool.key}.osDisk.type",
            disk.type,
            "Managed, because Charmed Kubeflow does not survive the loss of its nodes' disks",
        )
    if disk.size_gib is not None and disk.size_gib < _MIN_DISK_GIB:
        yield Mistake(
            f"{pool.key}.osDisk.sizeGib",
            disk.size_gib,
            f"at least {_MIN_DISK_GIB} GiB for Charmed Kubeflow's images",
        )
    pods = _MIN_PODS + 2 * additional_applications(pool.stack)  # of each its charm and its workload
    least = _AKS_PODS + -(-pods // max(count, 1))
    if pool.settings.max_pods < least:
        yield Mistake(
            f"{pool.key}.maxPods",
            pool.settings.max_pods,
            f"at least {least} with minCount {count}: {pods} pods of Charmed Kubeflow in all, "
            f"and about {_AKS_PODS} of AKS on each node",
        )


def unique_name_problems(settings: Settings) -> Iterator[Mistake]:
    """No two pools have the same name, fallbacks included."""
    made = [(settings.system_pool.name, "the system pool")]
    made += [
        (agent_pool, f"the fallback of {name}")
        for name, pool in settings.pools.items()
        for agent_pool, _ in fallbacks_by_size(name, pool)
    ]
    made += [
        (agent_pool, f"{one.vm_size} of {name}")
        for name, pool in settings.pools.items()
        for agent_pool, one in by_size(name, pool)
        if agent_pool != name
    ]
    origins = dict(made)
    for name, count in Counter((*settings.pools, *(name for name, _ in made))).items():
        if count > 1:
            yield Mistake(f"pools.{name}", name, f"another name, because {origins[name]} has this one")


def limit_problems(settings: Settings) -> Iterator[Mistake]:
    """AKS's limits of pools and nodes in one cluster (docs/facts/aks.md#names-counts-and-limits).

    Pools of an unknown size count as well.
    """
    fallbacks = [
        pool.fallback
        for name, pool in settings.pools.items()
        if pool.fallback
        for _ in fallbacks_by_size(name, pool)
    ]
    every = [one for name, pool in settings.pools.items() for _, one in by_size(name, pool)]
    most = [pool.max_count for pool in (settings.system_pool, *every, *fallbacks)]
    nodes = sum(most)
    if len(most) > _MAX_POOLS:
        yield Mistake(
            "pools",
            len(most),
            f"at most {_MAX_POOLS} pools in one cluster, system pool and fallbacks included",
        )
    if nodes > _MAX_NODES:
        yield Mistake("pools", nodes, f"at most {_MAX_NODES} nodes in one cluster, summed over maxCount")


def system_warnings(settings: Settings) -> Iterator[str]:
    """A system pool that is too small for production."""
    if settings.system_pool.min_count == 1:
        yield "systemPool.minCount is 1: fine for a trial, but a lost node stops the cluster's DNS; production needs 2"
    size = sizes(settings).get(settings.system_pool.vm_size)
    if size and settings.adopted and system_is_small(size):
        yield (
            f"systemPool.vmSize is {size.name}: smaller than the 4 vCPU and 4 GiB that a system pool needs; move it to "
            "another size (docs/how-to/move-a-pool.md)"
        )


def autoscaler_warnings(settings: Settings) -> Iterator[str]:
    """A profile that takes nodes from charms (docs/facts/charmed-kubeflow.md#lost-nodes)."""
    if not settings.autoscaler.skip_nodes_with_local_storage:
        yield (
            "autoscaler.skipNodesWithLocalStorage is false: the autoscaler also removes nodes of pods with emptyDir, "
            "as every charm has; such a pod loses that data and the charm may need help; set it to true"
        )


def eviction_warnings(pools: tuple[AgentPool, ...]) -> Iterator[str]:
    """Settings of spot pools that cost money or work, once for a pool of several sizes.

    Source: docs/facts/aks.md#availability-zones, docs/facts/aks.md#shortage-and-fallback.
    """
    covered = {pool.labels.get(WORKLOAD_LABEL) for pool in pools if not pool.spot}
    for pool in {pool.pool: pool for pool in pools}.values():
        if pool.eviction_policy == "Deallocate":
            yield (
                f"pools.{pool.pool}.evictionPolicy is Deallocate: evicted nodes keep their quota and disk, "
                "and the autoscaler does not fall back"
            )
        reserved = pool.fallback and pool.fallback.capacity_reservation_group_id  # which may be in that zone
        if pool.spot and len(pool.zones) == 1 and not reserved:
            nodes = "its nodes and those of its fallback" if pool.fallback else "its nodes"
            yield (
                f"pools.{pool.pool}.zones is {list(pool.zones)}: {nodes} come from one zone, which is sold out sooner "
                "than the region; leave zones out, or name all that have the size"
            )
        if pool.spot and pool.labels[WORKLOAD_LABEL] not in covered:
            yield f"pools.{pool.pool} has no fallback: its work waits whenever spot is sold out"


def advisory_warnings(settings: Settings, pools: tuple[AgentPool, ...]) -> Iterator[str]:
    """What is to follow an advisory, where no eviction handler looks at any."""
    kubeflow = settings.kubeflow
    spot = any(pool.spot for pool in pools)
    if kubeflow.on_advisory != Kubeflow().on_advisory and not (spot and kubeflow.eviction_handler):
        reason = "kubeflow.evictionHandler is false" if spot else "there is no spot pool"
        yield f"kubeflow.onAdvisory is {kubeflow.on_advisory}, which does nothing, because {reason}: leave it out"
