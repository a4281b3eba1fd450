"""Months of batch work on one spot pool, played by chance. Knows nothing of the product: it imports none of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

MONTH = 730.0


@dataclass(frozen=True)
class Kind:
    """Steps of one kind; all times in hours.

    Attributes:
        bursts: how often a month.
        at_once: steps of each burst.
        nodes: of a step; all start again when one is lost, unless the step is `elastic`.
        every: useful hours between two checkpoints; 0 for none.
        restart: from a node's request, or a step's next start, until work goes on.
        head: whether a step has one node more, on demand, from its start to its end.
    """

    bursts: int
    hours: float
    at_once: int = 1
    nodes: int = 1
    elastic: bool = False
    every: float = 0.0
    writing: float = 0.0
    restart: float = 0.1
    wait: float = 0.0
    retries: int = 5
    deadline: float = math.inf
    head: bool = False


@dataclass
class Month:
    """What it came to: node hours, those of heads without their idle time, and how many steps of each kind did what."""

    spot: float = 0.0
    fallback: float = 0.0
    heads: float = 0.0
    late: list[int] = field(default_factory=list[int])
    failed: list[int] = field(default_factory=list[int])
    steps: list[int] = field(default_factory=list[int])


class Pool:
    """One spot pool and its fallback in one month."""

    def __init__(self, rate: float, sold_out: float, tail: float, chance: Random) -> None:
        """Takes the chance of an eviction within an hour, the share without spot, and how long nodes idle."""
        self._hazard, self._sold_out, self._tail, self._chance = -math.log(1 - rate), sold_out, tail, chance
        self._idle: dict[bool, list[float]] = {False: [], True: []}
        """Since when each node without work idles, on spot and on the fallback."""
        self.hours = {False: 0.0, True: 0.0}

    def remove_unneeded(self, now: float) -> None:
        """Remove the nodes that idled for too long."""
        for side, idle in self._idle.items():
            self._idle[side] = [since for since in idle if since + self._tail > now]
            self.hours[side] += (len(idle) - len(self._idle[side])) * self._tail

    def run(self, kind: Kind, nodes: int, at: float) -> tuple[float, int]:
        """Play one step, or one worker of an elastic one, and return its end and its starts.

        Each start finds spot sold out with chance `sold_out`, and then goes to the fallback, where nothing is lost, to
        its end.
        """
        now, starts, fallback, saved = at, 1, self._chance.random() < self._sold_out, 0
        overhead = kind.restart if self._take(fallback, nodes, at) < nodes else 0.0
        blocks = max(math.ceil(kind.hours / kind.every - 1e-9), 1) if kind.every else 1
        while True:
            left = kind.hours - saved * kind.every + (blocks - 1 - saved) * kind.writing
            lives = [math.inf if fallback else self._chance.expovariate(self._hazard) for _ in range(nodes)]
            first = min(lives)
            if first >= overhead + left:
                now += overhead + left
                self.hours[fallback] += nodes * (overhead + left)
                self._idle[fallback] += [now] * nodes
                return now, starts
            self.hours[False] += nodes * first + (nodes - 1) * kind.wait
            if kind.every:
                kept = int(max(first - overhead, 0.0) / (kind.every + kind.writing))
                saved += min(kept, blocks - 1 - saved)
            now += first + kind.wait
            starts += 1
            fallback = self._chance.random() < self._sold_out
            overhead = kind.restart

    def _take(self, side: bool, nodes: int, now: float) -> int:
        """Take up to so many idle nodes, those that idle for the shortest time; returns how many there were."""
        idle = sorted(since for since in self._idle[side] if since <= now)[-nodes:]
        for since in idle:
            self._idle[side].remove(since)
            self.hours[side] += now - since
        return len(idle)


def play(kinds: Sequence[Kind], rate: float, sold_out: float, tail: float, chance: Random) -> Month:
    """Play a month; a node is billed from its request until it is lost, or until `tail` hours after its last step."""
    month = Month(late=[0] * len(kinds), failed=[0] * len(kinds), steps=[0] * len(kinds))
    pool = Pool(rate, sold_out, tail, chance)
    arrivals = sorted(
        (chance.uniform(0, MONTH), number) for number, kind in enumerate(kinds) for _ in range(kind.bursts)
    )
    for at, number in arrivals:
        kind = kinds[number]
        pool.remove_unneeded(at)
        for _ in range(kind.at_once):
            group = 1 if kind.elastic else kind.nodes
            runs = [pool.run(kind, group, at) for _ in range(kind.nodes // group)]
            month.steps[number] += 1
            month.failed[number] += any(starts > kind.retries + 1 for _, starts in runs)
            month.late[number] += any(end - at > kind.deadline for end, _ in runs)
            month.heads += sum(end - at for end, _ in runs) / len(runs) if kind.head else 0.0
    pool.remove_unneeded(math.inf)
    month.spot, month.fallback = pool.hours[False], pool.hours[True]
    return month
