"""The pool contract: the facts about pools that a data scientist's tools need."""

from collections.abc import Iterable
from typing import TypedDict

from program.planning.pools import AgentPool, Purpose, announced_gpus


class PoolContract(TypedDict):
    """One pool of the contract; taints as `key=value:Effect`, `gpus` as one node announces them, slices counted."""

    name: str
    role: str
    priority: str
    vmSize: str
    gpus: int
    maxCount: int
    labels: dict[str, str]
    taints: list[str]
    fallback: str | None


def pool_contract(pools: Iterable[AgentPool]) -> list[PoolContract]:
    """The pools that take work, as JSON-ready dicts; `fallback` is the name of a spot pool's fallback."""
    pools = tuple(pools)
    fallbacks = {pool.fallback_of: pool.name for pool in pools if pool.fallback_of}
    return [
        PoolContract(
            name=pool.name,
            role=pool.role,
            priority=pool.priority,
            vmSize=pool.vm_size,
            gpus=announced_gpus(pool.gpu_instance_profile, pool.size),
            maxCount=pool.max_count,
            labels=dict(pool.labels),
            taints=list(pool.taints),
            fallback=fallbacks.get(pool.name),
        )
        for pool in pools
        if pool.purpose is not Purpose.SYSTEM
    ]
