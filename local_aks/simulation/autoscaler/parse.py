"""Kubernetes API objects (plain JSON dicts) as the autoscaler's model."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from local_aks.kube.quantity import thousandths
from local_aks.simulation.autoscaler.model import (
    Controller,
    DisruptionBudget,
    Node,
    Pod,
    Requirement,
    Scheduling,
    Taint,
    Term,
    Toleration,
)

Json: TypeAlias = dict[str, Any]

SAFE_TO_EVICT: Final = "cluster-autoscaler.kubernetes.io/safe-to-evict"
SCALE_DOWN_DISABLED: Final = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
_NOT_READY: Final = frozenset(
    {
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/disk-pressure",
        "node.kubernetes.io/network-unavailable",
    }
)
"""Taints with which a node is not ready yet whatever its condition says (cluster-autoscaler kubernetes/ready.go)."""
_MIRROR: Final = "kubernetes.io/config.mirror"
_REPLICATED_KINDS: Final = frozenset({"Job", "ReplicaSet", "StatefulSet", "ReplicationController"})
_ONE_POD: Final = 1000


def child(of: Json, key: str) -> Json:
    """An object in an object, empty where it is absent or null."""
    value: Json | None = of.get(key)
    return value or {}


def children(of: Json, key: str) -> Sequence[Json]:
    """A list of objects in an object, empty where it is absent or null."""
    value: Sequence[Json] | None = of.get(key)
    return value or ()


def finished(pod: Json) -> bool:
    """Whether a pod has ended and holds no resources any more."""
    return child(pod, "status").get("phase") in {"Succeeded", "Failed"}


def parse_pod(pod: Json, first_seen: float) -> Pod:
    """A Pod object; `first_seen` is in simulated seconds."""
    metadata, spec, status = pod["metadata"], pod["spec"], child(pod, "status")
    annotations = child(metadata, "annotations")
    safe = annotations.get(SAFE_TO_EVICT)
    return Pod(
        namespace=metadata["namespace"],
        name=metadata["name"],
        uid=metadata["uid"],
        first_seen=first_seen,
        node=spec.get("nodeName"),
        unschedulable=any(
            condition["type"] == "PodScheduled"
            and condition["status"] == "False"
            and condition.get("reason") == "Unschedulable"
            for condition in children(status, "conditions")
        ),
        nominated=bool(status.get("nominatedNodeName")),
        terminating="deletionTimestamp" in metadata,
        running=status.get("phase") == "Running",
        priority=spec.get("priority") or 0,
        scheduling=parse_scheduling(spec),
        controller=_controller(metadata, annotations),
        labels=child(metadata, "labels"),
        safe_to_evict=None if safe is None else safe == "true",
        local_storage=any(
            "emptyDir" in volume or "hostPath" in volume for volume in children(spec, "volumes")
        ),
    )


def parse_node(node: Json) -> Node:
    """A Node object."""
    metadata, spec, status = node["metadata"], child(node, "spec"), node["status"]
    annotations = child(metadata, "annotations")
    taints = children(spec, "taints")
    return Node(
        name=metadata["name"],
        labels=child(metadata, "labels"),
        taints=tuple(Taint(taint["key"], taint["effect"], taint.get("value") or "") for taint in taints),
        allocatable={name: thousandths(amount) for name, amount in child(status, "allocatable").items()},
        ready=any(
            condition["type"] == "Ready" and condition["status"] == "True"
            for condition in children(status, "conditions")
        )
        and not any(taint["key"] in _NOT_READY for taint in taints),
        unschedulable=bool(spec.get("unschedulable")),
        scale_down_disabled=annotations.get(SCALE_DOWN_DISABLED) == "true",
    )


def parse_budget(budget: Json) -> DisruptionBudget:
    """A PodDisruptionBudget object."""
    selector = child(budget["spec"], "selector")
    return DisruptionBudget(
        namespace=budget["metadata"]["namespace"],
        match_labels=tuple(sorted(child(selector, "matchLabels").items())),
        expressions=_requirements(children(selector, "matchExpressions")),
        allowed=child(budget, "status").get("disruptionsAllowed") or 0,
    )


def parse_scheduling(spec: Json) -> Scheduling:
    """A pod spec (of a pod or of a DaemonSet's template) as what decides its placement."""
    node_affinity = child(child(spec, "affinity"), "nodeAffinity")
    required: Json | None = node_affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return Scheduling(
        node_selector=tuple(sorted(child(spec, "nodeSelector").items())),
        required_terms=None
        if required is None
        else tuple(
            Term(
                _requirements(children(term, "matchExpressions")),
                _requirements(children(term, "matchFields")),
            )
            for term in required["nodeSelectorTerms"]
        ),
        tolerations=tuple(
            Toleration(
                toleration.get("key") or "",
                toleration.get("operator") or "Equal",
                toleration.get("value") or "",
                toleration.get("effect") or "",
            )
            for toleration in children(spec, "tolerations")
        ),
        requests=tuple(sorted(_requests(spec).items())),
    )


def _requests(spec: Json) -> dict[str, int]:
    """What the scheduler reserves: containers and sidecars summed, an init container's peak if larger, overhead."""
    running: dict[str, int] = {}
    peak: dict[str, int] = {}
    for container in children(spec, "initContainers"):
        requests = _container_requests(container)
        if container.get("restartPolicy") == "Always":
            running = _sum(running, requests)
            peak = _maximum(peak, running)
        else:
            peak = _maximum(peak, _sum(running, requests))
    for container in children(spec, "containers"):
        running = _sum(running, _container_requests(container))
    overhead = {name: thousandths(amount) for name, amount in child(spec, "overhead").items()}
    return _sum(_maximum(peak, running), overhead) | {"pods": _ONE_POD}


def _container_requests(container: Json) -> dict[str, int]:
    resources = child(container, "resources")
    amounts = child(resources, "limits") | child(resources, "requests")
    return {name: thousandths(amount) for name, amount in amounts.items()}


def _sum(left: Mapping[str, int], right: Mapping[str, int]) -> dict[str, int]:
    return {name: left.get(name, 0) + right.get(name, 0) for name in left.keys() | right.keys()}


def _maximum(left: Mapping[str, int], right: Mapping[str, int]) -> dict[str, int]:
    return {name: max(left.get(name, 0), right.get(name, 0)) for name in left.keys() | right.keys()}


def _requirements(expressions: Iterable[Json]) -> tuple[Requirement, ...]:
    return tuple(_requirement(expression) for expression in expressions)


def _requirement(expression: Json) -> Requirement:
    values: Sequence[str] | None = expression.get("values")
    return Requirement(expression["key"], expression["operator"], tuple(values or ()))


def _controller(metadata: Json, annotations: Json) -> Controller:
    if _MIRROR in annotations:
        return Controller.MIRROR
    owner = next((ref for ref in children(metadata, "ownerReferences") if ref.get("controller")), None)
    if owner is None:
        return Controller.NONE
    if owner["kind"] == "DaemonSet":
        return Controller.DAEMON_SET
    return Controller.REPLICATED if owner["kind"] in _REPLICATED_KINDS else Controller.CUSTOM
