"""What can break in a cluster, as an API server shows it, each with the findings that were expected of it beforehand.

The first part was found to be missed by an earlier version; the second part is as many mistakes of other kinds, some
of which must not be reported at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

from kubeflow_aks.verify.snapshot import ClusterSnapshot, Result
from tests.verify import clusters as c

Change = Callable[[], ClusterSnapshot]


@dataclass(frozen=True)
class Breakage:
    """Something that somebody did to a cluster, or that happened to it.

    Attributes:
        name: of the breakage.
        change: gives the cluster.
        found: checks that fail, and no others; empty where nothing is broken.
        says: part of a finding.
        ahead: by how much this machine's clock is ahead of the cluster's.
        unreadable: whether the account may read nothing.
    """

    name: str
    change: Change
    found: frozenset[str]
    says: str = ""
    ahead: timedelta = timedelta()
    unreadable: bool = False


def _broken(name: str, found: str, says: str, change: Change, **more: Any) -> Breakage:
    return Breakage(name, change, frozenset(found.split()), says, **more)


def _with(**changed: Any) -> Change:
    """The good cluster with other values of some fields."""
    return lambda: replace(c.good(), **{name: Result(value) for name, value in changed.items()})


def _edited(field: str, edit: Callable[[list[Any]], object]) -> Change:
    """The good cluster with a list edited in place."""

    def change() -> ClusterSnapshot:
        found = deepcopy(getattr(c.good(), field).required())
        edit(found)
        return replace(c.good(), **{field: Result(found)})

    return change


def _nodes(edit: Callable[[dict[str, c.Object]], object]) -> Change:
    return lambda: c.with_nodes(edit)


def _condition(node: str, type_: str, message: str = "", status: str = "True") -> Change:
    """A condition that a node reports."""
    reported = {"type": type_, "status": status, "reason": type_, "message": message}
    return _nodes(lambda nodes: nodes[node]["status"]["conditions"].append(reported))


def _cordoned(*names: str, more: int = 0) -> Change:
    """Cordoned nodes; `more` others of Kubeflow's own pool are there, and have their kernel limits."""

    def change() -> ClusterSnapshot:
        def edit(nodes: dict[str, c.Object]) -> None:
            for name in names:
                nodes[name]["spec"]["unschedulable"] = True
            for number in range(1, 1 + more):
                nodes[f"general-{number}"] = c.node(f"general-{number}", "general")

        daemons = [
            c.daemon(f"limits-{each}", "inotify-limits", f"general-{each}") for each in range(1, 1 + more)
        ]
        return replace(c.with_pods(*daemons), nodes=c.with_nodes(edit).nodes)

    return change


def _waiting(namespace: str, reason: str, *, init: bool = False, **labels: str) -> Change:
    """A pod of a namespace whose container waits."""
    pod = c.pod(namespace, "broken-0", "general-0")
    pod["metadata"]["labels"] = labels
    status = {"image": "docker.io/charmedkubeflow/x:1", "state": {"waiting": {"reason": reason}}}
    pod["status"]["initContainerStatuses" if init else "containerStatuses"] = [status]
    return lambda: c.with_pods(pod)


def _unready(namespace: str, *, since: str, owner: str = "StatefulSet") -> Change:
    """A pod of a namespace that is not ready."""
    pod = c.pod(namespace, "slow-0", "general-0")
    pod["metadata"]["ownerReferences"] = [{"kind": owner}]
    pod["status"]["conditions"] = [{"type": "Ready", "status": "False", "lastTransitionTime": since}]
    return lambda: c.with_pods(pod)


def _deleted_pod(namespace: str, **length: float) -> Change:
    pod = c.pod(namespace, "ending-0", "general-0")
    pod["metadata"]["deletionTimestamp"] = c.ago(**length)
    return lambda: c.with_pods(pod)


