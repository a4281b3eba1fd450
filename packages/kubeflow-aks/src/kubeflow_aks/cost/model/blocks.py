"""The blocks of a step: what must run in one go, because an eviction inside it loses all of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kubeflow_aks.cost.model.step import Step

_ALMOST_WHOLE = 1e-9
"""A step of 20 h with a checkpoint each 0.1 h has 200 blocks, though 20 / 0.1 is no whole number for a computer."""
_ALL_THE_TIME = 1e6
"""Number of checkpoints that take no time from which on what is lost between two of them counts as nothing."""


@dataclass(frozen=True)
class Blocks:
    """A step as blocks that end with a checkpoint, and a last one that ends with the step, so it needs none.

    Attributes:
        saved: how many end with a checkpoint; `math.inf` where work is saved all the time.
        length: hours of each of those, the checkpoint's own included.
        last: hours of the last.
        writing: hours in all that checkpoints take.
    """

    saved: float
    length: float
    last: float
    writing: float


def blocks(step: Step) -> Blocks:
    """Cut a step into its blocks; one that is shorter than its interval writes no checkpoint."""
    saves = step.checkpoints
    if saves is None or saves.every >= step.hours:
        return Blocks(0.0, 0.0, step.hours, 0.0)
    number = step.hours / saves.every if saves.every else math.inf
    if number > _ALL_THE_TIME and not saves.writing:
        return Blocks(math.inf, 0.0, 0.0, 0.0)
    if number == math.inf:
        return Blocks(math.inf, 0.0, 0.0, math.inf)
    saved = float(max(0, math.ceil(number * (1 - _ALMOST_WHOLE)) - 1))
    if not saved:
        return Blocks(0.0, 0.0, step.hours, 0.0)
    return Blocks(saved, saves.every + saves.writing, step.hours - saved * saves.every, saved * saves.writing)
