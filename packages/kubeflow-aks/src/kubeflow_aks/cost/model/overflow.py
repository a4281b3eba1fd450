"""Full pools: which work takes the fallback, which waits, and how late it is then.

A pool has no more nodes than its maximum. A step that finds it full, or spot sold out, takes the fallback up to that
one's maximum and stays there to its end; with a full fallback it waits for the first node that gets free. No closed
form has bursts, gangs, steps of minutes beside those of days and nodes that idle on two pools. So months of the work
are played, many at once as rows of arrays, the starts of each row in the order in which they become due. The same work
has the same random numbers each time. `tests.benchmarks.month` compares it with months on the local AKS.

Nodes are taken in the order of the scheduler and of the autoscaler's priorities: one that idles on the pool, one that
idles on the fallback, a new one on the pool, a new one on the fallback. One without work goes after `tail` hours, but
none within `delay` hours after one was added (`scaleDownDelayAfterAdd`).
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kubeflow_aks.cost.model.month import Capacity, Demand, Month, Outcome, growing_waits, peak
from kubeflow_aks.cost.model.rates import evictions_an_hour
from kubeflow_aks.cost.model.returns import Returns
from kubeflow_aks.cost.model.step import blocks

_SEED: Final = 1
_LEAST_ROWS: Final = 32
_MOST_ROWS: Final = 512
_STARTS: Final = 40_000
"""Nodes that are taken in all rows together, as far as the numbers of rows allow."""
_FEW: Final = 4
"""Months that one bill plays as often as a month alone; also the fewest rows."""
_LONGEST: Final = 1000
"""First starts of one row; of months with more, a part is played, and what waits is drawn out to the whole."""
_EVERY_START: Final = 0.05
"""Hours below which a time without spot counts as a chance of each start."""
_DRAWS: Final = 1009
"""Starts of which each has random numbers of its own, before they come again."""
_AMPLE: Final = 3
"""How many times the peak demand is played at the most: what waits comes on top of it."""
_SPARSE: Final = 0.9
"""Share of rows that go on below which the others are dropped."""
_OF_ROWS: Final = (
    *("_row", "_kind", "_least", "_ready", "_first", "_next", "_left", "_again", "_busy", "_gone", "_user"),
    *("_tail", "_delay", "_day", "_ends"),
)
_BLOCK: Final = 32
"""Jobs of which the next one is kept, so that a start looks at few of them."""
_NEVER: Final = 1e12
_NO: Final = np.int8(9)
"""Instead of a side: the node is no option."""
_ALMOST: Final = 1e-9

_Floats = npt.NDArray[np.float64]
_Whole = npt.NDArray[np.int64]
_Flags = npt.NDArray[np.bool_]


def play(months: Iterable[Month]) -> list[tuple[Outcome, ...]]:
    """Plays each month many times over, each time until all its work is done.

    Returns:
        for each month one outcome for each kind of its work.
    """
    months = list(months)
    new = [month for month in dict.fromkeys(months) if month not in _PLAYED]
    if new:
        _PLAYED.update(zip(new, _Rows([_Plan(month) for month in new]).outcomes(), strict=True))
    return [_PLAYED[month] for month in months]


_PLAYED: Final[dict[Month, tuple[Outcome, ...]]] = {}


def forget() -> None:
    """Clears what was played, so that a benchmark measures it."""
    _PLAYED.clear()


class _Plan:
    """What one month begins with: a row of each array for each time that it is played.

    Attributes:
        part: of the month that is played.
        kind: place in the month's work of each job; an elastic step is as many jobs as it has nodes.
        submitted: hours at which each job is; infinite where a row has fewer.
        sides: of each kind of work, for each node that there may be: 0 of its pool, 1 of its fallback, or neither.
        least: whether that node is always there.
        outages: begin and end of each time without spot, by row and pool.
        draws: random numbers for evictions, by start and row.
    """

    def __init__(self, month: Month) -> None:
        starts = sum(one.starts for one in month.work)
        self.month, self.part = month, min(1.0, _LONGEST / starts)
        often = _FEW / max(month.others, _FEW)
        self.rows = round(max(min(max(_STARTS / starts, _LEAST_ROWS), _MOST_ROWS) * often, _FEW))
        self._chance = np.random.Generator(np.random.PCG64(_SEED))
        submitted = [self._submissions(one) for one in month.work]
        self.kind = np.repeat(np.arange(len(submitted)), [at.shape[1] for at in submitted])
        self.submitted = np.hstack(submitted)
        room = [_room(pool, month) for pool in month.pools]
        sides = {pool.name: np.repeat(_sides(pool, month), room) for pool in month.pools}
        self.sides = np.array([sides[one.pool] for one in month.work])
        least = [np.arange(nodes) < one.minimum for nodes, one in zip(room, month.pools, strict=True)]
        self.least = np.concatenate(least)
        self.outages = _stacked([self._outages(pool) for pool in month.pools], math.inf).swapaxes(0, 1)
        self.draws = self._chance.random((self.rows, _DRAWS, 3)).swapaxes(0, 1)

    def _submissions(self, work: Demand) -> _Floats:
        bursts = work.number / work.at_once * self.part
        at = self._chance.random((self.rows, math.ceil(bursts))) * self.month.hours * self.part
        if bursts % 1:
            at[self._chance.random(self.rows) > bursts % 1, -1] = math.inf
        return np.repeat(at, work.at_once * work.jobs, axis=1)

    def _outages(self, pool: Capacity) -> _Floats:
        """Their share is that of the month in each row; there are some after its end, for what waits."""
        if not pool.sold_out or pool.outage < _EVERY_START:
            return np.full((self.rows, 0, 2), math.inf)
        hours = 2 * self.month.hours * self.part
        number = max(1, round(hours * pool.sold_out / pool.outage))
        there, out = (-np.log1p(-self._chance.random((self.rows, number))) for _ in range(2))
        there *= hours * (1 - pool.sold_out) / there.sum(1, keepdims=True)
        out *= hours * pool.sold_out / out.sum(1, keepdims=True)
        back = np.cumsum(there + out, 1)
        return np.stack([back - out, back], axis=2)


def _room(pool: Capacity, month: Month) -> int:
    """Nodes of a pool that are ever taken."""
    names = [one.name for one in month.pools if pool.name in (one.name, one.fallback)]
    return min(pool.maximum, math.ceil(_AMPLE * sum(peak(name, month) for name in names)))


def _sides(pool: Capacity, month: Month) -> list[np.int8]:
    """What each pool is to the work of one."""
    sides = {pool.fallback: np.int8(1), pool.name: np.int8(0)}
    return [sides.get(one.name, _NO) for one in month.pools]


def _stacked(arrays: Sequence[npt.NDArray[Any]], filling: float | np.int8) -> npt.NDArray[Any]:
    """Arrays of different lengths as one, with one more axis."""
    shape = np.max([it.shape for it in arrays], axis=0)
    whole = np.full((len(arrays), *shape), filling, dtype=arrays[0].dtype)
    for place, it in zip(whole, arrays, strict=True):
        place[tuple(map(slice, it.shape))] = it
    return whole


def _joined(arrays: Sequence[npt.NDArray[Any]], filling: float | np.int8) -> npt.NDArray[Any]:
    """Rows of different lengths as one array."""
    return np.concatenate(
        [it[: rows.shape[0]] for it, rows in zip(_stacked(arrays, filling), arrays, strict=True)]
    )


_JOB: Final = np.dtype(
    [
        *(("place", int), ("nodes", int)),
        *(
            (name, float)
            for name in (
                *("grows", "hazard", "sold_out", "outage", "left", "block"),
                *("restart", "wait", "held", "saved", "returns"),
            )
        ),
    ]
)
"""What of a step starts, and is lost, for itself, with its pool's `place` among those of its month. Of its work `left`
hours are to do, saved each `block` hours. A start waits `grows` hours an hour longer than in the part that is played.
"""


def _jobs(month: Month, part: float) -> Iterator[tuple[float, ...]]:
    grows, pools = growing_waits(month), {pool.name: (place, pool) for place, pool in enumerate(month.pools)}
    for one in month.work:
        (place, pool), step, cut = pools[one.pool], one.step, blocks(one.step)
        yield (
            *(place, step.together),
            *(grows[one.pool] * (1 / part - 1), evictions_an_hour(pool.rate)),
            *(pool.sold_out if pool.outage < _EVERY_START else 0.0, pool.outage),
            *(step.hours + cut.writing, cut.length if cut.saved else _NEVER),
            *(step.restart, step.wait, step.held, step.saved, one.returns),
        )


class _Rows:
    """All rows of some months, and how far each is; those that are done are dropped from time to time.

    A node works until `_busy`, goes at `_gone`, and `_user` is what it worked for: twice the kind's place, and 1 more
    on a fallback.
    """

    def __init__(self, plans: Sequence[_Plan]) -> None:
        self._plans = plans
        months, rows = [plan.month for plan in plans], [plan.rows for plan in plans]
        kinds = np.cumsum([0, *(len(one.work) for one in months)])
        self._jobs = np.array([job for plan in plans for job in _jobs(plan.month, plan.part)], _JOB)
        self._side = _joined([plan.sides for plan in plans], _NO)
        kind = _stacked([plan.kind + first for plan, first in zip(plans, kinds, strict=False)], 0)
        least = _stacked([plan.least for plan in plans], filling=False)
        self._kind, self._least = (np.repeat(it, rows, axis=0) for it in (kind, least))
        self._row = np.arange(sum(rows))
        self._submitted = _joined([plan.submitted for plan in plans], math.inf)
        lacking = -self._submitted.shape[1] % _BLOCK
        padded = np.pad(self._submitted, ((0, 0), (0, lacking)), constant_values=math.inf)
        self._ready = padded.reshape(len(padded), -1, _BLOCK)
        self._first, self._next = self._ready.argmin(2), self._ready.min(2)
        self._outages = _joined([plan.outages for plan in plans], math.inf)
        self._draws = np.concatenate([plan.draws for plan in plans], axis=1)
        of_months = (
            (it.month.tail, it.month.delay, it.month.day or math.inf, it.month.hours * it.part)
            for it in plans
        )
        self._tail, self._delay, self._day, self._ends = (
            np.repeat(values, rows) for values in zip(*of_months, strict=True)
        )
        self._left = self._jobs["left"][self._kind]
        self._again = np.zeros(self._kind.shape, dtype=bool)
        self._done, self._later = np.full(self._kind.shape, math.nan), np.zeros(self._kind.shape)
        self._busy = np.zeros(self._least.shape)
        self._gone = np.where(self._least, math.inf, 0.0)
        self._user = np.zeros(self._least.shape, dtype=int)
        self._working, self._idle, self._least_hours = np.zeros((3, 2 * len(self._jobs)))
        self._waits, self._returned, self._redone = np.zeros((3, len(self._jobs)))
        self._returns = Returns(self._kind.shape) if self._jobs["returns"].any() else None

    def outcomes(self) -> Iterator[tuple[Outcome, ...]]:
        """What each month came to, once all its rows are done."""
        number = 0
        while self._row.size:
            due = self._go_on(number % _DRAWS)
            number += 1
            if np.count_nonzero(due) < _SPARSE * due.size:
                self._drop(~due)
        sums = [it.reshape(-1, 2) for it in (self._working, self._idle, self._least_hours)]
        every = np.column_stack([*sums, self._waits, self._returned, self._redone])
        kind = row = 0
        for plan in self._plans:
            part, work = (slice(row, row + plan.rows), slice(plan.kind.size)), plan.month.work
            took = self._done[part] - self._submitted[part]
            means = every[kind : kind + len(work)] / (plan.rows * plan.part)
            yield tuple(
                Outcome(
                    *hours,
                    late=0.0 if one.step.deadline is None else _late(one, took[:, plan.kind == place]),
                    part=plan.part,
                )
                for place, (one, hours) in enumerate(zip(work, means.tolist(), strict=True))
            )
            kind, row = kind + len(work), row + plan.rows

    def _drop(self, rows: _Flags) -> None:
        """Counts the last idle hours of rows, and leaves them out from here on."""
        _add(self._idle, self._user[rows], np.where(self._least, 0.0, self._gone - self._busy)[rows])
        for name in _OF_ROWS:
            setattr(self, name, getattr(self, name)[~rows])
        if self._returns:
            self._returns.keep(~rows)

    def _go_on(self, number: int) -> _Flags:
        """Starts in each row the job that is due first, or moves one to spot before; returns which rows had one."""
        block, at = _least(self._next)
        due = np.isfinite(at)
        if self._returns is None:
            if due.any():
                self._start(np.flatnonzero(due), block, at, number)
            return due
        tries = np.isfinite(self._returns.next) & (self._returns.next <= at)
        if tries.any():
            self._move(np.flatnonzero(tries), self._returns, number)
        starts = due & ~tries
        if starts.any():
            self._start(np.flatnonzero(starts), block, at, number)
        return due | tries

    def _start(self, every: _Whole, block: _Whole, at: _Floats, number: int) -> None:
        """Starts in each of some rows the job that is due first."""
        block, at = block[every], at[every]
        job = block * _BLOCK + self._first[every, block]
        this = _flat(self._kind, every, job)
        kind, draws = self._kind.take(this), self._draws[number].take(self._row[every], axis=0)
        of = self._jobs.take(kind)  # far faster than an index
        (place, node, since), begin, added = self._take(every, at, kind, of, draws[:, 0])
        seat, side = _flat(self._busy, every[place], node), self._side[kind[place], node]

        again, left = self._again.take(this), self._left.take(this)
        overhead = np.where(again | (added >= 0), of["restart"], 0.0)
        ends = begin + overhead + left
        exposed = of["hazard"] * np.bincount(place[side == 0], minlength=every.size)
        with np.errstate(divide="ignore", over="ignore"):
            evicted_at = begin - np.log(draws[:, 1]) / exposed
        evening = (np.floor(begin / self._day[every]) + 1) * self._day[every]
        until = np.minimum(evicted_at, evening)
        done = ends <= until + _ALMOST
        stop = np.where(done, ends, until)
        evicted = ~done & (evicted_at < evening)

        worked = np.maximum(stop - begin - overhead, 0.0)
        kept = np.where((draws[:, 2] < of["saved"]) & evicted, worked, _kept(of, worked))
        self._left.put(this, left - np.where(done, 0.0, kept))
        later = of["grows"] * np.minimum(at, self._ends[every])
        of_all = _flat(self._later, self._row[every], job)
        so_far = self._later.take(of_all) + later
        self._later.put(of_all, so_far)
        self._done.put(of_all[done], (stop + so_far)[done])
        next_start = stop + np.where(evicted, of["wait"], 0.0)
        self._due(every, job, np.where(done, math.inf, next_start))
        self._again.put(this, np.True_)

        till = stop + np.where(evicted, of["held"], 0.0)
        lost = _first(place, node, evicted[place] & (side == 0))
        boot = np.where(again, 0.0, np.minimum(overhead, stop - begin))[place]  # as `model.idle` has it
        user = 2 * kind[place] + side
        _add(self._waits, kind, later * of["nodes"])
        _add(self._working, user, np.where(lost, stop[place], till[place]) - begin[place] - boot)
        _add(self._idle, user, boot + begin[place] - since)  # the nodes of a gang wait for its last one
        least = self._least.take(seat)
        _add(self._least_hours, user, np.where(least, till[place] - since, 0.0))
        self._user.put(seat, user)
        self._busy.put(seat, till[place])
        leaves = np.minimum(till + self._tail[every], np.maximum(evening, till))
        self._gone.put(seat, np.where(least, math.inf, leaves[place]))
        self._keep(every, added, evening)
        self._busy.put(seat[lost], stop[place[lost]])
        self._gone.put(seat[lost], np.where(least, math.inf, stop[place])[lost])
        if self._returns:
            may = (side[: every.size] == 1) & (of["returns"] > 0)  # each of them has one node
            self._returns.start(
                every[may],
                job[may],
                node[: every.size][may],
                begin=begin[may],
                began=(begin + overhead)[may],
                stops=stop[may],
                until=(at + of["returns"])[may],
                left=left[may],
            )

    def _move(self, rows: _Whole, returns: Returns, number: int) -> None:
        """Tries in some rows to move a job from the fallback to a node of spot, which idles until the job is back."""
        every, now, job = rows, returns.next[rows], returns.newest(rows)
        kind, away, stops = self._kind[rows, job], returns.node[rows, job], returns.stops[rows, job]
        of, busy = self._jobs.take(kind), self._busy.take(rows, axis=0)
        there = self._gone.take(rows, axis=0) > now[:, None]
        supply = self._draws[number, self._row[rows], 0] >= of["sold_out"]
        if self._outages.size:
            supply &= self._back(rows, of["place"], now) == 0
        free = (self._side.take(kind, axis=0) == 0) & (busy <= now[:, None]) & (there | supply[:, None])
        node = np.where(free, np.where(there, 0, 1), _NO).argmin(1)
        here = self._busy[rows, away] == stops  # or another job has it after this one
        returns.leave(rows[~here], job[~here])
        room = free.any(1)
        returns.fail(rows[here & ~room])
        some = here & room
        new = (~there[np.arange(rows.size), node])[some]
        rows, job, kind, away, node = (it[some] for it in (rows, job, kind, away, node))
        now, stops, of = now[some], stops[some], of[some]
        worked = np.maximum(now - returns.began[rows, job], 0.0)
        kept = _kept(of, worked)
        self._left[rows, job] = left = returns.left[rows, job] - kept
        _add(self._returned, kind, left)
        _add(self._redone, kind, worked - kept + of["restart"])
        _add(self._working, 2 * kind + 1, now - stops)
        _add(self._least_hours, 2 * kind + 1, np.where(self._least[rows, away], now - stops, 0.0))
        idle = np.minimum(now, self._gone[rows, node]) - self._busy[rows, node]
        _add(self._idle, self._user[rows, node], np.where(new & ~self._least[rows, node], idle, 0.0))
        self._busy[rows[new], node[new]], self._user[rows[new], node[new]] = now[new], 2 * kind[new]
        evening = (np.floor(now / self._day[rows]) + 1) * self._day[rows]
        leaves = np.minimum(now + self._tail[rows], evening)
        self._busy[rows, away] = now
        for it in (away, node):
            self._gone[rows, it] = np.where(self._least[rows, it], math.inf, leaves)
        self._keep(rows, np.where(new, now, -1.0), evening)
        back = now + of["wait"]
        self._again[rows, job] = True
        self._due(rows, job, back)
        returns.move(rows, job, back)
        returns.plan(every)

    def _due(self, rows: _Whole, job: _Whole, at: _Floats) -> None:
        """A job of each of some rows is due next at a moment."""
        block, place = job // _BLOCK, job % _BLOCK
        this, ready = _flat(self._first, rows, block), self._ready.reshape(-1, _BLOCK)
        ready[this, place] = at
        first, first_at = _least(ready.take(this, axis=0))
        self._first.put(this, first)
        self._next.put(this, first_at)

    def _take(
        self, rows: _Whole, at: _Floats, kind: _Whole, of: npt.NDArray[Any], draws: _Floats
    ) -> tuple[tuple[_Whole, _Whole, _Floats], _Floats, _Floats]:
        """Takes nodes in each of some rows for what is due `at` a moment.

        Returns:
            the place of the row among those, the node and since when, for each node; when the last one of a row is
            there, and when one was added last: negative for none.
        """
        side = self._side.take(kind, axis=0)
        begin, added = at.copy(), np.full(at.shape, -1.0)
        free = np.maximum(self._busy.take(rows, axis=0), at[:, None])
        there = self._gone.take(rows, axis=0) > free
        free[side == _NO] = math.inf
        late = np.where(draws < of["sold_out"], of["outage"], 0.0)
        new, order = (side == 0) & ~there, side + np.int8(2) * ~there
        taken, place = list[tuple[_Whole, _Whole, _Floats]](), np.arange(rows.size)
        for number in range(of["nodes"].max()):
            if number:
                place = np.flatnonzero(of["nodes"] > number)
            some, row = free.take(place, axis=0), rows[place]
            back = late[place]
            if self._outages.size:
                first = _least(np.where(new.take(place, axis=0), some, math.inf))[1]
                back = np.maximum(back, self._back(row, of["place"][place], first))
            out = np.flatnonzero(back)
            if out.size:
                later = np.maximum(some[out] + late[place[out], None], back[out, None])
                some[out] = np.where(new[place[out]], later, some[out])
            start = _least(some)[1]
            node = np.where(some <= start[:, None], order.take(place, axis=0), _NO).argmin(1)
            seat, here = _flat(self._busy, row, node), _flat(free, place, node)
            idle = np.minimum(start, self._gone.take(seat)) - self._busy.take(seat)
            _add(self._idle, self._user.take(seat), np.where(self._least.take(seat), 0.0, idle))
            _add(self._waits, kind[place], start - at[place])
            added[place] = np.where(there.take(here), added[place], start)
            free.put(here, math.inf)
            begin[place] = np.maximum(begin[place], start)
            taken.append((place, node, start))
        places, nodes, starts = (np.concatenate(it) for it in zip(*taken, strict=True))
        return (places, nodes, starts), begin, added

    def _back(self, rows: _Whole, pool: _Whole, at: _Floats) -> _Floats:
        """When Azure has a new node again, where it has none of the pool at a moment; 0 where it has."""
        times = self._outages[self._row[rows], pool]
        place = np.arange(rows.size), (times[..., 1] > at[:, None]).argmax(1)
        begin, back = times[*place].T
        return np.where((begin <= at) & (at < back), back, 0.0)

    def _keep(self, rows: _Whole, added: _Floats, evening: _Floats) -> None:
        """Keeps the nodes without work of rows in which one was added for a while."""
        new = (added >= 0) & (self._delay[rows] > 0)
        rows, added = rows[new], added[new]
        kept = np.minimum(added + self._delay[rows], evening[new])
        gone = self._gone.take(rows, axis=0)
        stays = (gone > added[:, None]) & (gone > self._busy.take(rows, axis=0))
        self._gone[rows] = np.where(stays, np.maximum(gone, kept[:, None]), gone)


def _kept(of: npt.NDArray[Any], worked: _Floats) -> _Floats:
    """Hours of work that the checkpoints of some jobs keep."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(of["block"] == 0, worked, np.floor(worked / of["block"]) * of["block"])


