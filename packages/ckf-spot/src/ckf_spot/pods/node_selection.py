"""Finds where a pod's own choice of nodes contradicts the pools that it is placed on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ckf_spot.agent_pool import POOL_LABEL, SPOT_LABEL, WORKLOAD_LABEL, AgentPool, Taint
from ckf_spot.errors import ABSENT, Mistake
from ckf_spot.fields import Object, map_at
from ckf_spot.placement import REQUIRED, Placement

_LEGACY_POOL_LABEL: Final = "agentpool"
_VM_SIZE_LABEL: Final = "node.kubernetes.io/instance-type"
_ON_NODES: Final = ("kubernetes.io", "k8s.io", "azure.com", "nvidia.com")
"""Domains of labels that Kubernetes, AKS and device plugins put on nodes."""


def problems(spec: Object, placement: Placement, where: str) -> Iterator[Mistake]:
    """Where the user's own selection of nodes leaves none of the pools, or not what the placement promises.

    A label of which nobody knows whether the pools' nodes have it, such as another cloud's, is a mistake that is not
    certain.

    Args:
        spec: a well-formed pod's spec, or the part of one that chooses nodes.
        placement: where the pod is to run.
        where: the spec's path, for messages.
    """
    names = ", ".join(pool.name for pool in placement.pools)
    against = f"contradicts the pools {names}"
    labels = [_labels(pool) for pool in placement.pools]
    keys = _label_keys(placement.pools)
    if spec.get("nodeName") is not None:
        yield Mistake(
            f"{where}.nodeName",
            spec["nodeName"],
            "leave it out",
            "bypasses the scheduler and with it the pools",
        )
    selector = {key: value for key, value in map_at(spec, "nodeSelector").items() if key in keys}
    selected = [node for node in labels if selector.items() <= node.items()]
    wrong = [key for key in selector if not any(node.get(key) == selector[key] for node in labels)]
    for key in wrong:
        yield Mistake(
            f"{where}.nodeSelector: {key}", selector[key], f"expected {_values(key, labels)}", against
        )
    if not selected and not wrong:
        together = f"{', '.join(selector)} together contradict the pools {names}"
        yield Mistake(f"{where}.nodeSelector", ABSENT, "leave out one of them", together)
    terms = _required(spec)
    expressions = [
        [expression for expression in _expressions(term) if expression["key"] in keys] for term in terms
    ]
    fitting = [node for node in labels if not terms or any(_fits(term, node) for term in expressions)]
    both = [node for node in fitting if node in selected]
    if not fitting:
        first = next(expression for term in expressions for expression in term)
        text = f"{first['key']} {first.get('operator')} {', '.join(map(str, first.get('values') or ()))}".rstrip()
        yield Mistake(
            f"{where}.affinity.nodeAffinity",
            ABSENT,
            f"expected {_values(first['key'], labels)}",
            f"{text} {against}",
        )
    elif selected and not both:
        together = f"nodeSelector and nodeAffinity together contradict the pools {names}"
        yield Mistake(where, ABSENT, "leave out one of them", together)
    elif both and placement.preferred:
        yield from _half_problems(
            [pool for pool in placement.pools if _labels(pool) in both], placement, where
        )
    yield from _unknown_labels(spec, placement, where)


def names_pools(spec: Object) -> bool:
    """Whether a pod's spec requires nodes by their pool or workload, as placing does."""
    names = {POOL_LABEL, WORKLOAD_LABEL}
    terms = _required(spec)
    return not names.isdisjoint(map_at(spec, "nodeSelector")) or bool(
        terms and all(any(expression["key"] in names for expression in _expressions(term)) for term in terms)
    )


def admitting(spec: Object, pools: Sequence[AgentPool]) -> list[AgentPool]:
    """The pools whose nodes may run a pod, as far as their labels and taints are known.

    Args:
        spec: a well-formed pod's spec, or the part of one that chooses nodes.
        pools: those to choose from.
    """
    keys = _label_keys(pools)
    selector = {key: value for key, value in map_at(spec, "nodeSelector").items() if key in keys}
    terms = [
        [expression for expression in _expressions(term) if expression["key"] in keys]
        for term in _required(spec)
    ]
    return [
        pool
        for pool in pools
        if selector.items() <= _labels(pool).items()
        and (not terms or any(_fits(term, _labels(pool)) for term in terms))
        and all(
            any(tolerates(toleration, taint) for toleration in spec.get("tolerations") or ())
            for taint in pool.taints
            if taint.effect != "PreferNoSchedule"
        )
    ]


