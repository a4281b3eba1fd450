"""What a data scientist's tools need to know of the pools, and nothing more."""

from collections.abc import Iterable
from typing import TypedDict

from planning.pools import AgentPool, Role


class PoolContract(TypedDict):
    """One pool of the contract; taints as `key=value:Effect`."""

    name: str
    role: str
    priority: str
    labels: dict[str, str]
    taints: list[str]
    fallback: str | None


def pool_contract(pools: Iterable[AgentPool]) -> list[PoolContract]:
    """The pools that take work, as JSON-ready dicts; `fallback` names the on-demand twin of a spot pool."""
    pools = tuple(pools)
    twins = {pool.fallback_of: pool.name for pool in pools if pool.fallback_of}
    return [
        PoolContract(
            name=pool.name,
            role=pool.role.value,
            priority=pool.priority,
            labels=dict(pool.labels),
            taints=list(pool.taints),
            fallback=twins.get(pool.name),
        )
        for pool in pools
        if pool.role is not Role.SYSTEM
    ]
