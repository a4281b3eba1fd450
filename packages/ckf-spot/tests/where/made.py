"""Objects as the API gives them, and looks made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from ckf_spot import Pools, sources
from ckf_spot.agent_pool import AgentPool
from ckf_spot.where import parse, traces, waiting
from ckf_spot.where.observations import Look

Object = dict[str, Any]

CONTRACT: Final = sources.SAMPLE
POOLS: Final[Mapping[str, AgentPool]] = {pool.name: pool for pool in Pools.load(CONTRACT).all}
NOW: Final = datetime(2026, 11, 21, 8, tzinfo=UTC)
SPOT: Final = {"key": "kubernetes.azure.com/scalesetpriority", "operator": "Exists", "effect": "NoSchedule"}
FALLBACK: Final = {"key": "kubeflow-aks/fallback", "operator": "Exists", "effect": "NoSchedule"}
GPU_TAINT: Final = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
CPU: Final = {"kubeflow-aks/workload": "cpu"}


def at(minutes: float) -> str:
    """So many minutes before now, as the API writes it."""
    return (NOW - timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def pod(
    name: str,
    node: str = "",
    *,
    owner: tuple[str, str] | None = ("Job", "train"),
    namespace: str = "team-a",
    uid: str = "",
    created: float = 10,
    phase: str = "Running",
    ended: float | None = None,
    disruption: str = "",
    unschedulable: float | None = None,
    scheduler: str = "",
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    gpus: int = 0,
    claim: Mapping[str, Any] | None = None,
    deletion: float | None = None,
    **spec: Any,
) -> Object:
    """A pod; times are minutes before now."""
    metadata: Object = {
        "name": name,
        "namespace": namespace,
        "uid": uid or f"uid-{name}",
        "creationTimestamp": at(created),
        "labels": dict(labels or {}),
        "annotations": dict(annotations or {}),
        "resourceVersion": "7",
    }
    if owner:
        metadata["ownerReferences"] = [{"kind": owner[0], "name": owner[1], "controller": True}]
    if deletion is not None:
        metadata["deletionTimestamp"] = at(deletion)
    conditions: list[Object] = []
    status: Object = {"phase": phase, "conditions": conditions}
    if node:
        conditions.append({"type": "PodScheduled", "status": "True", "lastTransitionTime": at(created)})
        state = {"running": {"startedAt": at(created)}}
        if ended is not None:
            state = {"terminated": {"startedAt": at(created), "finishedAt": at(ended), "exitCode": 0}}
        status["containerStatuses"] = [{"name": "main", "state": state}]
    if unschedulable is not None:
        status["phase"] = "Pending"
        conditions.append(
            {
                "type": "PodScheduled",
                "status": "False",
                "reason": "Unschedulable",
                "message": scheduler,
                "lastTransitionTime": at(unschedulable),
            }
        )
    if disruption:
        conditions.append({"type": "DisruptionTarget", "status": "True", "reason": disruption})
    container: Object = {"name": "main", "image": "i", "env": [{"name": "PASSWORD", "value": "hunter2"}]}
    if gpus:
        container["resources"] = {"limits": {"nvidia.com/gpu": str(gpus)}}
    return {
        "metadata": metadata,
        "spec": {
            "containers": [container],
            **({"nodeName": node} if node else {}),
            **({"volumes": [{"name": "v", "persistentVolumeClaim": claim}]} if claim else {}),
            **spec,
        },
        "status": status,
    }


def node_name(pool: str, number: int = 0) -> str:
    """As AKS calls it."""
    return f"aks-{pool}-12345678-vmss{number:06}"


def node(
    pool: str,
    number: int = 0,
    *,
    created: float = 60,
    notice: float | None = None,
    silent: float | None = None,
    event: str = "VMEventScheduled",
    message: str = "Preempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT. DurationInSeconds: -1.",
) -> Object:
    """A node of a pool of the demo stack; `event` is the condition of its notice."""
    contract = POOLS[pool]
    ready = {"status": "True"} if silent is None else {"status": "Unknown", "lastTransitionTime": at(silent)}
    conditions = [{"type": "Ready", "lastHeartbeatTime": at(0), **ready}]
    if notice is not None:
        since = {"lastTransitionTime": at(notice), "message": message}
        conditions.append({"type": event, "status": "True", **since})
    return {
        "metadata": {
            "name": node_name(pool, number),
            "creationTimestamp": at(created),
            "labels": {
                "kubernetes.azure.com/agentpool": pool,
                "kubernetes.azure.com/priority": "spot" if contract.spot else "regular",
                **contract.labels,
            },
        },
        "status": {
            "allocatable": {"cpu": "7", **({"nvidia.com/gpu": str(contract.gpus)} if contract.gpus else {})},
            "conditions": conditions,
        },
    }


def event(reason: str, message: str, kind: str, name: str, *, uid: str = "", ago: float = 5) -> Object:
    """An event in team-a."""
    return {
        "reason": reason,
        "message": message,
        "involvedObject": {"kind": kind, "namespace": "team-a", "name": name, "uid": uid or f"uid-{name}"},
        "firstTimestamp": at(ago),
    }


def assigned(name: str, node: str, *, uid: str = "", ago: float = 5) -> Object:
    """The scheduler's event."""
    message = f"Successfully assigned team-a/{name} to {node}"
    return event("Scheduled", message, "Pod", name, uid=uid, ago=ago)


def look(
    pods: Iterable[Object] = (),
    nodes: Iterable[Object] | None = (),
    *,
    events: Iterable[Object] = (),
    workflows: Iterable[Object] = (),
    namespace: str | None = None,
    pools: Mapping[str, AgentPool] | None = POOLS,
) -> Look:
    """A look at these objects."""
    events = tuple(events)
    there = waiting.with_scale_ups(traces.disrupted(tuple(map(parse.pod, pods)), events), events)
    return Look(
        time=NOW,
        namespace=namespace,
        pods=(*traces.earlier(there, events, tuple(workflows)), *there),
        nodes=None if nodes is None else tuple(map(parse.node, nodes)),
        pools=pools,
    )
