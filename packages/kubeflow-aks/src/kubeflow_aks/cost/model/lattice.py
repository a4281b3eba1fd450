"""The time that evictions take beyond a step's own hours, as transforms of its distribution on a lattice.

`deadline.py` tells how, and `evenings.py` needs the same.
"""

import math
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

CELLS: Final = 512
_BEYOND: Final = 1e-6
"""Share of what lies beyond the lattice that counts as inside; less of it would cost digits of what is left."""
UNLIKELY: Final = 1e-9
"""A chance below it is none."""
_DAMPING: Final = _BEYOND ** (np.arange(CELLS) / CELLS)
_Z: Final = _BEYOND ** (1 / CELLS) * np.exp(-2j * np.pi * np.arange(CELLS // 2 + 1) / CELLS)

Complex = npt.NDArray[np.complex128]


class Lattice:
    """Transforms of the times that evictions take, in cells of `width` hours."""

    def __init__(self, hazard: float, restart: float, wait: float, width: float) -> None:
        """Takes evictions a running hour, what follows each of them, and the hours of a cell."""
        self._hazard = hazard
        self._restart = restart
        self._edges = np.arange(CELLS + 1) * width
        self._wait = self._exactly(wait / width)
        self._restarted = self._exactly(restart / width)
        self._lost = cache(self._lost_before)

    def block(self, hours: float) -> Complex:
        """What a block takes beyond its own hours."""
        once = self._lost(hours) * self._wait
        through = math.exp(-self._hazard * (self._restart + hours)) * self._restarted
        return math.exp(-self._hazard * hours) + once * through / (1 - self._again(hours))

    def begun_anew(self, hours: float) -> Complex:
        """The same of a block whose first try restarts, too, beyond the hours of the block and of that restart."""
        return math.exp(-self._hazard * (self._restart + hours)) / (1 - self._again(hours))

    def many_blocks(self, length: float, hours: float) -> Complex:
        """The same for `hours` in blocks so short that an eviction undoes the half of one; none in the limit."""
        through = math.exp(-self._hazard * (self._restart + length)) * self._restarted
        hit = self._wait * self._exactly(length / 2 / self._edges[1]) * through / (1 - self._again(length))
        return np.exp(self._hazard * hours * (hit - 1))

    def _again(self, hours: float) -> Complex:
        """A further start that is evicted, too."""
        return self._lost(self._restart + hours) * self._wait

    def _lost_before(self, most: float) -> Complex:
        """The hours from a start to its eviction, where it comes before `most`.

        Each point takes the second difference of the integral of the distribution, which is what keeps the mean.
        """
        within = np.minimum(self._edges, most)
        evicted = -np.expm1(-self._hazard * within)
        integral = within - evicted / self._hazard + (self._edges - within) * evicted[-1]
        slope = np.empty_like(integral)
        slope[0], slope[1:] = integral[0], integral[1:] - integral[:-1]
        return np.fft.rfft((slope[1:] - slope[:-1]) / self._edges[1] * _DAMPING)

    @staticmethod
    def _exactly(cells: float) -> Complex:
        """A time that is always the same."""
        whole = math.floor(cells)
        return _Z**whole * (1 + (cells - whole) * (_Z - 1))

    @staticmethod
    def chances(transform: Complex) -> npt.NDArray[np.floating]:
        """The chance of each point, or of each row's points; what lies beyond the last is left out."""
        return np.fft.irfft(transform, CELLS) / _DAMPING
