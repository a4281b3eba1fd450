"""Deadlines: the chance that a step on spot alone is late. Our own derivation.

What a step takes beyond its own hours comes from its evictions, each independent of the others: hours lost, which are
exponential and cut at the block's end, the wait, and the restart. The distribution of their sum is the product of
their transforms (each block: no eviction, or one and then a geometric number of further ones). It is inverted on a
lattice (`lattice.py`) from zero to the slack, by the discrete Fourier transform with a damping that keeps the rest
out ("Numerical inversion of probability generating functions", Abate and Whitt 1992). A time between two points of the
lattice counts as both, in the proportion that keeps its mean. `test_by_chance.py` simulates it, and
`test_deadline_chances.py` compares a closed form where there is one.
"""

import math
from typing import Final

from kubeflow_aks.cost.model.lattice import CELLS, UNLIKELY, Lattice
from kubeflow_aks.cost.model.step import Step, blocks

_MANY: Final = 1e5  # blocks, beyond which the power of one loses its digits
_NEVER_DONE: Final = 1e6  # evictions at the least; no deadline is that far away
_DIGITS: Final = 6  # that hold; of what is behind them, fewer evictions may seem to miss more often


def misses(step: Step, hazard: float) -> float | None:
    """Chance that a step isn't done by its deadline at `hazard` evictions a running hour, however often it is retried.

    None without a deadline; 1 where even without evictions the step takes longer.
    """
    if step.deadline is None:
        return None
    cut = blocks(step)
    productive = step.hours + cut.writing
    slack = step.deadline - productive
    if slack < 0 or hazard * productive > _NEVER_DONE:
        return 1.0
    if hazard * productive < UNLIKELY:
        return 0.0  # not even one eviction is likely
    through = math.exp(-hazard * (step.restart + max(cut.length, cut.last)))
    if slack <= step.wait + step.restart or through < UNLIKELY:
        return -math.expm1(
            -hazard * productive
        )  # after an eviction no start gets through, or there is no time for it
    lattice = Lattice(hazard, step.restart, step.wait, slack / (CELLS - 1))
    if cut.saved == math.inf:
        transform = lattice.many_blocks(0.0, step.hours)
    elif cut.saved > _MANY:
        transform = lattice.many_blocks(cut.length, productive)
    else:
        transform = lattice.block(cut.length) ** cut.saved * lattice.block(cut.last)
    late = lattice.chances(transform)
    in_time = late[:-1].sum() + late[-1] / 2  # half of what counts as the last point comes after it
    return min(max(round(1 - float(in_time), _DIGITS), 0.0), 1.0)
