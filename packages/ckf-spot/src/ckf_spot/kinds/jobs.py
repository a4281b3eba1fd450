"""Jobs of Kubernetes: Job and CronJob (batch/v1), and JobSet, which makes several."""

from collections.abc import Iterator, Mapping
from typing import Final

from ckf_spot import fields, judgements, time_limits
from ckf_spot.errors import Mistake
from ckf_spot.fields import Json, Object, is_map, is_maps, map_at, maps_at
from ckf_spot.kinds.kind import Kind, Path, PlacingRequest, Pods, contradiction, pod_hints, unknown_roles
from ckf_spot.placement import Placement

IGNORE_EVICTIONS: Final = {
    "action": "Ignore",
    "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
}
"""An evicted pod is replaced and not counted as a failure (Kubernetes, "Pod failure policy")."""
_LIMITS_OF_INDEXES: Final = {"backoffLimitPerIndex": 6, "maxFailedIndexes": 0}
"""As many failures for an index as the Job controller allows a whole Job; a task that fails for good still ends it."""
_LIMITS: Final = frozenset({"backoffLimit", *_LIMITS_OF_INDEXES})
_MANY: Final = 6
"""Pods that, evicted together, the Job controller leaves alone for longer than a node takes to boot."""
_FIRST_WAIT: Final = 10
"""Seconds, twice as many for each further pod, unless failures are counted by index (Kubernetes,
`pkg/controller/job/job_controller.go`, `DefaultJobPodFailureBackOff`;
`packages/kubeflow-aks/tests/local/demo/eviction/test_eviction.py`)."""
_LONGEST_WAIT: Final = 600
"""Seconds (`MaxJobPodFailureBackOff`)."""
_RESTARTS: Final = ("RestartJobSetAndIgnoreMaxRestarts", "RestartJobAndIgnoreMaxRestarts")
"""Actions of a JobSet that do not count."""
_COORDINATOR: Final = "MASTER_ADDR"
"""Variable that names the pod to which PyTorch's others connect (torch.distributed, "Environment variable
initialization")."""

_JOB: Final = judgements.names("Job", "spec")
_CRON_JOB: Final = judgements.names("CronJob", "spec")
_JOB_SET: Final = judgements.names("JobSet", "spec")
_REPLICATED_JOB: Final = judgements.names("JobSet", "spec.replicatedJobs")
_HINTS: Final = pod_hints("template")


