"""What the papers say that work with checkpoints takes, to compare the model with."""

from __future__ import annotations

import math

from kubeflow_aks.cost.model.rates import evictions_an_hour
from kubeflow_aks.cost.model.step import Checkpoints

_LARGE = 700.0  # e to a power a little above that is no number any more


def textbook(checkpoints: Checkpoints, restart: float, rate: float) -> float:
    """Billed hours for each useful hour of work without an end, e^λR (e^λ(τ + C) - 1) / λτ: each block writes.

    Source: "A higher order estimate of the optimum checkpoint interval for restart dumps", Daly 2006.
    """
    hazard = evictions_an_hour(rate)
    if hazard * max(restart, checkpoints.every + checkpoints.writing) > _LARGE:
        return math.inf
    if not checkpoints.every:
        return math.inf if checkpoints.writing else math.exp(hazard * restart)
    block = checkpoints.every + checkpoints.writing
    tried = math.expm1(hazard * block) / hazard if hazard else block
    return math.exp(hazard * restart) * tried / checkpoints.every