def _terminating(name: str, **length: float) -> Change:
    """A namespace in deletion."""
    ending = c.namespace(name, deletionTimestamp=c.ago(**length), annotations={"model.juju.is/id": "0"})
    ending["status"] = {
        "phase": "Terminating",
        "conditions": [
            {
                "type": "NamespaceContentRemaining",
                "status": "True",
                "message": "Some resources are remaining: pods. has 3 resource instances",
            }
        ],
    }

    def edit(found: list[Any]) -> None:
        found[:] = [each for each in found if each["metadata"]["name"] != name] + [ending]

    return _edited("namespaces", edit)


def _class(name: str, **changed: Any) -> Change:
    """A storage class with other fields."""

    def edit(found: list[Any]) -> None:
        found[:] = [{**each, **changed} if each["metadata"]["name"] == name else each for each in found]

    return _edited("storage_classes", edit)


def _guard(**answers: Result[str]) -> Change:
    """Other answers to some dry runs, by words of their names with a `_` for each space."""

    def change() -> ClusterSnapshot:
        named = {name.replace("_", " "): answer for name, answer in answers.items()}
        return replace(c.good(), guard={**c.good().guard, **named})

    return change


def _all_dry_runs(answer: Result[str]) -> Change:
    return lambda: replace(c.good(), guard=dict.fromkeys(c.good().guard, answer))


def _contract(pools: object) -> Change:
    return _with(contract=c.config_map(**{"pools.json": json.dumps(pools)}))


def _webhook(*resources: str, ready: bool, **more: Any) -> Change:
    """One webhook more, of a service that may be down."""
    hook = c.webhook("admission-webhook.kubeflow.org", *resources, service="admission-webhook", **more)

    def change() -> ClusterSnapshot:
        slices = [*c.good().endpoints["kubeflow"].required(), c.endpoints("admission-webhook", ready=ready)]
        return replace(
            c.good(),
            webhooks=Result([*c.good().webhooks.required(), hook]),
            endpoints={"kubeflow": Result(slices)},
        )

    return change


def _without_dns(*pods: c.Object) -> Change:
    """The pods of DNS gone, and others of kube-system there."""

    def change() -> ClusterSnapshot:
        found = [each for each in c.good().pods.required() if each["metadata"]["name"] != "coredns"]
        return replace(c.good(), pods=Result([*found, c.pod("kube-system", "metrics", "system-0"), *pods]))

    return change


def _moved(**length: float) -> Change:
    """The autoscaler's status, written so long ago."""
    written = (c.NOW - timedelta(**length)).strftime("%Y-%m-%d %H:%M:%S.1 +0000 UTC")
    return lambda: c.with_status(time=written)


def _retry_policy(policy: str) -> Change:
    return _with(argo=c.config_map(workflowDefaults=c.WORKFLOW_DEFAULTS.replace("Always", policy)))


_COREDNS: Final = c.pod("kube-system", "coredns", "system-0")
_COREDNS["metadata"]["labels"] = {"k8s-app": "kube-dns"}
_COREDNS["status"].update(
    conditions=[{"type": "Ready", "status": "False", "lastTransitionTime": c.ago(minutes=3)}],
    containerStatuses=[
        {"image": "mcr.microsoft.com/coredns:1", "state": {"waiting": {"reason": "ImagePullBackOff"}}}
    ],
)
_DEAD: Final = Result[str](
    reason='Internal error occurred: failed calling webhook "pods.example.org": failed to call webhook: Post '
    '"https://gone.team.svc:443/?timeout=10s": no endpoints available for service "gone"'
)
_FEWER: Final = [pool for pool in c.POOLS if pool["name"] != "cpuod"]

