"""What the picture shows and where: nodes, pods and evictions as bars and marks, in rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeVar

from ckf_spot.where.endings import Ending, courses
from ckf_spot.where.observations import Gap, Look, Node, Pod

_T = TypeVar("_T")

_LONGEST: Final = timedelta(hours=24)
"""A look without a record shows no more; platform pods may be months old."""
_SHORTEST: Final = timedelta(minutes=1)
_SHORTEST_WAIT: Final = timedelta(seconds=10)
"""Pods that waited less found room at once."""


@dataclass(frozen=True)
class PodBar:
    """A pod while it had a node."""

    pod: Pod
    start: datetime
    end: datetime
    track: int
    evicted: bool


@dataclass(frozen=True)
class WaitBar:
    """A pod while it had none."""

    pod: Pod
    start: datetime
    end: datetime
    track: int


@dataclass(frozen=True)
class NodeBar:
    """A node.

    Attributes:
        notice: since when its eviction was announced, None without a notice.
        gone: whether it went at `end`.
        taken: whether pods were evicted when it went, or it was announced.
        tracks: how many pods it had side by side.
    """

    name: str
    start: datetime
    end: datetime
    notice: datetime | None
    gone: bool
    taken: bool
    pods: tuple[PodBar, ...]
    row: int
    tracks: int


@dataclass(frozen=True)
class Lane:
    """One pool.

    Attributes:
        spot: None if unknown.
        vm_size: empty if unknown.
        rows: number of tracks in each row.
    """

    pool: str
    spot: bool | None
    vm_size: str
    nodes: tuple[NodeBar, ...]
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Timeline:
    """Everything to draw."""

    start: datetime
    end: datetime
    lanes: tuple[Lane, ...]
    waiting: tuple[WaitBar, ...]
    gaps: tuple[Gap, ...]
    evictions: int


def timeline(look: Look) -> Timeline:
    """A look as bars and marks; daemons are left out."""
    ended = [entry for course in courses(look) for entry in course.pods]
    start = _start(look, [pod for pod, _ in ended])
    on: Mapping[str, list[tuple[Pod, Ending]]] = defaultdict(list)
    for pod, ending in ended:
        if pod.node and _until(ending, look) > start:
            on[pod.node].append((pod, ending))
    spans = {name: _span(look.nodes_by_name.get(name), on[name], look) for name in {*look.nodes_by_name, *on}}
    pools: Mapping[str, list[str]] = defaultdict(list)
    for name, (_, end) in spans.items():
        if end > start:
            pools[look.place(name).pool].append(name)
    for name in look.pools or ():
        pools[name]  # a pool without nodes has a lane too
    lanes = [
        _lane(pool, [(name, *spans[name]) for name in sorted(names)], on, start, look)
        for pool, names in pools.items()
    ]
    order = list(look.pools or ())
    lanes.sort(key=lambda lane: (order.index(lane.pool) if lane.pool in order else len(order), lane.pool))
    return Timeline(
        start=start,
        end=look.time,
        lanes=tuple(lanes),
        waiting=_waiting(ended, start, look),
        gaps=tuple(gap for gap in look.gaps if gap.end > start),
        evictions=sum(bar.evicted for lane in lanes for node in lane.nodes for bar in node.pods),
    )


def _start(look: Look, pods: list[Pod]) -> datetime:
    """A record's beginning, or else the beginning of the oldest work that can be evicted."""
    if look.since is not None:
        return min(look.since, look.time - _SHORTEST)
    batch = [pod.created for pod in pods if pod.role == "batch"] or [pod.created for pod in pods]
    return max(min(min(batch, default=look.time), look.time - _SHORTEST), look.time - _LONGEST)


def _until(ending: Ending, look: Look) -> datetime:
    return (ending.at or look.time) if ending.end else look.time


def _span(node: Node | None, pods: list[tuple[Pod, Ending]], look: Look) -> tuple[datetime, datetime]:
    """Time from a node's creation to its end; where only its pods are known, from the first pod to the last."""
    if node is not None:
        return node.created, node.gone or look.time
    return min(pod.scheduled or pod.created for pod, _ in pods), max(
        _until(ending, look) for _, ending in pods
    )


def _lane(
    pool: str,
    nodes: list[tuple[str, datetime, datetime]],
    on: Mapping[str, list[tuple[Pod, Ending]]],
    start: datetime,
    look: Look,
) -> Lane:
    contract = (look.pools or {}).get(pool)
    placed = _packed(nodes, lambda node: (max(node[1], start), node[2]))
    bars = [_node_bar(bar, on[bar[0][0]], start, look) for bar in placed]
    rows = 1 + max((bar.row for bar in bars), default=0)
    return Lane(
        pool=pool,
        spot=contract.spot if contract else next((look.place(name).spot for name, _, _ in nodes), None),
        vm_size=contract.vm_size if contract else "",
        nodes=tuple(bars),
        rows=tuple(max((bar.tracks for bar in bars if bar.row == row), default=1) for row in range(rows)),
    )


def _node_bar(
    placed: tuple[tuple[str, datetime, datetime], datetime, datetime, int],
    pods: list[tuple[Pod, Ending]],
    earliest: datetime,
    look: Look,
) -> NodeBar:
    (name, _, _), start, end, row = placed

    def span(entry: tuple[Pod, Ending]) -> tuple[datetime, datetime]:
        pod, ending = entry
        return max(pod.scheduled or pod.started or pod.created, earliest), min(
            _until(ending, look), max(end, start)
        )

    bars = tuple(
        PodBar(pod, begin, stop, track, ending.end == "evicted")
        for (pod, ending), begin, stop, track in _packed(pods, span)
    )
    node = look.nodes_by_name.get(name)
    gone = look.lost(name)
    notice = node.notice if node else None
    return NodeBar(
        name=name,
        start=start,
        end=end,
        notice=notice,
        gone=gone,
        taken=gone and (notice is not None or any(bar.evicted for bar in bars)),
        pods=bars,
        row=row,
        tracks=1 + max((bar.track for bar in bars), default=0),
    )


def _waiting(pods: list[tuple[Pod, Ending]], start: datetime, look: Look) -> tuple[WaitBar, ...]:
    waits: list[tuple[Pod, datetime, datetime]] = []
    for pod, ending in pods:
        if pod.source != "pod":  # other sources have the time of scheduling, not of the request
            continue
        end = pod.scheduled or (look.time if not pod.node else None)
        if end is not None:
            waits.append((pod, max(pod.created, start), min(end, _until(ending, look))))
    long = [wait for wait in waits if wait[2] - wait[1] > _SHORTEST_WAIT]
    return tuple(
        WaitBar(pod, begin, stop, track)
        for (pod, _, _), begin, stop, track in _packed(long, lambda wait: (wait[1], wait[2]))
    )


def _packed(
    things: Iterable[_T], span: Callable[[_T], tuple[datetime, datetime]]
) -> list[tuple[_T, datetime, datetime, int]]:
    """Each thing with its start, its end and the first row that is free then."""
    free: list[datetime] = []
    placed: list[tuple[_T, datetime, datetime, int]] = []
    for thing in sorted(things, key=lambda thing: span(thing)[0]):
        start, end = span(thing)
        row = next((row for row, since in enumerate(free) if since <= start), len(free))
        free[row : row + 1] = [max(start, end)]
        placed.append((thing, start, max(start, end), row))
    return placed
