"""Evenings: what a step takes whose cluster is stopped at the end of each day of L hours. Our own derivation.

The stop undoes what is not saved, and the step goes on next morning with a restart, whatever evictions do meanwhile. So
each morning is a beginning of its own, at which only the number of blocks that are left counts. A day's k blocks take
their own hours and what evictions add (`lattice.py`), so the chance of k blocks in a day, and the hours until the last
one is done or the day ends, follow from that sum's distribution; the days add up from the last block backwards. The
first day begins at any of its moments, each as likely as another, and without a restart.

Waits between tries, which are minutes, move nothing here. Restarting and lost hours are separated as if no
evening came during a restart (`hourly.py`); the billed hours don't depend on that.
tests/cost/model/test_evenings.py plays it.
"""

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from kubeflow_aks.cost.model.lattice import CELLS, UNLIKELY, Complex, Lattice
from kubeflow_aks.cost.model.step import Blocks, Step, blocks

_MOST_A_DAY: Final = 200
"""Number of a day's blocks that are modelled one by one; of shorter ones an evening undoes half a block."""
_MOST: Final = 600
"""Number of blocks from which on each further one takes as long as those before: the step has gone on for days."""
_ALMOST: Final = 1e-9  # hours, by which a block may be longer than the day for a computer

_Floats = npt.NDArray[np.floating]


@dataclass(frozen=True)
class Days:
    """What a step takes until it is done, over as many days as it needs.

    Attributes:
        billed: hours; `math.inf` where a block does not fit into a day, so that the step is never surely done.
        evenings: how many cut it off.
    """

    billed: float
    evenings: float


def fits(step: Step, day: float) -> bool:
    """Whether a day has the hours for a restart and whatever block comes after it."""
    cut = blocks(step)
    return max(cut.length, cut.last) + step.restart <= day + _ALMOST


def until_done(step: Step, hazard: float, day: float, evicted: float) -> Days:
    """What a step takes at `hazard` evictions a running hour in a cluster that runs `day` hours at a stretch.

    `evicted` are the billed hours that it would take if the day had no end.
    """
    cut = blocks(step)
    if not (math.isfinite(evicted) and fits(step, day)):
        return Days(math.inf, math.inf)
    if cut.saved > _MOST_A_DAY and cut.length * _MOST_A_DAY < day:
        return _all_the_time(step, cut, hazard, day, evicted)
    return _of_blocks(cut, step.restart, hazard, day)


def _all_the_time(step: Step, cut: Blocks, hazard: float, day: float, evicted: float) -> Days:
    """An evening takes what an eviction takes: a restart, and the half of a block."""
    growth = math.expm1(hazard * step.restart)
    restart = growth / hazard if hazard else step.restart
    left = day - restart - (1 + growth) * cut.length / 2
    billed = evicted * day / left if left > 0 else math.inf
    return Days(billed, billed / day)


@cache
def _of_blocks(cut: Blocks, restart: float, hazard: float, day: float) -> Days:
    return _calendar(cut.length, restart, hazard if hazard * day > UNLIKELY else 0.0, day).days(cut)


@lru_cache(256)  # a calendar has up to a megabyte or two
def _calendar(length: float, restart: float, hazard: float, day: float) -> "_Calendar":
    return _Calendar(length, restart, hazard, day)


@cache
def _lattice(hazard: float, restart: float, width: float) -> Lattice:
    return Lattice(hazard, restart, 0.0, width)


