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
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kubeflow_aks.cost.model.rates import evictions_an_hour
from kubeflow_aks.cost.model.step import Step, blocks

_SEED: Final = 1
_LEAST_ROWS: Final = 32
_MOST_ROWS: Final = 512
_STARTS: Final = 40_000
"""First starts of all rows together, as far as the numbers of rows allow."""
_LONGEST: Final = 1000
"""First starts of one row; of months with more, a part is played."""
_DEVIATIONS: Final = 5.0
"""Standard deviations beyond which demand hardly ever goes. Our choice."""
_EVERY_START: Final = 0.05
"""Hours below which a time without spot counts as a chance of each start."""
_DRAWS: Final = 1009
"""Starts of which each has random numbers of its own, before they come again."""
_AMPLE: Final = 3
"""How many times the peak demand is played at the most: what waits comes on top of it."""
_SHORT_DELAY: Final = 1 / 6
"""Hours of `delay` that change little: AKS's default."""
_NEVER: Final = 1e12
_LAST: Final = 9
_ALMOST: Final = 1e-9

_Floats = npt.NDArray[np.float64]
_Whole = npt.NDArray[np.int64]
_Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Capacity:
    """One pool.

    Attributes:
        minimum: nodes that are always there.
        maximum: nodes that there may be.
        fallback: name of the pool that its work takes, too; empty for none.
        rate: chance that a node is evicted within an hour.
        sold_out: share of the time in which Azure has no new node.
        outage: mean hours of such a time.
    """

    name: str
    minimum: int
    maximum: int
    fallback: str = ""
    rate: float = 0.0
    sold_out: float = 0.0
    outage: float = 4.0


@dataclass(frozen=True)
class Demand:
    """One kind of work.

    Attributes:
        pool: name of its pool.
        number: steps a month.
        billed: hours that each node of a step is billed for on that pool alone, evictions included.
        evictions: of each step there; both are `hourly.expected`'s.
        at_once: steps that are submitted together.
    """

    pool: str
    step: Step
    number: float
    billed: float
    evictions: float
    at_once: int = 1

    @property
    def starts(self) -> float:
        """Nodes that are taken a month."""
        return self.number * (self.step.nodes + self.evictions * self.step.together)

    @property
    def jobs(self) -> int:
        """What of a step starts, and is lost, for itself: each node of an elastic one, or all of it."""
        return self.step.nodes // self.step.together


@dataclass(frozen=True)
class Month:
    """Pools that share fallbacks, and their work.

    Attributes:
        tail: hours after which a node without work goes.
        delay: hours after any node was added in which none goes.
        hours: for which the cluster runs.
        day: hours after which it is stopped until next morning; None where it always runs.
    """

    pools: tuple[Capacity, ...]
    work: tuple[Demand, ...]
    tail: float
    delay: float
    hours: float
    day: float | None = None


@dataclass(frozen=True)
class Outcome:
    """What one kind of work came to, the mean of all months; node hours a month.

    Attributes:
        hours: with work, on its pool.
        fallback: with work, on the fallback.
        idle: without it on its pool: before its first step on a new node, after its work, and of a gang's nodes that
            wait for its last; after the work of the least nodes, none.
        idle_fallback: the same on the fallback.
        least: those of all these that are on its pool's least nodes.
        least_fallback: the same on the fallback.
        waits: from the moment at which a start is due until its nodes are free.
        late: share of its steps that miss their deadline; 0 without one.
    """

    hours: float
    fallback: float
    idle: float
    idle_fallback: float
    least: float
    least_fallback: float
    waits: float
    late: float


def is_limited(month: Month) -> bool:
    """Whether limits of pools, or a long `delay`, change what the month's work takes.

    Some of it may find no node on its pool, too few on the fallback while that is sold out, or nodes that are always
    there.
    """
    if month.delay > max(month.tail, _SHORT_DELAY):
        return True
    peaks = {pool.name: _peak(pool.name, month) for pool in month.pools}
    least = {pool.name: pool.minimum for pool in month.pools}
    room = {pool.name: pool.maximum for pool in month.pools}
    for pool in month.pools:
        peak = peaks[pool.name]
        if peak > pool.maximum or (peak and pool.minimum):
            return True
        if peak and pool.sold_out:
            others = [one.name for one in month.pools if pool.fallback in (one.name, one.fallback)]
            most = sum(peaks[name] for name in others)
            if least.get(pool.fallback, 0) or most > room.get(pool.fallback, 0):
                return True
    return False


