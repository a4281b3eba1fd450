"""Jobs of the training operator 1.9: TFJob, PyTorchJob, MPIJob, XGBoostJob, PaddleJob, JAXJob."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ckf_spot import fields, judgements, time_limits
from ckf_spot.errors import Mistake, not_one_of
from ckf_spot.fields import Json, Object, map_at, maps_at
from ckf_spot.kinds import torch_elastic
from ckf_spot.kinds.kind import Kind, PlacingRequest, Pods, mistake_in, pod_hints, unknown_roles
from ckf_spot.placement import Placement

WORKER: Final = "Worker"
_LAUNCHER: Final = "Launcher"
_ON_EVICTION: Final = "ExitCode"
"""The operator makes a pod again that ended with 128 or more, as after a signal, and fails the job otherwise."""
_RESTARTS: Final = ("Always", "ExitCode", "Never", "OnFailure")
_SURVIVING: Final = ("ExitCode", "OnFailure", "Always")
"""Policies with which the operator 1.9.2 replaces a drained pod
(`packages/kubeflow-aks/tests/local/training/test_restart_policies.py`)."""
_DYNAMIC: Final = "enableDynamicWorker"
_REPLICA: Final = judgements.names("ReplicaSpec")
_RUN_POLICY: Final = judgements.names("RunPolicy")


@dataclass(frozen=True)
class TrainingJob(Kind):
    """A kind of training job, as its CRD and the operator's validating webhook require it.

    Workers may vanish. Other roles (Chief, Master, PS, Launcher, Evaluator) hold the job together and stay: without
    tolerations they run on the general nodes, and where they ask for a GPU, on the group's on-demand pool. Workers get
    `restartPolicy: ExitCode` unless they have a policy that survives evictions too.

    Attributes:
        name: of the kind.
        replicas: the spec's field that holds the roles.
        roles: names of the roles.
        container: name that one container of each role must have, or None where any name will do.
        options: the spec's other fields.
        default: restart policy of a role that says none.
        surviving: restart policies with which a drained worker is made again.
        on_eviction: what an eviction does to the job as a whole, or None where it is only a worker that starts again.
        rigid: see `Kind`; empty where the operator sets up torchrun's elastic launch.
    """

    name: str
    replicas: str
    roles: tuple[str, ...]
    container: str | None
    options: tuple[str, ...] = ("runPolicy",)
    default: str = "Never"
    surviving: tuple[str, ...] = _SURVIVING
    on_eviction: str | None = None
    rigid: str = "for which the training operator 1.9 sets up no elastic launch"

    has_roles = True

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Mistakes down to the roles' pods."""
        yield from fields.object_problems(document, "kubeflow.org/v1")
        spec = document.get("spec")
        if spec is None:
            return
        options = (self.replicas, *self.options)
        hints = {key: f"it belongs under spec.runPolicy.{key}" for key in _RUN_POLICY if key not in options}
        yield from fields.problems(spec, "spec", options, (self.replicas,), hints)
        if (policy := map_at(document, "spec").get("runPolicy")) is not None:
            yield from fields.problems(policy, "spec.runPolicy", _RUN_POLICY)
        replicas = map_at(document, "spec").get(self.replicas)
        if replicas is not None:
            yield from fields.problems(replicas, f"spec.{self.replicas}", self.roles)
        for role, replica in self._replicas(document).items():
            yield from self._replica_problems(role, replica)
        yield from _dynamic_problems(map_at(document, "spec"), self._replicas(document))
        if not self.rigid:
            yield from torch_elastic.problems(document, request)

    def request_problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """A role that is not there, or nothing that would be placed."""
        replicas = self._replicas(document)
        yield from unknown_roles(request, replicas)
        vanishing = {*request.also, *request.on_demand, WORKER}
        if replicas and replicas.keys() <= {*self.roles} - vanishing:
            yield mistake_in(
                f"spec.{self.replicas}",
                f"there is no {WORKER} among {', '.join(replicas)}, so nothing would be placed",
                "name the role that may vanish in also",
            )

    def pods(self, document: Object, request: PlacingRequest) -> Iterator[Pods]:
        """The roles' templates."""
        for role, replica in self._replicas(document).items():
            if map_at(replica).get("template") is not None:
                moves = request.vanishes(role, by_default=role == WORKER)
                yield Pods(("spec", self.replicas, role, "template"), role, moves)

    def place(self, document: Json, placement: Placement, request: PlacingRequest) -> None:
        """The operator makes an evicted pod again, and the others go on without it where they can."""
        moving = self._moving(document, request)
        if placement.spot and request.elastic and moving:
            torch_elastic.place(document, request)
        for role, replica in moving.items():
            policy = replica.get("restartPolicy") or self.default
            if placement.spot and policy not in self.surviving and role != _LAUNCHER:
                document["spec"][self.replicas][role]["restartPolicy"] = _ON_EVICTION

    def doubts(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[str]:
        """How the operator still fails the job; judged by the document as it was before."""
        moving = self._moving(document, request)
        if not placement.spot or not moving:
            return
        spec = document["spec"]
        if self.on_eviction and not spec.get(_DYNAMIC):
            yield self.on_eviction
        if not self.rigid:
            yield from torch_elastic.doubts(document, request)
        for role, replica in moving.items():
            policy = replica.get("restartPolicy")
            if role == _LAUNCHER:
                yield (
                    "the job ends or hangs with its Launcher, which the operator does not start again: leave it out of "
                    "also"
                )
            elif policy == "Never":
                yield (
                    f"{role} had restartPolicy Never and has ExitCode now, to survive evictions: one that runs out of "
                    "memory ends with 137, as after an eviction, and is started again without end; set "
                    "runPolicy.activeDeadlineSeconds, or leave it on demand: require='on-demand'"
                )
            elif policy is not None and policy not in self.surviving:
                yield (
                    f"{role} had restartPolicy {policy}, with which a drained {role} fails the job, and has ExitCode "
                    "now: it is made again after a signal, and a bug fails the job"
                )
        policy = map_at(spec, "runPolicy")
        yield from time_limits.deadline_doubts(
            "spec.runPolicy.activeDeadlineSeconds", policy.get("activeDeadlineSeconds"), "the job"
        )
        limit = policy.get("backoffLimit")
        if limit == 0 and type(limit) is int:
            yield (
                "spec.runPolicy.backoffLimit: 0 fails the job at the first pod that the operator sees fail, an "
                "evicted one too; leave it out"
            )

    def _replicas(self, document: Object) -> Object:
        return map_at(document, "spec", self.replicas)

    def _moving(self, document: Object, request: PlacingRequest) -> Object:
        replicas = self._replicas(document)
        return {
            role: replica
            for role, replica in replicas.items()
            if request.vanishes(role, by_default=role == WORKER)
        }

    def _replica_problems(self, role: str, replica: object) -> Iterator[Mistake]:
        where = f"spec.{self.replicas}.{role}"
        template = f"{role}.template"
        hints = {"spec": f"a pod's fields belong under {template}.spec", **pod_hints(template)}
        yield from fields.problems(replica, where, _REPLICA, ("template",), hints)
        policy = map_at(replica).get("restartPolicy")
        if policy is not None and policy not in _RESTARTS:
            yield not_one_of(f"{where}.restartPolicy", policy, _RESTARTS)
        containers = maps_at(replica, "template", "spec", "containers")
        names = [container.get("name") for container in containers]
        if None not in names and names and self.container and self.container not in names:
            yield mistake_in(
                f"{where}.template.spec.containers",
                f"{', '.join(map(repr, names))} is not the name that the training operator looks for",
                f"expected {self.container!r} for one of them",
            )


def _dynamic_problems(spec: Object, replicas: Object) -> Iterator[Mistake]:
    """Why a TFJob's workers can't be dynamic; `docs/facts/placement.md#training-jobs`."""
    if not spec.get(_DYNAMIC):
        return
    amounts = {role: map_at(replicas, role).get("replicas", 1) for role in replicas}
    alone = list(amounts.values()) == [1]
    if not alone and (amounts.keys() - {"PS", WORKER} or amounts.get("PS") != 1):
        yield Mistake(
            f"spec.{_DYNAMIC}",
            spec[_DYNAMIC],
            "leave it out",
            "gives Chief, Master, Evaluator and Workers without a PS no cluster that TensorFlow takes, and leaves "
            "each of several PS alone (training operator 1.9); it works with exactly one PS and Workers only",
        )


_BY_SIGNAL_ONLY: Final = (_ON_EVICTION,)
_CONNECTED: Final = (
    "its workers lose their connection when one of them is evicted; those that leave with 128 or more are started "
    "again, and one that leaves with 1 fails the job: catch the error, leave with 143, and save checkpoints"
)
_MPI_ON_EVICTION: Final = (
    "mpirun ends with any worker that is evicted, and the job with it, unless the framework can lose some, as elastic "
    "Horovod can: give the Launcher restartPolicy OnFailure, or keep the workers on demand: require='on-demand'"
)
_JAX_ON_EVICTION: Final = (
    f"no role of it stays: Worker 0 coordinates the others, and they end with it; {_CONNECTED}"
)
_TF_ON_EVICTION: Final = (
    "fails as a whole when one worker is drained, whatever its restart policy (training operator 1.9); take a "
    "PyTorchJob, or keep its workers on demand: require='on-demand'"
)

KINDS: Final[Mapping[str, TrainingJob]] = {
    job.name: job
    for job in (
        TrainingJob(
            "TFJob", "tfReplicaSpecs", ("Chief", "Master", "PS", "Worker", "Evaluator"), "tensorflow",
            ("runPolicy", "successPolicy", _DYNAMIC), on_eviction=_TF_ON_EVICTION,
        ),
        TrainingJob(
            "PyTorchJob", "pytorchReplicaSpecs", ("Master", "Worker"), "pytorch",
            ("runPolicy", torch_elastic.POLICY, "nprocPerNode"), "OnFailure", rigid="",
        ),
        TrainingJob(
            "MPIJob", "mpiReplicaSpecs", ("Launcher", "Worker"), None,
            ("runPolicy", "cleanPodPolicy", "mainContainer", "slotsPerWorker"),
            surviving=_BY_SIGNAL_ONLY, on_eviction=_MPI_ON_EVICTION,
        ),
        TrainingJob(
            "XGBoostJob", "xgbReplicaSpecs", ("Master", "Worker"), "xgboost",
            surviving=_BY_SIGNAL_ONLY, on_eviction=_CONNECTED,
        ),
        TrainingJob(
            "PaddleJob", "paddleReplicaSpecs", ("Master", "Worker"), "paddle",
            ("runPolicy", "elasticPolicy"), "OnFailure",
        ),
        TrainingJob("JAXJob", "jaxReplicaSpecs", ("Worker",), "jax", on_eviction=_JAX_ON_EVICTION),
    )
}  # fmt: skip
