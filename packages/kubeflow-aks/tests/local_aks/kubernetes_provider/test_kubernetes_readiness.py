"""When an object is ready, per kind."""

from typing import Any

import pytest

from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.objects import Kind, Object, name_of
from kubeflow_aks.local_aks.kubernetes_provider.readiness import RULES, Readiness

Case = tuple[str, Object, list[Object]]


class _Objects:
    """Other objects that readiness may ask for."""

    def __init__(self, *objects: Object) -> None:
        self._objects = objects

    def get(self, obj: Object) -> Object:
        """The one of that kind and name."""
        objects = [other for other in self.list(Kind.of(obj), "") if name_of(other) == name_of(obj)]
        if not objects:
            raise ApiError(404, "NotFound", f'"{name_of(obj)}" not found')
        return objects[0]

    def list(self, kind: Kind, namespace: str) -> list[Object]:  # noqa: ARG002 - one namespace is enough here
        """All of that kind."""
        return [obj for obj in self._objects if Kind.of(obj) == kind]


def _cluster(*objects: Object) -> Any:
    """As much of a cluster as readiness reads."""
    return _Objects(*objects)


def _object(
    api_version: str, kind: str, spec: Object | None = None, status: Object | None = None, **rest: Any
) -> Object:
    metadata = {"name": "x", "namespace": "n", "generation": 1, "uid": "u", **rest.pop("metadata", {})}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": metadata,
        "spec": spec or {},
        "status": status or {},
        **rest,
    }


def _readiness(live: Object, *others: Object) -> Readiness:
    return RULES[Kind.of(live)].check(live, _cluster(*others))


def _condition(type_: str, status: str = "True", **rest: str) -> Object:
    return {"type": type_, "status": status, **rest}


def _deployment(
    *conditions: Object, revision: str = "1", observed: int = 1, spec: Object | None = None
) -> Object:
    annotations = {"annotations": {"deployment.kubernetes.io/revision": revision}}
    status = {"observedGeneration": observed, "conditions": list(conditions)}
    return _object("apps/v1", "Deployment", spec, status, metadata=annotations)


def _replica_set(ready: int, revision: str = "1", owner: str = "u") -> Object:
    metadata = {
        "annotations": {"deployment.kubernetes.io/revision": revision},
        "ownerReferences": [{"uid": owner}],
    }
    return _object("apps/v1", "ReplicaSet", {"replicas": 2}, {"readyReplicas": ready}, metadata=metadata)


AVAILABLE = _condition("Available")
ROLLED = _condition("Progressing", reason="NewReplicaSetAvailable")
ROLLING = _condition("Progressing", reason="ReplicaSetUpdated")
ENDPOINTS = _object("v1", "Endpoints", subsets=[{"addresses": [{"ip": "10.0.0.1"}]}])
SLICE = _object("discovery.k8s.io/v1", "EndpointSlice", metadata={"ownerReferences": [{"uid": "u"}]})
"""What the controller makes for every Service with a selector, be there endpoints or not."""
BALANCED = {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}
RULE = {"rules": [{"http": {"paths": [{"backend": {"service": {"name": "x"}}}]}}]}
LAZY: Object = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "lazy"},
    "volumeBindingMode": "WaitForFirstConsumer",
}
STATEFUL = {"observedGeneration": 1, "replicas": 2, "readyReplicas": 2, "currentReplicas": 2}
DAEMONS = {"observedGeneration": 1, "desiredNumberScheduled": 2, "currentNumberScheduled": 2}
DAEMONS_READY = DAEMONS | {"updatedNumberScheduled": 2, "numberAvailable": 2, "numberReady": 2}
TOKEN = "kubernetes.io/service-account-token"  # noqa: S105 - a type of Secret
CLAIM_VOLUME = {"template": {"spec": {"volumes": [{"persistentVolumeClaim": {"claimName": "x"}}]}}}

BEGUN = [_condition("PodScheduled"), _condition("Initialized")]
ENDED = [*BEGUN, _condition("Ready", "False", reason="PodCompleted")]
READY: list[Case] = [
    ("Deployment", _deployment(AVAILABLE), [_replica_set(2)]),
    ("Deployment rolled out again", _deployment(AVAILABLE, ROLLED, revision="2"), [_replica_set(2, "2")]),
    ("StatefulSet", _object("apps/v1", "StatefulSet", {"replicas": 2}, STATEFUL), []),
    ("DaemonSet without nodes", _object("apps/v1", "DaemonSet", {}, {"observedGeneration": 1}), []),
    ("DaemonSet", _object("apps/v1", "DaemonSet", {}, DAEMONS_READY), []),
    ("Job", _object("batch/v1", "Job", {}, {"conditions": [_condition("Complete")]}), []),
    ("Pod", _object("v1", "Pod", {}, {"conditions": [*BEGUN, _condition("Ready")]}), []),
    ("Pod that ended", _object("v1", "Pod", {}, {"phase": "Succeeded", "conditions": ENDED}), []),
    ("Service", _object("v1", "Service"), [SLICE]),
    ("headless Service", _object("v1", "Service", {"clusterIP": "None"}), []),
    ("Service elsewhere", _object("v1", "Service", {"type": "ExternalName"}), []),
    ("balanced Service", _object("v1", "Service", {"type": "LoadBalancer"}, BALANCED), [SLICE]),
    ("Ingress", _object("networking.k8s.io/v1", "Ingress", RULE, BALANCED), [ENDPOINTS]),
    (
        "Ingress to a Service elsewhere",
        _object("networking.k8s.io/v1", "Ingress", RULE, BALANCED),
        [_object("v1", "Service", {"type": "ExternalName"})],
    ),
    ("claim", _object("v1", "PersistentVolumeClaim", {}, {"phase": "Bound"}), []),
    (
        "lazy claim",
        _object("v1", "PersistentVolumeClaim", {"storageClassName": "lazy"}, {"phase": "Pending"}),
        [LAZY],
    ),
    ("volume", _object("v1", "PersistentVolume", {}, {"phase": "Available"}), []),
    ("quota", _object("v1", "ResourceQuota", {"hard": {"pods": "1"}}, {"hard": {"pods": "1"}}), []),
    ("token", _object("v1", "Secret", type=TOKEN, data={"token": "dA=="}), []),
    ("Secret without data", _object("v1", "Secret", type="Opaque"), []),
    ("controller", _object("v1", "ReplicationController", {"replicas": 1}, {"availableReplicas": 1}), []),
]  # fmt: skip

