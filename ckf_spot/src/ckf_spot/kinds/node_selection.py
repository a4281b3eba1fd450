"""Finds where a pod's own choice of nodes contradicts the pools that it is placed on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ckf_spot.agent_pool import POOL_LABEL, SPOT_LABEL, WORKLOAD_LABEL, AgentPool
from ckf_spot.kinds.fields import of
from ckf_spot.kinds.pod_fields import REQUIRED

_LEGACY_POOL_LABEL: Final = "agentpool"
_VM_SIZE_LABEL: Final = "node.kubernetes.io/instance-type"


def problems(spec: Mapping[str, Any], pools: Sequence[AgentPool], where: str) -> Iterator[str]:
    """Where the user's own selection of nodes leaves none of the pools.

    Args:
        spec: a well-formed pod's spec, or the part of one that chooses nodes.
        pools: the pools that it is to run on.
        where: the spec's path, for messages.
    """
    names = ", ".join(pool.name for pool in pools)
    labels = [_labels(pool) for pool in pools]
    known = {POOL_LABEL, _LEGACY_POOL_LABEL, SPOT_LABEL, WORKLOAD_LABEL, _VM_SIZE_LABEL}.union(*labels)
    if spec.get("nodeName") is not None:
        yield (
            f"{where}.nodeName: {spec['nodeName']!r} bypasses the scheduler and with it the pools; leave it out"
        )
    selector = {key: value for key, value in of(spec, "nodeSelector").items() if key in known}
    selected = [each for each in labels if selector.items() <= each.items()]
    wrong = [key for key in selector if not any(each.get(key) == selector[key] for each in labels)]
    for key in wrong:
        yield (
            f"{where}.nodeSelector: {key}: {selector[key]!r} contradicts the pools {names}; "
            f"expected {_values(key, labels)}"
        )
    if not selected and not wrong:
        keys = ", ".join(selector)
        yield f"{where}.nodeSelector: {keys} together contradict the pools {names}; leave out one of them"
    terms = of(spec, "affinity", "nodeAffinity", REQUIRED).get("nodeSelectorTerms") or []
    expressions = [
        [each for each in term.get("matchExpressions") or () if each["key"] in known] for term in terms
    ]
    fitting = [each for each in labels if not terms or any(_fits(term, each) for term in expressions)]
    if not fitting:
        first = next(each for term in expressions for each in term)
        text = f"{first['key']} {first.get('operator')} {', '.join(map(str, first.get('values') or ()))}".rstrip()
        yield (
            f"{where}.affinity.nodeAffinity: {text} contradicts the pools {names}; "
            f"expected {_values(first['key'], labels)}"
        )
    elif selected and not any(each in selected for each in fitting):
        yield f"{where}: nodeSelector and nodeAffinity together contradict the pools {names}; leave out one of them"


def _labels(pool: AgentPool) -> dict[str, str]:
    """What is known of the labels of a pool's nodes."""
    return {
        **pool.labels,
        POOL_LABEL: pool.name,
        _LEGACY_POOL_LABEL: pool.name,
        _VM_SIZE_LABEL: pool.vm_size,
    }


def _fits(expressions: Sequence[Mapping[str, Any]], labels: Mapping[str, str]) -> bool:
    def fits(each: Mapping[str, Any]) -> bool:
        value, values = labels.get(each["key"]), each.get("values") or ()
        match each.get("operator"):
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
    values = dict.fromkeys(each[key] for each in labels if key in each)
    return ", ".join(values) or "to leave it out"
