"""Who used a stack's nodes, and what that cost: each run, namespace and profile, with idle nodes apart.

Each hour of a node costs what its pool's nodes cost an hour in the bill. Pods that were on a node at the same time
share it equally, because a record has no requests; where there was none, the node was idle. So all shares and the idle
hours are exactly what the recorded nodes cost.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import TypeVar

_Key = TypeVar("_Key")


@dataclass(frozen=True)
class Run:
    """What people made: a workflow, a job, a notebook."""

    namespace: str
    kind: str
    name: str


@dataclass(frozen=True)
class Stay:
    """A pod on a node."""

    run: Run
    start: datetime
    end: datetime


@dataclass(frozen=True)
class NodeLife:
    """A node while a record was kept; the pool is None where it is unknown."""

    pool: str | None
    start: datetime
    end: datetime
    stays: tuple[Stay, ...]


@dataclass(frozen=True)
class Share:
    """What somebody used: node hours, and their cost in the bill's currency."""

    hours: float
    amount: float


@dataclass(frozen=True)
class Usage:
    """What the nodes of a record cost: runs, the most expensive first; hours without known pods, or price, by pool."""

    runs: Mapping[Run, Share]
    idle: Mapping[str, Share]
    unpriced: Mapping[str, float]

    @property
    def namespaces(self) -> Mapping[str, Share]:
        """Shares by namespace, which is a Kubeflow profile's name; the most expensive first."""
        by_namespace: dict[str, list[Share]] = defaultdict(list)
        for run, share in self.runs.items():
            by_namespace[run.namespace].append(share)
        return _dearest_first({name: _sum(shares) for name, shares in by_namespace.items()})

    @property
    def total(self) -> Share:
        """All of it, as the nodes are billed."""
        return _sum((*self.runs.values(), *self.idle.values()))


def usage(nodes: Iterable[NodeLife], prices: Mapping[str, float]) -> Usage:
    """Who used the nodes of a record, at prices of a node hour by agent pool."""
    runs: dict[Run, list[Share]] = defaultdict(list)
    idle: dict[str, list[Share]] = defaultdict(list)
    unpriced: dict[str, float] = defaultdict(float)
    for node in nodes:
        pool = node.pool or "unknown"
        price = prices.get(pool)
        if price is None:
            unpriced[pool] += _hours(node.start, node.end)
            continue
        for start, end, here in _moments(node):
            hours = _hours(start, end)
            for run in here:
                runs[run].append(Share(hours / len(here), hours / len(here) * price))
            if not here:
                idle[pool].append(Share(hours, hours * price))
    return Usage(
        _dearest_first({run: _sum(shares) for run, shares in runs.items()}),
        {pool: _sum(shares) for pool, shares in sorted(idle.items())},
        dict(sorted(unpriced.items())),
    )


def _moments(node: NodeLife) -> Iterator[tuple[datetime, datetime, list[Run]]]:
    """Each time in which the same pods are on a node, with their runs, one for each pod."""
    edges = {node.start, node.end}
    edges |= {
        moment for stay in node.stays for moment in (stay.start, stay.end) if node.start < moment < node.end
    }
    for start, end in pairwise(sorted(edges)):
        yield start, end, [stay.run for stay in node.stays if stay.start <= start and end <= stay.end]


def _sum(shares: Iterable[Share]) -> Share:
    every = tuple(shares)
    return Share(sum(one.hours for one in every), sum(one.amount for one in every))


def _dearest_first(shares: Mapping[_Key, Share]) -> Mapping[_Key, Share]:
    return dict(sorted(shares.items(), key=lambda it: (-it[1].amount, str(it[0]))))


def _hours(start: datetime, end: datetime) -> float:
    return max((end - start).total_seconds(), 0.0) / 3600