MISSED_BEFORE: Final = (
    _broken("ConfigMap agent-pools deleted", "pool-contract", "does not exist", _with(contract={})),
    _broken(
        "ConfigMap agent-pools edited",
        "pool-contract",
        "differs from the stack in pool cpuod",
        _contract(_FEWER),
    ),
    _broken(
        "RoleBinding of agent-pools deleted",
        "pool-contract",
        "notebooks may not read ConfigMap kubeflow-aks/agent-pools",
        _with(contract_readers=False),
    ),
    _broken(
        "Juju's ClusterRoleBinding deleted",
        "juju-rights",
        "ClusterRoleBinding kubeflow-aks-juju",
        _with(juju_rights=False),
    ),
    _broken("a dead webhook refuses every pod", "webhooks", "no endpoints available", _all_dry_runs(_DEAD)),
    _broken(
        "DaemonSet inotify-limits deleted",
        "daemon-sets",
        "DaemonSet kubeflow-aks/inotify-limits does not exist",
        _edited("daemon_sets", lambda found: found.pop(0)),
    ),
    _broken(
        "the autoscaler's status deleted", "autoscaler", "no autoscaler is at work", _with(autoscaler={})
    ),
    _broken(
        "ckf-zrs with another SKU",
        "storage",
        "storage class ckf-zrs has parameters.skuName Standard_LRS instead of StandardSSD_ZRS",
        _class("ckf-zrs", parameters={"skuName": "Standard_LRS"}),
    ),
    _broken(
        "ckf-zrs binds at once",
        "storage",
        "volumeBindingMode Immediate instead of WaitForFirstConsumer",
        _class("ckf-zrs", volumeBindingMode="Immediate"),
    ),
    _broken(
        "ckf-zrs does not expand",
        "storage",
        "allowVolumeExpansion false instead of true",
        _class("ckf-zrs", allowVolumeExpansion=False),
    ),
    _broken(
        "namespace kubeflow is Terminating",
        "namespaces",
        "pods. has 3 resource",
        _terminating("kubeflow", minutes=2),
    ),
    _broken(
        "a platform pod in CrashLoopBackOff",
        "platform-pods",
        "1 pod in CrashLoopBackOff (kubeflow/broken-0)",
        _waiting("kubeflow", "CrashLoopBackOff"),
    ),
    _broken(
        "a platform pod in ImagePullBackOff",
        "platform-pods",
        "1 pod in ImagePullBackOff of docker.io/charmedkubeflow/x:1",
        _waiting("controller-ckf", "ImagePullBackOff"),
    ),
    _broken(
        "coredns in ImagePullBackOff",
        "dns platform-pods",
        "no pod of the cluster's DNS",
        _without_dns(_COREDNS),
    ),
    _broken(
        "both home nodes cordoned",
        "home-pool",
        "no node of pool general takes new pods: cordoned (general-0)",
        _cordoned("general-0"),
    ),
    _broken(
        "home nodes under DiskPressure",
        "home-pool node-health",
        "1 node with the condition DiskPressure",
        _condition("general-0", "DiskPressure", "kubelet has disk pressure"),
    ),
    _broken("a clock 20 minutes ahead", "", "20 minutes ahead", c.good, ahead=timedelta(minutes=20)),
    _broken(
        "a clock 45 minutes behind, and no autoscaler for 40",
        "autoscaler",
        "has not written its status for 40 min",
        _moved(minutes=40),
        ahead=timedelta(minutes=-45),
    ),
    _broken("a user without any right", "", "", c.good, unreadable=True),
)
"""What an earlier version called fine, or broken where nothing was."""

