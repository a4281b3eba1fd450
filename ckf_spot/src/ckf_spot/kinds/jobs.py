"""Places a Job of Kubernetes (batch/v1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ckf_spot import fields
from ckf_spot.errors import Mistake, refuse
from ckf_spot.fields import Json, is_map, is_maps, of
from ckf_spot.kinds.serialise import plain
from ckf_spot.placement import Capacity, Placement
from ckf_spot.pods import shape
from ckf_spot.pods import template as pods
from ckf_spot.pool_group import PoolGroup

KIND: Final = "Job"
API_VERSION: Final = "batch/v1"
IGNORE_EVICTIONS: Final = {
    "action": "Ignore",
    "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
}
"""An evicted pod is replaced and not counted as a failure (Kubernetes, "Pod failure policy")."""
_FAILURES_PER_INDEX: Final = 6
"""As many as the Job controller allows a whole Job by default."""

_SPEC: Final = (
    "activeDeadlineSeconds", "backoffLimit", "backoffLimitPerIndex", "completionMode", "completions", "managedBy",
    "manualSelector", "maxFailedIndexes", "parallelism", "podFailurePolicy", "podReplacementPolicy", "selector",
    "successPolicy", "suspend", "template", "ttlSecondsAfterFinished",
)  # fmt: skip
_HINTS: Final = {
    name: f"a pod's fields belong under template.spec.{name}"
    for name in ("containers", "nodeSelector", "affinity", "tolerations", "restartPolicy")
} | {
    "terminationGracePeriodSeconds": "a pod's fields belong under template.spec.terminationGracePeriodSeconds"
}


def place_job(
    job: object, group: PoolGroup, *, prefer: Capacity | None = None, require: Capacity | None = None
) -> Json:
    """The Job, placed so that evictions neither fail it nor count against its `backoffLimit`.

    Its pods get tolerations, affinity, a grace period of 25 s, the autoscaler's annotation and `restartPolicy: Never`,
    without which Kubernetes takes no failure policy. Evictions are ignored before any rule of its own is asked, and a
    pod is replaced once it has ended, so that never two of them write the same checkpoint. An Indexed Job without any
    limit of its own gets `backoffLimitPerIndex: 6`: its evicted task then starts again after 10 s, whatever happened to
    the others; in other Jobs the controller waits 10 s for the first evicted pod and twice as long for each one more,
    up to 10 min, though the failures are ignored (seen with Kubernetes 1.34).

    Args:
        job: a dict, or a V1Job; it stays as it is.
        group: the pools.
        prefer: see `PoolGroup.placement`.
        require: see `PoolGroup.placement`.

    Returns:
        A dict, as the API server wants it.

    Raises:
        PlacementError: with every mistake, one a line.
    """
    document = plain(job)
    placement = group.placement(prefer=prefer, require=require)
    refuse(problems(document) or placement_problems(document, placement))
    return placed(document, placement)


def problems(document: Mapping[str, Any], inside: str = "") -> list[Mistake]:
    """What is wrong with a Job's fields, down to its pod.

    Args:
        document: the Job.
        inside: start of every path in messages, such as `spec.trialTemplate.trialSpec.`.
    """
    found = list(fields.object_problems(document, inside, API_VERSION, KIND))
    if document.get("spec") is None:
        return found
    found += fields.problems(document["spec"], f"{inside}spec", _SPEC, ("template",), _HINTS)
    policy = of(document, "spec").get("podFailurePolicy")
    if policy is not None and not _is_policy(policy):
        found.append(Mistake(f"{inside}spec.podFailurePolicy", policy, "expected a map with a list of rules"))
    template = of(document, "spec").get("template")
    if template is not None:
        found += shape.template_problems(template, f"{inside}spec.template")
    return found


def placement_problems(document: Mapping[str, Any], placement: Placement, inside: str = "") -> list[Mistake]:
    """Why a well-formed Job can't be placed there."""
    spec = document["spec"]
    return [
        *pods.placement_problems(spec["template"], placement, f"{inside}spec.template"),
        *(_policy_problems(spec, inside) if placement.spot else ()),
    ]


def placed(document: Json, placement: Placement) -> Json:
    """The Job on its pools.

    Args:
        document: a Job without problems, which is changed.
        placement: where its pods may run.
    """
    spec = document["spec"]
    spec["template"] = pods.place_template(spec["template"], placement)
    if placement.spot:
        _survive(spec)
    return document


def _is_policy(value: object) -> bool:
    rules = of({"": value}, "").get("rules") or []
    return (
        is_map(value) and is_maps(rules) and all(is_maps(each.get("onPodConditions") or []) for each in rules)
    )


def _policy_problems(spec: Mapping[str, Any], inside: str) -> list[Mistake]:
    """What of the Job's own policies contradicts surviving evictions."""
    found: list[Mistake] = []
    if spec.get("podReplacementPolicy") not in (None, "Failed"):
        found.append(
            Mistake(
                f"{inside}spec.podReplacementPolicy",
                spec["podReplacementPolicy"],
                "expected Failed",
                "contradicts a pod failure policy",
            )
        )
    rules: list[Json] = of(spec, "podFailurePolicy").get("rules") or []
    for number, rule in enumerate(rules):
        conditions = [each.get("type") for each in rule.get("onPodConditions") or ()]
        if "DisruptionTarget" in conditions and rule.get("action") != "Ignore":
            found.append(
                Mistake(
                    f"{inside}spec.podFailurePolicy.rules[{number}].action",
                    rule.get("action"),
                    "expected Ignore",
                    "on DisruptionTarget contradicts surviving evictions",
                )
            )
    return found


def _survive(spec: Json) -> None:
    spec["template"]["spec"]["restartPolicy"] = "Never"
    spec["podReplacementPolicy"] = "Failed"
    policy = spec["podFailurePolicy"] = spec.get("podFailurePolicy") or {}
    own = [rule for rule in policy.get("rules") or () if not _ignores_evictions(rule)]
    policy["rules"] = [fields.copied(IGNORE_EVICTIONS), *own]
    limited = spec.keys() & {"backoffLimit", "backoffLimitPerIndex"}
    if spec.get("completionMode") == "Indexed" and not limited:
        spec["backoffLimitPerIndex"] = _FAILURES_PER_INDEX


def _ignores_evictions(rule: Mapping[str, Any]) -> bool:
    """Whether it is the rule put first, with the default `status: True` written out or not."""
    conditions = [{"status": "True", **each} for each in rule.get("onPodConditions") or ()]
    return {**rule, "onPodConditions": conditions} == IGNORE_EVICTIONS
