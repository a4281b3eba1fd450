"""Rules of GPU pools: driver and device plugin, slices, idle nodes."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from components.arguments.mistakes import Mistake
from components.pools.conventions import GPU_KEY, WORKLOAD_LABEL
from components.pools.pool_contract import announced_gpus
from program.planning.hardware import GPU, gpu_model
from program.planning.pools import AgentPool, Purpose
from program.planning.rules.pools import Candidate
from program.settings import Settings

_A10: Final = re.compile(r"Standard_N[CV][0-9]+adm?s_A10_v[45]")
_IMAGE_OF_A10: Final = "202606.08.1"


def driver_problems(settings: Settings) -> Iterator[Mistake]:
    """The device plugin needs the driver of AKS.

    Source: docs/facts/aks.md#gpu-driver-and-device-plugin.
    """
    if settings.gpu.driver == "None" and settings.gpu.plugin == "devicePlugin":
        yield Mistake(
            "gpu.plugin",
            "devicePlugin",
            "none, because with driver None NVIDIA's GPU Operator provides driver and plugin",
        )


def time_slice_problems(pool: Candidate) -> Iterator[Mistake]:
    """Time slices need the device plugin of this program."""
    if pool.settings.gpu_time_slices and pool.stack.gpu.plugin == "none":
        yield Mistake(
            f"{pool.key}.gpuTimeSlices",
            pool.settings.gpu_time_slices,
            "no value with gpu.plugin none, because it is the configuration of this program's device plugin",
        )


def gpu_warnings(settings: Settings, pools: tuple[AgentPool, ...]) -> Iterator[str]:
    """Settings of GPU pools that leave work waiting or cost money."""
    gpu_pools = [pool for pool in pools if pool.hardware is GPU]
    if gpu_pools and (settings.gpu.driver, settings.gpu.plugin) == ("Install", "none"):
        yield (
            "gpu.plugin is none: AKS installs the driver but nothing makes GPUs visible, so work for them waits until "
            "you run a device plugin, or a GPU Operator without driver; devicePlugin leaves that to this program"
        )
    yield from image_warnings(settings.kubernetes.node_os_upgrade_channel, gpu_pools)
    yield from mixed_warnings(gpu_pools)
    yield from kind_warnings(pools)
    for pool in gpu_pools:
        yield from idle_warnings(pool)
        yield from slice_warnings(pool, driver=settings.gpu.driver)
        yield from time_slice_warnings(pool)


def image_warnings(channel: str, pools: Iterable[AgentPool]) -> Iterator[str]:
    """GPUs whose hosts have newer drivers than an old image (Azure/AKS#5875; CHANGELOG.md, 2026-07-17)."""
    if channel not in ("None", "Unmanaged"):
        return
    for pool in pools:
        if _A10.fullmatch(pool.vm_size):
            yield (
                f"pools.{pool.pool}.vmSize is {pool.vm_size} while kubernetes.nodeOsUpgradeChannel is {channel}: the "
                f"drivers of these hosts need node image {_IMAGE_OF_A10} or newer, and nothing renews an older one; "
                "take NodeImage, or upgrade the node images yourself"
            )


def idle_warnings(pool: AgentPool) -> Iterator[str]:
    """Nodes that always run are paid for around the clock."""
    if pool.min_count:
        yield (
            f"pools.{pool.pool}.minCount is {pool.min_count}: that many {pool.vm_size} are paid for around the clock, "
            "used or not; with 0 they start when work requests a GPU"
        )


def mixed_warnings(pools: Iterable[AgentPool]) -> Iterator[str]:
    """Pools of different GPUs under one workload label, of which work gets any (docs/facts/aks.md#priority-expander).

    A fallback is left out: `program.planning.rules.fallbacks` compares it with its spot pool.
    """
    first: dict[str, AgentPool] = {}
    for pool in pools:
        if pool.fallback_of:
            continue
        workload = pool.labels[WORKLOAD_LABEL]
        other = first.setdefault(workload, pool)
        if _gpu(pool) == _gpu(other):
            continue
        where = f"{_gpu(pool)} or {_gpu(other)}, whichever starts"
        if pool.pool == other.pool:
            yield (
                f"pools.{pool.pool}.vmSizes: its work lands on {where}; take sizes of one GPU unless any will do"
            )
        else:
            yield (
                f"pools.{pool.pool}.workload is {workload} like that of pools.{other.pool}: work for it lands on "
                f"{where}; give one another workload unless any will do"
            )


def kind_warnings(pools: Iterable[AgentPool]) -> Iterator[str]:
    """One workload label on nodes with a GPU and without: the autoscaler may start either (our choice).

    A pod that requests no GPU fits both.
    """
    by_workload: dict[str, dict[bool, str]] = {}
    for pool in pools:
        if pool.purpose is Purpose.WORK and not pool.fallback_of:
            by_workload.setdefault(pool.labels[WORKLOAD_LABEL], {}).setdefault(
                pool.hardware is GPU, pool.pool
            )
    for workload, kinds in by_workload.items():
        if len(kinds) > 1:
            yield (
                f"pools.{kinds[True]}.workload is {workload} like that of pools.{kinds[False]}, which has no GPU: work "
                "that requests none may start nodes with one, which cost more; give one of them another workload"
            )


def _gpu(pool: AgentPool) -> str:
    """Model, memory and slices of a pool's GPUs, in words."""
    memory = f" with {pool.size.gpu_memory_gib} GB" if pool.size.gpu_memory_gib else ""
    slices = f" cut by {pool.gpu_instance_profile}" if pool.gpu_instance_profile else ""
    shared = f" shared by {pool.gpu_time_slices} pods" if pool.gpu_time_slices else ""
    return f"{gpu_model(pool.size) or 'a GPU'}{memory}{slices}{shared}"


def slice_warnings(pool: AgentPool, *, driver: str) -> Iterator[str]:
    """What slices of a GPU depend on (docs/facts/aks.md#multi-instance-gpu)."""
    profile = pool.gpu_instance_profile
    if profile is None or pool.fallback_of:  # its spot pool has the warning
        return
    key = f"pools.{pool.pool}.gpuInstanceProfile"
    if driver == "None":
        yield (
            f"{key} is {profile} with gpu.driver None: AKS cuts GPUs only where it installs the driver; set driver "
            "Install, or let the GPU Operator cut them"
        )
    whole = pool.size.gpus
    slices = announced_gpus(pool.size.gpus, profile, None)
    if slices > whole and pool.min_count == 0:
        yield (
            f"{key} is {profile}: a tag gives the autoscaler the {slices} slices of a node, but it is untested whether "
            f"AKS's reads it; if not, a pod that requests more than {whole} {GPU_KEY} waits while the pool has no "
            f"node, so let a pod request at most {whole}, or set minCount 1"
        )


def time_slice_warnings(pool: AgentPool) -> Iterator[str]:
    """What the autoscaler may not know of time slices (docs/facts/aks.md#time-slices)."""
    if not pool.gpu_time_slices or pool.fallback_of or pool.min_count:
        return
    gpus = pool.size.gpus
    slices = announced_gpus(gpus, None, pool.gpu_time_slices)
    start = "each pod starts a node" if gpus == 1 else f"every {gpus} pods start a node"
    yield (
        f"pools.{pool.pool}.gpuTimeSlices is {pool.gpu_time_slices}: a tag gives the autoscaler the {slices} slices of "
        f"a node, but it is untested whether AKS's reads it; if not, {start} while the pool has none, unless minCount "
        "is 1"
    )
