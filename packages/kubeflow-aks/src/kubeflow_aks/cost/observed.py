"""What was observed of a stack's spot pools: node hours and evictions, from what `ckf-spot where -o json` wrote.

A node counts once, however many pods were on it, and so does its eviction. With a record of the nodes their
whole time counts, idle hours included; else the time of the pods that are still known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from kubeflow_aks.cost.evictions import PoolEvictions, moments
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.files import load
from kubeflow_aks.cost.usage import NodeLife, Run, Stay

_SKEW: Final = timedelta(minutes=5)
"""How far the clocks of two machines may be apart."""
_TOGETHER: Final = timedelta(minutes=5)
"""Evictions of a pool that follow each other within this are one event: Azure took back capacity once. Our choice."""
_WROTE: Final = "what `ckf-spot where -o json` wrote"
_PREEMPTED: Final = "PreemptionByScheduler"
"""Why a pod went that made room for a more important one; its node stays ("Kubernetes pod disruption conditions")."""


@dataclass(frozen=True)
class Observed:
    """Observed nodes and evictions of spot pools; without a record of nodes there are no nodes with their pods."""

    pools: Mapping[str, PoolEvictions]
    time: datetime
    since: datetime | None
    notes: tuple[str, ...] = ()
    nodes: tuple[NodeLife, ...] | None = None


class _Read(BaseModel):
    """Keys that are not needed here may be whatever they are."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class _Pod(_Read):
    name: str
    node: str | None
    pool: str | None
    capacity: Literal["spot", "on-demand"] | None
    state: str
    created: AwareDatetime
    scheduled: AwareDatetime | None
    started: AwareDatetime | None
    ended: AwareDatetime | None
    why: str | None

    @property
    def start(self) -> datetime:
        """When it was bound to its node."""
        return self.scheduled or self.started or self.created

    @property
    def evicted(self) -> bool:
        """Whether its node may have been evicted."""
        return self.state == "evicted" and self.why != _PREEMPTED

    @model_validator(mode="after")
    def _forwards(self) -> _Pod:
        return _in_order(self, self.start, self.ended)


class _Node(_Read):
    name: str
    pool: str | None
    capacity: Literal["spot", "on-demand"]
    created: AwareDatetime
    notice: AwareDatetime | None
    gone: AwareDatetime | None

    @model_validator(mode="after")
    def _forwards(self) -> _Node:
        return _in_order(self, self.created, self.gone)


class _Work(_Read):
    namespace: str
    kind: str
    name: str
    pods: tuple[_Pod, ...]


class _Report(_Read):
    version: Literal[1, 2, 3]
    time: AwareDatetime
    since: AwareDatetime | None
    work: tuple[_Work, ...]
    nodes: tuple[_Node, ...] | None = None

    @property
    def pods(self) -> Iterator[_Pod]:
        """Every pod that has had a node."""
        return (pod for work in self.work for pod in work.pods if pod.node)

    @model_validator(mode="after")
    def _forwards(self) -> _Report:
        return _in_order(self, self.since or self.time, self.time)


@dataclass(frozen=True)
class _Life:
    """One node: the hours it was observed, and when it was evicted."""

    pool: str
    hours: float
    evicted: datetime | None


def read(path: Path, pools: Mapping[str, bool]) -> Observed:
    """The observations of a stack, from what `ckf-spot where -o json` wrote; `pools` says of each whether it is spot.

    Raises:
        CostError: it can't be read, or is not about this stack; one line for each mistake.
    """
    report = load(path, _Report, _WROTE)
    problems = tuple(dict.fromkeys(_strangers(report, pools, path.name)))
    if problems:
        raise CostError(*problems)
    spot = {name for name, is_spot in pools.items() if is_spot}
    watched = report.since is not None and report.nodes is not None
    lives = list(_of_nodes(report, spot) if watched else _of_pods(report, spot))
    by_pool: dict[str, list[_Life]] = defaultdict(list)
    for life in lives:
        by_pool[life.pool].append(life)
    observations = {name: _evictions(name, by_pool[name], report.time) for name in pools if name in by_pool}
    return Observed(
        observations,
        report.time,
        report.since,
        tuple(_notes(report, spot, watched=watched)),
        tuple(_node_lives(report)) if watched else None,
    )


def _node_lives(report: _Report) -> Iterator[NodeLife]:
    """Every node from the record's beginning on, with the pods that the record has there."""
    stays: dict[str, list[Stay]] = defaultdict(list)
    for work in report.work:
        run = Run(work.namespace, work.kind, work.name)
        for pod in work.pods:
            if pod.node:
                stays[pod.node].append(Stay(run, pod.start, _end(pod, report)))
    since = report.since or report.time
    for node in report.nodes or ():
        start, end = max(node.created, since), min(node.gone or report.time, report.time)
        if start < end:
            yield NodeLife(node.pool, start, end, tuple(stays[node.name]))


