"""Which pools' nodes take a pod: taints against tolerations, labels against node selector and required affinity."""

from collections.abc import Iterable, Mapping
from typing import Final

from ckf_spot.agent_pool import POOL_LABEL, SPOT_LABEL, AgentPool, Taint
from ckf_spot.where.observations import Constraints, Requirement, Toleration

SPOT_TAINT: Final = Taint(SPOT_LABEL, "spot", "NoSchedule")
"""The taint of every spot node (spot-node-pool.md)."""
_VM_SIZE: Final = "node.kubernetes.io/instance-type"
_PRIORITY: Final = "kubernetes.azure.com/priority"


def tolerates(tolerations: Iterable[Toleration], taint: Taint) -> bool:
    """Whether one of the tolerations matches the taint, as the scheduler matches them."""
    return any(
        toleration.effect in {"", taint.effect}
        and (
            toleration.exists
            if not toleration.key
            else toleration.key == taint.key and (toleration.exists or toleration.value == taint.value)
        )
        for toleration in tolerations
    )


def obstacle(pool: AgentPool, constraints: Constraints) -> str:
    """Why no node of a pool takes a pod; empty: one may.

    Labels that the contract does not have, such as zones, are assumed to match.
    """
    repelling = [
        f"{taint.key}={taint.value}:{taint.effect}"
        for taint in pool.taints
        if taint.effect != "PreferNoSchedule" and not tolerates(constraints.tolerations, taint)
    ]
    if repelling:
        return f"the pod does not tolerate {' and '.join(repelling)}"
    if constraints.gpus > pool.gpus:
        return (
            f"the pod asks for {constraints.gpus} GPU{'s' * (constraints.gpus > 1)}, a node has {pool.gpus}"
        )
    labels = _labels(pool)
    misses = [
        next((requirement for requirement in term if not _meets(labels, requirement)), None)
        for term in constraints.terms
    ]
    if misses and all(misses):
        required = dict.fromkeys(_text(requirement) for requirement in misses if requirement)
        return f"the pod requires {' or '.join(required)}"
    return ""


def unknown_pools(constraints: Constraints, pools: Mapping[str, AgentPool]) -> list[str]:
    """Names of pools that a pod asks for and that do not exist."""
    required = (
        value
        for term in constraints.terms
        for requirement in term
        if requirement.key in {POOL_LABEL, "agentpool"} and requirement.operator == "In"
        for value in requirement.values
    )
    return [name for name in dict.fromkeys(required) if name not in pools]


def _labels(pool: AgentPool) -> Mapping[str, str | None]:
    """Labels of the pool's nodes that are sure; None: they have none of that key."""
    return {
        SPOT_LABEL: "spot" if pool.spot else None,
        _PRIORITY: "spot" if pool.spot else "regular",
        POOL_LABEL: pool.name,
        "agentpool": pool.name,
        _VM_SIZE: pool.vm_size,
        **pool.labels,
    }


def _meets(labels: Mapping[str, str | None], requirement: Requirement) -> bool:
    if requirement.key not in labels:
        return True
    value = labels[requirement.key]
    match requirement.operator:
        case "In":
            return value in requirement.values
        case "NotIn":
            return value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case _:  # Gt and Lt: none of these labels is a number
            return False


def _text(requirement: Requirement) -> str:
    match requirement.operator, requirement.values:
        case "In", (value,):
            return f"{requirement.key}={value}"
        case ("Exists" | "DoesNotExist") as operator, _:
            return f"{'no ' if operator == 'DoesNotExist' else ''}label {requirement.key}"
        case operator, values:
            return f"{requirement.key} {operator} {', '.join(values)}"