def _peak(pool: str, month: Month) -> float:
    """Nodes beyond which the demand of bursts by chance hardly ever goes."""
    bursts = [
        (one.at_once * one.step.nodes, one.billed * one.number / one.at_once / month.hours)
        for one in month.work
        if one.pool == pool
    ]
    mean, variance = (sum(nodes**power * load for nodes, load in bursts) for power in (1, 2))
    return mean + _DEVIATIONS * math.sqrt(variance) + max((nodes for nodes, _ in bursts), default=0)


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
        pool: place in the month's pools of each node that there may be.
        least: whether that node is always there.
        outages: begin and end of each time without spot, by row and pool.
        draws: random numbers for evictions.
    """

    def __init__(self, month: Month) -> None:
        starts = sum(one.starts for one in month.work)
        self.month, self.part = month, min(1.0, _LONGEST / starts)
        self.rows = round(min(max(_STARTS / starts, _LEAST_ROWS), _MOST_ROWS))
        self._chance = np.random.Generator(np.random.PCG64(_SEED))
        submitted = [self._submissions(one) for one in month.work]
        self.kind = np.repeat(np.arange(len(submitted)), [at.shape[1] for at in submitted])
        self.submitted = np.hstack(submitted)
        room = [_room(pool, month) for pool in month.pools]
        self.pool = np.repeat(np.arange(len(room)), room)
        least = [np.arange(nodes) < one.minimum for nodes, one in zip(room, month.pools, strict=True)]
        self.least = np.concatenate(least)
        self.outages = _stacked([self._outages(pool) for pool in month.pools], math.inf).swapaxes(0, 1)
        self.draws = self._chance.random((self.rows, _DRAWS, 3))

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
    return min(pool.maximum, math.ceil(_AMPLE * sum(_peak(name, month) for name in names)))


def _stacked(arrays: Sequence[npt.NDArray[Any]], filling: float) -> npt.NDArray[Any]:
    """Arrays of different lengths as one, with one more axis."""
    shape = np.max([it.shape for it in arrays], axis=0)
    whole = np.full((len(arrays), *shape), filling, dtype=arrays[0].dtype)
    for place, it in zip(whole, arrays, strict=True):
        place[tuple(map(slice, it.shape))] = it
    return whole


def _joined(arrays: Sequence[_Floats]) -> _Floats:
    """Rows of different lengths as one array."""
    return np.concatenate(
        [it[: rows.shape[0]] for it, rows in zip(_stacked(arrays, math.inf), arrays, strict=True)]
    )


_JOB: Final = np.dtype(
    [
        ("own", int),
        ("other", int),
        ("place", int),
        ("nodes", int),
        *(
            (name, float)
            for name in ("hazard", "sold_out", "outage", "left", "block", "restart", "wait", "held", "saved")
        ),
    ]
)
"""What of a step starts, and is lost, for itself. Its pool and fallback are places among all pools (-1 for none), and
its pool's place among those of its month. Of its work `left` hours are to do, saved each `block` hours."""


def _jobs(month: Month, first: int) -> npt.NDArray[Any]:
    """The jobs of a month whose pools begin at the `first` place."""
    names = [pool.name for pool in month.pools]
    jobs = np.zeros(len(month.work), _JOB)
    for job, one in zip(jobs, month.work, strict=True):
        place, step = names.index(one.pool), one.step
        pool, cut = month.pools[place], blocks(step)
        job["own"], job["place"] = first + place, place
        job["other"] = first + names.index(pool.fallback) if pool.fallback in names else -1
        job["nodes"], job["hazard"] = step.together, evictions_an_hour(pool.rate)
        job["sold_out"] = pool.sold_out if pool.outage < _EVERY_START else 0.0
        job["outage"] = pool.outage
        job["left"], job["block"] = step.hours + cut.writing, cut.length if cut.saved else _NEVER
        job["restart"], job["wait"], job["held"], job["saved"] = (
            step.restart,
            step.wait,
            step.held,
            step.saved,
        )
    return jobs


