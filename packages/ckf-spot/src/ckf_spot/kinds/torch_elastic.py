"""A PyTorchJob that goes on with fewer pods: torchrun's elastic launch, by the training operator's `elasticPolicy`.

Source: docs/facts/placement.md#elastic-training.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from ckf_spot.errors import Mistake, missing
from ckf_spot.fields import Json, Object, is_maps, map_at
from ckf_spot.kinds.kind import PlacingRequest, contradiction, within

POLICY: Final = "elasticPolicy"
_REPLICAS: Final = "pytorchReplicaSpecs"
_MASTER: Final = "Master"
_LEAST: Final = 1
"""The master alone, or one worker."""
_MAX_RESTARTS: Final = 100
"""Restarts of the operator's own examples (`examples/pytorch/elastic`): an eviction costs every other pod one."""
_BACKEND: Final = "c10d"
_OLD_BACKEND: Final = "etcd"
"""A backend without a store that attempts share (`torch/distributed/elastic/rendezvous/etcd_rendezvous.py`)."""
_CONTAINER: Final = "pytorch"
_OWN_STORE: Final = "TORCH_DISABLE_SHARE_RDZV_TCP_STORE"
"""Variable without which pods that go on and those that join wait for each other: all attempts share a
store, which still has the entries of the last one (`pytorch/pytorch#135712`;
seen with PyTorch 2.11 by `packages/kubeflow-aks/tests/benchmarks/torchrun.py`)."""
_FLAGS: Final = re.compile(r"--(nnodes|rdzv[-_]endpoint|max[-_]restarts|standalone)\b")
"""Options of torchrun that count instead of the policy's variables."""
_RANGE: Final = re.compile(r"--nnodes[= ]\S+:")
"""The command itself says that it goes on with fewer."""


def problems(document: Object, request: PlacingRequest) -> Iterator[Mistake]:
    """Why the policy is malformed or can't be completed."""
    yield from within(document, "spec", POLICY)
    if not request.elastic:
        return
    counts = _counts(document)
    for role, count in counts.items():
        if type(count) is not int:
            path = f"spec.{_REPLICAS}.{role}.replicas"
            yield Mistake(path, count, "expected a number, of which elastic makes maxReplicas")
    if list(counts.values()) == [1]:
        yield contradiction("elastic", request.elastic, "a job of one pod", "leave it out")
    if _master_stays(document, request) and not _policy(document).get("rdzvHost") and not _name(document):
        yield missing("metadata.name", "elastic needs it for the address of the Master's pod")


def place(document: Json, request: PlacingRequest) -> None:
    """Completes the policy and the variables of a document without problems; what is in it stays."""
    document["spec"][POLICY] = _completed(document, request)
    for container in _containers(document):
        if not _has_own_store(container):
            container["env"] = [*(container.get("env") or ()), {"name": _OWN_STORE, "value": "1"}]


def doubts(document: Object, request: PlacingRequest) -> Iterator[str]:
    """Where the job could go on without an evicted pod, and does not."""
    commands = _commands(document)
    if not (policy := _completed(document, request) if request.elastic else _policy(document)):
        gang = list(_counts(document).values()) != [1] and not any(map(_RANGE.search, commands))
        if gang and any(map(_starts_torchrun, commands)):
            yield (
                "all its pods wait until an evicted one runs again, and torchrun can go on with fewer: --elastic, in "
                "Python elastic=True"
            )
        return
    least, most = policy.get("minReplicas"), policy.get("maxReplicas")
    if least is None or most is None or least == most:
        yield f"{POLICY} fixes the number of pods; set minReplicas below maxReplicas"
    if not policy.get("maxRestarts"):
        yield f"{POLICY} has no maxRestarts: the other pods end with the evicted one; --elastic sets it"
    yield from _rendezvous_doubts(document, policy, request)
    shared = policy.get("rdzvBackend") != _OLD_BACKEND and not all(map(_has_own_store, _containers(document)))
    if shared and not request.elastic:
        yield f"its pods hang when one of them is made again, unless {_OWN_STORE} is 1; --elastic sets it"
    flags = sorted({flag for command in commands for flag in _FLAGS.findall(command)})
    if flags:
        yield f"{', '.join(f'--{flag}' for flag in flags)} in the command counts instead of {POLICY}; leave it out"
    if any(command.startswith("python") and "torch" not in command for command in commands):
        yield f"its command starts python and not torchrun, which alone reads {POLICY}"


def _rendezvous_doubts(document: Object, policy: Object, request: PlacingRequest) -> Iterator[str]:
    """All pods stop with the one at which they meet."""
    name = _name(document) or "NAME"
    host = policy.get("rdzvHost") or f"{name}-worker-0"
    if policy.get("rdzvBackend", _BACKEND) != _BACKEND or policy.get("standalone"):
        return
    vanishing = [f"{name}-worker-", *([f"{name}-master-"] if _MASTER in request.also else [])]
    if any(str(host).startswith(prefix) for prefix in vanishing):
        way = (
            "--elastic puts it on the Master, which stays"
            if _master_stays(document, request)
            else "give the job a Master with replicas: 1, which stays"
        )
        yield f"its pods meet at {host}, and all stop when that is evicted; {way}"


def _completed(document: Object, request: PlacingRequest) -> Json:
    policy = _policy(document)
    made: Json = {"rdzvBackend": _BACKEND}
    if _master_stays(document, request) and policy.get("rdzvBackend", _BACKEND) == _BACKEND:
        made["rdzvHost"] = f"{_name(document)}-master-0"
    counts = _counts(document).values()
    made |= {"minReplicas": _LEAST, "maxReplicas": sum(counts), "maxRestarts": _MAX_RESTARTS}
    return {**policy, **{key: value for key, value in made.items() if policy.get(key) is None}}


def _policy(document: Object) -> Object:
    return map_at(document, "spec", POLICY)


def _name(document: Object) -> str:
    return str(map_at(document, "metadata").get("name") or "")


def _master_stays(document: Object, request: PlacingRequest) -> bool:
    return _MASTER in map_at(document, "spec", _REPLICAS) and _MASTER not in request.also


def _counts(document: Object) -> dict[str, Any]:
    """Numbers of pods by role, as the operator sets their defaults."""
    counts = {
        role: map_at(document, "spec", _REPLICAS, role).get("replicas")
        for role in map_at(document, "spec", _REPLICAS)
    }
    return {role: 1 if count is None else count for role, count in counts.items()}


def _containers(document: Object) -> list[Json]:
    """Those that train."""
    trainers: list[Any] = []
    for role in map_at(document, "spec", _REPLICAS):
        containers = map_at(document, "spec", _REPLICAS, role, "template", "spec").get("containers")
        trainers += [
            container
            for container in (containers if is_maps(containers) else ())
            if container.get("name") == _CONTAINER
        ]
    return trainers


def _has_own_store(container: Object) -> bool:
    """Also where its variables are malformed."""
    env = container.get("env") or []
    return not is_maps(env) or any(variable.get("name") == _OWN_STORE for variable in env)


def _commands(document: Object) -> list[str]:
    """What the containers start, as one text each; nothing of an image's own entry point."""
    parts = [[container.get(key) for key in ("command", "args")] for container in _containers(document)]
    words = [[str(word) for part in of_one if isinstance(part, list) for word in part] for of_one in parts]
    return [" ".join(command) for command in words if command]


def _starts_torchrun(command: str) -> bool:
    return "torchrun" in command or "torch.distributed." in command
