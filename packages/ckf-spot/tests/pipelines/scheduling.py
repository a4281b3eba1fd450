"""Which nodes the compiled placement of a task admits, by the rules of Kubernetes' scheduler.

Terms of required affinity are ORed, expressions of a term ANDed; every taint with NoSchedule has to be tolerated
(kubernetes.io: Assigning Pods to Nodes; Taints and Tolerations).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckf_spot.agent_pool import POOL_LABEL, AgentPool


def admits(placement: Mapping[str, Any], pool: AgentPool) -> bool:
    """Whether a node of the pool may run the task."""
    labels = dict(pool.labels) | {POOL_LABEL: pool.name}
    selector = placement.get("nodeSelector", {}).get("labels", {})
    terms = [term for term in placement.get("nodeAffinity", ()) if "weight" not in term]
    return (
        all(labels.get(key) == value for key, value in selector.items())
        and (not terms or any(_matches(term, labels) for term in terms))
        and _tolerates(placement, pool)
    )


def wished(placement: Mapping[str, Any], pool: AgentPool) -> bool:
    """Whether the task would rather run there."""
    labels = dict(pool.labels) | {POOL_LABEL: pool.name}
    terms = [term for term in placement.get("nodeAffinity", ()) if "weight" in term]
    return any(_matches(term, labels) for term in terms)


def _matches(term: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    return all(
        labels.get(expression["key"]) in expression["values"]
        if expression["operator"] == "In"
        else expression["key"] not in labels
        for expression in term["matchExpressions"]
    )


def _tolerates(placement: Mapping[str, Any], pool: AgentPool) -> bool:
    tolerated = {
        (toleration["key"], toleration["effect"])
        for toleration in placement.get("tolerations", ())
        if toleration["operator"] == "Exists"
    }
    return all(
        (taint.key, taint.effect) in tolerated for taint in pool.taints if taint.effect != "PreferNoSchedule"
    )
