"""Places a job of the training operator 1.9: TFJob, PyTorchJob, MPIJob, XGBoostJob, PaddleJob, JAXJob."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ckf_spot import fields
from ckf_spot.errors import ABSENT, EvictionWarning, Mistake, PlacementError, not_one_of, refuse
from ckf_spot.fields import Json, of
from ckf_spot.kinds.serialise import plain
from ckf_spot.placement import Capacity, Placement
from ckf_spot.pods import gpu_limits, shape
from ckf_spot.pods import template as pods
from ckf_spot.pool_group import PoolGroup

API_VERSION: Final = "kubeflow.org/v1"
WORKER: Final = "Worker"
_ON_EVICTION: Final = "ExitCode"
"""The operator makes a pod again that ended with 128 or more, as after a signal, and fails the job otherwise."""
_TFJOB: Final = "TFJob"
_DYNAMIC: Final = "enableDynamicWorker"
_RESTARTS: Final = ("Always", "ExitCode", "Never", "OnFailure")
_SURVIVING: Final = ("Always", "OnFailure")
"""Restart policies beside ExitCode with which the operator replaces a failed pod (pkg/controller.v1/common/pod.go)."""
_REPLICA: Final = ("replicas", "restartPolicy", "template")
_OF_THE_POD: Final = (
    "affinity",
    "nodeSelector",
    "tolerations",
    "containers",
    "terminationGracePeriodSeconds",
)
"""What people put next to the template."""
_RUN_POLICY: Final = (
    "activeDeadlineSeconds", "backoffLimit", "cleanPodPolicy", "managedBy", "schedulingPolicy", "suspend",
    "ttlSecondsAfterFinished",
)  # fmt: skip


@dataclass(frozen=True)
class TrainingKind:
    """A kind of job, as its CRD of training-operator 1.9 and its validating webhook want it.

    Attributes:
        replicas: the spec's field that holds the roles.
        roles: names of the roles.
        container: name that one container of each role must have, or None where any name will do.
        options: the spec's other fields.
    """

    replicas: str
    roles: tuple[str, ...]
    container: str | None
    options: tuple[str, ...] = ("runPolicy",)


KINDS: Final[Mapping[str, TrainingKind]] = {
    "TFJob": TrainingKind(
        "tfReplicaSpecs", ("Chief", "Master", "PS", "Worker", "Evaluator"), "tensorflow",
        ("runPolicy", "successPolicy", "enableDynamicWorker"),
    ),
    "PyTorchJob": TrainingKind(
        "pytorchReplicaSpecs", ("Master", "Worker"), "pytorch", ("runPolicy", "elasticPolicy", "nprocPerNode"),
    ),
    "MPIJob": TrainingKind(
        "mpiReplicaSpecs", ("Launcher", "Worker"), None,
        ("runPolicy", "cleanPodPolicy", "mainContainer", "slotsPerWorker"),
    ),
    "XGBoostJob": TrainingKind("xgbReplicaSpecs", ("Master", "Worker"), "xgboost"),
    "PaddleJob": TrainingKind("paddleReplicaSpecs", ("Master", "Worker"), "paddle", ("runPolicy", "elasticPolicy")),
    "JAXJob": TrainingKind("jaxReplicaSpecs", ("Worker",), "jax"),
}  # fmt: skip


def place_training_job(
    job: object,
    group: PoolGroup,
    *,
    prefer: Capacity | None = None,
    require: Capacity | None = None,
    also: Sequence[str] = (),
) -> Json:
    """The job with its workers on the pools, and everything that must not vanish on nodes that stay.

    Workers get tolerations, affinity, a grace period of 25 s, the autoscaler's annotation, and `restartPolicy:
    ExitCode` unless the job says OnFailure or Always, which survive evictions too. Other roles (Chief, Master, PS,
    Launcher, Evaluator) hold the job together and are left alone: without tolerations they run on the general nodes.
    Only one that asks for a GPU is placed, on the group's on-demand pool, since it would wait forever elsewhere.

    A TFJob with parameter servers gets `enableDynamicWorker`, without which a drained worker fails the job; one without
    them is warned about.

    Args:
        job: a dict, or an object such as KubeflowOrgV1PyTorchJob; it stays as it is.
        group: the pools.
        prefer: see `PoolGroup.placement`; for the workers.
        require: see `PoolGroup.placement`; for the workers.
        also: roles that may vanish too and go where the workers go, such as `("Master",)` where it keeps checkpoints.

    Returns:
        A dict, as the API server wants it.

    Raises:
        PlacementError: with every mistake, one a line.

    Warns:
        EvictionWarning: a TFJob that an eviction with notice fails as a whole.
    """
    document = plain(job)
    refuse(problems(document))
    return placed(document, group, prefer=prefer, require=require, also=also)


def problems(document: Mapping[str, Any], inside: str = "") -> list[Mistake]:
    """What is wrong with a training job's fields, down to its pods.

    Args:
        document: the job.
        inside: start of every path in messages, such as `spec.trialTemplate.trialSpec.`.
    """
    name = document.get("kind")
    if not isinstance(name, str) or name not in KINDS:
        return [not_one_of(f"{inside}kind", name, KINDS)]
    kind = KINDS[name]
    found = list(fields.object_problems(document, inside, API_VERSION, name))
    spec = document.get("spec")
    if spec is None:
        return found
    options = (kind.replicas, *kind.options)
    hints = {key: f"it belongs under spec.runPolicy.{key}" for key in _RUN_POLICY if key not in options}
    found += fields.problems(spec, f"{inside}spec", options, (kind.replicas,), hints)
    if (policy := of(document, "spec").get("runPolicy")) is not None:
        found += fields.problems(policy, f"{inside}spec.runPolicy", _RUN_POLICY)
    replicas = of(document, "spec").get(kind.replicas)
    if replicas is None:
        return found
    found += fields.problems(replicas, f"{inside}spec.{kind.replicas}", kind.roles)
    for role, replica in of(document, "spec", kind.replicas).items():
        found += _replica_problems(role, replica, kind, inside)
    return found


def placed(
    document: Json,
    group: PoolGroup,
    *,
    prefer: Capacity | None,
    require: Capacity | None,
    also: Sequence[str],
    inside: str = "",
) -> Json:
    """The job on its pools.

    Args:
        document: a training job without problems, which is changed.
        group: see `place_training_job`.
        prefer: see `place_training_job`.
        require: see `place_training_job`.
        also: see `place_training_job`.
        inside: start of every path in messages.

    Raises:
        PlacementError: with every mistake, one a line.
    """
    kind = KINDS[document["kind"]]
    replicas: dict[str, Json] = document["spec"][kind.replicas]
    workers = group.placement(prefer=prefer, require=require)
    moving = {*also, WORKER} & replicas.keys()
    found = [not_one_of("also", role, replicas) for role in also if role not in replicas]
    if not moving:
        found.append(
            Mistake(
                f"{inside}spec.{kind.replicas}",
                ABSENT,
                "name the role that may vanish in also",
                f"there is no {WORKER} among {', '.join(replicas) or 'no roles'}, so nothing would be placed",
            )
        )
    placements: dict[str, Placement] = {}
    for role, replica in replicas.items():
        where = f"{inside}spec.{kind.replicas}.{role}.template"
        if role in moving:
            placements[role] = workers
        elif group.gpus and gpu_limits.asked(gpu_limits.of_template(replica["template"])):
            try:
                placements[role] = group.placement(require="on-demand")
            except PlacementError as error:
                found.append(
                    Mistake(
                        where,
                        ABSENT,
                        f"also=({role!r},) puts it on spot",
                        f"{role} asks for a GPU and must not vanish: {error}",
                    )
                )
                continue
        else:
            continue
        found += pods.placement_problems(replica["template"], placements[role], where)
    refuse(found)
    for role, chosen in placements.items():
        replica = replicas[role]
        replica["template"] = pods.place_template(replica["template"], chosen)
        if role in moving and chosen.spot and replica.get("restartPolicy") not in _SURVIVING:
            replica["restartPolicy"] = _ON_EVICTION
    if document["kind"] == _TFJOB and any(placements[role].spot for role in moving):
        _let_workers_go(document)
    return document


def _let_workers_go(document: Json) -> None:
    """Lets a TFJob's workers come and go; otherwise one that is drained fails the whole job.

    The operator 1.9 counts a pod that is on its way out as failed, whatever its restart policy, unless workers are
    dynamic (core/status.go; measured on the local AKS). A dynamic worker knows the parameter servers and itself, which
    is what training with parameter servers needs and what workers that talk to each other can't do with.
    """
    spec, name = document["spec"], of(document, "metadata").get("name")
    if "PS" in spec[KINDS[_TFJOB].replicas]:
        spec.setdefault(_DYNAMIC, True)
    if not spec.get(_DYNAMIC):
        warnings.warn(
            f"TFJob {name!r} fails as a whole when one worker is drained, which the operator 1.9 counts as failed; "
            f"set spec.{_DYNAMIC}: true if the workers do not talk to each other, or take a PyTorchJob",
            EvictionWarning,
            stacklevel=4,
        )


def _replica_problems(role: str, replica: object, kind: TrainingKind, inside: str) -> Iterator[Mistake]:
    where = f"{inside}spec.{kind.replicas}.{role}"
    hints = {"spec": f"a pod's fields belong under {role}.template.spec"} | {
        name: f"a pod's fields belong under {role}.template.spec.{name}" for name in _OF_THE_POD
    }
    yield from fields.problems(replica, where, _REPLICA, ("template",), hints)
    policy = of({"": replica}, "").get("restartPolicy")
    if policy is not None and policy not in _RESTARTS:
        yield not_one_of(f"{where}.restartPolicy", policy, _RESTARTS)
    template = of({"": replica}, "").get("template")
    if template is None:
        return
    found = shape.template_problems(template, f"{where}.template")
    yield from found
    names = [] if found else [container["name"] for container in template["spec"]["containers"]]
    if names and kind.container and kind.container not in names:
        yield Mistake(
            f"{where}.template.spec.containers",
            ABSENT,
            f"expected {kind.container!r} for one of them",
            f"{', '.join(map(repr, names))} is not the name that the training operator looks for",
        )