class _Rows:
    """All rows of some months, and how far each is.

    A node works until `_busy`, goes at `_gone`, and `_user` is what it worked for: twice the kind's place, and 1 more
    on a fallback.
    """

    def __init__(self, plans: Sequence[_Plan]) -> None:
        self._plans = plans
        months, rows = [plan.month for plan in plans], [plan.rows for plan in plans]
        kinds = np.cumsum([0, *(len(one.work) for one in months)])
        pools = np.cumsum([0, *(len(one.pools) for one in months)])
        self._jobs = np.concatenate([_jobs(one, first) for one, first in zip(months, pools, strict=False)])
        self._every = np.arange(sum(rows))
        of_rows = [
            (plan.kind + kind, plan.pool + pool, plan.least)
            for plan, kind, pool in zip(plans, kinds, pools, strict=False)
        ]
        kind, pool, least = (_stacked([it[which] for it in of_rows], -2) for which in range(3))
        self._kind, self._pool, self._least = (np.repeat(it, rows, axis=0) for it in (kind, pool, least))
        self._ready = _joined([plan.submitted for plan in plans])
        self._outages = _joined([plan.outages for plan in plans])
        self._draws = _joined([plan.draws for plan in plans])
        self._tail, self._delay, self._day = (
            np.repeat(values, rows)
            for values in zip(*((it.tail, it.delay, it.day or math.inf) for it in months), strict=True)
        )
        self._left = self._jobs["left"][self._kind]
        self._again = np.zeros(self._kind.shape, dtype=bool)
        self._done = np.full(self._kind.shape, math.nan)
        self._busy = np.zeros(self._pool.shape)
        self._gone = np.where(self._least, math.inf, 0.0)
        self._user = np.zeros(self._pool.shape, dtype=int)
        self._working, self._idle = np.zeros(2 * len(self._jobs)), np.zeros(2 * len(self._jobs))
        self._least_hours = np.zeros(2 * len(self._jobs))
        self._waits = np.zeros(len(self._jobs))

    def outcomes(self) -> Iterator[tuple[Outcome, ...]]:
        """What each month came to, once all its rows are done."""
        submitted, number = self._ready.copy(), 0
        while self._start(self._draws[:, number % _DRAWS]):
            number += 1
        np.add.at(self._idle, self._user, np.where(self._least, 0.0, self._gone - self._busy))
        kind = row = 0
        for plan in self._plans:
            took = (self._done - submitted)[row : row + plan.rows, : plan.kind.size]
            yield tuple(
                self._outcome(kind + place, one, took[:, plan.kind == place], plan.rows * plan.part)
                for place, one in enumerate(plan.month.work)
            )
            kind, row = kind + len(plan.month.work), row + plan.rows

    def _outcome(self, kind: int, work: Demand, took: _Floats, months: float) -> Outcome:
        """The outcome of one kind, whose jobs took so many hours; not a number for those that a row has not."""
        steps = took.reshape(-1, work.jobs).max(1)
        steps = steps[np.isfinite(steps)]
        late = work.step.deadline is not None and steps.size > 0
        return Outcome(
            *(
                float(hours[2 * kind + side]) / months
                for hours in (self._working, self._idle, self._least_hours)
                for side in (0, 1)
            ),
            waits=float(self._waits[kind]) / months,
            late=float((steps > work.step.deadline).mean()) if late else 0.0,
        )

    def _start(self, draws: _Floats) -> bool:
        """Starts in each row the job that is due first; whether there was any."""
        every, job = self._every, self._ready.argmin(1)
        at = self._ready[every, job]
        due = np.isfinite(at)
        if not due.any():
            return False
        at = np.where(due, at, 0.0)
        kind = self._kind[every, job]
        of = self._jobs[kind]
        own, other = self._pool == of["own"][:, None], self._pool == of["other"][:, None]
        mine, since, begin, added = self._take(at, kind, np.where(due, of["nodes"], 0), (own, other), draws)

        again = self._again[every, job]
        overhead = np.where(again | (added >= 0), of["restart"], 0.0)
        ends = begin + overhead + self._left[every, job]
        exposed = of["hazard"] * (mine & own).sum(1)
        with np.errstate(divide="ignore", over="ignore"):
            evicted_at = begin - np.log(draws[:, 1]) / exposed
        evening = (np.floor(begin / self._day) + 1) * self._day
        until = np.minimum(evicted_at, evening)
        done = ends <= until + _ALMOST
        stop = np.where(done, ends, until)
        evicted = ~done & (evicted_at < evening)

        worked = np.maximum(stop - begin - overhead, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            kept = np.floor(worked / of["block"]) * of["block"]
        kept = np.where((of["block"] == 0) | (draws[:, 2] < of["saved"]) & evicted, worked, kept)
        self._left[every, job] -= np.where(due & ~done, kept, 0.0)
        self._done[every, job] = np.where(due & done, stop, self._done[every, job])
        self._ready[every, job] = np.where(done | ~due, math.inf, stop + np.where(evicted, of["wait"], 0.0))
        self._again[every, job] = True

        held = np.where(evicted, of["held"], 0.0)
        till = stop + held
        billed = np.where(mine, (till - begin)[:, None], 0.0)
        lost = every[evicted & due], (mine & own).argmax(1)[evicted & due]
        billed[lost] -= held[lost[0]]
        boot = np.where(again, 0.0, np.minimum(overhead, stop - begin))  # as `model.idle` has it
        for side, nodes in enumerate((own, other)):
            booting = boot * (mine & nodes).sum(1)
            np.add.at(self._working, 2 * kind + side, (billed * nodes).sum(1) - booting)
            np.add.at(self._idle, 2 * kind + side, booting)
            least = np.where(mine & nodes & self._least, till[:, None] - since, 0.0)
            np.add.at(self._least_hours, 2 * kind + side, least.sum(1))
        self._release(mine, till, evening, added)
        self._user = np.where(mine, 2 * kind[:, None] + other, self._user)
        self._busy[lost] = stop[lost[0]]
        self._gone[lost] = np.where(self._least[lost], math.inf, stop[lost[0]])
        return True

    def _take(
        self, at: _Floats, kind: _Whole, nodes: _Whole, sides: tuple[_Flags, _Flags], draws: _Floats
    ) -> tuple[_Flags, _Floats, _Floats, _Floats]:
        """Takes so many nodes in each row for what is due `at` a moment.

        Returns:
            which, since when each, when the last one is there, and when a node was added last; negative for none.
        """
        own, other = sides
        mine, since = np.zeros(own.shape, dtype=bool), np.zeros(own.shape)
        begin, added = at.copy(), np.full(at.shape, -1.0)
        free = np.maximum(self._busy, at[:, None])
        there = self._gone > free
        free = np.where(own & ~there, self._supply(self._jobs[kind], free, draws[:, 0]), free)
        free = np.where(own | other, free, math.inf)
        order = other + 2 * ~there
        for number in range(nodes.max()):
            rows = self._every[number < nodes]
            some = free[rows]
            start = some.min(1)
            pick = np.where(some <= start[:, None], order[rows], _LAST).argmin(1)
            node = rows, pick
            idle = np.where(self._least[node], 0.0, np.minimum(start, self._gone[node]) - self._busy[node])
            np.add.at(self._idle, self._user[node], idle)
            np.add.at(self._waits, kind[rows], start - at[rows])
            added[rows] = np.where(there[node], added[rows], start)
            mine[node], since[node], free[node] = True, start, math.inf
            begin[rows] = np.maximum(begin[rows], start)
        # The nodes of a gang wait for its last one.
        waits = np.where(mine, begin[:, None] - since, 0.0)
        for side, of_side in enumerate(sides):
            np.add.at(self._idle, 2 * kind + side, (waits * of_side).sum(1))
        return mine, since, begin, added

    def _supply(self, of: npt.NDArray[Any], at: _Floats, draws: _Floats) -> _Floats:
        """When Azure has a new node of the pool: at the moment, or at the end of the time without spot."""
        times = self._outages[self._every, None, of["place"]]
        without = (times[..., 0] <= at[..., None]) & (at[..., None] < times[..., 1])
        back = np.where(without, times[..., 1], 0.0).max(2, initial=0.0)
        at_every_start = np.where(draws < of["sold_out"], of["outage"], 0.0)[:, None]
        return np.maximum(back, at + at_every_start)

    def _release(self, mine: _Flags, till: _Floats, evening: _Floats, added: _Floats) -> None:
        """Lets nodes go that work until then, and keeps all others for a while where one was added."""
        self._busy = np.where(mine, till[:, None], self._busy)
        leaves = np.minimum(till + self._tail, np.maximum(evening, till))
        self._gone = np.where(mine & ~self._least, leaves[:, None], self._gone)
        kept = np.minimum(added + self._delay, evening)
        stays = (self._gone > added[:, None]) & (self._gone > self._busy) & (added >= 0)[:, None]
        self._gone = np.where(stays, np.maximum(self._gone, kept[:, None]), self._gone)
