"""Puts a placement on a pod's template, next to what the user has already put there."""

from collections.abc import Sequence
from typing import Any, Final

from ckf_spot.agent_pool import SPOT_LABEL
from ckf_spot.errors import Mistake
from ckf_spot.fields import Json, Object, copied, map_at
from ckf_spot.placement import PREFERRED, REQUIRED, Placement
from ckf_spot.pods import gpu_limits, node_selection

SAFE_TO_EVICT: Final = "cluster-autoscaler.kubernetes.io/safe-to-evict"
"""Annotation that keeps the autoscaler from evicting a Job's pod to remove its node (cluster-autoscaler, FAQ.md)."""
GRACE_PERIOD: Final = "terminationGracePeriodSeconds"
GRACE_SECONDS: Final = 25
"""Azure takes a node back 30 s after its notice; the kubelet needs the rest to report how the pod ended."""
DEFAULT_GRACE_SECONDS: Final = 30
"""Grace period of a pod that names none (Kubernetes, PodSpec)."""


def placement_problems(template: Object, placement: Placement, where: str) -> list[Mistake]:
    """Why a well-formed template can't be placed there."""
    spec = map_at(template, "spec")
    return [
        *gpu_limits.template_problems(template, placement, where),
        *node_selection.problems(spec, placement, f"{where}.spec", map_at(template, "metadata", "labels")),
    ]


def place_template(template: Object, placement: Placement) -> Json:
    """The template with tolerations, affinity, a grace period and the autoscaler's annotation.

    A grace period longer than 25 s is cut to it, since the node would be gone before it ends; a shorter one stays.

    Args:
        template: a pod's template without problems.
        placement: where the pod may run.
    """
    placed = copied(template)
    spec = placed["spec"]
    spec["tolerations"] = merged_tolerations(spec.get("tolerations") or (), placement)
    spec["affinity"] = merged_affinity(spec.get("affinity") or {}, placement)
    if placement.spot:
        spec[GRACE_PERIOD] = grace_seconds(spec)
    placed["metadata"] = annotated(placed.get("metadata") or {})
    return placed


def grace_seconds(spec: Object) -> int:
    """A pod's grace period on a spot node."""
    seconds = spec.get(GRACE_PERIOD)
    return GRACE_SECONDS if seconds is None else min(seconds, GRACE_SECONDS)


def annotated(metadata: Object) -> Json:
    """Metadata with the autoscaler's annotation; what the user says of it stays."""
    annotations = {SAFE_TO_EVICT: "false"} | copied(metadata.get("annotations") or {})
    return {**copied(metadata), "annotations": annotations}


def merged_tolerations(existing: Sequence[Object], placement: Placement) -> list[Json]:
    """The user's tolerations and the placement's, without those that another one covers.

    A placement on demand takes back the toleration of spot nodes, which it never uses.

    Two of a key, of which one covers the other, can't stay: PodTolerationRestriction drops the narrower one at every
    update of the pod, which the API server refuses (`Placement.tolerations`).
    """
    ours = placement.tolerations
    needless = () if placement.spot else (SPOT_LABEL,)
    kept = [
        toleration
        for toleration in existing
        if toleration.get("key") not in needless and not any(covers(mine, toleration) for mine in ours)
    ]
    new = [mine for mine in ours if not any(covers(toleration, mine) for toleration in kept)]
    return [*copied(kept), *new]


def merged_affinity(existing: Object, placement: Placement) -> Json:
    """The user's affinity and the placement's: terms are ORed, so the placement goes into each of them."""
    affinity = copied(existing)
    ours = placement.node_affinity
    node = affinity.get("nodeAffinity") or {}
    expressions = ours[REQUIRED]["nodeSelectorTerms"][0]["matchExpressions"]
    terms = map_at(node, REQUIRED).get("nodeSelectorTerms") or [{}]
    node[REQUIRED] = {
        "nodeSelectorTerms": [
            {**term, "matchExpressions": _union(term.get("matchExpressions") or (), expressions)}
            for term in terms
        ]
    }
    if wishes := _union(node.get(PREFERRED) or (), ours.get(PREFERRED, ())):
        node[PREFERRED] = wishes
    affinity["nodeAffinity"] = node
    return affinity


def covers(wide: Object, narrow: Object) -> bool:
    """Whether a toleration tolerates all that another one does, for as long."""
    same_value = wide.get("operator", "Equal") == "Exists" or (
        narrow.get("operator", "Equal") == "Equal" and wide.get("value", "") == narrow.get("value", "")
    )
    return (
        same_value
        and (not wide.get("key") or wide["key"] == narrow.get("key"))
        and (not wide.get("effect") or wide["effect"] == narrow.get("effect"))
        and wide.get("tolerationSeconds") == narrow.get("tolerationSeconds")
    )


def _union(first: Sequence[Any], second: Sequence[Any]) -> list[Any]:
    return [*first, *(item for item in second if item not in first)]
