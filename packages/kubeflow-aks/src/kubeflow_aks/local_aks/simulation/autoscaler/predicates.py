"""Whether a pod fits a node: the scheduler's filters that scale-up consults, with the scheduler's reasons.

Preferred affinity is no filter and has no say (recording S15). Source of the rules: Kubernetes documentation,
"Assigning Pods to Nodes" and "Taints and Tolerations".
"""

from collections.abc import Iterable, Mapping
from typing import Final

from kubeflow_aks.local_aks.simulation.autoscaler.model import (
    Node,
    Requirement,
    Resources,
    Scheduling,
    Taint,
    Term,
    Toleration,
)

UNSCHEDULABLE_TAINT: Final = Taint("node.kubernetes.io/unschedulable", "NoSchedule")
_FILTERING_EFFECTS: Final = frozenset({"NoSchedule", "NoExecute"})


def why_not(scheduling: Scheduling, node: Node, free: Resources) -> str | None:
    """The scheduler's first reason against the node, or None when the pod fits into `free` of it."""
    return why_never(scheduling, node) or why_no_room(scheduling.requests, free)


def why_never(scheduling: Scheduling, node: Node) -> str | None:
    """The first reason that no free room can cure, or None."""
    if node.unschedulable and not _tolerated(UNSCHEDULABLE_TAINT, scheduling.tolerations):
        return "node(s) were unschedulable"
    if not all(_tolerated(taint, scheduling.tolerations) for taint in node.taints):
        return "node(s) had untolerated taint(s)"
    if not _selected(scheduling, node):
        return "node(s) didn't match Pod's node affinity/selector"
    return None


def why_no_room(requests: Iterable[tuple[str, int]], free: Resources) -> str | None:
    """The first resource that is short, as the scheduler words it, or None."""
    for name, amount in requests:
        if amount > free.get(name, 0):
            return "Too many pods" if name == "pods" else f"Insufficient {name}"
    return None


def labels_match(requirements: Iterable[Requirement], labels: Mapping[str, str]) -> bool:
    """Whether labels satisfy every requirement."""
    return all(_satisfied(requirement, labels) for requirement in requirements)


def _tolerated(taint: Taint, tolerations: Iterable[Toleration]) -> bool:
    return taint.effect not in _FILTERING_EFFECTS or any(
        toleration.effect in ("", taint.effect)
        and toleration.key in ("", taint.key)
        and (toleration.operator == "Exists" or toleration.value == taint.value)
        for toleration in tolerations
    )


def _selected(scheduling: Scheduling, node: Node) -> bool:
    if any(node.labels.get(key) != value for key, value in scheduling.node_selector):
        return False
    return scheduling.required_terms is None or any(
        _term_matches(term, node) for term in scheduling.required_terms
    )


def _term_matches(term: Term, node: Node) -> bool:
    """A term without requirements matches no node (Kubernetes API, NodeSelectorTerm)."""
    if not term.labels and not term.fields:
        return False
    return labels_match(term.labels, node.labels) and labels_match(term.fields, {"metadata.name": node.name})


def _satisfied(requirement: Requirement, labels: Mapping[str, str]) -> bool:
    value = labels.get(requirement.key)
    match requirement.operator:
        case "In":
            return value in requirement.values
        case "NotIn":
            return value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            return value is not None and _compares(requirement, value)
        case operator:
            raise ValueError(f"node selector operator {operator!r} is not of the Kubernetes API")


def _compares(requirement: Requirement, value: str) -> bool:
    try:
        actual, bound = int(value), int(requirement.values[0])
    except ValueError:
        return False
    return actual > bound if requirement.operator == "Gt" else actual < bound
