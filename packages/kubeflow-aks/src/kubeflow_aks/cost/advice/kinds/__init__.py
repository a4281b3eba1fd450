"""The kinds of change that may lower a bill, one function for each."""

from collections.abc import Callable, Iterator
from typing import Final

from kubeflow_aks.cost.advice.advice import Change
from kubeflow_aks.cost.advice.kinds.checkpoints import checkpoints
from kubeflow_aks.cost.advice.kinds.cluster import basic_registry, cheaper_tiers, other_region
from kubeflow_aks.cost.advice.kinds.commitments import commitments
from kubeflow_aks.cost.advice.kinds.hours import office_hours
from kubeflow_aks.cost.advice.kinds.pools import (
    fewer_home_nodes,
    larger_maximum,
    local_disks,
    no_idle_nodes,
    no_limit,
    other_sizes,
    second_sizes,
    shorter_tail,
    smaller_system_disk,
)
from kubeflow_aks.cost.advice.situation import Situation

Kind = Callable[[Situation], Iterator[Change]]
"""One kind: the changes worth trying in a situation."""

KINDS: Final[tuple[Kind, ...]] = (
    checkpoints,
    local_disks,
    other_sizes,
    second_sizes,
    fewer_home_nodes,
    no_idle_nodes,
    no_limit,
    shorter_tail,
    office_hours,
    larger_maximum,
    cheaper_tiers,
    basic_registry,
    smaller_system_disk,
    other_region,
    commitments,
)