OTHERS: Final = (
    # nodes
    _broken(
        "one of two home nodes cordoned",
        "",
        "1 of 2 nodes of pool general take",
        _cordoned("general-0", more=1),
    ),
    _broken(
        "a home node short of memory",
        "home-pool node-health",
        "MemoryPressure",
        _condition("general-0", "MemoryPressure"),
    ),
    _broken(
        "a file system that became read-only",
        "node-health",
        "ReadonlyFilesystem",
        _condition("cpuod-0", "ReadonlyFilesystem"),
    ),
    _broken(
        "containerd restarts again and again",
        "node-health",
        "FrequentContainerdRestart",
        _condition("system-0", "FrequentContainerdRestart"),
    ),
    _broken(
        "a node without network",
        "node-health",
        "NetworkUnavailable",
        _condition("cpuspot-0", "NetworkUnavailable"),
    ),
    _broken(
        "a spot node is about to be evicted", "", "", _condition("cpuspot-0", "VMEventScheduled", "Preempt")
    ),
    _broken(
        "Azure will move a home node",
        "",
        "Azure has scheduled an event on general-0: Redeploy",
        _condition("general-0", "VMEventScheduled", "Redeploy"),
    ),
    _broken(
        "a GPU with XID errors",
        "gpus",
        "condition XIDErrors: XID 79",
        _condition("gpuspot-0", "XIDErrors", "XID 79"),
    ),
    _broken("a GPU that is missing", "gpus", "GPUMissing", _condition("gpuspot-0", "GPUMissing")),
    _broken(
        "a GPU that is fine", "", "", _condition("gpuspot-0", "GPUMissing", "All GPUs are present", "False")
    ),
    _broken(
        "NVLink is down", "gpus", "NVLinkStatusInactive", _condition("gpuspot-0", "NVLinkStatusInactive")
    ),
    _broken(
        "Kubeflow's own pool scaled to none",
        "home-pool",
        "pool general has no node",
        _nodes(lambda nodes: nodes.pop("general-0")),
    ),
    # objects
    _broken(
        "ConfigMap agent-pools with a typo",
        "pool-contract",
        "has no list of pools",
        _with(contract=c.config_map(**{"pools.json": "[{"})),
    ),
    _broken(
        "ConfigMap agent-pools with another limit",
        "pool-contract",
        "in pool general",
        _contract([{**c.POOLS[0], "maxCount": 9}, *c.POOLS[1:]]),
    ),
    _broken("ConfigMap agent-pools reordered", "", "", _contract(c.POOLS[::-1])),
    _broken(
        "inotify-limits selects no node any more",
        "daemon-sets",
        "has no pod on 1 node of Kubeflow's own pool (general-0)",
        _edited("pods", lambda found: found.pop(1)),
    ),
    _broken(
        "DaemonSet of the device plugin deleted",
        "daemon-sets",
        "nvidia-device-plugin does not exist",
        _edited("daemon_sets", lambda found: found.pop(1)),
    ),
    _broken(
        "Deployment of the eviction handler deleted",
        "eviction-handler",
        "no pod of Deployment kubeflow-aks/eviction-handler is ready",
        _edited("pods", lambda found: found.pop(3)),
    ),
    _broken(
        "the eviction handler does not become ready",
        "eviction-handler platform-pods",
        "nothing of this stack acts on notices of evictions",
        _edited("pods", lambda found: found[3]["status"].update(conditions=[])),
    ),
    _broken(
        "Deployment that returns work to spot deleted",
        "return-to-spot",
        "no pod of Deployment kubeflow-aks/return-to-spot is ready, so work stays on its fallback",
        _edited("pods", lambda found: found.pop(6)),
    ),
    _broken(
        "inotify-limits cannot raise them",
        "platform-pods",
        "in CrashLoopBackOff (kubeflow-aks/broken-0)",
        _waiting("kubeflow-aks", "CrashLoopBackOff", init=True),
    ),
    _broken(
        "priority class deleted",
        "priority-classes",
        "priority class kubeflow-aks-batch does not exist",
        _edited("priority_classes", lambda found: found.pop(0)),
    ),
    _broken(
        "priority class made again below the autoscaler's limit",
        "priority-classes",
        "kubeflow-aks-batch (-100)",
        _edited("priority_classes", lambda found: found[0].update(value=-100)),
    ),
    _broken(
        "checkpoints are deleted with their claim",
        "storage",
        "storage class checkpoints has reclaimPolicy Delete instead of Retain",
        _class("checkpoints", reclaimPolicy="Delete"),
    ),
    _broken(
        "teams can read the account's key",
        "storage",
        "parameters.secretNamespace none instead of kube-system",
        _class("checkpoints", parameters={"skuName": "Standard_ZRS"}),
    ),
    # admission
    _broken(
        "the webhook of PodDefaults has no endpoint",
        "webhooks",
        "admission-webhook.kubeflow.org has no ready endpoint (service kubeflow/admission-webhook), so the API server "
        "refuses pods",
        _webhook("pods", ready=False),
    ),
    _broken(
        "a webhook for other resources has no endpoint",
        "webhooks",
        "refuses inferenceservices",
        _webhook("inferenceservices", ready=False),
    ),
    _broken("a dead webhook that is ignored", "", "", _webhook("pods", ready=False, failurePolicy="Ignore")),
    _broken(
        "a webhook outside the cluster",
        "",
        "",
        _webhook("pods", ready=False, clientConfig={"url": "https://x"}),
    ),
    _broken(
        "the guard only warns",
        "guard",
        "a notebook that tolerates spot is admitted",
        _guard(a_notebook_that_tolerates_spot=Result(""), a_notebook_that_tolerates_everything=Result("")),
    ),
    _broken(
        "the guard leaves namespace kubeflow out",
        "guard",
        "a pod in namespace kubeflow that tolerates spot is admitted",
        _guard(a_pod_in_namespace_kubeflow_that_tolerates_spot=Result("")),
    ),
    _broken(
        "a policy of others refuses pods without labels",
        "",
        "something else refuses it",
        _guard(a_batch_pod_that_tolerates_spot=Result("ValidatingAdmissionPolicy 'labels' denied request")),
    ),
    # the platform
    _broken(
        "a charm is not ready for an hour",
        "platform-pods",
        "not ready for longer than 10 min",
        _unready("kubeflow", since=c.ago(hours=1)),
    ),
    _broken("a charm is not ready yet", "", "", _unready("kubeflow", since=c.ago(minutes=2))),
    _broken("a team's own pod is not ready", "", "", _unready("team", since=c.ago(hours=1))),
    _broken(
        "a platform pod does not end",
        "platform-pods",
        "stuck in deletion",
        _deleted_pod("kubeflow", minutes=30),
    ),
    _broken("a platform pod ends in order", "", "", _deleted_pod("kubeflow", seconds=20)),
    _broken(
        "a platform container lacks its secret",
        "platform-pods",
        "CreateContainerConfigError",
        _waiting("knative-serving", "CreateContainerConfigError"),
    ),
    _broken("coredns scaled to none", "dns", "(0 there)", _without_dns()),
    _broken(
        "AKS's tunnel to the nodes crashes",
        "platform-pods",
        "kube-system/broken-0",
        _waiting("kube-system", "CrashLoopBackOff", app="konnectivity-agent"),
    ),
    _broken(
        "a profile is stuck in deletion",
        "namespaces",
        "namespace team is being deleted, for 60 min",
        _terminating("team", hours=1),
    ),
    _broken("a profile is being deleted", "", "", _terminating("team", seconds=30)),
    _broken(
        "the product's own namespace is being deleted",
        "namespaces",
        "namespace kubeflow-aks is",
        _terminating("kubeflow-aks", seconds=30),
    ),
    _broken(
        "the metrics API is down",
        "apis",
        "API v1beta1.metrics.k8s.io is not available",
        _edited(
            "api_services",
            lambda found: found.append(
                c.api_service("v1beta1.metrics.k8s.io", status="False", message="no endpoints")
            ),
        ),
    ),
    _broken(
        "Argo retries only failures", "argo-retries", "retryPolicy OnFailure", _retry_policy("OnFailure")
    ),
    _broken(
        "Argo's defaults are no YAML",
        "argo-retries",
        "no retryPolicy",
        _with(argo=c.config_map(workflowDefaults="[")),
    ),
    _broken("Juju's token deleted", "juju-token", "rejects Juju's token", _with(juju={})),
    _broken("the autoscaler stopped", "autoscaler", "for 40 min", _moved(minutes=40)),
)
"""As many of other kinds."""
