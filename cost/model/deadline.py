"""Deadlines: the chance that a step on spot alone is late. Our own derivation.

What a step takes beyond its own hours comes from its evictions, each independent of the others: hours lost, which are
exponential and cut at the block's end, the wait, and the restart. The distribution of their sum is the product of
their transforms (each block: no eviction, or one and then a geometric number of further ones). It is taken back on a
lattice of `_CELLS` from zero to the slack, by the discrete Fourier transform with a damping that keeps what lies beyond
out ("Numerical inversion of probability generating functions", Abate and Whitt 1992). A time between two points of the
lattice counts as both, in the proportion that keeps its mean. tests/cost/model/test_by_chance.py plays it, and
tests/cost/model/test_deadline_chances.py compares a closed form where there is one.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from cost.model.blocks import blocks
from cost.model.step import Step

_CELLS: Final = 512
_BEYOND: Final = 1e-6
"""Share of the chance to be late that is counted as in time; less of it would cost digits of what is left."""
_UNLIKELY: Final = 1e-9
_MANY: Final = 1e5  # blocks, beyond which the power of one loses its digits
_NEVER_DONE: Final = 1e6  # evictions at the least; no deadline is that far away
_DIGITS: Final = 6  # that hold on every machine; what is behind them is noise of the transform
_DAMPING: Final = _BEYOND ** (np.arange(_CELLS) / _CELLS)
_Z: Final = _BEYOND ** (1 / _CELLS) * np.exp(-2j * np.pi * np.arange(_CELLS // 2 + 1) / _CELLS)

_Complex = npt.NDArray[np.complex128]


def misses(step: Step, hazard: float) -> float | None:
    """Chance that a step isn't done by its deadline at `hazard` evictions a running hour, however often it is retried.

    Returns:
        None without a deadline; 1 where even without evictions the step takes longer.
    """
    if step.deadline is None:
        return None
    cut = blocks(step)
    kept = step.hours + cut.writing
    slack = step.deadline - kept
    if slack < 0 or hazard * kept > _NEVER_DONE:
        return 1.0
    if hazard * kept < _UNLIKELY:
        return 0.0  # not even one eviction is likely
    through = math.exp(-hazard * (step.restart + max(cut.length, cut.last)))
    if slack <= step.wait + step.restart or through < _UNLIKELY:
        return -math.expm1(
            -hazard * kept
        )  # after an eviction no start gets through, or there is no time for it
    lattice = _Lattice(hazard, step.restart, step.wait, slack / (_CELLS - 1))
    if cut.saved == math.inf:
        transform = lattice.many_blocks(0.0, step.hours)
    elif cut.saved > _MANY:
        transform = lattice.many_blocks(cut.length, kept)
    else:
        transform = lattice.block(cut.length) ** cut.saved * lattice.block(cut.last)
    late = np.fft.irfft(transform, _CELLS) / _DAMPING
    in_time = late[:-1].sum() + late[-1] / 2  # half of what counts as the last point comes after it
    return min(max(0.0, round(1 - float(in_time), _DIGITS)), 1.0)


class _Lattice:
    """Transforms of the times that evictions take, in cells of `width` hours."""

    def __init__(self, hazard: float, restart: float, wait: float, width: float) -> None:
        self._hazard = hazard
        self._restart = restart
        self._edges = np.arange(_CELLS + 1) * width
        self._wait = self._exactly(wait / width)
        self._restarted = self._exactly(restart / width)

    def block(self, hours: float) -> _Complex:
        """What a block takes beyond its own hours."""
        once = self._lost(hours) * self._wait
        through = math.exp(-self._hazard * (self._restart + hours)) * self._restarted
        return math.exp(-self._hazard * hours) + once * through / (1 - self._again(hours))

    def many_blocks(self, each: float, hours: float) -> _Complex:
        """The same for `hours` in blocks so short that an eviction undoes the half of one; none in the limit."""
        through = math.exp(-self._hazard * (self._restart + each)) * self._restarted
        hit = self._wait * self._exactly(each / 2 / self._edges[1]) * through / (1 - self._again(each))
        return np.exp(self._hazard * hours * (hit - 1))

    def _again(self, hours: float) -> _Complex:
        """A further start that is evicted, too."""
        return self._lost(self._restart + hours) * self._wait

    def _lost(self, most: float) -> _Complex:
        """The hours from a start to its eviction, where it comes before `most`.

        Each point takes the second difference of the integral of the distribution, which is what keeps the mean.
        """
        within = np.minimum(self._edges, most)
        evicted = -np.expm1(-self._hazard * within)
        integral = within - evicted / self._hazard + (self._edges - within) * evicted[-1]
        width = self._edges[1]
        chances = np.diff(integral, 2, prepend=0.0) / width
        return np.fft.rfft(chances * _DAMPING)

    @staticmethod
    def _exactly(cells: float) -> _Complex:
        """A time that is always the same."""
        whole = math.floor(cells)
        return _Z**whole * (1 + (cells - whole) * (_Z - 1))
