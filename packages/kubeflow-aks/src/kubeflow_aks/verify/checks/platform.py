"""What Kubeflow and every pod rest on runs: the platform's pods, the cluster's DNS, its namespaces and its APIs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Object, at, condition, items, name_of
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import listed, one_line
from kubeflow_aks.verify.findings import CheckResult, failed, group_by_first, passed, unknown
from kubeflow_aks.verify.snapshot import (
    OUR_NAMESPACE,
    ClusterSnapshot,
    container_statuses,
    has_ready_endpoint,
    is_platform,
    is_ready,
    labels,
    qualified_name,
    seconds,
    text,
    why,
)

_SYSTEM: Final = "kube-system"
_STARTING: Final = ("ContainerCreating", "PodInitializing")
"""Reasons to wait that pass by themselves: the kubelet's, before a container was tried."""
_PULLING: Final = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull")
_DNS: Final = "kube-dns"
"""Label `k8s-app` of the pods behind the cluster's DNS service ("Debugging DNS Resolution")."""
_LONG: Final = timedelta(minutes=10)
"""Our choice: an orderly deletion takes seconds."""


def pods_run(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """No pod of Kubeflow's platform, of this product or of AKS itself fails to start, to be ready or to end."""
    limit = seconds(outputs.basis("autoscaler", "maxNodeProvisionTime"))
    ready_nodes = {name_of(node) for node in snapshot.nodes.required() if is_ready(node)}
    everywhere = ((pod, text(pod, "metadata", "namespace")) for pod in snapshot.pods.required())
    pods = [pod for pod, where in everywhere if is_platform(where) or where in (OUR_NAMESPACE, _SYSTEM)]
    placed = [pod for pod in pods if text(pod, "spec", "nodeName") in ready_nodes]
    wrong = [(wrong, qualified_name(pod)) for pod in placed if (wrong := _problem(pod, snapshot, limit))]
    for (problem, action), names in group_by_first(wrong).items():
        yield failed(f"{counted(len(names), 'pod')} {problem} ({listed(names)})", action)
    if not pods:
        yield unknown("no pod of Kubeflow's platform or of AKS is there yet")
    elif not wrong:
        yield passed(f"pods of Kubeflow's platform and of AKS run: {len(pods)}")


def dns(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """The cluster's DNS has its service, with a pod that is ready; without it no pod finds another by name."""
    system = [pod for pod in snapshot.pods.required() if text(pod, "metadata", "namespace") == _SYSTEM]
    served = [pod for pod in system if labels(pod).get("k8s-app") == _DNS]
    ready = [pod for pod in served if is_ready(pod)]
    if ready and not snapshot.dns.required():
        yield failed(
            "Service kube-system/kube-dns does not exist, so no pod finds another by name",
            "AKS makes it again within minutes; until then see `kubectl --namespace kube-system get events`",
        )
    elif ready and not has_ready_endpoint(snapshot.slices(_SYSTEM).required(), _DNS):
        yield failed(
            "Service kube-system/kube-dns has no ready endpoint, so no pod finds another by name",
            "see `kubectl --namespace kube-system describe service kube-dns`: its selector must be that of coredns",
        )
    elif ready:
        yield passed(f"the cluster's DNS answers from {counted(len(ready), 'pod')}")
    elif not system:
        yield unknown("no pod of AKS's own is there, so the cluster's DNS cannot be checked")
    else:
        yield failed(
            f"no pod of the cluster's DNS is ready ({len(served)} there), so no pod finds another by name",
            "see `kubectl --namespace kube-system get deployment coredns` and its events; AKS keeps two pods or more",
        )


def namespaces(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """No namespace of the platform is being deleted, and no other one is stuck in deletion."""
    for namespace in snapshot.namespaces.required():
        since = snapshot.age(at(namespace, "metadata", "deletionTimestamp"))
        if not at(namespace, "metadata", "deletionTimestamp"):
            continue
        ours = is_platform(name_of(namespace)) or name_of(namespace) == OUR_NAMESPACE
        if ours or since > _LONG:
            yield failed(
                f"namespace {name_of(namespace)} is being deleted, for {since.total_seconds() / 60:.0f} min now"
                f"{_what_is_left(namespace)}; nothing can be created in it",
                "if nobody removes it on purpose (`juju destroy-model`), see `kubectl get namespace "
                f"{name_of(namespace)} --output yaml`: it goes when what is left in it is gone; then `pulumi up "
                "--refresh`, or deploy Kubeflow again",
            )


def apis(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """Each API that a service in the cluster serves is available: otherwise no namespace can be deleted."""
    for api in snapshot.api_services.required():
        available = condition(api, "Available")
        if available.get("status") == "False":
            yield failed(
                f"API {name_of(api)} is not available, and no namespace can be deleted until it is: {why(available)}",
                f"check the pods behind it; if nothing needs it any more, `kubectl delete apiservice {name_of(api)}`",
            )


def _problem(pod: Object, snapshot: ClusterSnapshot, limit: timedelta) -> tuple[str, str] | None:
    """What is wrong with a pod on a ready node, and what to do; None if nothing is, or it may still pass."""
    describe = f"`kubectl --namespace {text(pod, 'metadata', 'namespace')} describe pod`"
    deleted = at(pod, "metadata", "deletionTimestamp")
    if deleted:
        stuck = snapshot.age(deleted) > _LONG
        return ("stuck in deletion", f"see {describe}: a finalizer or a volume holds it") if stuck else None
    for status in container_statuses(pod):
        waiting = at(status, "state", "waiting")
        reason = text(waiting, "reason")
        if reason and reason not in _STARTING:
            image = f" of {one_line(text(status, 'image'))}" if reason in _PULLING else ""
            return (
                f"in {one_line(reason)}{image}",
                "check that the image exists and that its registry lets the nodes pull, Docker Hub's limits included"
                if image
                else f"see {describe} and `kubectl logs --previous` of the container",
            )
    ready = condition(pod, "Ready")
    since = ready.get("lastTransitionTime") or at(pod, "metadata", "creationTimestamp")
    if ready.get("status") != "True" and snapshot.age(since) > limit:
        return f"not ready for longer than {limit.total_seconds() / 60:.0f} min", f"see {describe}"
    return None


def _what_is_left(namespace: Object) -> str:
    """Why a namespace is still there, in the API server's words."""
    reasons = [
        one_line(text(entry, "message"))
        for entry in items(at(namespace, "status", "conditions"))
        if text(entry, "status") == "True" and text(entry, "message")
    ]
    return f" ({'; '.join(reasons)})" if reasons else ""
