"""The stack's pools: the form that a scenario needs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.recorder.document import shared_name

WORKLOAD_LABEL: Final = "kubeflow-aks/workload"
"""Label that a spot pool shares with its on-demand fallback; part of the program's output `poolContract`."""
POOL_LABEL: Final = "kubernetes.azure.com/agentpool"
"""Label by which AKS marks a node as its pool's."""
SYSTEM: Final = "system"


@dataclass(frozen=True, kw_only=True)
class ContractPool:
    """One agent pool.

    Attributes:
        role: system, general, cpu or gpu.
        workload: value of `WORKLOAD_LABEL`, empty for the system pool.
        fallback_for: names of the spot pools whose fallback this on-demand pool is.
        taints: as `key=value:Effect`.
    """

    name: str
    role: str
    spot: bool
    vm_size: str
    min_count: int
    max_count: int
    workload: str
    fallback_for: tuple[str, ...]
    taints: tuple[str, ...]

    @property
    def priority(self) -> str:
        """`spot` or `on-demand`."""
        return "spot" if self.spot else "on-demand"

    @property
    def guarded(self) -> bool:
        """Whether only its own work and DaemonSets may run here."""
        return self.spot or self.role == "gpu"

    @property
    def elastic(self) -> bool:
        """Whether the pool is for batch work only and shrinks to its minimum without any."""
        return self.role in {"cpu", "gpu"}


@dataclass(frozen=True)
class WorkloadPools:
    """Where one kind of batch work may run: the spot pools of one workload label, and their fallbacks."""

    workload: str
    spot: tuple[ContractPool, ...]
    fallbacks: tuple[ContractPool, ...]

    @property
    def pools(self) -> tuple[ContractPool, ...]:
        """All of them, spot first."""
        return (*self.spot, *self.fallbacks)

    @property
    def fewest(self) -> int:
        """How many nodes the spot pools and the fallbacks, where there are some, can both have."""
        sides = (side for side in (self.spot, self.fallbacks) if side)
        return min(sum(pool.max_count for pool in side) for side in sides)

    @property
    def gpu(self) -> bool:
        """Whether its nodes have GPUs."""
        return self.spot[0].role == "gpu"


def spot_pools_of_fallbacks(contract: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Names of the spot pools of each on-demand fallback in an output `poolContract`, by the fallback's name."""
    contract = list(contract)
    names = {
        fallback["name"]: tuple(
            spot["name"] for spot in contract if spot["fallback"] == shared_name(fallback)
        )
        for fallback in contract
    }
    return {name: spot for name, spot in names.items() if spot}


def pools_for_role(pools: Iterable[ContractPool], role: str) -> WorkloadPools | None:
    """The spot pools of a role and their fallbacks, those of one workload label; one with a fallback if possible.

    None without a spot pool of that role.
    """
    pools = tuple(pools)
    replaced = {name for pool in pools for name in pool.fallback_for}
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
