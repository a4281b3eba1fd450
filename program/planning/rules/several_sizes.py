"""Rules of the VM sizes of one pool: which settings name them, and whether they can do the same work.

Work cannot choose between the sizes, as they share one workload label. So a size on which some of it would fail is
refused, and one that only keeps some of it waiting gives a warning (our choice).
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from aks_facts import VmSize
from components.arguments.mistakes import Mistake
from program.planning.hardware import gpu_model
from program.planning.pools import fallbacks_by_size
from program.planning.sizes import sizes
from program.settings import Fallback, Settings, UserPool


def size_setting_problems(settings: Settings) -> Iterator[Mistake]:
    """Every broken rule of the sizes of single pools."""
    by_name = sizes(settings)
    for name, pool in settings.pools.items():
        for key, sized in _sized(name, pool):
            if sized is pool and not pool.spot:
                yield Mistake(
                    f"{key}.vmSizes",
                    list(pool.vm_sizes),
                    "no value unless priority is Spot; vmSize instead",
                )
            else:
                yield from _several(key, sized)
            yield from _alike(key, sized, by_name)
        if pool.fallback and not (fallbacks_by_size(name, pool)[0][1]):
            yield Mistake(
                f"pools.{name}.fallback.vmSize",
                None,
                "a VM size, because the pool has several and none is its vmSize",
            )


def _sized(name: str, pool: UserPool) -> Iterator[tuple[str, UserPool | Fallback]]:
    """What has several sizes: path, and a pool or its fallback."""
    for key, sized in ((f"pools.{name}", pool), (f"pools.{name}.fallback", pool.fallback)):
        if sized and sized.vm_sizes:
            yield key, sized


def _several(key: str, pool: UserPool | Fallback) -> Iterator[Mistake]:
    """Each size is one agent pool."""
    names, noun = list(pool.vm_sizes), "pool" if isinstance(pool, UserPool) else "fallback"
    for size, count in Counter(names).items():
        if count > 1:
            yield Mistake(f"{key}.vmSizes", size, "each size once")
    if pool.vm_size is not None and pool.vm_size not in names:
        yield Mistake(
            f"{key}.vmSize",
            pool.vm_size,
            f"one of vmSizes, whose agent pool has the name of the {noun}: {', '.join(names)}; or no value",
        )


def _alike(key: str, pool: UserPool | Fallback, by_name: Mapping[str, VmSize]) -> Iterator[Mistake]:
    """All sizes have the architecture, the number of GPUs and the memory on each GPU of the first.

    Images are built for one architecture; a pod that requests all GPUs of a node, or fills the memory of one, fails or
    waits where there is less; slices are cut from all GPUs of a node.
    """
    described = [
        (f"{key}.vmSizes[{i}]", by_name[name]) for i, name in enumerate(pool.vm_sizes) if name in by_name
    ]
    for at, size in described[1:]:
        first = described[0][1]
        if size.architecture != first.architecture:
            yield Mistake(at, size.name, f"an {first.architecture} size like {first.name}")
        elif size.gpus != first.gpus:
            yield Mistake(
                at, size.name, f"a size with {_gpus(first)} like {first.name}; it has {_gpus(size)}"
            )
        elif None not in (memory := (size.gpu_memory_gib, first.gpu_memory_gib)) and memory[0] != memory[1]:
            yield Mistake(
                at,
                size.name,
                f"a size with {memory[1]} GB on each GPU like {first.name}, because the same work runs on both; "
                f"{gpu_model(size)} has {memory[0]} GB",
            )


def _gpus(size: VmSize) -> str:
    return {0: "no GPU", 1: "1 GPU"}.get(size.gpus, f"{size.gpus} GPUs")


def size_difference_warnings(settings: Settings) -> Iterator[str]:
    """Sizes of one pool of which some are too small for what fits the largest."""
    by_name = sizes(settings)
    for key, sized in (it for name, pool in settings.pools.items() for it in _sized(name, pool)):
        described = [by_name[size] for size in sized.vm_sizes if size in by_name]
        for what, amounts in (
            ("vCPU", {size.name: size.vcpus for size in described}),
            ("GiB", {size.name: size.memory_gib for size in described}),
        ):
            if len(set(amounts.values())) > 1:
                least = min(amounts, key=lambda size: amounts[size])
                yield (
                    f"{key}.vmSizes: {least} has {amounts[least]:g} {what}, others up to "
                    f"{max(amounts.values()):g}; a pod that needs more runs on fewer sizes, so keep pods that small"
                )
