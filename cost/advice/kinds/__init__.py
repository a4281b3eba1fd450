"""The kinds of change that may lower a bill, one file for each."""

from collections.abc import Callable, Iterator
from typing import Final

from cost.advice.advice import Change
from cost.advice.kinds.checkpoints import checkpoints
from cost.advice.kinds.disks import local_disks
from cost.advice.kinds.homes import fewer_home_nodes
from cost.advice.kinds.hours import office_hours
from cost.advice.kinds.regions import other_region
from cost.advice.kinds.second_pools import second_spot_pools
from cost.advice.kinds.sizes import other_sizes
from cost.advice.kinds.tails import shorter_tail
from cost.advice.kinds.tiers import cheaper_tiers
from cost.advice.situation import Situation

KINDS: Final[tuple[Callable[[Situation], Iterator[Change]], ...]] = (
    checkpoints,
    local_disks,
    other_sizes,
    second_spot_pools,
    fewer_home_nodes,
    shorter_tail,
    office_hours,
    cheaper_tiers,
    other_region,
)
