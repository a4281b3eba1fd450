"""Place Kubeflow's batch work on spot nodes, so that it survives their eviction."""

from ckf_spot.errors import ContractError, EvictionWarning, Mistake, PlacementError
from ckf_spot.kinds.spark_option import SparkOption
from ckf_spot.kinds.trainer import TrainOption
from ckf_spot.pipelines.report import Report
from ckf_spot.placement import Placement
from ckf_spot.pool_group import PoolGroup
from ckf_spot.pools import Pools, UnknownPoolError
from ckf_spot.target import Target

__all__ = [
    "ContractError",
    "EvictionWarning",
    "Mistake",
    "Placement",
    "PlacementError",
    "PoolGroup",
    "Pools",
    "Report",
    "SparkOption",
    "Target",
    "TrainOption",
    "UnknownPoolError",
]