def _late(work: Demand, took: _Floats) -> float:
    """Share of the steps that miss their deadline, by the hours of each row's jobs; no number for those it has not."""
    steps = took.reshape(-1, work.jobs).max(1)
    steps = steps[np.isfinite(steps)]
    return float((steps > (work.step.deadline or 0.0)).mean()) if steps.size else 0.0


def _flat(rows: npt.NDArray[Any], row: _Whole, place: _Whole) -> _Whole:
    """Where places of some rows are among those of all; NumPy takes and puts these far faster than an index of two."""
    return row * rows.shape[1] + place


def _least(rows: _Floats) -> tuple[_Whole, _Floats]:
    """The place of the least figure of each row, and that figure; far faster than a minimum along the rows."""
    place = rows.argmin(1)
    return place, rows.take(_flat(rows, np.arange(len(rows)), place))


def _add(sums: _Floats, place: _Whole, values: _Floats) -> None:
    """Adds each value to the sum at its place."""
    sums += np.bincount(place.ravel(), values.ravel(), sums.size)


def _first(place: _Whole, node: _Whole, which: _Flags) -> _Flags:
    """The first of those nodes at each place."""
    first = np.full(place.max(initial=0) + 1, node.max(initial=0))
    np.minimum.at(first, place[which], node[which])
    return which & (node == first[place])