class _Calendar:
    """The days of steps whose saved blocks are of one length."""

    def __init__(self, length: float, restart: float, hazard: float, day: float) -> None:
        self._restart, self._hazard, self._day = restart, hazard, day
        self._width = day / (CELLS - 1)
        self._lattice = _lattice(hazard, restart, self._width)
        self._points = np.arange(CELLS if hazard else 1) * self._width
        most = math.floor(min(day / length + _ALMOST, _MOST_A_DAY)) if length else 0
        self._saved = np.arange(most + 1) * length
        block = self._of(length)
        self._powers: Complex = np.cumprod([np.ones_like(block), *[block] * most], axis=0).astype(
            np.complex128
        )
        self._anew = self._of(length, anew=True) * self._powers[:-1]  # of 1, 2, … saved blocks
        self._today = self._spare(self._chances(self._powers), self._saved).sum(axis=1) / day
        self._by_evening = np.append(1.0, self._in_time(self._chances(self._anew), restart + self._saved[1:]))

    def days(self, cut: Blocks) -> Days:
        """The first day, and the mornings after it."""
        blocks_left = int(cut.saved) + 1
        most = min(int(cut.saved), self._saved.size - 1)
        today, behind = self._first_day(blocks_left, cut.last, most)
        mornings = self._mornings(min(blocks_left, _MOST), cut.last, most)
        left = blocks_left - np.arange(behind.size)
        modelled = np.minimum(left, len(mornings) - 1)
        after = mornings[modelled]
        if blocks_left > _MOST:
            growth = (mornings[_MOST] - mornings[_MOST // 2]) / (_MOST - _MOST // 2)
            after = after + (left - modelled)[:, None] * growth
        after[behind == 0] = 0.0  # what never happens may take as long as it likes
        billed, evenings = today + behind @ after
        return Days(float(billed), float(evenings))

    def _first_day(self, left: int, last: float, most: int) -> tuple[_Floats, _Floats]:
        """Its billed hours, the chance of its evening, the chances that it leaves all blocks, all but one and so on.

        Averages over the moment at which it begins, which are integrals of what holds for each. At the `most`, so many
        saved blocks fit into it.
        """
        done, hours = 0.0, self._day / 2
        if left <= most + 1:
            points, work = self._chances(self._powers[most] * self._of(last)), self._saved[most] + last
            done = float(self._spare(points[None], np.array([work])).sum()) / self._day
            over = np.maximum(self._day - self._saved[most] - last - self._points, 0.0)
            hours -= float(points @ over**2) / 2 / self._day
        return np.array([hours, 1 - done]), _exactly(self._today[: most + 1], done, left)

    def _mornings(self, number: int, last: float, most: int) -> _Floats:
        """Billed hours and evenings from a morning on, by the number of blocks that are left."""
        ends = np.vstack([self._of(last, anew=True)[None], self._anew[:most] * self._of(last)])
        saved, work = self._by_evening[: most + 1], self._restart + self._saved[: most + 1] + last
        points = self._chances(ends)
        done, hours = self._in_time(points, work), self._day - self._spare(points, work).sum(axis=1)
        table = np.zeros((number + 1, 2))
        for left in range(1, number + 1):
            ends_today = left <= most + 1
            end = float(done[left - 1]) if ends_today else 0.0
            today = np.array([hours[left - 1] if ends_today else self._day, 1 - end])
            none, *some = _exactly(saved, end, left)
            if 1 - none < UNLIKELY:
                table[left:] = math.inf
                break
            table[left] = (today + np.array(some) @ table[left - len(some) : left][::-1]) / (1 - none)
        return table

    def _of(self, hours: float, *, anew: bool = False) -> Complex:
        """What evictions add to a block."""
        if not self._hazard:
            return np.ones(1, dtype=np.complex128)
        return self._lattice.begun_anew(hours) if anew else self._lattice.block(hours)

    def _chances(self, transform: Complex) -> _Floats:
        """The chance of each point; without evictions all of it is at the first."""
        return Lattice.chances(transform) if self._hazard else transform.real

    def _in_time(self, points: _Floats, work: _Floats) -> _Floats:
        """Chances that work of so many own hours, begun in the morning, is done by the evening.

        Between two points a chance is spread evenly, but for that of no eviction, which is a point of its own.
        """
        slack = (self._day - work)[:, None]
        calm = np.exp(-self._hazard * work)[:, None]
        reached = np.clip((slack - self._points) / self._width + 0.5, 0.0, 1.0)
        late = (points * reached).sum(axis=1, keepdims=True) - calm * reached[:, :1]
        return np.clip(late + calm * (slack >= -_ALMOST), 0.0, 1.0)[:, 0]

    def _spare(self, points: _Floats, work: _Floats) -> _Floats:
        """The hours between the work's end and the evening, times their chances."""
        return points * np.maximum((self._day - work)[:, None] - self._points, 0.0)


def _exactly(saved: _Floats, done: float, left: int) -> _Floats:
    """Chances that a day without the step's end, of chance `done`, saves exactly 0, 1, … of the blocks that are left.

    `saved` are the chances that it saves at least as many, were there no end.
    """
    last = done if left <= saved.size else 0.0
    exactly = saved[:left].copy()
    exactly[:-1] -= saved[1:left]
    exactly[-1] -= last
    return np.maximum(exactly, 0.0)
