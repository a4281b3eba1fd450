"""A look at a cluster: everything the user may read, and a note for what they may not."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TypeVar

from ckf_spot.agent_pool import AgentPool
from ckf_spot.cluster import WORKFLOWS, Cluster, ForbiddenError
from ckf_spot.fields import Object
from ckf_spot.where import parse, traces, waiting
from ckf_spot.where.lost_steps import lost_steps
from ckf_spot.where.observations import Look
from ckf_spot.where.owners import Owners

_T = TypeVar("_T")

WITHOUT_NODES = "nodes may not be read: pools are recognised by the nodes' names, and by the pool contract"


def look(cluster: Cluster, namespace: str | None, pools: Mapping[str, AgentPool] | None) -> Look:
    """The cluster now.

    Args:
        cluster: to look at.
        namespace: the only one to look at; None: all.
        pools: of the contract, None where it can't be read.

    Raises:
        PlacementError: the cluster does not answer, the pods may not be read, or there is no such namespace.
    """
    notes: list[str] = []
    now = datetime.now(UTC)
    owners = Owners(cluster, namespace)
    pods = tuple(parse.pod(owners.with_owners(raw)) for raw in cluster.pods(namespace).items)
    nodes = _allowed(lambda: tuple(map(parse.node, cluster.nodes().items)), WITHOUT_NODES, notes)
    without_events = "events may not be read: evictions of pods that are gone are not known"
    events = _allowed(lambda: cluster.events(namespace), without_events, notes)
    without_workflows = (
        "workflows may not be read: earlier attempts of their steps, and lost steps, are not known"
    )
    workflows = _allowed(lambda: cluster.objects(WORKFLOWS, namespace), without_workflows, notes)
    if events is not None:
        notes.append(_memory(events, now))
    disrupted = waiting.with_scale_ups(traces.disrupted(pods, events or ()), events or ())
    return Look(
        time=now,
        namespace=namespace,
        pods=(*traces.earlier(disrupted, events or (), workflows or ()), *disrupted),
        nodes=nodes,
        pools=pools,
        lost_steps=lost_steps(workflows or ()),
        notes=tuple(notes),
    )


def _memory(events: tuple[Object, ...], now: datetime) -> str:
    """How far back the cluster remembers."""
    times = [when for event in events if (when := traces.when(event)) is not None]
    since = f"since {min(times):%H:%M} UTC" if times else f"none before {now:%H:%M} UTC"
    return f"pods that are gone are known by events, {since}; --record FILE remembers for longer"


def _allowed(read: Callable[[], _T], note: str, notes: list[str]) -> _T | None:
    """What can be read; None and a note where that is forbidden."""
    try:
        return read()
    except ForbiddenError:
        notes.append(note)
        return None