def _in_order(record: Any, start: datetime, end: datetime | None) -> Any:
    if end is not None and end - start < -_SKEW:  # the first day of all has none before it
        raise PydanticCustomError(
            "backwards",
            "{end} is not allowed as an end; expected a time after its start, {start}",
            {"start": start.isoformat(), "end": end.isoformat()},
        )
    return record


def _strangers(report: _Report, pools: Mapping[str, bool], name: str) -> Iterator[str]:
    """Pools that the stack lacks, or has the other way: the report is another cluster's."""
    names = ", ".join(pools) or "none"
    for row in (*report.pods, *(report.nodes or ())):
        if row.pool and row.pool not in pools:
            yield f"{name}: pool {row.pool!r} is not allowed; expected one of this stack's pools: {names}"
        elif row.pool and row.capacity and (row.capacity == "spot") != pools[row.pool]:
            here = "spot" if pools[row.pool] else "on-demand"
            yield f"{name}: capacity {row.capacity!r} of pool {row.pool!r} is not allowed; expected {here!r}, as here"


def _of_nodes(report: _Report, spot: set[str]) -> Iterator[_Life]:
    """Every spot node, from the record's beginning on: of the time before only the nodes that stayed are known."""
    since = report.since or report.time
    evicted = {pod.node for pod in report.pods if pod.evicted}
    for node in report.nodes or ():
        if node.pool in spot:
            start, end = max(node.created, since), min(node.gone or report.time, report.time)
            was_evicted = node.gone is not None and (node.notice is not None or node.name in evicted)
            yield _Life(node.pool or "", _hours(end - start), node.gone if was_evicted else None)


def _of_pods(report: _Report, spot: set[str]) -> Iterator[_Life]:
    """Every spot node on which a pod is known to have been, while one was."""
    by_node: dict[tuple[str, str], list[_Pod]] = defaultdict(list)
    for pod in report.pods:
        if pod.pool in spot:
            by_node[pod.pool or "", pod.node or ""].append(pod)
    for (pool, _), pods in by_node.items():
        spans = [(pod.start, _end(pod, report)) for pod in pods]
        yield _Life(pool, _union(spans), _evicted(pods, report))


def _end(pod: _Pod, report: _Report) -> datetime:
    """When it left its node; its start where it is over at an unknown time, so that its hours are not counted."""
    if pod.ended is not None:
        return min(pod.ended, report.time)
    over = {"evicted", "unexplained", "deleted", "succeeded", "failed"}
    return pod.start if pod.state in over else report.time


def _evicted(pods: Iterable[_Pod], report: _Report) -> datetime | None:
    """When a node was evicted: its first eviction after which nothing ran there any more."""
    pods = list(pods)
    last = max(_end(pod, report) for pod in pods)
    moments = [_end(pod, report) for pod in pods if pod.evicted]
    return min((moment for moment in moments if moment >= last - _SKEW), default=None)


def _union(spans: Iterable[tuple[datetime, datetime]]) -> float:
    """Hours in which at least one span is."""
    total, reach = timedelta(), None
    for start, end in sorted(spans):
        begin = start if reach is None else max(start, reach)
        total += max(end - begin, timedelta())
        reach = end if reach is None else max(reach, end)
    return _hours(total)


def _evictions(name: str, lives: list[_Life], time: datetime) -> PoolEvictions:
    evicted = [life.evicted.timestamp() for life in lives if life.evicted is not None]
    came = moments(evicted, _TOGETHER.total_seconds())
    return PoolEvictions(name, len(lives), sum(life.hours for life in lives), len(evicted), came, time.date())


def _notes(report: _Report, spot: set[str], *, watched: bool) -> Iterator[str]:
    if not watched:
        yield (
            "only the time of pods that are still known is counted, not that of idle nodes; "
            "`ckf-spot where --record` with the right to read nodes counts both"
        )
    lost = sum(pod.state == "unexplained" and pod.pool in spot for pod in report.pods)
    if lost:
        pods = "1 pod vanished from a spot node" if lost == 1 else f"{lost} pods vanished from spot nodes"
        yield f"{pods} for an unknown reason: not counted as evicted"
    nowhere = sum(pod.pool is None for pod in report.pods)
    if nowhere:
        pods = "1 pod ran on a node" if nowhere == 1 else f"{nowhere} pods ran on nodes"
        yield f"{pods} of an unknown pool: not counted"
    yield (
        "a node that was drained for another reason while pods ran on it counts as an eviction, "
        "so the rate may be too high"
    )


def _hours(span: timedelta) -> float:
    return max(span.total_seconds(), 0.0) / 3600
