"""A month of work on pools with limits: its pools, its work, and what each kind of that comes to."""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kubeflow_aks.cost.model.step import Step

_DEVIATIONS: Final = 5.0
"""Standard deviations beyond which demand hardly ever goes. Our choice."""
_SHORT_DELAY: Final = 1 / 6
"""Hours of `delay` that change little: AKS's default."""


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
        returns: hours after which it may no longer be moved from the fallback back to spot: 0 for never.
    """

    pool: str
    step: Step
    number: float
    billed: float
    evictions: float
    at_once: int = 1
    returns: float = 0.0

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
        others: how many such months a bill has: each is played less often, for chance in them evens out.
    """

    pools: tuple[Capacity, ...]
    work: tuple[Demand, ...]
    tail: float
    delay: float
    hours: float
    day: float | None = None
    others: int = 0


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
        returned: of the work, moved from the fallback back to spot.
        redone: on spot because of that: work since the last checkpoint, and restarts.
        late: share of its steps that miss their deadline; 0 without one.
        part: of the month that was played; where it is not all, more may wait.
    """

    hours: float
    fallback: float
    idle: float
    idle_fallback: float
    least: float
    least_fallback: float
    waits: float
    returned: float
    redone: float
    late: float
    part: float = 1.0


def is_limited(month: Month) -> bool:
    """Whether limits of pools, a long `delay` or returns to spot change what the month's work takes.

    Some of it may find no node on its pool, too few on the fallback while that is sold out, or nodes that are always
    there.
    """
    if month.delay > max(month.tail, _SHORT_DELAY):
        return True
    sold_out = {pool.name for pool in month.pools if pool.sold_out}
    if any(one.returns and one.pool in sold_out for one in month.work):
        return True
    peaks = {pool.name: peak(pool.name, month) for pool in month.pools}
    least = {pool.name: pool.minimum for pool in month.pools}
    room = {pool.name: pool.maximum for pool in month.pools}
    for pool in month.pools:
        most = peaks[pool.name]
        if most > pool.maximum or (most and pool.minimum):
            return True
        if most and pool.sold_out:
            others = [one.name for one in month.pools if pool.fallback in (one.name, one.fallback)]
            together = sum(peaks[name] for name in others)
            if least.get(pool.fallback, 0) or together > room.get(pool.fallback, 0):
                return True
    return False


def peak(pool: str, month: Month) -> float:
    """Nodes beyond which the demand of bursts by chance hardly ever goes."""
    bursts = [
        (one.at_once * one.step.nodes, one.billed * one.number / one.at_once / month.hours)
        for one in month.work
        if one.pool == pool
    ]
    mean, variance = (sum(nodes**power * load for nodes, load in bursts) for power in (1, 2))
    return mean + _DEVIATIONS * math.sqrt(variance) + max((nodes for nodes, _ in bursts), default=0)


def growing_waits(month: Month) -> Mapping[str, float]:
    """Hours by which a start waits longer for each hour of the month, by pool, where demand exceeds all its nodes.

    Demand of D nodes on C leaves (D - C) t node hours undone after t hours, for which what is due then waits, in turn:
    (D / C - 1) t hours. Pools share the nodes of a fallback as they need them.
    """
    beyond = {
        pool.name: max(
            sum(it.billed * it.step.nodes * it.number for it in month.work if it.pool == pool.name)
            / month.hours
            - pool.maximum,
            0.0,
        )
        for pool in month.pools
    }
    room = {pool.name: pool.maximum for pool in month.pools}
    together: dict[str, float] = defaultdict(float)
    for pool in month.pools:
        together[pool.fallback] += beyond[pool.name]
    lent = {
        pool.name: room.get(pool.fallback, 0) * beyond[pool.name] / (together[pool.fallback] or 1.0)
        for pool in month.pools
    }
    return {
        name: max(nodes - lent[name], 0.0) / max(room[name] + lent[name], 1.0)
        for name, nodes in beyond.items()
    }
