"""Months of batch work on pools with a limit, played from event to event. Imports nothing of the product.

Pods wait in the order in which they became due. Each takes an idle node of spot, else one of the fallback, else a new
one of spot, else of the fallback, as far as there may be more. A step works once all its nodes are there.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.cost.chance_months import MONTH, Kind


@dataclass(frozen=True, kw_only=True)
class Pools:
    """Two pools; `sold_out` is the share of the time without new spot nodes, `outage` its mean length in hours."""

    maximum: int
    fallback: int
    minimum: int = 0
    rate: float = 0.0
    sold_out: float = 0.0
    outage: float = 4.0
    tail: float = 0.0
    delay: float = 0.0


@dataclass
class Month:
    """What it came to: node hours with those that idle, and how many steps are late, of all."""

    spot: float = 0.0
    fallback: float = 0.0
    late: int = 0
    steps: int = 0
    waits: float = 0.0


@dataclass(eq=False)
class _Node:
    spot: bool
    since: float
    always: bool = False
    run: _Run | None = None
    idle: float = 0.0
    new: bool = True


@dataclass(eq=False)
class _Run:
    """A step, or one node's part of an elastic one; `left` are its hours without restarts."""

    kind: Kind
    group: list[float]
    submitted: float
    left: float
    nodes: list[_Node] = field(default_factory=list[_Node])
    again: bool = False
    began: float = 0.0
    overhead: float = 0.0
    due: float = 0.0


class _Play:
    def __init__(self, pools: Pools, chance: Random) -> None:
        self.pools, self.chance, self.month = pools, chance, Month()
        self.now, self.added, self.supply = 0.0, -math.inf, True
        self.nodes = [_Node(spot=True, since=0.0, always=True, new=False) for _ in range(pools.minimum)]
        self.queue: list[tuple[float, int, Any, Any]] = []
        self.pending: list[_Run] = []
        self.number = itertools.count()

    def at(self, moment: float, what: Any, subject: Any = None) -> None:
        heapq.heappush(self.queue, (moment, next(self.number), what, subject))

    def play(self, kinds: Sequence[Kind]) -> Month:
        for kind in kinds:
            for _ in range(kind.bursts):
                moment = self.chance.uniform(0, MONTH)
                for _ in range(kind.at_once):
                    group: list[float] = []
                    for _ in range(kind.nodes // _together(kind)):
                        run = _Run(kind, group, moment, _work(kind))
                        self.at(moment, self.due, run)
        self.left = len(self.queue)
        if self.pools.sold_out:
            self.at(self.chance.expovariate(1 / self._there()), self.out)
        while self.left:
            self.now, _, what, subject = heapq.heappop(self.queue)
            what(*([] if subject is None else [subject]))
            self.schedule()
        for node in list(self.nodes):
            self.now = max(self.now, node.idle + self.pools.tail)
            self.bill(node)
        return self.month

    def _there(self) -> float:
        return self.pools.outage * (1 - self.pools.sold_out) / self.pools.sold_out

    def out(self) -> None:
        self.supply = False
        self.at(self.now + self.chance.expovariate(1 / self.pools.outage), self.back)

    def back(self) -> None:
        self.supply = True
        self.at(self.now + self.chance.expovariate(1 / self._there()), self.out)

    def due(self, run: _Run) -> None:
        run.due = self.now
        self.pending.append(run)

    def schedule(self) -> None:
        while self.pending:
            run = self.pending[0]
            while len(run.nodes) < _together(run.kind):
                node = self.node()
                if node is None:
                    return
                node.run = run
                run.nodes.append(node)
                self.month.waits += self.now - run.due
            self.pending.pop(0)
            self.start(run)

    def node(self) -> _Node | None:
        for spot in (True, False):
            for node in self.nodes:
                if node.spot == spot and node.run is None:
                    return node
        for spot, most in ((True, self.pools.maximum), (False, self.pools.fallback)):
            if sum(node.spot == spot for node in self.nodes) < most and (self.supply or not spot):
                node = _Node(spot, self.now)
                self.nodes.append(node)
                self.added = self.now
                return node
        return None

    def start(self, run: _Run) -> None:
        run.began = self.now
        run.overhead = run.kind.restart if run.again or any(node.new for node in run.nodes) else 0.0
        for node in run.nodes:
            node.new = False
        end = run.overhead + run.left
        exposed = -math.log(1 - self.pools.rate) * sum(node.spot for node in run.nodes)
        life = self.chance.expovariate(exposed) if exposed else math.inf
        self.at(self.now + min(life, end), self.done if end <= life else self.evict, run)

    def done(self, run: _Run) -> None:
        self.release(run.nodes)
        self.left -= 1
        run.group.append(self.now)
        if len(run.group) == (run.kind.nodes if run.kind.elastic else 1):
            self.month.steps += 1
            self.month.late += self.now - run.submitted > run.kind.deadline

    def evict(self, run: _Run) -> None:
        kind = run.kind
        if kind.every:
            block = kind.every + kind.writing
            run.left -= math.floor(max(self.now - run.began - run.overhead, 0.0) / block) * block
        lost = next(node for node in run.nodes if node.spot)
        self.bill(lost)
        if lost.always:
            self.nodes.insert(0, _Node(spot=True, since=self.now, always=True, new=False))
        rest = [node for node in run.nodes if node is not lost]
        run.nodes, run.again = [], True
        self.release(rest)
        self.at(self.now + kind.wait, self.due, run)

    def release(self, nodes: Sequence[_Node]) -> None:
        for node in nodes:
            node.run, node.idle = None, self.now
            self.at(self.now + self.pools.tail, self.unneeded, node)

    def unneeded(self, node: _Node) -> None:
        if node not in self.nodes or node.run or node.always or self.now < node.idle + self.pools.tail - 1e-9:
            return
        if self.now < self.added + self.pools.delay - 1e-9:
            self.at(self.added + self.pools.delay, self.unneeded, node)
            return
        self.bill(node)

    def bill(self, node: _Node) -> None:
        self.nodes.remove(node)
        hours = 0.0 if node.always else self.now - node.since
        if node.spot:
            self.month.spot += hours
        else:
            self.month.fallback += hours


def _together(kind: Kind) -> int:
    return 1 if kind.elastic else kind.nodes


def _work(kind: Kind) -> float:
    blocks = max(math.ceil(kind.hours / kind.every - 1e-9), 1) if kind.every else 1
    return kind.hours + (blocks - 1) * kind.writing


def play(kinds: Sequence[Kind], pools: Pools, chance: Random) -> Month:
    """Play a month until all work is done; a pool's least nodes cost nothing here."""
    return _Play(pools, chance).play(kinds)
