"""Ray on Kubernetes: RayCluster, RayJob and RayCronJob (ray.io/v1, KubeRay 1.4 to 1.7)."""

from collections.abc import Iterator, Mapping
from typing import Final

from ckf_spot import fields, judgements, time_limits
from ckf_spot.errors import Mistake
from ckf_spot.fields import Object, is_maps, map_at, maps_at
from ckf_spot.kinds.kind import (
    Kind,
    Path,
    PlacingRequest,
    Pods,
    Wrapper,
    mistake_in,
    pod_hints,
    unknown_roles,
    within,
)
from ckf_spot.placement import Placement

HEAD: Final = "head"
_VERSION: Final = "ray.io/v1"
_CLUSTER: Final = judgements.names("RayClusterSpec")
_HEAD: Final = judgements.names("RayClusterSpec", "headGroupSpec")
_WORKERS: Final = judgements.names("RayClusterSpec", "workerGroupSpecs")
_JOB: Final = judgements.names("RayJobSpec")
_CRON_JOB: Final = judgements.names("RayCronJob", "spec")
_DEADLINES: Final = ("activeDeadlineSeconds", "preRunningDeadlineSeconds")
"""Seconds from the start of an attempt; there is no further one after them
(`ray-operator/controllers/ray/rayjob_controller.go`)."""
_INTERACTIVE: Final = "InteractiveMode"
_AGAIN: Final = (
    "tasks on a lost worker run again, actors and Ray Train only where max_restarts or max_failures says so"
)
_HINTS: Final = pod_hints("template")


class _JobSpec(Kind):
    """The spec of a job; the pod that submits it stays."""

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Around the cluster."""
        hints = {name: f"a cluster's fields belong under rayClusterSpec.{name}" for name in _CLUSTER}
        if document.get("clusterSelector") and document.get("rayClusterSpec") is None:
            problem = "its pods belong to a cluster that is there already"
            yield mistake_in("clusterSelector", problem, "place that RayCluster instead")
        else:
            yield from fields.problems(document, "", _JOB, ("rayClusterSpec",), hints)
        yield from within(document, "rayClusterSpec")

    def pods(self, document: Object, request: PlacingRequest) -> Iterator[Pods]:
        """The one that submits the job."""
        if document.get("submitterPodTemplate") is not None:
            yield Pods(("submitterPodTemplate",), "the submitter", moves=False, named=False)

    def inner(self, document: Object) -> Iterator[tuple[Path, Kind]]:
        """The cluster."""
        yield ("rayClusterSpec",), _SPEC

    def doubts(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[str]:
        """What Ray itself does not start again; KubeRay refuses retries of what a person submits."""
        groups = maps_at(document, "rayClusterSpec", "workerGroupSpecs")
        vanish = any(request.vanishes(str(group.get("groupName")), by_default=True) for group in groups)
        if not placement.spot or not vanish:
            return
        for deadline in _DEADLINES:
            yield from time_limits.deadline_doubts(deadline, document.get(deadline), "the RayJob")
        if document.get("backoffLimit"):
            return
        if document.get("submissionMode") == _INTERACTIVE:
            yield f"{_AGAIN}: a RayJob in {_INTERACTIVE} has no retries, so otherwise you submit it again yourself"
        else:
            yield f"backoffLimit is 0: {_AGAIN}; without them one eviction fails the job, so set backoffLimit"


class _Cluster(Kind):
    """The spec of a cluster.

    KubeRay makes a lost worker again, whatever its restart policy, so the groups of workers may vanish; with the head
    all is lost, so it stays (`ray-operator/controllers/ray/raycluster_controller.go`).
    """

    has_roles = True
    rigid = (
        "whose workers are made again anyhow; what goes on without them is settled in your code, by max_retries, "
        "max_restarts and max_failures"
    )

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Mistakes down to the groups' templates."""
        yield from fields.problems(document, "", _CLUSTER, ("headGroupSpec",))
        head = document.get("headGroupSpec")
        if head is not None:
            yield from fields.problems(head, "headGroupSpec", _HEAD, ("template",), _HINTS)
        groups = document.get("workerGroupSpecs")
        if groups is not None and not is_maps(groups):
            yield Mistake("workerGroupSpecs", groups, "expected a list of maps with groupName and template")
        for number, group in enumerate(maps_at(document, "workerGroupSpecs")):
            yield from fields.problems(
                group, f"workerGroupSpecs[{number}]", _WORKERS, ("groupName", "template"), _HINTS
            )

    def request_problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """A role that is not there."""
        yield from unknown_roles(
            request, (HEAD, *(str(group.get("groupName")) for group in maps_at(document, "workerGroupSpecs")))
        )

    def pods(self, document: Object, request: PlacingRequest) -> Iterator[Pods]:
        """The head's and the workers'."""
        if map_at(document, "headGroupSpec").get("template") is not None:
            yield Pods(("headGroupSpec", "template"), HEAD, request.vanishes(HEAD))
        for number, group in enumerate(maps_at(document, "workerGroupSpecs")):
            if group.get("template") is not None:
                path = ("workerGroupSpecs", number, "template")
                role = str(group.get("groupName"))
                yield Pods(path, role, request.vanishes(role, by_default=True), apart=True)

    def doubts(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[str]:
        """What is lost with the head, or that nothing moves."""
        if not maps_at(document, "workerGroupSpecs") and not {HEAD} & {*request.also, *request.on_demand}:
            yield f"there are no workers that may vanish: the head stays, or goes too with also={(HEAD,)}"
        if placement.spot and HEAD in request.also:
            yield (
                "an eviction of the head ends the whole cluster and all that ran on it, even with fault tolerance of "
                "the GCS; a RayJob starts over as often as its backoffLimit says"
            )


_SPEC: Final = _Cluster()
_JOB_SPEC: Final = _JobSpec()
KINDS: Final[Mapping[str, Kind]] = {
    "RayCluster": Wrapper(_VERSION, _SPEC),
    "RayJob": Wrapper(_VERSION, _JOB_SPEC),
    "RayCronJob": Wrapper(
        _VERSION,
        _JOB_SPEC,
        ("spec", "jobTemplate"),
        _CRON_JOB,
        {name: f"a job's fields belong under jobTemplate.{name}" for name in _JOB},
    ),
}