def tolerates(toleration: Object, taint: Taint) -> bool:
    """Whether a toleration lets a pod onto nodes with that taint (Kubernetes, "Taints and Tolerations")."""
    return (
        toleration.get("key") in (None, "", taint.key)
        and toleration.get("effect") in (None, "", taint.effect)
        and (
            toleration.get("operator") == "Exists"
            or (toleration.get("key") == taint.key and (toleration.get("value") or "") == taint.value)
        )
    )


def _required(spec: Object) -> list[Object]:
    return map_at(spec, "affinity", "nodeAffinity", REQUIRED).get("nodeSelectorTerms") or []


def _expressions(term: Object) -> Sequence[Object]:
    return term.get("matchExpressions") or ()


def _unknown_labels(spec: Object, placement: Placement, where: str) -> Iterator[Mistake]:
    """Labels that every node must have, and that are not known of the pools' nodes; of several terms one may fit."""
    keys, names = _label_keys(placement.pools), ", ".join(pool.name for pool in placement.pools)
    selected = {f"nodeSelector: {key}": (key, value) for key, value in map_at(spec, "nodeSelector").items()}
    terms = _required(spec)
    for expression in _expressions(terms[0]) if len(terms) == 1 else ():
        if expression.get("operator") in ("In", "Exists"):
            selected[f"affinity.nodeAffinity: {expression['key']}"] = (
                expression["key"],
                expression.get("values") or "Exists",
            )
    for path, (key, value) in selected.items():
        domain = str(key).rpartition("/")[0]
        if key not in keys and not f".{domain}".endswith(
            tuple(f".{node_domain}" for node_domain in _ON_NODES)
        ):
            yield Mistake(
                f"{where}.{path}",
                value,
                "see that they have it; otherwise the pod waits for ever",
                f"is not known of the nodes of {names}",
                certain=False,
            )


def _half_problems(reached: Sequence[AgentPool], placement: Placement, where: str) -> Iterator[Mistake]:
    """Where the selection has spot pools without their fallbacks, or the reverse, though both are required."""
    for spot, what, request in ((False, "on-demand", "spot"), (True, "spot", "on-demand")):
        offered = [pool.name for pool in placement.pools if pool.spot == spot]
        if offered and not any(pool.spot == spot for pool in reached):
            yield Mistake(
                where,
                ABSENT,
                f"leave them out, or ask for require={request!r}",
                f"its own nodeSelector or nodeAffinity allows only {', '.join(pool.name for pool in reached)}, and so "
                f"never {', '.join(offered)}, the {what} nodes that prefer='spot' asks for too",
            )


def _labels(pool: AgentPool) -> dict[str, str]:
    """What is known of the labels of a pool's nodes."""
    return {
        **pool.labels,
        POOL_LABEL: pool.name,
        _LEGACY_POOL_LABEL: pool.name,
        _VM_SIZE_LABEL: pool.vm_size,
    }


def _label_keys(pools: Sequence[AgentPool]) -> set[str]:
    """Keys of labels whose value is known on every node, or known not to be there."""
    return {SPOT_LABEL}.union(*map(_labels, pools))


def _fits(expressions: Sequence[Object], labels: Mapping[str, str]) -> bool:
    def fits(expression: Object) -> bool:
        value, values = labels.get(expression["key"]), expression.get("values") or ()
        match expression.get("operator"):
            case "In":
                return value in values
            case "NotIn":
                return value not in values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case _:
                return True

    return all(map(fits, expressions))


def _values(key: str, labels: Sequence[Mapping[str, str]]) -> str:
    values = dict.fromkeys(node[key] for node in labels if key in node)
    return ", ".join(values) or "to leave it out"
