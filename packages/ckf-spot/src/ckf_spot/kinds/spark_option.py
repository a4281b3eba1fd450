"""The placement as an option of the Kubeflow SDK's `SparkClient`."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from ckf_spot.kinds import placing
from ckf_spot.placement import Capacity
from ckf_spot.pool_group import PoolGroup


@dataclass(frozen=True)
class SparkOption:
    """An option of the Kubeflow SDK 0.5: `SparkClient().submit_job(…, options=[SparkOption(pools["cpu"])])`.

    A session of `SparkClient().connect` is a SparkConnect, which is refused: its server serves people.

    Attributes:
        group: the pools.
        prefer: see `PoolGroup.placement`.
        require: see `PoolGroup.placement`.
        also: `"driver"` puts the driver on spot too.
        on_demand: see `ckf_spot.Target.place`.
        elastic: see `ckf_spot.Target.place`.
    """

    group: PoolGroup
    prefer: Capacity | None = None
    require: Capacity | None = None
    also: str | Collection[str] = ()
    on_demand: str | Collection[str] = ()
    elastic: bool = False

    def __call__(self, resource: Any, backend: object) -> None:
        """Called by the SDK; put it last, so that it reads what the other options have made.

        Args:
            resource: the SparkApplication, as a model of kubeflow-spark-api; it is changed.
            backend: not used.

        Raises:
            PlacementError: the application can't be placed there.

        Warns:
            EvictionWarning: see `ckf_spot.Target.place`.
        """
        request: dict[str, Any] = {
            "prefer": self.prefer,
            "require": self.require,
            "also": self.also,
            "on_demand": self.on_demand,
            "elastic": self.elastic,
        }
        placed = type(resource).from_dict(placing.placed_object(resource, self.group, **request))
        for name in type(resource).model_fields:
            setattr(resource, name, getattr(placed, name))
