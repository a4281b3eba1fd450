"""Jobs of Kubernetes: Job and CronJob (batch/v1), and JobSet, which makes several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ckf_spot import fields
from ckf_spot.errors import Mistake
from ckf_spot.fields import Json, is_map, is_maps, of
from ckf_spot.kinds.kind import Kind, Path, PlacingRequest, Pods, contradiction
from ckf_spot.placement import Placement

IGNORE_EVICTIONS: Final = {
    "action": "Ignore",
    "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
}
"""An evicted pod is replaced and not counted as a failure (Kubernetes, "Pod failure policy")."""
_FAILURES_PER_INDEX: Final = 6
"""As many as the Job controller allows a whole Job by default."""

_JOB: Final = (
    "activeDeadlineSeconds", "backoffLimit", "backoffLimitPerIndex", "completionMode", "completions", "managedBy",
    "manualSelector", "maxFailedIndexes", "parallelism", "podFailurePolicy", "podReplacementPolicy", "selector",
    "successPolicy", "suspend", "template", "ttlSecondsAfterFinished",
)  # fmt: skip
_CRON_JOB: Final = (
    "concurrencyPolicy", "failedJobsHistoryLimit", "jobTemplate", "schedule", "startingDeadlineSeconds",
    "successfulJobsHistoryLimit", "suspend", "timeZone",
)  # fmt: skip
_JOB_SET: Final = (
    "coordinator", "failurePolicy", "managedBy", "network", "replicatedJobs", "startupPolicy", "successPolicy",
    "suspend", "ttlSecondsAfterFinished", "volumeClaimPolicies",
)  # fmt: skip
_REPLICATED_JOB: Final = ("dependsOn", "groupName", "name", "replicas", "template")
_HINTS: Final = {
    name: f"a pod's fields belong under template.spec.{name}"
    for name in (
        "containers", "nodeSelector", "affinity", "tolerations", "restartPolicy", "terminationGracePeriodSeconds",
    )
}  # fmt: skip


class JobTemplate(Kind):
    """A Job inside another object, without a kind of its own.

    Its pods get `restartPolicy: Never`, without which Kubernetes takes no failure policy. Evictions are ignored before
    any rule of its own applies, and a pod is replaced once it has ended, so that never two of them write the same
    checkpoint. An Indexed Job without any limit of its own gets `backoffLimitPerIndex: 6`: its evicted task then starts
    again after 10 s, whatever happened to the others; in other Jobs the controller waits 10 s for the first evicted pod
    and twice as long for each one more, up to 10 min, though the failures are ignored (seen with Kubernetes 1.34).
    """

    schema = "jobtemplatespec-batch-v1"

    def problems(self, document: Mapping[str, Any], request: PlacingRequest) -> Iterator[Mistake]:
        """Down to the pod's template."""
        yield from fields.problems(document, "", self._around(), ("spec",))
        if document.get("spec") is None:
            return
        yield from fields.problems(document["spec"], "spec", _JOB, ("template",), _HINTS)
        policy = of(document, "spec").get("podFailurePolicy")
        if policy is not None and not _is_policy(policy):
            yield Mistake("spec.podFailurePolicy", policy, "expected a map with a list of rules")

    def pods(self, document: Mapping[str, Any], request: PlacingRequest) -> Iterator[Pods]:
        """The one template."""
        if of(document, "spec").get("template") is not None:
            yield Pods(("spec", "template"), "the Job")

    def misfits(
        self, document: Mapping[str, Any], placement: Placement, request: PlacingRequest
    ) -> Iterator[Mistake]:
        """What of its own policies contradicts surviving evictions."""
        if not placement.spot:
            return
        spec = document["spec"]
        replacement = spec.get("podReplacementPolicy")
        if replacement not in (None, "Failed"):
            yield contradiction(
                "spec.podReplacementPolicy", replacement, "a pod failure policy", "expected Failed"
            )
        for number, rule in enumerate(of(spec, "podFailurePolicy").get("rules") or []):
            conditions = [each.get("type") for each in rule.get("onPodConditions") or ()]
            if "DisruptionTarget" in conditions and rule.get("action") != "Ignore":
                yield Mistake(
                    f"spec.podFailurePolicy.rules[{number}].action",
                    rule.get("action"),
                    "expected Ignore",
                    "on DisruptionTarget contradicts surviving evictions",
                )

    def place(self, document: Json, placement: Placement, request: PlacingRequest) -> None:
        """Evictions neither fail the Job nor count against its `backoffLimit`."""
        if not placement.spot:
            return
        spec = document["spec"]
        spec["template"]["spec"]["restartPolicy"] = "Never"
        spec["podReplacementPolicy"] = "Failed"
        policy = spec["podFailurePolicy"] = spec.get("podFailurePolicy") or {}
        own = [rule for rule in policy.get("rules") or () if not _ignores_evictions(rule)]
        policy["rules"] = [fields.copied(IGNORE_EVICTIONS), *own]
        limited = spec.keys() & {"backoffLimit", "backoffLimitPerIndex"}
        if spec.get("completionMode") == "Indexed" and not limited:
            spec["backoffLimitPerIndex"] = _FAILURES_PER_INDEX

    def _around(self) -> tuple[str, ...]:
        return ("metadata", "spec")


