"""The blog's model: a share of all work runs twice, however long its steps are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SHARE: Final = 0.05
"""What the blog takes ("Deploying Kubeflow Pipelines with Azure AKS spot instances")."""


@dataclass(frozen=True)
class Blog:
    """What the blog's model says.

    Attributes:
        hours: billed hours on spot.
        cost: of those.
        on_demand: cost of the same work on demand.
        saving: share of `on_demand`; below 0 where spot costs more.
    """

    hours: float
    cost: float
    on_demand: float
    saving: float


def blog(hours: float, price_spot: float, price_on_demand: float, share: float = SHARE) -> Blog:
    """The cost of so many useful hours if a share of them runs twice.

    Raises:
        ValueError: the price on demand is 0, so that nothing can be saved.
    """
    on_demand = hours * price_on_demand
    if not on_demand > 0:
        message = f"cost on demand: {on_demand} is not allowed; expected an amount above 0"
        raise ValueError(message)
    billed = hours * (1 + share)
    cost = billed * price_spot
    return Blog(billed, cost, on_demand, 1 - cost / on_demand)
