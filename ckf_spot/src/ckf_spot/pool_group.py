"""The pools that one kind of work may run on, and how work is placed on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

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
        backend: release of Kubeflow Pipelines that runs the pipelines.
    """

    name: str
    selector: Expression
    pools: tuple[AgentPool, ...]
    backend: Backend

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

    def place(
        self,
        task: Any,
        *,
        prefer: Capacity | None = None,
        require: Capacity | None = None,
        retries: int = 5,
        backoff: str = "5m",
        give_up: str = "7d",
        gpus: int | None = None,
        by: Selection = "node-affinity",
        **options: Any,
    ) -> Any:
        """Places a task of a pipeline and lets it survive evictions; see `ckf_spot.pipelines.place`."""
        if not any(each.__module__.partition(".")[0] == "kfp" for each in type(task).__mro__):
            from ckf_spot.kinds import placing  # noqa: PLC0415

            return placing.placed_object(task, self, prefer=prefer, require=require, **options)
        from ckf_spot import pipelines  # noqa: PLC0415 - kfp is an extra, and takes a second to load

        return pipelines.place(
            task,
            self,
            prefer=prefer,
            require=require,
            retries=retries,
            backoff=backoff,
            give_up=give_up,
            gpus=gpus,
            by=by,
        )
