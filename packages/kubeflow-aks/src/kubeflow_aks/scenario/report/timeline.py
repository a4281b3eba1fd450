"""What the timeline shows and where: the observations as bars and marks, in simulated seconds and rows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, TypeVar

from kubeflow_aks.events import Kind
from kubeflow_aks.scenario.checks import attempts, evicted
from kubeflow_aks.scenario.contract_pools import ContractPool
from kubeflow_aks.scenario.observations import NodeRecord, Observations, PodRecord

Thing = TypeVar("Thing")

_LAST_STEP: Final = "zero"
_WAITED_SECONDS: Final = 10.0
"""Pods that waited less are not shown as waiting: they found room at once."""


@dataclass(frozen=True)
class PodBar:
    """A pod while it ran on a node."""

    pod: PodRecord
    start: float
    end: float
    track: int
    evicted: bool


@dataclass(frozen=True)
class WaitBar:
    """A task while it waited: for a node, or (`pause`) for its controller to start it again."""

    task: str
    start: float
    end: float
    track: int
    pause: bool


@dataclass(frozen=True)
class NodeBar:
    """A VM from the request for it to its end.

    Attributes:
        ready: when its node was ready; None if it never was.
        notice: when its eviction was announced, None without one.
        evicted: whether the market evicted it.
        tracks: how many pods run on it side by side.
    """

    name: str
    start: float
    ready: float | None
    end: float
    notice: float | None
    evicted: bool
    pods: tuple[PodBar, ...]
    row: int
    tracks: int


@dataclass(frozen=True)
class Span:
    """A stretch of time."""

    start: float
    end: float


@dataclass(frozen=True)
class PoolLane:
    """One pool: its nodes in rows, and what the market and the autoscaler did about it.

    Attributes:
        rows: number of tracks in each row.
        refused: when Azure refused a VM.
    """

    pool: ContractPool
    nodes: tuple[NodeBar, ...]
    rows: tuple[int, ...]
    sold_out: tuple[Span, ...]
    back_off: tuple[Span, ...]
    refused: tuple[float, ...]


@dataclass(frozen=True)
class Fallback:
    """A fallback of the autoscaler from a spot pool to an on-demand pool."""

    at: float
    source: str
    target: str


@dataclass(frozen=True)
class Timeline:
    """Everything to draw; times from 0 to `end`."""

    end: float
    lanes: tuple[PoolLane, ...]
    waiting: tuple[WaitBar, ...]
    fallbacks: tuple[Fallback, ...]


def timeline(observed: Observations) -> Timeline:
    """The scenario as bars and marks."""
    end = next((step.ended for step in observed.steps if step.key == _LAST_STEP), observed.ended)
    return Timeline(
        end=end,
        lanes=tuple(_lane(pool, observed, end) for pool in observed.pools),
        waiting=_waiting(observed, end),
        fallbacks=tuple(
            Fallback(line["time"], source, line["pool"])
            for line in observed.lines(Kind.FALLBACK)
            for source in line["insteadOf"]
        ),
    )


def _waiting(observed: Observations, end: float) -> tuple[WaitBar, ...]:
    waits: list[tuple[str, float, float, bool]] = []
    for task, pods in attempts(pod for pod in observed.pods if pod.part).items():
        waits += [(task, pod.created, min(pod.running or end, end), False) for pod in pods]
        waits += [(task, pod.ended or end, after.created, True) for pod, after in pairwise(pods)]
    long = [wait for wait in waits if wait[2] - wait[1] > _WAITED_SECONDS]
    placed = _packed(long, lambda wait: (wait[1], wait[2]))
    return tuple(
        WaitBar(task, start, stop, track, pause) for (task, _, _, pause), start, stop, track in placed
    )


def _lane(pool: ContractPool, observed: Observations, end: float) -> PoolLane:
    requested = {line["node"]: line["time"] for line in observed.lines(Kind.NODE_CREATING)}
    nodes = [node for node in observed.nodes if node.pool == pool.name and node.appeared < end]
    placed = _packed(
        nodes, lambda node: (max(0.0, requested.get(node.name, node.appeared)), _stop(node.gone, end))
    )
    bars = [_node_bar(node, start, stop, row, observed) for node, start, stop, row in placed]
    rows = 1 + max((bar.row for bar in bars), default=0)
    return PoolLane(
        pool=pool,
        nodes=tuple(bars),
        rows=tuple(max((bar.tracks for bar in bars if bar.row == row), default=1) for row in range(rows)),
        sold_out=tuple(_sold_out(pool.name, observed, end)),
        back_off=tuple(
            Span(line["time"], min(end, line["time"] + line["seconds"]))
            for line in observed.lines(Kind.BACK_OFF)
            if line["pool"] == pool.name
        ),
        refused=tuple(line["time"] for line in observed.lines(Kind.SOLD_OUT) if line["pool"] == pool.name),
    )


def _node_bar(node: NodeRecord, start: float, end: float, row: int, observed: Observations) -> NodeBar:
    ran = [pod for pod in observed.pods if pod.node == node.name and pod.running is not None]
    placed = _packed(ran, lambda pod: (pod.running or start, min(_stop(pod.ended, end), end)))
    pods = tuple(
        PodBar(pod, begin, stop, track, evicted(pod, observed)) for pod, begin, stop, track in placed
    )
    return NodeBar(
        name=node.name,
        start=start,
        ready=node.ready,
        end=end,
        notice=_time_of(Kind.EVICTION_NOTICE, node.name, observed),
        evicted=_time_of(Kind.EVICTION, node.name, observed) is not None,
        pods=pods,
        row=row,
        tracks=1 + max((pod.track for pod in pods), default=0),
    )


def _sold_out(pool: str, observed: Observations, end: float) -> Iterable[Span]:
    since: float | None = None
    for line in observed.lines(Kind.SUPPLY):
        if line["pool"] != pool:
            continue
        if line["supply"] == "available":
            if since is not None:
                yield Span(since, line["time"])
            since = None
        elif since is None:
            since = line["time"]
    if since is not None:
        yield Span(since, end)


def _packed(
    things: Iterable[Thing], span: Callable[[Thing], tuple[float, float]]
) -> list[tuple[Thing, float, float, int]]:
    """Each thing with its start, its end and the first row that is free then."""
    free: list[float] = []
    placed: list[tuple[Thing, float, float, int]] = []
    for thing in sorted(things, key=lambda thing: span(thing)[0]):
        start, end = span(thing)
        row = next((row for row, since in enumerate(free) if since <= start), len(free))
        free[row : row + 1] = [end]
        placed.append((thing, start, max(start, end), row))
    return placed


def _time_of(kind: Kind, node: str, observed: Observations) -> float | None:
    lines: Sequence[Any] = observed.lines(kind)
    return next((line["time"] for line in lines if line["node"] == node), None)


def _stop(ended: float | None, end: float) -> float:
    return end if ended is None else ended
