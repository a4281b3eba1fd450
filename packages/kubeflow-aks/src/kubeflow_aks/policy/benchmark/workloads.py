"""Host access, namespaces, network policies and labels of pods."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from kubeflow_aks.policy.benchmark.pods import Pod, every_pod, kind, pods
from kubeflow_aks.policy.benchmark.values import (
    Inputs,
    Look,
    at,
    in_turn,
    is_set,
    items,
    must_be,
    must_not_be,
    shown,
)
from kubeflow_aks.policy.rule import UNKNOWN, Resource
from kubeflow_aks.policy.table import rules

_SOCKETS: Final = ("docker.sock", "containerd.sock", "crio.sock", "cri-dockerd.sock")
_NAMESPACED: Final = frozenset(
    (
        "ConfigMap",
        "CronJob",
        "DaemonSet",
        "Deployment",
        "Ingress",
        "Job",
        "NetworkPolicy",
        "Pod",
        "ReplicaSet",
        "Role",
        "RoleBinding",
        "Secret",
        "Service",
        "ServiceAccount",
        "StatefulSet",
    )
)
_LABELS: Final = ("app.kubernetes.io/name", "app.kubernetes.io/part-of", "app.kubernetes.io/managed-by")
_POLICY: Final = "kubernetes:networking.k8s.io/v1:NetworkPolicy"


def _off(key: str) -> Look:
    return must_not_be(key, "true", instead="false")


def _host_paths(spec: Inputs) -> Iterator[str]:
    for volume in items(spec, "volumes"):
        if is_set(path := at(volume, "hostPath.path")):
            yield str(path)


def _no_sockets(spec: Inputs) -> Iterator[str]:
    for path in _host_paths(spec):
        if path.endswith(_SOCKETS):
            yield f"a volume is {path}, which gives full control of the node"


def _no_host_paths(spec: Inputs) -> Iterator[str]:
    for path in _host_paths(spec):
        yield f"a volume is {path} of the node; expected none of its folders"


def _own_namespace(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    for resource in resources:
        if kind(resource) in _NAMESPACED:
            namespace = at(resource.inputs, "metadata.namespace")
            if namespace is not UNKNOWN and namespace in (None, "", "default"):
                yield (
                    resource.urn,
                    f"metadata.namespace is {shown(namespace)}; expected one that is not default",
                )


def _policies(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    policies = [it.inputs for it in resources if it.type == _POLICY]

    def free(pod: Pod) -> Iterator[str]:
        if not any(_selects(policy, pod) for policy in policies):
            yield "no NetworkPolicy of its namespace selects its pods"

    return in_turn(pods(resources), free)


def _selects(policy: Inputs, pod: Pod) -> bool:
    """Whether a policy is about a pod; two unknown namespaces count as equal."""
    namespace = at(policy, "metadata.namespace")
    if namespace is UNKNOWN or pod.namespace is UNKNOWN:
        same = namespace is pod.namespace
    else:
        same = namespace == pod.namespace
    selector: Any = at(policy, "spec.podSelector") or {}
    return same and _matches(selector, pod.labels)


def _matches(selector: Mapping[str, Any], labels: Inputs) -> bool:
    required: Mapping[str, Any] = at(selector, "matchLabels") or {}
    return all(labels.get(key) == value for key, value in required.items()) and all(
        _fulfils(labels.get(at(it, "key")), at(it, "operator"), items(it, "values"))
        for it in items(selector, "matchExpressions")
    )


def _fulfils(label: Any, operator: str, values: Sequence[Any]) -> bool:
    match operator:
        case "In":
            return label in values
        case "NotIn":
            return label not in values
        case "Exists":
            return label is not None
        case _:
            return label is None


def _labelled(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    def lacking(resource: Resource) -> Iterator[str]:
        labels: Mapping[str, Any] = at(resource.inputs, "metadata.labels") or {}
        if missing := [label for label in _LABELS if label not in labels]:
            yield f"metadata.labels lack {', '.join(missing)}"

    workloads = [it for it in resources if kind(it) in ("DaemonSet", "Deployment", "StatefulSet")]
    return in_turn(workloads, lacking)


RULES: Final = rules(
    {
        "pod-no-host-namespaces": every_pod(*map(_off, ("hostPID", "hostIPC", "hostNetwork"))),
        "pod-no-runtime-socket": every_pod(_no_sockets),
        "pod-no-host-paths": every_pod(_no_host_paths),
        "pod-no-token": every_pod(must_be("automountServiceAccountToken", "false")),
        "object-namespace": _own_namespace,
        "pod-network-policy": _policies,
        "workload-labels": _labelled,
    }
)
