"""What the timeline shows and where: the observations as bars and marks, in simulated seconds and rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from ckf_spot.where.lanes import Bar, Lane, NodeBar, packed
from kubeflow_aks.events import Kind
from kubeflow_aks.scenario.checks import attempts, evicted
from kubeflow_aks.scenario.contract_pools import ContractPool
from kubeflow_aks.scenario.observations import NodeRecord, Observations, PodRecord, Where
from kubeflow_aks.text.numbers import counted, duration

_LAST_STEP: Final = "zero"
_WAITED_SECONDS: Final = 10.0
"""Pods that waited less are not shown as waiting: they found room at once."""
_SOLD_OUT_STRIP: Final = 14


@dataclass(frozen=True)
class Span:
    """A stretch of time."""

    start: float
    end: float


@dataclass(frozen=True, kw_only=True)
class PoolLane(Lane):
    """One pool: its VMs from the request to their end, and what the market and the autoscaler did about it."""

    pool: ContractPool
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
    waiting: tuple[Bar, ...]
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


def simulation_note(observed: Observations) -> str:
    """What follows an observation that Azure did not make."""
    return "" if observed.where == Where.AZURE else " (simulated)"


def _waiting(observed: Observations, end: float) -> tuple[Bar, ...]:
    waits: list[tuple[str, float, float, bool]] = []
    for task, pods in attempts(pod for pod in observed.pods if pod.part).items():
        waits += [(task, pod.created, min(pod.running or end, end), False) for pod in pods]
        waits += [(task, pod.ended or end, after.created, True) for pod, after in pairwise(pods)]
    long = [wait for wait in waits if wait[2] - wait[1] > _WAITED_SECONDS]
    placed = packed(long, lambda wait: (wait[1], wait[2]))
    return tuple(
        _wait(task, start, stop, track, pause=pause) for (task, _, _, pause), start, stop, track in placed
    )


def _wait(task: str, start: float, end: float, track: int, *, pause: bool) -> Bar:
    """A task while it waited: for a node, or (`pause`) for its controller to start it again."""
    what = "its controller waits, by the wall clock" if pause else "no node has room"
    return Bar(
        start=start,
        end=end,
        track=track,
        style="pause" if pause else "pending",
        label=f"{task}: its controller's pause" if pause else task,
        title=f"{task}: {what}, {duration(end - start)}",
    )


def _lane(pool: ContractPool, observed: Observations, end: float) -> PoolLane:
    requested = {line["node"]: line["time"] for line in observed.lines(Kind.NODE_CREATING)}
    nodes = [node for node in observed.nodes if node.pool == pool.name and node.appeared < end]
    placed = packed(
        nodes, lambda node: (max(0.0, requested.get(node.name, node.appeared)), _stop(node.gone, end))
    )
    sold_out = tuple(_sold_out(pool.name, observed, end))
    refused = tuple(line["time"] for line in observed.lines(Kind.SOLD_OUT) if line["pool"] == pool.name)
    return PoolLane(
        name=pool.name,
        style="spot" if pool.spot else "ondemand",
        kind=f"{pool.priority}{', GPU' if pool.role == 'gpu' else ''}",
        vm_size=pool.vm_size,
        nodes=tuple(_node_bar(node, pool, observed) for node in placed),
        empty="no VM was to be had" if refused else "no node was needed",
        free=_SOLD_OUT_STRIP if sold_out else 0,
        pool=pool,
        sold_out=sold_out,
        back_off=tuple(
            Span(line["time"], min(end, line["time"] + line["seconds"]))
            for line in observed.lines(Kind.BACK_OFF)
            if line["pool"] == pool.name
        ),
        refused=refused,
    )


def _node_bar(
    placed: tuple[NodeRecord, float, float, int], pool: ContractPool, observed: Observations
) -> NodeBar:
    node, start, end, row = placed
    ran = [pod for pod in observed.pods if pod.node == node.name and pod.running is not None]
    pods = packed(ran, lambda pod: (pod.running or start, min(_stop(pod.ended, end), end)))
    was_evicted = _time_of(Kind.EVICTION, node.name, observed) is not None
    never = "never ready" if node.ready is None else "ready from the start"
    ready = f"ready {duration(node.ready)}" if node.ready else never
    fate = f"{'evicted' if was_evicted else 'until'} {duration(end)}"
    return NodeBar(
        name=node.name,
        start=start,
        ready=node.ready,
        end=end,
        notice=_time_of(Kind.EVICTION_NOTICE, node.name, observed),
        evicted=was_evicted,
        pods=tuple(_pod_bar(*pod, observed) for pod in pods),
        row=row,
        title=f"{node.name} ({pool.priority}): {ready}, {fate}, {counted(len(pods), 'pod')}{simulation_note(observed)}",
        end_title=f"{duration(end)}: evicted{simulation_note(observed)}",
    )


def _pod_bar(pod: PodRecord, start: float, end: float, track: int, observed: Observations) -> Bar:
    was_evicted = evicted(pod, observed)
    fate = " evicted" if was_evicted else ""
    return Bar(
        start=start,
        end=end,
        track=track,
        style="pod daemon" if pod.owner == "DaemonSet" else "pod",
        label=pod.task if pod.part else pod.name,
        title=f"{pod.namespace}/{pod.name}: {duration(start)} – {duration(end)}{fate}",
        evicted=was_evicted,
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


def _time_of(kind: Kind, node: str, observed: Observations) -> float | None:
    lines: Sequence[Any] = observed.lines(kind)
    return next((line["time"] for line in lines if line["node"] == node), None)


def _stop(ended: float | None, end: float) -> float:
    return end if ended is None else ended
