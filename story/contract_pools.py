"""The stack's pools, as a story needs them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

WORKLOAD_LABEL: Final = "kubeflow-aks/workload"
"""Label that a spot pool shares with its on-demand twin; part of the program's output `poolContract`."""
POOL_LABEL: Final = "kubernetes.azure.com/agentpool"
"""Label by which AKS marks a node as its pool's."""
SYSTEM: Final = "system"


@dataclass(frozen=True, kw_only=True)
class ContractPool:
    """One agent pool.

    Attributes:
        role: system, general, cpu or gpu.
        workload: value of `WORKLOAD_LABEL`, empty for the system pool.
        twin_of: names of the spot pools that this on-demand pool stands in for.
        taints: as `key=value:Effect`.
    """

    name: str
    role: str
    spot: bool
    vm_size: str
    min_count: int
    max_count: int
    workload: str
    twin_of: tuple[str, ...]
    taints: tuple[str, ...]

    @property
    def priority(self) -> str:
        """Spot or on-demand, for people."""
        return "spot" if self.spot else "on-demand"

    @property
    def guarded(self) -> bool:
        """Whether nothing but the work it is for may run here, daemons apart."""
        return self.spot or self.role == "gpu"

    @property
    def elastic(self) -> bool:
        """Whether the pool is there for batch work only and shrinks to its minimum without any."""
        return self.role in {"cpu", "gpu"}


@dataclass(frozen=True)
class WorkloadPools:
    """Where one kind of batch work may run: the spot pools of one workload label, and what stands in for them."""

    workload: str
    spot: tuple[ContractPool, ...]
    twins: tuple[ContractPool, ...]

    @property
    def pools(self) -> tuple[ContractPool, ...]:
        """All of them, spot first."""
        return (*self.spot, *self.twins)

    @property
    def gpu(self) -> bool:
        """Whether its nodes have GPUs."""
        return self.spot[0].role == "gpu"


def spot_pools_of_twins(contract: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Names of the spot pools that each on-demand twin stands in for, by the twin's name.

    Args:
        contract: the stack's output `poolContract`.
    """
    found: dict[str, tuple[str, ...]] = {}
    for entry in contract:
        if twin := entry["fallback"]:
            found[twin] = (*found.get(twin, ()), entry["name"])
    return found


def pools_for_role(pools: Iterable[ContractPool], role: str) -> WorkloadPools | None:
    """The spot pools of a role and their twins, those of one workload label; one with a twin if there is one.

    Returns:
        None without a spot pool of that role.
    """
    pools = tuple(pools)
    replaced = {name for pool in pools for name in pool.twin_of}
    spot = sorted(
        (pool for pool in pools if pool.spot and pool.role == role),
        key=lambda pool: pool.name not in replaced,
    )
    if not spot:
        return None
    workload = spot[0].workload
    mine = [pool for pool in pools if pool.workload == workload]
    return WorkloadPools(
        workload, tuple(pool for pool in mine if pool.spot), tuple(pool for pool in mine if not pool.spot)
    )
