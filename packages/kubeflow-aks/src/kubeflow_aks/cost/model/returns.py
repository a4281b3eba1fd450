"""Work that returns from fallbacks to spot: when its program tries, and what it moves, in months that are played.

The program is `components/kubeflow/return_script.py`, with the times of `return_memory.py`: it tries one job at a time,
the newest first, rests after a try without room, and leaves work that it moved alone for a day and more.
"""

import math
from typing import Final

import numpy as np
import numpy.typing as npt

_LOOK: Final = 1 / 30
"""Hours until a placeholder runs on a new node: a look of the program, and the boot of a VM. Our choice."""
_PATIENCE: Final = 1 / 6
_FIRST_REST: Final = 0.5
_DAY: Final = 24.0
_MONTH: Final = 30 * _DAY

_Floats = npt.NDArray[np.float64]
_Whole = npt.NDArray[np.int64]


class Returns:
    """The jobs of each row that may be moved, and when the program tries next.

    Attributes:
        next: hours at which it does, by row; infinite where nothing may be moved.
        node: on the fallback, of each job of each row.
        began: when the job's work began there.
        stops: when it will have ended there.
        left: what was to do then.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        """Nothing is on a fallback; `shape` is that of rows and jobs."""
        self.next, self._from, self._failures = np.full(shape[0], math.inf), *np.zeros((2, shape[0]))
        self.began, self.stops, self.left, self._ready, self._until, self._moves = np.zeros((6, *shape))
        self.node = np.zeros(shape, dtype=int)

    def keep(self, rows: npt.NDArray[np.bool_]) -> None:
        """Leaves out all other rows from here on."""
        for name, of_rows in list(vars(self).items()):
            setattr(self, name, of_rows[rows])

    def start(
        self,
        rows: _Whole,
        job: _Whole,
        node: _Whole,
        *,
        begin: _Floats,
        began: _Floats,
        stops: _Floats,
        until: _Floats,
        left: _Floats,
    ) -> None:
        """A job takes a node of the fallback when it `begin`s, and may be moved from there until some moment."""
        self.node[rows, job], self.began[rows, job] = node, began
        self.stops[rows, job], self.left[rows, job] = stops, left
        self._ready[rows, job] = np.maximum(begin + _LOOK, self._ready[rows, job])
        self._until[rows, job] = np.minimum(stops, until)
        self.plan(rows)

    def plan(self, rows: _Whole) -> None:
        """When it tries in some rows next."""
        at = np.maximum(self._ready[rows], self._from[rows, None])
        self.next[rows] = np.where(at < self._until[rows], at, math.inf).min(1)

    def newest(self, rows: _Whole) -> _Whole:
        """The job of each of some rows that is tried now, when its next try is due."""
        now = self.next[rows, None]
        may = (self._ready[rows] <= now) & (now < self._until[rows])
        return np.where(may, self.began[rows], -1.0).argmax(1)

    def leave(self, rows: _Whole, job: _Whole) -> None:
        """A job is on the fallback no longer."""
        self._until[rows, job] = 0.0

    def move(self, rows: _Whole, job: _Whole, back: _Floats) -> None:
        """A job is moved, and runs again when it is back; then comes the next one."""
        rest = np.minimum(_DAY * 2 ** self._moves[rows, job], _MONTH)
        self._ready[rows, job] = self.next[rows] + rest
        self._moves[rows, job] += 1
        self._failures[rows], self._from[rows] = 0.0, back + _LOOK
        self.leave(rows, job)

    def fail(self, rows: _Whole) -> None:
        """There was no room: the next try is later each time."""
        rest = np.minimum(_FIRST_REST * 2 ** self._failures[rows], _DAY)
        self._failures[rows] += 1
        self._from[rows] = self.next[rows] + _PATIENCE + rest
