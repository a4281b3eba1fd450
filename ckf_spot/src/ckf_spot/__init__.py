"""Place Kubeflow's batch work on spot nodes, so that it survives their eviction."""

from ckf_spot.errors import ContractError, EvictionWarning, PlacementError
from ckf_spot.kinds.jobs import place_job
from ckf_spot.kinds.katib import place_katib
from ckf_spot.kinds.trainer import TrainOption, place_trainjob
from ckf_spot.kinds.training import place_training_job
from ckf_spot.placement import Placement
from ckf_spot.pool_group import PoolGroup
from ckf_spot.pools import Pools, UnknownPoolError
from ckf_spot.target import Target

__all__ = [
    "ContractError",
    "EvictionWarning",
    "Placement",
    "PlacementError",
    "PoolGroup",
    "Pools",
    "Target",
    "TrainOption",
    "UnknownPoolError",
    "place_job",
    "place_katib",
    "place_training_job",
    "place_trainjob",
]
