"""The pools that one kind of work may run on."""

from dataclasses import dataclass
from typing import Literal

from ckf_spot.agent_pool import AgentPool
from ckf_spot.backend import Backend
from ckf_spot.placement import Capacity, Expression, Placement, placement

Selection = Literal["node-affinity", "node-selector"]


@dataclass(frozen=True)
class PoolGroup:
    """Spot pools and their on-demand fallbacks.

    Attributes:
        name: what the user called them: a workload, or a pool's name.
        selector: selects the nodes of exactly these pools.
        pools: spot pools first.
        cluster: every pool of the cluster, these among them.
        backend: release of Kubeflow Pipelines that runs the pipelines.
        kubernetes: release of the cluster, such as `1.34`; None: not known.
    """

    name: str
    selector: Expression
    pools: tuple[AgentPool, ...]
    cluster: tuple[AgentPool, ...]
    backend: Backend
    kubernetes: str | None = None

    @property
    def gpus(self) -> int:
        """Amount of `nvidia.com/gpu` that every node of the group has; 0 where one has none."""
        return min(pool.gpus for pool in self.pools)

    def placement(self, *, prefer: Capacity | None = None, require: Capacity | None = None) -> Placement:
        """Tolerations and affinity for any pod; `prefer="spot"` where neither is given.

        Raises:
            PlacementError: the two contradict each other, or there is no such pool.
        """
        return placement(self.name, self.selector, self.pools, prefer=prefer, require=require)
