"""What the picture shows and where: nodes, pods and evictions as bars and marks, in rows."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ckf_spot.where.endings import Ending, courses
from ckf_spot.where.lanes import Bar, Lane, NodeBar, packed
from ckf_spot.where.observations import Gap, Look, Node, Pod
from ckf_spot.where.table import age

_LONGEST: Final = timedelta(hours=24)
"""A look without a record shows no more; platform pods may be months old."""
_SHORTEST: Final = timedelta(minutes=1)
_SHORTEST_WAIT: Final = timedelta(seconds=10)
"""Pods that waited less found room at once."""
_CAPACITY: Final[Mapping[bool | None, tuple[str, str]]] = {
    True: ("spot", "spot"),
    False: ("ondemand", "on-demand"),
    None: ("unknown", "spot or on-demand"),
}
"""Class and kind of a lane, by whether its pool is spot."""


@dataclass(frozen=True)
class Timeline:
    """Everything to draw; bars have seconds since `start`."""

    start: datetime
    end: datetime
    lanes: tuple[Lane, ...]
    waiting: tuple[Bar, ...]
    gaps: tuple[Gap, ...]


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
    order = list(look.pools or ())
    in_order = sorted(pools, key=lambda pool: (order.index(pool) if pool in order else len(order), pool))
    return Timeline(
        start=start,
        end=look.time,
        lanes=tuple(
            _lane(pool, [(name, *spans[name]) for name in sorted(pools[pool])], on, start, look)
            for pool in in_order
        ),
        waiting=_waiting(ended, start, look),
        gaps=tuple(gap for gap in look.gaps if gap.end > start),
    )


def clock(moment: datetime) -> str:
    """The time of day."""
    return f"{moment:%H:%M:%S}"


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
    spot = contract.spot if contract else next((look.place(name).spot for name, _, _ in nodes), None)
    style, kind = _CAPACITY[spot]
    placed = packed(nodes, lambda node: (max(node[1], start), node[2]))
    return Lane(
        name=pool or "unknown pool",
        style=style,
        kind=kind,
        vm_size=contract.vm_size if contract else "",
        nodes=tuple(_node_bar(bar, on[bar[0][0]], start, look) for bar in placed),
        empty="no node",
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

    node = look.nodes_by_name.get(name)
    gone = look.lost(name)
    notice = node.notice if node else None
    bars = tuple(
        _pod_bar(pod, begin, stop, track, evicted=ending.end == "evicted", earliest=earliest)
        for (pod, ending), begin, stop, track in packed(pods, span)
    )
    taken = gone and (notice is not None or any(bar.evicted for bar in bars))
    fate = "taken back" if taken else "gone" if gone else "there"
    return NodeBar(
        name=name,
        start=_seconds(start, earliest),
        ready=_seconds(start, earliest),
        end=_seconds(end, earliest),
        notice=_seconds(notice, earliest) if notice else None,
        evicted=taken,
        pods=bars,
        row=row,
        title=f"{name}: {clock(start)} – {clock(end)}, {fate}",
        end_title=f"{clock(end)}: {name} was taken back",
    )


def _pod_bar(
    pod: Pod, begin: datetime, stop: datetime, track: int, *, evicted: bool, earliest: datetime
) -> Bar:
    fate = ", evicted" if evicted else ""
    return Bar(
        start=_seconds(begin, earliest),
        end=_seconds(stop, earliest),
        track=track,
        style="pod" if pod.role == "batch" else "pod other",
        label=pod.name,
        title=f"{_name(pod)}: {clock(begin)} – {clock(stop)} on {pod.node}{fate}",
        evicted=evicted,
    )


def _waiting(pods: list[tuple[Pod, Ending]], start: datetime, look: Look) -> tuple[Bar, ...]:
    waits: list[tuple[Pod, datetime, datetime]] = []
    for pod, ending in pods:
        if pod.source != "pod":  # other sources have the time of scheduling, not of the request
            continue
        end = pod.scheduled or (look.time if not pod.node else None)
        if end is not None:
            waits.append((pod, max(pod.created, start), min(end, _until(ending, look))))
    long = [wait for wait in waits if wait[2] - wait[1] > _SHORTEST_WAIT]
    return tuple(
        Bar(
            start=_seconds(begin, start),
            end=_seconds(stop, start),
            track=track,
            style="pending",
            label=pod.name,
            title=f"{_name(pod)}: no node for {age(stop - begin)}",
        )
        for (pod, _, _), begin, stop, track in packed(long, lambda wait: (wait[1], wait[2]))
    )


def _seconds(moment: datetime, start: datetime) -> float:
    return (moment - start).total_seconds()


def _name(pod: Pod) -> str:
    return f"{pod.namespace}/{pod.name} ({pod.work})"
