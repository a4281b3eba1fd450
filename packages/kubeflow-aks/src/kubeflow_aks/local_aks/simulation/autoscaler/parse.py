"""Kubernetes API objects (plain JSON dicts) as the autoscaler's model.

Every function raises `MalformedObjectError` for what the Kubernetes API would not accept.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from kubeflow_aks.local_aks.simulation.autoscaler.model import (
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
from kubeflow_aks.local_aks.simulation.autoscaler.reading import (
    Json,
    MalformedObjectError,
    amounts,
    child,
    children,
    choice,
    optional_text,
    text,
    texts,
    values,
    whole_number,
)

SAFE_TO_EVICT: Final = "cluster-autoscaler.kubernetes.io/safe-to-evict"
SCALE_DOWN_DISABLED: Final = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
_NOT_READY: Final = frozenset(
    {
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/disk-pressure",
        "node.kubernetes.io/network-unavailable",
    }
)
"""Taints with which a node is not ready yet whatever its condition (cluster-autoscaler kubernetes/ready.go)."""
_MIRROR: Final = "kubernetes.io/config.mirror"
_REPLICATED_KINDS: Final = frozenset({"Job", "ReplicaSet", "StatefulSet", "ReplicationController"})
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_ONE_POD: Final = 1000


def finished(pod: Json) -> bool:
    """Whether a pod has ended and holds no resources any more."""
    return optional_text(child(pod, "status"), "phase") in {"Succeeded", "Failed"}


def parse_pod(pod: Json, first_observed: float) -> Pod:
    """A Pod object; `first_observed` is in simulated seconds."""
    metadata, spec, status = child(pod, "metadata"), child(pod, "spec"), child(pod, "status")
    annotations = texts(metadata, "annotations")
    safe = annotations.get(SAFE_TO_EVICT)
    return Pod(
        namespace=text(metadata, "namespace"),
        name=text(metadata, "name"),
        uid=text(metadata, "uid"),
        first_observed=first_observed,
        node=optional_text(spec, "nodeName") or None,
        unschedulable=any(
            text(condition, "type") == "PodScheduled"
            and text(condition, "status") == "False"
            and condition.get("reason") == "Unschedulable"
            for condition in children(status, "conditions")
        ),
        nominated=bool(status.get("nominatedNodeName")),
        terminating="deletionTimestamp" in metadata,
        running=optional_text(status, "phase") == "Running",
        priority=whole_number(spec, "priority"),
        scheduling=parse_scheduling(spec),
        controller=_controller(metadata, annotations),
        labels=texts(metadata, "labels"),
        safe_to_evict=None if safe is None else safe == "true",
        local_storage=any(
            "emptyDir" in volume or "hostPath" in volume for volume in children(spec, "volumes")
        ),
    )


def parse_node(node: Json) -> Node:
    """A Node object; one without `allocatable` has no room for anything."""
    metadata, spec, status = child(node, "metadata"), child(node, "spec"), child(node, "status")
    annotations = texts(metadata, "annotations")
    taints = tuple(
        Taint(text(taint, "key"), text(taint, "effect"), optional_text(taint, "value"))
        for taint in children(spec, "taints")
    )
    return Node(
        name=text(metadata, "name"),
        labels=texts(metadata, "labels"),
        taints=taints,
        allocatable=amounts(status, "allocatable"),
        ready=any(
            text(condition, "type") == "Ready" and text(condition, "status") == "True"
            for condition in children(status, "conditions")
        )
        and not any(taint.key in _NOT_READY for taint in taints),
        unschedulable=bool(spec.get("unschedulable")),
        scale_down_disabled=annotations.get(SCALE_DOWN_DISABLED) == "true",
        kubelet=optional_text(child(status, "nodeInfo"), "kubeletVersion"),
    )


def parse_budget(budget: Json) -> DisruptionBudget:
    """A PodDisruptionBudget object."""
    selector = child(child(budget, "spec"), "selector")
    return DisruptionBudget(
        namespace=text(child(budget, "metadata"), "namespace"),
        match_labels=tuple(sorted(texts(selector, "matchLabels").items())),
        expressions=parse_requirements(children(selector, "matchExpressions")),
        allowed=whole_number(child(budget, "status"), "disruptionsAllowed"),
    )


def parse_daemon_set(daemon_set: Json) -> Scheduling:
    """What decides on which nodes a DaemonSet has pods."""
    return parse_scheduling(child(child(child(daemon_set, "spec"), "template"), "spec"))


def parse_scheduling(spec: Json) -> Scheduling:
    """A pod spec (of a pod or of a DaemonSet's template) as what decides its placement."""
    node_affinity = child(child(spec, "affinity"), "nodeAffinity")
    required = child(node_affinity, _REQUIRED) if node_affinity.get(_REQUIRED) is not None else None
    return Scheduling(
        node_selector=tuple(sorted(texts(spec, "nodeSelector").items())),
        required_terms=None
        if required is None
        else tuple(
            Term(
                parse_requirements(children(term, "matchExpressions")),
                parse_requirements(children(term, "matchFields")),
            )
            for term in children(required, "nodeSelectorTerms")
        ),
        tolerations=tuple(
            Toleration(
                optional_text(toleration, "key"),
                choice(toleration, "operator", ("Equal", "Exists"), "Equal"),
                optional_text(toleration, "value"),
                choice(toleration, "effect", ("", "NoSchedule", "PreferNoSchedule", "NoExecute")),
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
    return _sum(_maximum(peak, running), amounts(spec, "overhead")) | {"pods": _ONE_POD}


def _container_requests(container: Json) -> dict[str, int]:
    resources = child(container, "resources")
    return amounts(resources, "limits") | amounts(resources, "requests")


def _sum(left: Mapping[str, int], right: Mapping[str, int]) -> dict[str, int]:
    return {name: left.get(name, 0) + right.get(name, 0) for name in left.keys() | right.keys()}


def _maximum(left: Mapping[str, int], right: Mapping[str, int]) -> dict[str, int]:
    return {name: max(left.get(name, 0), right.get(name, 0)) for name in left.keys() | right.keys()}


def parse_requirements(expressions: Iterable[Json]) -> tuple[Requirement, ...]:
    """What `matchExpressions` require of labels, or `matchFields` of fields."""
    return tuple(_requirement(expression) for expression in expressions)


def _requirement(expression: Json) -> Requirement:
    operator, operands = choice(expression, "operator", _OPERATORS), values(expression, "values")
    if operator in {"Gt", "Lt"} and len(operands) != 1:
        raise MalformedObjectError("values", list(operands), f"one number for the operator {operator}")
    return Requirement(text(expression, "key"), operator, operands)


def _controller(metadata: Json, annotations: Mapping[str, str]) -> Controller:
    if _MIRROR in annotations:
        return Controller.MIRROR
    owner = next((ref for ref in children(metadata, "ownerReferences") if ref.get("controller")), None)
    if owner is None:
        return Controller.NONE
    kind = text(owner, "kind")
    if kind == "DaemonSet":
        return Controller.DAEMON_SET
    return Controller.REPLICATED if kind in _REPLICATED_KINDS else Controller.CUSTOM
