"""When an object is ready, per kind, by the rules of the real provider.

Source: provider/pkg/await of pulumi-kubernetes (awaiters.go and one file per kind); what differs there from its own
comments was measured with 4.32 (docs/facts/engine.md).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import (
    Kind,
    Object,
    at,
    condition,
    fields,
    is_true,
    items,
    name_of,
    namespace_of,
)
from kubeflow_aks.json_values import whole
from kubeflow_aks.local_aks.kubernetes_provider.cluster import Cluster, existing

_REVISION: Final = "deployment.kubernetes.io/revision"


@dataclass(frozen=True)
class Readiness:
    """Why an object is not ready, one line each; none if it is. `final`: waiting longer is of no use."""

    reasons: tuple[str, ...] = ()
    final: bool = False


READY: Final = Readiness()


@dataclass(frozen=True)
class Rule:
    """How the readiness of a kind is judged.

    Attributes:
        check: looks at the live object.
        seconds: how long to wait if neither the program nor an annotation sets it.
        on_read: a refresh reports an object that is not ready.
        settles: ready only when it stayed so for a while.
        stays_ready: looks at the answer to an update; an object that is ready there is not waited for.
    """

    check: Callable[[Object, Cluster], Readiness]
    seconds: float
    on_read: bool = True
    settles: bool = False
    stays_ready: Callable[[Object, Cluster], Readiness] | None = None


def _waiting(*reasons: str) -> Readiness:
    return Readiness(reasons)


def _unless(ok: object, reason: str) -> Readiness:
    return READY if ok else _waiting(reason)


def _observed(live: Object) -> bool:
    generation = at(live, "metadata", "generation")
    return generation is not None and at(live, "status", "observedGeneration") == generation


def _number(live: Object, *path: str) -> int:
    return whole(at(live, *path)) or 0


def _condition_errors(live: Object, *types: str) -> tuple[str, ...]:
    conditions = (condition(live, type_) for type_ in types)
    return tuple(
        f"[{c['reason']}] {c.get('message', '')}".rstrip()
        for c in conditions
        if c.get("status") == "False" and c.get("reason")
    )


def _deployment(live: Object, related: Cluster) -> Readiness:
    if not _observed(live):
        return _waiting("Waiting for the Deployment controller")
    return _updated_deployment(live, related)


def _updated_deployment(live: Object, related: Cluster) -> Readiness:
    """Whether the pods of a Deployment's current revision run, which right after an update is the one before it.

    So the update of a Deployment that was ready is a success, whatever becomes of the new pods.
    """
    revision = fields(at(live, "metadata", "annotations")).get(_REVISION)
    if not revision:
        return _waiting("Waiting for the Deployment controller")
    errors = _condition_errors(live, "Progressing", "Available")
    if not is_true(live, "Available"):
        return _waiting(*errors, "Minimum number of live Pods was not attained")
    progressing = condition(live, "Progressing")
    if revision != "1" and (progressing.get("reason"), progressing.get("status")) != (
        "NewReplicaSetAvailable",
        "True",
    ):
        return _waiting(*errors, "Minimum number of Pods to consider the application live was not attained")
    owned = [
        rs for rs in related.list(Kind("apps", "v1", "ReplicaSet"), namespace_of(live)) if _owns(live, rs)
    ]
    current = next(
        (rs for rs in owned if fields(at(rs, "metadata", "annotations")).get(_REVISION) == revision), None
    )
    if current is None or _number(current, "status", "readyReplicas") < _number(current, "spec", "replicas"):
        return _waiting("Minimum number of Pods to consider the application live was not attained")
    return _unbound_claims(live, related)


def _owns(owner: Object, obj: Object) -> bool:
    uids = {at(reference, "uid") for reference in items(at(obj, "metadata", "ownerReferences"))}
    return at(owner, "metadata", "uid") in uids


def _unbound_claims(deployment: Object, related: Cluster) -> Readiness:
    volumes = items(at(deployment, "spec", "template", "spec", "volumes"))
    names = {at(volume, "persistentVolumeClaim", "claimName") for volume in volumes} - {None}
    claims = related.list(Kind("", "v1", "PersistentVolumeClaim"), namespace_of(deployment)) if names else []
    unbound = [name_of(c) for c in claims if name_of(c) in names and at(c, "status", "phase") != "Bound"]
    return _unless(not unbound, f"Failed to bind PersistentVolumeClaim(s): {', '.join(unbound)}")


def _stateful_set(live: Object, _related: Cluster) -> Readiness:
    desired, generation = _number(live, "spec", "replicas"), _number(live, "metadata", "generation")
    counted = ["replicas", "readyReplicas"]
    if at(live, "spec", "updateStrategy", "type") != "OnDelete" or generation <= 1:
        counted.append("currentReplicas")
    if not _observed(live) or any(_number(live, "status", key) != desired for key in counted):
        ready = _number(live, "status", "readyReplicas")
        return _waiting(f"{ready} out of {desired} replicas succeeded readiness checks")
    rolled = at(live, "status", "currentRevision") == at(live, "status", "updateRevision")
    on_delete = at(live, "spec", "updateStrategy", "type") == "OnDelete"
    return _unless(rolled or on_delete, ".status.currentRevision does not match .status.updateRevision")


def _daemon_set(live: Object, _related: Cluster) -> Readiness:
    desired = _number(live, "status", "desiredNumberScheduled")
    counts = ("currentNumberScheduled", "updatedNumberScheduled", "numberAvailable", "numberReady")
    if not _observed(live):
        return _waiting("Waiting for the DaemonSet controller")
    short = [key for key in counts if _number(live, "status", key) < desired]
    return (
        _waiting(*(f"{key}: {_number(live, 'status', key)}/{desired}" for key in short)) if short else READY
    )


def _job(live: Object, _related: Cluster) -> Readiness:
    failed = condition(live, "Failed")
    if failed.get("status") == "True":
        return Readiness((f"[{failed.get('reason')}] {failed.get('message')}",), final=True)
    counts = {key: _number(live, "status", key) for key in ("active", "succeeded", "failed")}
    progress = f"(Active: {counts['active']} | Succeeded: {counts['succeeded']} | Failed: {counts['failed']})"
    return _unless(is_true(live, "Complete"), f'Waiting for Job "{name_of(live)}" to succeed {progress}')


def _pod(live: Object, _related: Cluster) -> Readiness:
    succeeded = at(live, "status", "phase") == "Succeeded" and condition(live, "Ready")
    begun = is_true(live, "PodScheduled") and is_true(live, "Initialized")
    if begun and (succeeded or is_true(live, "Ready")):
        return READY
    conditions = (condition(live, type_) for type_ in ("Initialized", "Ready"))
    errors = [
        f"[Pod {namespace_of(live)}/{name_of(live)}]: {c['message']}"
        for c in conditions
        if c.get("status") == "False" and c.get("reason") and c.get("message")
    ]
    return _waiting(*(errors or (f'Waiting for Pod "{name_of(live)}" to be ready',)))


def _service(live: Object, related: Cluster) -> Readiness:
    type_ = at(live, "spec", "type") or "ClusterIP"
    if type_ == "ExternalName" or at(live, "spec", "clusterIP") == "None":
        return READY
    reasons: list[str] = []
    slices = related.list(Kind("discovery.k8s.io", "v1", "EndpointSlice"), namespace_of(live))
    if not any(_owns(live, slice_) for slice_ in slices):  # one without endpoints will do
        reasons.append(
            "Service does not target any Pods. Selected Pods may not be ready, or field '.spec.selector' may not "
            "match labels on any Pods"
        )
    if type_ == "LoadBalancer" and not items(at(live, "status", "loadBalancer", "ingress")):
        reasons.append("Service was not allocated an IP address; does your cloud provider support this?")
    return Readiness(tuple(reasons))


def _ingress(live: Object, related: Cluster) -> Readiness:
    rules = [fields(rule) for rule in items(at(live, "spec", "rules"))]
    backends = [
        at(path, "backend", "service", "name") for rule in rules for path in items(at(rule, "http", "paths"))
    ]
    namespace = namespace_of(live)
    served = {name_of(endpoints) for endpoints in related.list(Kind("", "v1", "Endpoints"), namespace)}
    external = {
        name_of(service)
        for service in related.list(Kind("", "v1", "Service"), namespace)
        if at(service, "spec", "type") == "ExternalName"
    }
    missing = sorted({backend for backend in backends if backend} - served - external)
    reasons = [f'Ingress has a rule whose Service has no endpoints: "{backend}"' for backend in missing]
    if not items(at(live, "status", "loadBalancer", "ingress")):
        reasons.append("Ingress .status.loadBalancer field was not updated with a hostname/IP address")
    return Readiness(tuple(reasons))


def _claim(live: Object, related: Cluster) -> Readiness:
    class_name = at(live, "spec", "storageClassName")
    storage = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": class_name}}
    lazy = bool(class_name) and at(existing(related, storage), "volumeBindingMode") == "WaitForFirstConsumer"
    desired = "Pending" if lazy else "Bound"
    phase = at(live, "status", "phase")
    return _unless(
        phase == desired, f"PersistentVolumeClaim is {phase or 'without a phase'}, waiting for {desired}"
    )


def _volume(live: Object, _related: Cluster) -> Readiness:
    phase = at(live, "status", "phase")
    return _unless(phase in ("Available", "Bound"), f"PersistentVolume is {phase or 'without a phase'}")


def _replication_controller(live: Object, _related: Cluster) -> Readiness:
    desired, available = _number(live, "spec", "replicas"), _number(live, "status", "availableReplicas")
    return _unless(desired == available, f"{available} of {desired} replicas are available")


def _resource_quota(live: Object, _related: Cluster) -> Readiness:
    settled = at(live, "spec", "hard") == at(live, "status", "hard")
    return _unless(settled, "the quota controller has not processed the limits")


def _secret(live: Object, _related: Cluster) -> Readiness:
    token = live.get("type") == "kubernetes.io/service-account-token"
    return _unless(not token or live.get("data"), "the token controller has not filled in the token")


RULES: Final[Mapping[Kind, Rule]] = {
    Kind("apps", "v1", "DaemonSet"): Rule(_daemon_set, 600),
    Kind("apps", "v1", "Deployment"): Rule(_deployment, 600, stays_ready=_updated_deployment),
    Kind("apps", "v1", "StatefulSet"): Rule(_stateful_set, 600),
    Kind("batch", "v1", "Job"): Rule(_job, 600),
    Kind("networking.k8s.io", "v1", "Ingress"): Rule(_ingress, 600, settles=True),
    Kind("", "v1", "PersistentVolume"): Rule(_volume, 300, on_read=False),
    Kind("", "v1", "PersistentVolumeClaim"): Rule(_claim, 300, on_read=False),
    Kind("", "v1", "Pod"): Rule(_pod, 600),
    Kind("", "v1", "ReplicationController"): Rule(_replication_controller, 600, on_read=False),
    Kind("", "v1", "ResourceQuota"): Rule(_resource_quota, 60, on_read=False),
    Kind("", "v1", "Secret"): Rule(_secret, 5, on_read=False),
    Kind("", "v1", "Service"): Rule(_service, 600, settles=True),
}