class Job(JobTemplate):
    """A Job (batch/v1)."""

    schema = "job-batch-v1"

    def problems(self, document: Mapping[str, Any], request: PlacingRequest) -> Iterator[Mistake]:
        """Down to the pod's template."""
        yield from fields.version_problems(document, "batch/v1")
        yield from super().problems(document, request)

    def _around(self) -> tuple[str, ...]:
        return fields.OBJECT


class CronJob(Kind):
    """A CronJob (batch/v1); its Jobs are placed as Jobs are."""

    schema = "cronjob-batch-v1"

    def problems(self, document: Mapping[str, Any], request: PlacingRequest) -> Iterator[Mistake]:
        """Down to the Job's template."""
        yield from fields.object_problems(document, "batch/v1")
        if document.get("spec") is not None:
            hints = {name: f"a Job's fields belong under jobTemplate.spec.{name}" for name in _JOB}
            yield from fields.problems(document["spec"], "spec", _CRON_JOB, ("jobTemplate",), hints)

    def inner(self, document: Mapping[str, Any]) -> Iterator[tuple[Path, Kind]]:
        """The Job's template."""
        if of(document, "spec").get("jobTemplate") is not None:
            yield ("spec", "jobTemplate"), _TEMPLATE


class JobSet(Kind):
    """A JobSet (jobset.x-k8s.io/v1alpha2, and v1 of later releases): each of its Jobs is placed as a Job is.

    An evicted pod is then replaced inside its Job, and the set does not start over.
    """

    def problems(self, document: Mapping[str, Any], request: PlacingRequest) -> Iterator[Mistake]:
        """Down to the Jobs' templates."""
        yield from fields.object_problems(document, "jobset.x-k8s.io/v1alpha2", "jobset.x-k8s.io/v1")
        if document.get("spec") is None:
            return
        yield from fields.problems(document["spec"], "spec", _JOB_SET, ("replicatedJobs",))
        jobs = of(document, "spec").get("replicatedJobs")
        if jobs is not None and not (is_maps(jobs) and jobs):
            yield Mistake("spec.replicatedJobs", jobs, "expected a list of maps with name and template")
        for number, each in enumerate(jobs if is_maps(jobs) else ()):
            yield from fields.problems(
                each, f"spec.replicatedJobs[{number}]", _REPLICATED_JOB, ("name", "template")
            )

    def inner(self, document: Mapping[str, Any]) -> Iterator[tuple[Path, Kind]]:
        """The Jobs' templates."""
        jobs = of(document, "spec").get("replicatedJobs")
        for number, each in enumerate(jobs if is_maps(jobs) else ()):
            if each.get("template") is not None:
                yield ("spec", "replicatedJobs", number, "template"), _TEMPLATE


_TEMPLATE: Final = JobTemplate()
KINDS: Final[Mapping[str, Kind]] = {"Job": Job(), "CronJob": CronJob(), "JobSet": JobSet()}


def _is_policy(value: object) -> bool:
    rules = of({"": value}, "").get("rules") or []
    return (
        is_map(value) and is_maps(rules) and all(is_maps(each.get("onPodConditions") or []) for each in rules)
    )


def _ignores_evictions(rule: Mapping[str, Any]) -> bool:
    """Whether it is the rule put first, with the default `status: True` written out or not."""
    conditions = [{"status": "True", **each} for each in rule.get("onPodConditions") or ()]
    return {**rule, "onPodConditions": conditions} == IGNORE_EVICTIONS
