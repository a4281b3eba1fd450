"""Rules of fallbacks: whether the work of a spot pool fits its fallback.

Work cannot choose between the two, as they share one workload label (docs/facts/aks.md#shortage-and-fallback). So a
fallback on which it would fail is refused, and one that only keeps some of it waiting gives a warning (our choice).
"""

from collections.abc import Iterator

from aks_facts import VmSize
from components.arguments.mistakes import Mistake
from program.planning.hardware import gpu_model
from program.planning.rules.pools import Candidate, candidates
from program.planning.sizes import sizes
from program.settings import Settings


def fallback_problems(pool: Candidate) -> Iterator[Mistake]:
    """The fallback can do the same kind of work: with a GPU or without, and with as much memory on each GPU."""
    size = pool.size
    key, fallback = next(iter(pool.fallback_sizes.items()), ("", None))  # the others are like the first
    if size is None or fallback is None or fallback == size:
        return
    first = sizes(pool.stack).get(next(iter(pool.stack.pools[pool.name].vm_sizes), ""))
    if first not in (None, size):  # `program.planning.rules.several_sizes` compares the others with the first
        return
    if bool(fallback.gpus) != bool(size.gpus):
        kind = "a GPU size" if size.gpus else "a size without GPU"
        yield Mistake(key, fallback.name, f"{kind}, because it replaces {size.name}")
    elif size.gpu_memory_gib and fallback.gpu_memory_gib and fallback.gpu_memory_gib < size.gpu_memory_gib:
        yield Mistake(
            key,
            fallback.name,
            f"a size with at least {size.gpu_memory_gib} GB on each GPU like {size.name}, because work that fills it "
            f"fails on {gpu_model(fallback)} with {fallback.gpu_memory_gib} GB",
        )


def fallback_warnings(settings: Settings) -> Iterator[str]:
    """Fallbacks on which some of the work would wait, or find another GPU; and work that returns from none."""
    if settings.kubeflow.return_to_spot and not any(pool.fallback_sizes for pool in candidates(settings)):
        yield "kubeflow.returnToSpot moves nothing, because no spot pool has a fallback: leave it out, or add one"
    pairs = [
        (path, fallback, pool.size)
        for pool in candidates(settings)
        if pool.size is not None and pool.spot
        for path, fallback in pool.fallback_sizes.items()
    ]
    for path, fallback, size in pairs:
        key = f"{path} is {fallback.name}"
        if less := [
            (backup, spot)
            for backup, spot in zip(_amounts(fallback), _amounts(size), strict=True)
            if backup < spot
        ]:
            has, needs = (
                " and ".join(f"{number:g} {unit}" for number, unit in side)
                for side in zip(*less, strict=True)
            )
            yield (
                f"{key}: it has {has}, {size.name} has {needs}; a pod that needs more than the fallback has waits "
                "until spot is back, so choose a size at least as large, or keep pods that small"
            )
        other, spot = gpu_model(fallback), gpu_model(size)
        if other and spot and other != spot:
            yield f"{key}: work made for {spot} runs on {other} while spot is sold out; make sure that it works on both"


def _amounts(size: VmSize) -> tuple[tuple[float, str], ...]:
    """What pods request of a node, each with its unit."""
    return (size.gpus, "GPU"), (size.vcpus, "vCPU"), (size.memory_gib, "GiB")