class JobTemplate(Kind):
    """A Job inside another object, without a kind of its own.

    Its pods get `restartPolicy: Never`, without which Kubernetes takes no failure policy. Evictions are ignored before
    any rule of its own applies, and a pod is replaced once it has ended, so that never two of them write the same
    checkpoint. An Indexed Job without any limit of its own gets `backoffLimitPerIndex: 6`: its evicted task then starts
    again after 10 s, whatever happened to the others; in other Jobs the controller waits 10 s for the first evicted pod
    and twice as long for each one more, up to 10 min, though the failures are ignored (seen with Kubernetes 1.34). With
    it comes `maxFailedIndexes: 0`, so that one task's last failure ends the Job and the others' nodes are not paid on.
    """

    schema = "jobtemplatespec-batch-v1"
    completion_mode = "NonIndexed"
    """Where the Job names none."""
    role = "the Job"
    """What it is called in a request and in messages."""

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Mistakes down to the pod's template."""
        yield from fields.problems(document, "", self._around(), ("spec",), closed=True)
        if document.get("spec") is None:
            return
        yield from fields.problems(document["spec"], "spec", _JOB, ("template",), _HINTS)
        policy = map_at(document, "spec").get("podFailurePolicy")
        if policy is not None and not _is_policy(policy):
            yield Mistake("spec.podFailurePolicy", policy, "expected a map with a list of rules")

    def pods(self, document: Object, request: PlacingRequest) -> Iterator[Pods]:
        """The one template."""
        if map_at(document, "spec").get("template") is not None:
            yield Pods(("spec", "template"), self.role, request.vanishes(self.role, by_default=True))

    def misfits(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[Mistake]:
        """What of its own policies contradicts surviving evictions."""
        if not self._evictable(placement, request):
            return
        spec = document["spec"]
        replacement = spec.get("podReplacementPolicy")
        if replacement not in (None, "Failed"):
            yield contradiction(
                "spec.podReplacementPolicy", replacement, "a pod failure policy", "expected Failed"
            )
        for number, rule in enumerate(map_at(spec, "podFailurePolicy").get("rules") or []):
            if _is_of_evictions(rule) and rule.get("action") != "Ignore":
                yield from self._counted(f"spec.podFailurePolicy.rules[{number}].action", rule.get("action"))

    def _counted(self, where: str, action: object) -> Iterator[Mistake]:
        """A rule of its own by which an eviction fails the Job."""
        yield Mistake(where, action, "expected Ignore", "on DisruptionTarget contradicts surviving evictions")

    def doubts(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[str]:
        """What a failed container does from now on, and how long the loss of all pods holds the Job up."""
        if not self._evictable(placement, request):
            return
        spec = map_at(document, "spec")
        yield from self._wait(spec)
        yield from time_limits.deadline_doubts(
            "activeDeadlineSeconds", spec.get("activeDeadlineSeconds"), self.role
        )
        if map_at(document, "spec", "template", "spec").get("restartPolicy") == "OnFailure":
            yield (
                "its pods had restartPolicy OnFailure and have Never now, since Kubernetes takes no pod failure policy "
                "otherwise: a failed container is not restarted in its pod, but replaced with it, and counts"
            )

    def place(self, document: Json, placement: Placement, request: PlacingRequest) -> None:
        """Evictions neither fail the Job nor count against its `backoffLimit`."""
        if not self._evictable(placement, request):
            return
        spec = document["spec"]
        spec["template"]["spec"]["restartPolicy"] = "Never"
        spec["podReplacementPolicy"] = "Failed"
        policy = spec["podFailurePolicy"] = spec.get("podFailurePolicy") or {}
        others = [rule for rule in policy.get("rules") or () if not _ignores_evictions(rule)]
        policy["rules"] = [*self._first_rules(), *others]
        limited = spec.keys() & _LIMITS
        if spec.get("completionMode", self.completion_mode) == "Indexed" and not limited:
            spec.update(_LIMITS_OF_INDEXES)

    def _evictable(self, placement: Placement, request: PlacingRequest) -> bool:
        return placement.spot and request.vanishes(self.role, by_default=True)

    def _wait(self, spec: Object) -> Iterator[str]:
        """Many pods that are evicted together, and are not started again each by itself."""
        amounts = [
            amount for amount in (spec.get("parallelism"), spec.get("completions")) if amount is not None
        ]
        if spec.get("parallelism") is None or any(type(amount) is not int for amount in amounts):
            return
        pods = min(amounts)
        indexed = spec.get("completionMode", self.completion_mode) == "Indexed"
        by_index = indexed and ("backoffLimitPerIndex" in spec or not _LIMITS & spec.keys())
        if pods < _MANY or by_index:
            return
        minutes = min(_FIRST_WAIT * 2 ** (pods - 1), _LONGEST_WAIT) / 60
        way = (
            "set backoffLimitPerIndex"
            if indexed
            else f"set completionMode: Indexed and completions: {max(amounts)}"
        )
        yield (
            f"an eviction of its {pods} pods at once stops the whole Job: none of them is made again for "
            f"{minutes:.0f} min; {way}, and each is made again after 10 s"
        )

    def _first_rules(self) -> list[Json]:
        return [fields.copied(IGNORE_EVICTIONS)]

    def _around(self) -> tuple[str, ...]:
        return ("metadata", "spec")


class Job(JobTemplate):
    """A Job (batch/v1)."""

    schema = "job-batch-v1"

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Mistakes down to the pod's template."""
        yield from fields.version_problems(document, "batch/v1")
        yield from super().problems(document, request)

    def _around(self) -> tuple[str, ...]:
        return fields.OBJECT


class CronJob(Kind):
    """A CronJob (batch/v1); its Jobs are placed as Jobs are."""

    schema = "cronjob-batch-v1"

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Mistakes down to the Job's template."""
        yield from fields.object_problems(document, "batch/v1")
        if document.get("spec") is not None:
            hints = {name: f"a Job's fields belong under jobTemplate.spec.{name}" for name in _JOB}
            yield from fields.problems(document["spec"], "spec", _CRON_JOB, ("jobTemplate",), hints)

    def doubts(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[str]:
        """The next run may end one that is late."""
        if placement.spot:
            yield from time_limits.schedule_doubts(map_at(document, "spec"))

    def inner(self, document: Object) -> Iterator[tuple[Path, Kind]]:
        """The Job's template."""
        if map_at(document, "spec").get("jobTemplate") is not None:
            yield ("spec", "jobTemplate"), _TEMPLATE


class _JobOfSet(JobTemplate):
    """A Job of a JobSet, whose webhook makes it Indexed.

    Source: `pkg/webhooks/jobset_webhook.go`.
    """

    completion_mode = "Indexed"

    def __init__(self, role: str) -> None:
        self.role = role

    def request_problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """The set knows all roles."""
        yield from ()

    def _counted(self, where: str, action: object) -> Iterator[Mistake]:
        yield Mistake(
            where,
            action,
            f"expected Ignore, or a rule {_RESTARTS[0]} for PodFailurePolicy in the set's failurePolicy",
            "on DisruptionTarget contradicts surviving evictions",
        )


class _RestartedJobOfSet(_JobOfSet):
    """A Job whose eviction starts the set over by rules of its own, which stay."""

    def _counted(self, where: str, action: object) -> Iterator[Mistake]:
        yield from ()

    def _first_rules(self) -> list[Json]:
        return []


class JobSet(Kind):
    """A JobSet (jobset.x-k8s.io/v1alpha2, and v1 of later releases): each of its Jobs is placed as a Job is.

    An evicted pod is then replaced inside its Job, and the set does not start over. Where the set has the pair of rules
    that starts it over for each eviction, `FailJob` on DisruptionTarget and `RestartJobSetAndIgnoreMaxRestarts`, it
    keeps them (`api/jobset/v1alpha2/jobset_types.go`, `pkg/controllers/failure_policy.go`). The names of its Jobs are
    its roles.
    """

    has_roles = True

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Mistakes down to the Jobs' templates."""
        yield from fields.object_problems(document, "jobset.x-k8s.io/v1alpha2", "jobset.x-k8s.io/v1")
        if document.get("spec") is None:
            return
        yield from fields.problems(document["spec"], "spec", _JOB_SET, ("replicatedJobs",))
        jobs = map_at(document, "spec").get("replicatedJobs")
        if jobs is not None and not (is_maps(jobs) and jobs):
            yield Mistake("spec.replicatedJobs", jobs, "expected a list of maps with name and template")
        for number, job in enumerate(_jobs(document)):
            yield from fields.problems(
                job, f"spec.replicatedJobs[{number}]", _REPLICATED_JOB, ("name", "template")
            )

    def request_problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """A Job that is not there."""
        yield from unknown_roles(request, [str(job.get("name")) for job in _jobs(document)])

    def inner(self, document: Object) -> Iterator[tuple[Path, Kind]]:
        """The Jobs' templates."""
        for number, job in enumerate(_jobs(document)):
            if job.get("template") is not None:
                kind = _RestartedJobOfSet if _starts_over(document, job) else _JobOfSet
                yield ("spec", "replicatedJobs", number, "template"), kind(str(job.get("name")))

    def doubts(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[str]:
        """What an eviction of one pod does to the others."""
        for job in document["spec"]["replicatedJobs"] if placement.spot else ():
            stays = str(job.get("name")) in request.on_demand
            if not stays and not _starts_over(document, job) and _coordinated(job):
                yield (
                    f"the pods of {job['name']} connect to one of them ({_COORDINATOR}), and lose their work when any "
                    "of them is evicted: save checkpoints, and have the set start over by FailJob on DisruptionTarget "
                    f"and {_RESTARTS[0]}"
                )


_TEMPLATE: Final = JobTemplate()
KINDS: Final[Mapping[str, Kind]] = {"Job": Job(), "CronJob": CronJob(), "JobSet": JobSet()}


def _is_policy(value: object) -> bool:
    rules = map_at(value).get("rules") or []
    return (
        is_map(value) and is_maps(rules) and all(is_maps(rule.get("onPodConditions") or []) for rule in rules)
    )


def _is_of_evictions(rule: Object) -> bool:
    return "DisruptionTarget" in [condition.get("type") for condition in rule.get("onPodConditions") or ()]


def _starts_over(job_set: Object, job: Object) -> bool:
    """Whether an eviction fails a Job of a set, and the set's first rule for that starts over without counting."""
    policy = map_at(job, "template", "spec").get("podFailurePolicy")
    first = next(filter(_is_of_evictions, maps_at(policy if _is_policy(policy) else None, "rules")), {})
    of_set = maps_at(job_set, "spec", "failurePolicy", "rules")
    applies = (rule for rule in of_set if _applies(rule, str(job.get("name"))))
    return first.get("action") == "FailJob" and next(applies, {}).get("action") in _RESTARTS


def _applies(rule: Object, job: str) -> bool:
    """Whether a rule of a set is for a Job that its pod failure policy has failed."""
    return "PodFailurePolicy" in (rule.get("onJobFailureReasons") or ["PodFailurePolicy"]) and job in (
        rule.get("targetReplicatedJobs") or [job]
    )


def _jobs(job_set: Object) -> list[Object]:
    return maps_at(job_set, "spec", "replicatedJobs")


def _coordinated(job: Object) -> bool:
    return any(
        variable.get("name") == _COORDINATOR
        for container in maps_at(job, "template", "spec", "template", "spec", "containers")
        for variable in maps_at(container, "env")
    )


def _ignores_evictions(rule: Object) -> bool:
    """Whether it is the rule put first, with the default `status: True` written out or not."""
    conditions = [{"status": "True", **condition} for condition in rule.get("onPodConditions") or ()]
    return {**rule, "onPodConditions": conditions} == IGNORE_EVICTIONS
