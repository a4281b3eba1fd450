"""Rules of fallbacks: whether the work of a spot pool fits the pool that stands in for it.

Work cannot choose between the two, as they share one workload label (docs/facts/aks.md#shortage-and-fallback). So what
makes it fail on the fallback is refused, and what only keeps some of it waiting is warned of (our choice).
"""

from collections.abc import Iterator

from catalogue import VmSize
from planning.hardware import gpu_model
from planning.rules.pools import Candidate, candidates
from settings import Problem, Settings


def fallback_problems(pool: Candidate) -> Iterator[Problem]:
    """The fallback can do the same kind of work: with a GPU or without, and with as much memory on each GPU."""
    size, twin = pool.size, pool.twin
    if size is None or twin is None or twin == size:
        return
    key = f"{pool.key}.fallback.vmSize"
    if bool(twin.gpus) != bool(size.gpus):
        kind = "a GPU size" if size.gpus else "a size without GPU"
        yield Problem(key, twin.name, f"{kind}, because it replaces {size.name}")
    elif size.gpu_memory_gib and twin.gpu_memory_gib and twin.gpu_memory_gib < size.gpu_memory_gib:
        yield Problem(
            key,
            twin.name,
            f"a size with at least {size.gpu_memory_gib} GB on each GPU like {size.name}, because work that fills it "
            f"fails on {gpu_model(twin)} with {twin.gpu_memory_gib} GB",
        )


def fallback_warnings(settings: Settings) -> Iterator[str]:
    """Fallbacks on which some of the work would wait, or find another GPU."""
    for pool in candidates(settings):
        size, twin = pool.size, pool.twin
        if size is None or twin is None or not pool.spot:
            continue
        key = f"pools.{pool.name}.fallback.vmSize is {twin.name}"
        if less := [
            (own, spot) for own, spot in zip(_amounts(twin), _amounts(size), strict=True) if own < spot
        ]:
            have, want = (
                " and ".join(f"{number:g} {unit}" for number, unit in side)
                for side in zip(*less, strict=True)
            )
            yield (
                f"{key}: it has {have}, {size.name} has {want}; a pod that needs more than the fallback has waits "
                "until spot is back, so choose a size at least as large, or keep pods that small"
            )
        own, spot = gpu_model(twin), gpu_model(size)
        if own and spot and own != spot:
            yield f"{key}: work made for {spot} runs on {own} while spot is sold out; see that it works on both"


def _amounts(size: VmSize) -> tuple[tuple[float, str], ...]:
    """What pods ask a node for, each with its unit."""
    return (size.gpus, "GPU"), (size.vcpus, "vCPU"), (size.memory_gib, "GiB")