WAITING: list[Case] = [
    ("Deployment not observed", _deployment(AVAILABLE, observed=0), [_replica_set(2)]),
    ("Deployment without pods", _deployment(_condition("Available", "False")), [_replica_set(2)]),
    ("Deployment short of pods", _deployment(AVAILABLE), [_replica_set(1)]),
    ("Deployment with a stranger's pods", _deployment(AVAILABLE), [_replica_set(2, owner="other")]),
    ("Deployment rolling out", _deployment(AVAILABLE, ROLLING, revision="2"), [_replica_set(2, "2")]),
    (
        "Deployment with an unbound claim",
        _deployment(AVAILABLE, spec=CLAIM_VOLUME),
        [_replica_set(2), _object("v1", "PersistentVolumeClaim", {}, {"phase": "Pending"})],
    ),
    ("StatefulSet", _object("apps/v1", "StatefulSet", {"replicas": 3}, STATEFUL), []),
    (
        "StatefulSet rolling out",
        _object("apps/v1", "StatefulSet", {"replicas": 2}, STATEFUL | {"currentRevision": "a", "updateRevision": "b"}),
        [],
    ),
    ("DaemonSet not observed", _object("apps/v1", "DaemonSet", {}, {}), []),
    ("DaemonSet", _object("apps/v1", "DaemonSet", {}, DAEMONS), []),
    ("Job", _object("batch/v1", "Job", {}, {"active": 1}), []),
    ("Pod", _object("v1", "Pod", {}, {"phase": "Pending"}), []),
    ("Pod not ready", _object("v1", "Pod", {}, {"conditions": BEGUN}), []),
    ("Pod not scheduled", _object("v1", "Pod", {}, {"conditions": [BEGUN[1], _condition("Ready")]}), []),
    ("Service without endpoints", _object("v1", "Service"), []),
    (
        "Service beside another",
        _object("v1", "Service", metadata={"uid": "other"}),
        [SLICE],
    ),
    ("unbalanced Service", _object("v1", "Service", {"type": "LoadBalancer"}), [SLICE]),
    ("Ingress without address", _object("networking.k8s.io/v1", "Ingress", RULE), [ENDPOINTS]),
    ("Ingress without Service", _object("networking.k8s.io/v1", "Ingress", RULE, BALANCED), []),
    ("claim", _object("v1", "PersistentVolumeClaim", {}, {"phase": "Pending"}), []),
    ("volume", _object("v1", "PersistentVolume", {}, {"phase": "Pending"}), []),
    ("quota", _object("v1", "ResourceQuota", {"hard": {"pods": "1"}}), []),
    ("token", _object("v1", "Secret", type=TOKEN), []),
    ("controller", _object("v1", "ReplicationController", {"replicas": 1}), []),
]  # fmt: skip


@pytest.mark.parametrize(("live", "others"), [c[1:] for c in READY], ids=[c[0] for c in READY])
def test_is_ready(live: Object, others: list[Object]) -> None:
    assert _readiness(live, *others).reasons == ()


@pytest.mark.parametrize(("live", "others"), [c[1:] for c in WAITING], ids=[c[0] for c in WAITING])
def test_is_waited_for_with_a_reason(live: Object, others: list[Object]) -> None:
    readiness = _readiness(live, *others)
    assert readiness.reasons
    assert not readiness.final


def test_a_failed_job_is_not_waited_for() -> None:
    failed = _condition(
        "Failed", reason="BackoffLimitExceeded", message="Job has reached the specified backoff limit"
    )
    readiness = _readiness(_object("batch/v1", "Job", {}, {"conditions": [failed]}))
    assert readiness.final
    assert readiness.reasons == ("[BackoffLimitExceeded] Job has reached the specified backoff limit",)


def test_a_pods_condition_says_why_it_is_not_ready_if_it_has_a_message() -> None:
    failed = {"reason": "PodFailed", "message": "it failed"}
    readiness = _readiness(_object("v1", "Pod", {}, {"conditions": [_condition("Ready", "False", **failed)]}))
    assert readiness.reasons == ("[Pod n/x]: it failed",)
    silent = _condition("Ready", "False", reason="PodFailed")
    readiness = _readiness(_object("v1", "Pod", {}, {"phase": "Failed", "conditions": [silent]}))
    assert readiness.reasons == ('Waiting for Pod "x" to be ready',)


def test_an_updated_deployment_is_judged_by_the_pods_it_had() -> None:
    rule = RULES[Kind("apps", "v1", "Deployment")]
    assert rule.stays_ready is not None
    updated = _deployment(AVAILABLE, ROLLED, observed=0)
    assert rule.stays_ready(updated, _cluster(_replica_set(2))).reasons == ()
    assert rule.stays_ready(updated, _cluster(_replica_set(1))).reasons
