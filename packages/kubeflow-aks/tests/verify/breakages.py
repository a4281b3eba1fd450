"""What can break in a cluster, as an API server shows it, each with the findings that were expected of it beforehand.

The first part was found to be missed by an earlier version; the second part is as many mistakes of other kinds, some
of which must not be reported at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from email.utils import format_datetime
from typing import Any, Final

from kubeflow_aks.verify.probes import GUARD, PROFILE_GUARD
from kubeflow_aks.verify.snapshot import ClusterSnapshot, Result
from tests.verify import clusters as c

Change = Callable[[], ClusterSnapshot]

PREEMPT: Final = "Preempt Scheduled: {}. DurationInSeconds: -1.  For more information, see https://aka.ms/aks/scheduledevents."
"""As nodes of AKS show it (`maksim-paskal/aks-node-termination-handler#98`)."""
_SOON: Final = timedelta(minutes=5)


@dataclass(frozen=True)
class Breakage:
    """Something that somebody did to a cluster, or that happened to it.

    Attributes:
        name: of the breakage.
        change: gives the cluster.
        checks: those that fail, and no others; empty where nothing is broken.
        says: part of a finding.
        later: whether nothing is broken now.
        ahead: by how much this machine's clock is ahead of the cluster's.
        unreadable: whether the account may read nothing.
    """

    name: str
    change: Change
    checks: frozenset[str]
    says: str = ""
    later: bool = False
    ahead: timedelta = timedelta()
    unreadable: bool = False


def _broken(name: str, checks: str, says: str, change: Change, **more: Any) -> Breakage:
    return Breakage(name, change, frozenset(checks.split()), says, **more)


def _later(name: str, checks: str, says: str, change: Change) -> Breakage:
    return _broken(name, checks, says, change, later=True)


def _with(**changed: Any) -> Change:
    """The good cluster with other values of some fields."""
    return lambda: replace(c.good(), **{name: Result(value) for name, value in changed.items()})


def _edited(field: str, edit: Callable[[list[Any]], object]) -> Change:
    """The good cluster with a list edited in place."""

    def change() -> ClusterSnapshot:
        objects = deepcopy(getattr(c.good(), field).required())
        edit(objects)
        return replace(c.good(), **{field: Result(objects)})

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
            c.daemon(f"limits-{number}", "inotify-limits", f"general-{number}")
            for number in range(1, 1 + more)
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

    def edit(objects: list[Any]) -> None:
        objects[:] = [namespace for namespace in objects if namespace["metadata"]["name"] != name] + [ending]

    return _edited("namespaces", edit)


def _live(kind: str, name: str, edit: Callable[[Any], object] | None = None) -> Change:
    """An object of the stack edited in place, or gone."""

    def change() -> ClusterSnapshot:
        objects = c.stack_objects()
        [obj] = [obj for obj in objects if obj.name == f"{kind} {name}"]
        live = obj.live.required()
        if edit:
            edit(live)
        objects[objects.index(obj)] = replace(obj, live=Result(live if edit else {}))
        return replace(c.good(), objects=Result(objects))

    return change


def _class(name: str, **changed: Any) -> Change:
    """A storage class of the stack with other fields."""
    return _live("StorageClass", name, lambda live: live.update(changed))


def _both(*changes: Change) -> Change:
    """Two changes of different fields of the good cluster."""

    def change() -> ClusterSnapshot:
        good, result = c.good(), c.good()
        for snapshot in (one() for one in changes):
            other = {
                field.name: getattr(snapshot, field.name)
                for field in fields(snapshot)
                if getattr(snapshot, field.name) != getattr(good, field.name)
            }
            result = replace(result, **other)
        return result

    return change


def _without_rights(app: str, *verbs: str) -> Change:
    """A program's account that lacks the rights with these verbs; all without one."""

    def change() -> ClusterSnapshot:
        rights = [
            replace(right, allowed=Result(value=False))
            if right.account == f"kubeflow-aks/{app}" and (not verbs or right.attributes["verb"] in verbs)
            else right
            for right in c.good().rights.required()
        ]
        return replace(c.good(), rights=Result(rights))

    return change


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
            endpoints={**c.good().endpoints, "kubeflow": Result(slices)},
        )

    return change


def _without_dns(*pods: c.Object) -> Change:
    """The pods of DNS gone, and others of kube-system there."""

    def change() -> ClusterSnapshot:
        others = [pod for pod in c.good().pods.required() if pod["metadata"]["name"] != "coredns"]
        return replace(c.good(), pods=Result([*others, c.pod("kube-system", "metrics", "system-0"), *pods]))

    return change


def _moved(**length: float) -> Change:
    """The autoscaler's status, written so long ago."""
    written = (c.NOW - timedelta(**length)).strftime("%Y-%m-%d %H:%M:%S.1 +0000 UTC")
    return lambda: c.with_status(time=written)


def _retry_policy(policy: str) -> Change:
    return _with(argo=c.config_map(workflowDefaults=c.WORKFLOW_DEFAULTS.replace("Always", policy)))


def _script_pod(app: str, *, on: str = "general-0", unready: dict[str, float] | None = None) -> Change:
    """The pod of a program on another node, or not ready for so long."""

    def edit(pods: list[Any]) -> None:
        [pod] = [pod for pod in pods if pod["metadata"]["name"] == f"{app}-0"]
        pod["spec"]["nodeName"] = on
        if unready is not None:
            pod["metadata"]["creationTimestamp"] = c.ago(**unready)
            pod["status"]["conditions"] = [
                {"type": "Ready", "status": "False", "lastTransitionTime": c.ago(**unready)}
            ]

    return _edited("pods", edit)


def _cordoned_since(node: str, message: str = "", event: timedelta = _SOON, **length: float) -> Change:
    """A node cordoned so long ago, with a condition of an event that begins in some time, or has been there since."""
    begins = format_datetime(c.NOW + event, usegmt=True)
    notice = {
        "type": "VMEventScheduled",
        "status": "True",
        "message": message.format(begins),
        "lastTransitionTime": c.ago(seconds=-event.total_seconds()),
    }
    taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": c.ago(**length)}

    def edit(nodes: dict[str, c.Object]) -> None:
        nodes[node]["spec"]["unschedulable"] = True
        nodes[node]["spec"]["taints"].append(taint)
        nodes[node]["status"]["conditions"] += [notice] if message else []

    return _nodes(edit)


def _booting(node: str) -> Change:
    """A GPU node three minutes old, whose driver and plugin are still missing."""

    def change() -> ClusterSnapshot:
        def edit(nodes: dict[str, c.Object]) -> None:
            nodes[node]["metadata"]["creationTimestamp"] = c.ago(minutes=3)
            nodes[node]["status"]["allocatable"] = {}

        pods = [pod for pod in c.good().pods.required() if pod["spec"].get("nodeName") != node]
        return replace(c.with_nodes(edit), pods=Result(pods))

    return change


def _refused(
    kind: str, owner: str, message: str, *, solved: bool = False, now: c.Object | None = None, **length: float
) -> Change:
    """A controller that could not create a pod; `solved` if it has one by now, `now` where it has changed since."""

    def change() -> ClusterSnapshot:
        event = c.refusal(kind, owner, message, **length)
        event["owner"] = event["owner"] if now is None else now
        pod = c.pod(event["involvedObject"]["namespace"], "later", "general-0")
        pod["metadata"] |= {
            "creationTimestamp": c.ago(seconds=30),
            "ownerReferences": [{"kind": kind, "uid": event["involvedObject"]["uid"]}],
        }
        return replace(c.with_pods(*([pod] if solved else [])), refusals=Result([event]))

    return change


def _class_of_others(value: int) -> Change:
    """A priority class of others that pods get by default."""
    other = {"metadata": {"name": "others"}, "value": value, "globalDefault": True}
    return _edited("priority_classes", lambda classes: classes.append(other))


def _conversion(*, ready: bool, versions: int = 2) -> Change:
    """A custom kind that a service converts, which may be down."""
    definition = c.definition("experiments.kubeflow.org", service="katib", versions=versions)

    def change() -> ClusterSnapshot:
        slices = [*c.good().endpoints["kubeflow"].required(), c.endpoints("katib", ready=ready)]
        return replace(
            c.good(),
            definitions=Result([definition]),
            endpoints={**c.good().endpoints, "kubeflow": Result(slices)},
        )

    return change


def _without_endpoint(service: str) -> Change:
    return lambda: replace(
        c.good(), endpoints={**c.good().endpoints, "kube-system": Result([c.endpoints(service, ready=False)])}
    )


def _deployment(name: str, edit: Callable[[Any], object]) -> Change:
    """The pod template of a Deployment edited in place."""
    return _live("Deployment", f"kubeflow-aks/{name}", lambda live: edit(live["spec"]["template"]))


def _first_container(template: Any) -> Any:
    return template["spec"]["containers"][0]


def _without_prices(template: c.Object) -> None:
    container = _first_container(template)
    container["env"] = [variable for variable in container["env"] if variable["name"] != "PRICES"]


def _policy_gone(name: str) -> Change:
    """A network policy of the stack deleted."""
    return _both(
        _live("NetworkPolicy", f"kubeflow-aks/{name}"),
        _edited("policies", lambda policies: policies.remove(_named(policies, name))),
    )


def _policy_edited(name: str, edit: Callable[[Any], object]) -> Change:
    """A network policy of the stack edited in place."""
    return _both(
        _live("NetworkPolicy", f"kubeflow-aks/{name}", lambda live: edit(live["spec"])),
        _edited("policies", lambda policies: edit(_named(policies, name)["spec"])),
    )


def _named(objects: list[Any], name: str) -> Any:
    return next(
        obj
        for obj in objects
        if obj["metadata"]["name"] == name and obj["metadata"]["namespace"] == "kubeflow-aks"
    )


def _namespace_gone(name: str) -> Change:
    """A namespace of the stack deleted, and all in it."""

    def change() -> ClusterSnapshot:
        objects = [
            replace(obj, live=Result(dict[str, Any]()))
            if name in (obj.registered["metadata"].get("namespace"), obj.registered["metadata"]["name"])
            and (obj.kind == "Namespace" or "namespace" in obj.registered["metadata"])
            else obj
            for obj in c.stack_objects()
        ]
        return replace(c.good(), objects=Result(objects))

    return change


def _priorities(text: str) -> Change:
    config_map = deepcopy(c.good().priority_map.required())
    config_map["data"]["priorities"] = text
    return _with(priority_map=config_map)


def _dry_run_refused(reason: str) -> Change:
    """Every dry run of a registered object refused."""
    objects = [replace(obj, expected=Result[c.Object](reason=reason)) for obj in c.stack_objects()]
    return _with(objects=objects)


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
    _later(
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
        _live("DaemonSet", "kubeflow-aks/inotify-limits"),
    ),
    _broken(
        "the autoscaler's status deleted", "autoscaler", "no autoscaler is at work", _with(autoscaler={})
    ),
    _later(
        "ckf-zrs with another SKU",
        "storage",
        "StorageClass ckf-zrs differs from the stack: parameters.skuName is Standard_LRS instead of StandardSSD_ZRS",
        _class("ckf-zrs", parameters={"skuName": "Standard_LRS"}),
    ),
    _later(
        "ckf-zrs binds at once",
        "storage",
        "volumeBindingMode is Immediate instead of WaitForFirstConsumer",
        _class("ckf-zrs", volumeBindingMode="Immediate"),
    ),
    _later(
        "ckf-zrs does not expand",
        "storage",
        "allowVolumeExpansion is false instead of true",
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
    _later(
        "ConfigMap agent-pools with another limit",
        "pool-contract",
        "in pool general",
        _contract([{**c.POOLS[0], "maxCount": 9}, *c.POOLS[1:]]),
    ),
    _broken("ConfigMap agent-pools reordered", "", "", _contract(c.POOLS[::-1])),
    _later(
        "inotify-limits selects no node any more",
        "daemon-sets",
        "has no pod on 1 node of Kubeflow's own pool (general-0)",
        _edited("pods", lambda pods: pods.pop(1)),
    ),
    _broken(
        "DaemonSet of the device plugin deleted",
        "daemon-sets",
        "nvidia-device-plugin does not exist",
        _live("DaemonSet", "kubeflow-aks/nvidia-device-plugin"),
    ),
    _broken(
        "Deployment of the eviction handler deleted",
        "eviction-handler objects",
        "no pod of Deployment kubeflow-aks/eviction-handler is ready",
        _both(
            _edited("pods", lambda pods: pods.pop(3)), _live("Deployment", "kubeflow-aks/eviction-handler")
        ),
    ),
    _broken(
        "the eviction handler does not become ready",
        "eviction-handler platform-pods",
        "nothing of this stack acts on notices of evictions",
        _edited("pods", lambda pods: pods[3]["status"].update(conditions=[])),
    ),
    _broken(
        "Deployment that returns work to spot deleted",
        "return-to-spot objects",
        "no pod of Deployment kubeflow-aks/return-to-spot is ready, so work stays on its fallback",
        _both(_edited("pods", lambda pods: pods.pop(6)), _live("Deployment", "kubeflow-aks/return-to-spot")),
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
        "PriorityClass kubeflow-aks-batch does not exist",
        _live("PriorityClass", "kubeflow-aks-batch"),
    ),
    _later(
        "priority class made again below the autoscaler's limit",
        "priority-classes",
        "PriorityClass kubeflow-aks-batch differs from the stack: value is -100 instead of -1",
        _live("PriorityClass", "kubeflow-aks-batch", lambda live: live.update(value=-100)),
    ),
    _later(
        "checkpoints are deleted with their claim",
        "storage",
        "StorageClass checkpoints differs from the stack: reclaimPolicy is Delete instead of Retain",
        _class("checkpoints", reclaimPolicy="Delete"),
    ),
    _later(
        "teams can read the account's key",
        "storage",
        "parameters.secretNamespace is missing",
        _live("StorageClass", "checkpoints", lambda live: live["parameters"].pop("secretNamespace")),
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
    _later(
        "the guard only warns",
        "guard",
        "a notebook that tolerates spot is admitted",
        _guard(a_notebook_that_tolerates_spot=Result(""), a_notebook_that_tolerates_everything=Result("")),
    ),
    _later(
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
            lambda services: services.append(
                c.api_service("v1beta1.metrics.k8s.io", status="False", message="no endpoints")
            ),
        ),
    ),
    _later("Argo retries only failures", "argo-retries", "retryPolicy OnFailure", _retry_policy("OnFailure")),
    _later(
        "Argo's defaults are no YAML",
        "argo-retries",
        "no retryPolicy",
        _with(argo=c.config_map(workflowDefaults="[")),
    ),
    _broken("Juju's token deleted", "juju-token", "rejects Juju's token", _with(juju={})),
    _broken("the autoscaler stopped", "autoscaler", "for 40 min", _moved(minutes=40)),
)
"""As many of other kinds."""


_HANDLER: Final = "kubeflow-aks-eviction-handler"
_POLICY, _BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"
_PROFILE_GUARDS: Final = (
    (_POLICY, PROFILE_GUARD),
    (_BINDING, PROFILE_GUARD),
    (_BINDING, f"{PROFILE_GUARD}-warn"),
)
_PROFILE_GUARD_EDITS: Final[tuple[tuple[str, str, str, Callable[[Any], object]], ...]] = (
    (
        _POLICY,
        PROFILE_GUARD,
        "spec.failurePolicy is Ignore",
        lambda live: live["spec"].update(failurePolicy="Ignore"),
    ),
    (
        _POLICY,
        PROFILE_GUARD,
        "spec.matchConstraints.resourceRules lacks",
        lambda live: live["spec"]["matchConstraints"]["resourceRules"].pop(),
    ),
    (
        _BINDING,
        PROFILE_GUARD,
        "spec.validationActions[0] is Audit instead of Deny",
        lambda live: live["spec"].update(validationActions=["Audit"]),
    ),
    (
        _BINDING,
        f"{PROFILE_GUARD}-warn",
        "spec.policyName is another instead of",
        lambda live: live["spec"].update(policyName="another"),
    ),
)
_RULE: Final = "ValidatingAdmissionPolicy 'kubeflow-aks-keep-off-spot' denied request: spot nodes are evicted"

NAMED: Final = (
    _broken(
        "the handler's ClusterRoleBinding deleted",
        "objects rights",
        "service account kubeflow-aks/eviction-handler may not list nodes, watch nodes, ",
        _both(_live("ClusterRoleBinding", _HANDLER), _without_rights("eviction-handler")),
    ),
    _broken(
        "the handler's ClusterRole without pods/eviction",
        "objects rights",
        "service account kubeflow-aks/eviction-handler may not create pods/eviction",
        _both(
            _live("ClusterRole", _HANDLER, lambda live: live["rules"].pop()),
            _without_rights("eviction-handler", "create"),
        ),
    ),
    _later(
        "the handler's script edited",
        "objects",
        "ConfigMap kubeflow-aks/eviction-handler differs from the stack: data.eviction_script.py differs from line 1",
        _live(
            "ConfigMap",
            "kubeflow-aks/eviction-handler",
            lambda live: live["data"].update({"eviction_script.py": "print()\n"}),
        ),
    ),
    _later(
        "the handler's pod on a spot node",
        "kubeflow-home",
        "1 pod of this product on pool cpuspot (kubeflow-aks/eviction-handler-0)",
        _script_pod("eviction-handler", on="cpuspot-0"),
    ),
    _later(
        "a network policy shuts the handler in",
        "network-policies",
        "pod kubeflow-aks/eviction-handler-0 does not reach the API server: no network policy that selects it",
        _with(policies=[c.network_policy("mine")]),
    ),
    _broken(
        "a Job in kubeflow whose pods the guard refuses",
        "refused-pods",
        "no pod can be created for Job kubeflow/train: pods",
        _refused("Job", "kubeflow/train", f'pods "train-x" is forbidden: {_RULE}', minutes=3),
    ),
    _broken(
        "a custom kind whose conversion webhook is gone",
        "webhooks",
        "webhook of the conversion of experiments.kubeflow.org has no ready endpoint (service kubeflow/katib)",
        _conversion(ready=False),
    ),
    _later(
        "the interactive class is the global default",
        "priority-classes",
        "pods without a priority class get 1000 by kubeflow-aks-interactive",
        _both(
            _live("PriorityClass", "kubeflow-aks-interactive", lambda live: live.update(globalDefault=True)),
            _edited("priority_classes", lambda classes: classes[1].update(globalDefault=True)),
        ),
    ),
    _later(
        "checkpoints mounted with a cache",
        "storage",
        "StorageClass checkpoints differs from the stack: mountOptions lacks --file-cache-timeout-in-seconds=0",
        _live("StorageClass", "checkpoints", lambda live: live["mountOptions"].pop(1)),
    ),
    _later(
        "the guard's binding leaves profiles out",
        "objects",
        "spec.matchResources is set, which the stack leaves out",
        _live(
            "ValidatingAdmissionPolicyBinding",
            "kubeflow-aks-keep-off-spot",
            lambda live: live["spec"].update(
                matchResources={"namespaceSelector": {"matchLabels": {"guarded": "yes"}}}
            ),
        ),
    ),
    _later(
        "the product's namespace enforces restricted",
        "objects",
        "metadata.labels.pod-security.kubernetes.io/enforce is restricted instead of privileged",
        _live(
            "Namespace",
            "kubeflow-aks",
            lambda live: live["metadata"]["labels"].update(
                {"pod-security.kubernetes.io/enforce": "restricted"}
            ),
        ),
    ),
    _broken("Service kube-dns deleted", "dns", "Service kube-system/kube-dns does not exist", _with(dns={})),
    _broken(
        "Juju's token of another account",
        "juju-token",
        "takes Juju's token for system:serviceaccount:kubeflow-aks:eviction-handler instead of",
        _with(juju={"userInfo": {"username": "system:serviceaccount:kubeflow-aks:eviction-handler"}}),
    ),
    _later(
        "a spot node cordoned for hours without a notice",
        "work-pools",
        "1 node cordoned for 3 h with no event of Azure ahead (cpuspot-0)",
        _cordoned_since("cpuspot-0", hours=3),
    ),
    _later(
        "a disruption budget that allows no disruption",
        "disruption-budgets",
        "1 disruption budget that no eviction satisfies (team/web)",
        _with(budgets=[c.budget("team", "web", healthy=1, pods=1)]),
    ),
    _broken(
        "a profile's quota is 0",
        "quotas",
        "ResourceQuota team/kf-resource-quota allows 0 pods, so no pod starts in namespace team",
        _with(quotas=[c.quota("team", {"pods": "0"})]),
    ),
)
"""What a later look named as missed."""

INVENTED: Final = (
    # programs of the stack
    _broken(
        "the handler scaled to none",
        "eviction-handler objects",
        "spec.replicas is 0 instead of 1",
        _both(
            _edited("pods", lambda pods: pods.pop(3)),
            _live(
                "Deployment", "kubeflow-aks/eviction-handler", lambda live: live["spec"].update(replicas=0)
            ),
        ),
    ),
    _later(
        "the handler's rollout paused",
        "objects",
        "spec.paused is set",
        _live("Deployment", "kubeflow-aks/eviction-handler", lambda live: live["spec"].update(paused=True)),
    ),
    _later(
        "the handler with another image",
        "objects",
        "spec.template.spec.containers[eviction-handler].image is python:3 instead of",
        _deployment("eviction-handler", lambda template: _first_container(template).update(image="python:3")),
    ),
    _later(
        "a container beside the handler",
        "objects",
        "spec.template.spec.containers[istio-proxy] is set",
        _deployment(
            "eviction-handler",
            lambda template: template["spec"]["containers"].append({"name": "istio-proxy"}),
        ),
    ),
    _later(
        "the handler tolerates spot",
        "objects",
        "spec.template.spec.tolerations is set",
        _deployment(
            "eviction-handler", lambda template: template["spec"].update(tolerations=[{"operator": "Exists"}])
        ),
    ),
    _later(
        "the handler may run on any node",
        "objects",
        "spec.template.spec.nodeSelector.kubeflow-aks/workload is missing",
        _deployment(
            "eviction-handler", lambda template: template["spec"]["nodeSelector"].pop("kubeflow-aks/workload")
        ),
    ),
    _later(
        "the handler in the node's network",
        "objects",
        "spec.template.spec.hostNetwork is set",
        _deployment("eviction-handler", lambda template: template["spec"].update(hostNetwork=True)),
    ),
    _later(
        "prices taken away from the return to spot",
        "objects",
        "spec.template.spec.containers[return-to-spot].env[PRICES] is missing",
        _deployment("return-to-spot", _without_prices),
    ),
    _later(
        "the handler's memory limit halved",
        "objects",
        "resources.limits.memory is 16Mi instead of 256Mi",
        _deployment(
            "eviction-handler",
            lambda template: _first_container(template)["resources"]["limits"].update(memory="16Mi"),
        ),
    ),
    _later(
        "one more file beside the return's scripts",
        "objects",
        "data.json.py is set",
        _live(
            "ConfigMap",
            "kubeflow-aks/return-to-spot",
            lambda live: live["data"].update({"json.py": "raise\n"}),
        ),
    ),
    _broken(
        "the handler's service account deleted",
        "objects",
        "ServiceAccount kubeflow-aks/eviction-handler does not exist",
        _live("ServiceAccount", "kubeflow-aks/eviction-handler"),
    ),
    _later(
        "the handler's service account mounts its token everywhere",
        "objects",
        "automountServiceAccountToken is true instead of false",
        _live(
            "ServiceAccount",
            "kubeflow-aks/eviction-handler",
            lambda live: live.update(automountServiceAccountToken=True),
        ),
    ),
    _broken(
        "the handler not ready for six minutes",
        "eviction-handler",
        "no pod of Deployment kubeflow-aks/eviction-handler is ready",
        _script_pod("eviction-handler", unready={"minutes": 6}),
    ),
    _broken(
        "the return to spot not ready for six minutes",
        "return-to-spot",
        "no pod of Deployment kubeflow-aks/return-to-spot is ready",
        _script_pod("return-to-spot", unready={"minutes": 6}),
    ),
    _broken(
        "the handler's new pod is 20 s old",
        "",
        "a pod of Deployment kubeflow-aks/eviction-handler is starting",
        _script_pod("eviction-handler", unready={"seconds": 20}),
    ),
    _broken(
        "the handler restarted by hand",
        "",
        "",
        _deployment(
            "eviction-handler",
            lambda template: template["metadata"]["annotations"].update(
                {"kubectl.kubernetes.io/restartedAt": "now"}
            ),
        ),
    ),
    _broken(
        "Juju's token was used today",
        "",
        "",
        _live(
            "Secret",
            "kubeflow-aks/juju-token",
            lambda live: live["metadata"]["labels"].update(
                {"kubernetes.io/legacy-token-last-used": "2026-11-22"}
            ),
        ),
    ),
    _broken(
        "an object annotated by kubectl",
        "",
        "",
        _live(
            "ConfigMap",
            "kubeflow-aks/eviction-handler",
            lambda live: live["metadata"]["annotations"].update({"kubectl.kubernetes.io/last-applied": "{}"}),
        ),
    ),
    _later(
        "the return to spot on an on-demand node for work",
        "kubeflow-home",
        "1 pod of this product on pool cpuod (kubeflow-aks/return-to-spot-0)",
        _script_pod("return-to-spot", on="cpuod-0"),
    ),
    # rights
    _later(
        "the handler may do everything",
        "objects",
        "ClusterRole kubeflow-aks-eviction-handler differs from the stack: rules has 1 value that the stack leaves out",
        _live(
            "ClusterRole",
            _HANDLER,
            lambda live: live["rules"].append({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}),
        ),
    ),
    _later(
        "somebody else bound to the handler's role",
        "objects",
        "subjects[system:authenticated] is set",
        _live(
            "ClusterRoleBinding",
            _HANDLER,
            lambda live: live["subjects"].append({"kind": "Group", "name": "system:authenticated"}),
        ),
    ),
    _later(
        "the handler's role aggregated into view",
        "objects",
        "metadata.labels.rbac.authorization.k8s.io/aggregate-to-view is set",
        _live(
            "ClusterRole",
            _HANDLER,
            lambda live: live["metadata"]["labels"].update(
                {"rbac.authorization.k8s.io/aggregate-to-view": "true"}
            ),
        ),
    ),
    _broken(
        "the return to spot may make no placeholder",
        "objects rights",
        "create pods in kubeflow-aks-return-to-spot",
        _both(
            _live(
                "Role",
                "kubeflow-aks-return-to-spot/return-to-spot",
                lambda live: live["rules"][0]["verbs"].remove("create"),
            ),
            _without_rights("return-to-spot", "create"),
        ),
    ),
    _broken(
        "the handler may not cordon",
        "objects rights",
        "may not patch nodes",
        _both(
            _live("ClusterRole", _HANDLER, lambda live: live["rules"][0]["verbs"].remove("patch")),
            _without_rights("eviction-handler", "patch"),
        ),
    ),
    _broken(
        "an authorizer of others denies the handler",
        "rights",
        "may not list nodes",
        _without_rights("eviction-handler", "list"),
    ),
    _broken(
        "the contract's RoleBinding deleted",
        "objects pool-contract",
        "notebooks may not read",
        _both(_live("RoleBinding", "kubeflow-aks/agent-pools-reader"), _with(contract_readers=False)),
    ),
    # the guard
    _later(
        "the guard lets pods pass when it cannot be evaluated",
        "objects",
        "spec.failurePolicy is Ignore instead of Fail",
        _live(
            "ValidatingAdmissionPolicy",
            "kubeflow-aks-keep-off-spot",
            lambda live: live["spec"].update(failurePolicy="Ignore"),
        ),
    ),
    _later(
        "one more condition of the guard",
        "objects",
        "spec.matchConditions[never] is set",
        _live(
            "ValidatingAdmissionPolicy",
            "kubeflow-aks-keep-off-spot",
            lambda live: live["spec"]["matchConditions"].append({"name": "never", "expression": "false"}),
        ),
    ),
    _later(
        "the guard only audits",
        "objects",
        "spec.validationActions[0] is Audit instead of Deny",
        _live(
            "ValidatingAdmissionPolicyBinding",
            "kubeflow-aks-keep-off-spot",
            lambda live: live["spec"].update(validationActions=["Audit"]),
        ),
    ),
    *(
        _broken(f"{kind} {name} deleted", "objects", f"{kind} {name} does not exist", _live(kind, name))
        for kind, name in _PROFILE_GUARDS
    ),
    *(
        _later(
            f"{name}: {says}",
            "objects",
            f"{kind} {name} differs from the stack: {says}",
            _live(kind, name, edit),
        )
        for kind, name, says, edit in _PROFILE_GUARD_EDITS
    ),
    _later(
        "the guard looks at new pods only",
        "objects",
        "spec.matchConstraints.resourceRules[0].operations lacks UPDATE",
        _live(
            "ValidatingAdmissionPolicy",
            "kubeflow-aks-keep-off-spot",
            lambda live: live["spec"]["matchConstraints"]["resourceRules"][0]["operations"].pop(),
        ),
    ),
    # daemons, classes, maps
    _later(
        "inotify-limits on nodes with another label",
        "daemon-sets",
        "spec.template.spec.nodeSelector.mine is set",
        _live(
            "DaemonSet",
            "kubeflow-aks/inotify-limits",
            lambda live: live["spec"]["template"]["spec"]["nodeSelector"].update(mine="yes"),
        ),
    ),
    _later(
        "the device plugin tolerates nothing",
        "daemon-sets",
        "spec.template.spec.tolerations is missing",
        _live(
            "DaemonSet",
            "kubeflow-aks/nvidia-device-plugin",
            lambda live: live["spec"]["template"]["spec"].pop("tolerations"),
        ),
    ),
    _later(
        "the device plugin shares GPUs",
        "daemon-sets",
        "env[MIG_STRATEGY].value has another value",
        _live(
            "DaemonSet",
            "kubeflow-aks/nvidia-device-plugin",
            lambda live: _first_container(live["spec"]["template"])["env"][1].update(value="mixed"),
        ),
    ),
    _later(
        "checkpoints without a file system's names",
        "storage",
        "parameters.isHnsEnabled is false instead of true",
        _live("StorageClass", "checkpoints", lambda live: live["parameters"].update(isHnsEnabled="false")),
    ),
    _later(
        "disks in one zone only",
        "storage",
        "allowedTopologies is set",
        _class("ckf-zrs", allowedTopologies=[{"matchLabelExpressions": []}]),
    ),
    _broken(
        "the storage class of the charms deleted",
        "storage",
        "StorageClass ckf-zrs does not exist",
        _live("StorageClass", "ckf-zrs"),
    ),
    _broken(
        "AKS's Blob driver switched off",
        "storage-drivers",
        "storage driver blob.csi.azure.com is not installed, so no volume of storage class checkpoints can be made",
        _edited("drivers", lambda drivers: drivers.pop()),
    ),
    _later(
        "batch work pushes other work aside",
        "priority-classes",
        "preemptionPolicy is PreemptLowerPriority instead of Never",
        _live(
            "PriorityClass",
            "kubeflow-aks-batch",
            lambda live: live.update(preemptionPolicy="PreemptLowerPriority"),
        ),
    ),
    _later(
        "the priority map lists no spot pool",
        "objects priority-map",
        "the priority map does not list gpuspot",
        _priorities("10:\n  - ^aks-cpuspot-\n  - ^aks-cpuod\n1:\n  - .*\n"),
    ),
    _later(
        "one more line in the priority map",
        "objects",
        "data.priorities differs from line",
        _priorities(c.good().priority_map.required()["data"]["priorities"] + "0:\n  - nothing\n"),
    ),
    _broken(
        "the namespace of placeholders deleted",
        "objects",
        "Namespace kubeflow-aks-return-to-spot does not exist",
        _namespace_gone("kubeflow-aks-return-to-spot"),
    ),
    _later(
        "sidecars injected into the product's namespace",
        "objects",
        "metadata.labels.istio-injection is set",
        _live(
            "Namespace",
            "kubeflow-aks",
            lambda live: live["metadata"]["labels"].update({"istio-injection": "enabled"}),
        ),
    ),
    _broken(
        "an object that a finalizer holds in deletion",
        "objects",
        "ConfigMap kubeflow-aks/eviction-handler is being deleted",
        _live(
            "ConfigMap",
            "kubeflow-aks/eviction-handler",
            lambda live: live["metadata"].update(deletionTimestamp=c.ago(minutes=1)),
        ),
    ),
    _later(
        "an object without its labels",
        "objects",
        "metadata.labels.app.kubernetes.io/component is missing",
        _live("Secret", "kubeflow-aks/juju-token", lambda live: live["metadata"].pop("labels")),
    ),
    _broken(
        "Juju's secret deleted",
        "juju-token objects",
        "Secret kubeflow-aks/juju-token does not exist",
        _both(_live("Secret", "kubeflow-aks/juju-token"), _with(juju={})),
    ),
    _broken(
        "a policy of others refuses the stack's objects",
        "",
        "as registered cannot be checked here: no permission: denied the request by others",
        _dry_run_refused("denied the request by others"),
    ),
    # network policies
    _broken(
        "the handler's own network policy deleted",
        "network-policies objects",
        "selects it allows port 443 (deny-all)",
        _policy_gone("eviction-handler"),
    ),
    _later(
        "the handler's network policy allows another port",
        "network-policies objects",
        "spec.egress[0].ports[0].port is 8443 instead of 443",
        _policy_edited("eviction-handler", lambda spec: spec["egress"][0]["ports"][0].update(port=8443)),
    ),
    _later(
        "the namespace lets everything in",
        "objects",
        "spec.ingress is set",
        _policy_edited("deny-all", lambda spec: spec.update(ingress=[{}])),
    ),
    _later(
        "a policy lets the handler reach pods only",
        "network-policies",
        "allows port 443 (mine)",
        _with(policies=[c.network_policy("mine", {"to": [{"namespaceSelector": {}}]})]),
    ),
    _broken("a policy that allows everything", "", "", _with(policies=[c.network_policy("open", {})])),
    _broken(
        "a policy for other pods",
        "",
        "",
        _with(
            policies=[
                c.network_policy(
                    "others",
                    selector={
                        "matchExpressions": [
                            {"key": "app.kubernetes.io/name", "operator": "In", "values": ["inotify-limits"]}
                        ]
                    },
                )
            ]
        ),
    ),
    # what others made
    _later(
        "every pod without a class yields to batch work",
        "priority-classes",
        "pods without a priority class get -100 by others",
        _class_of_others(-100),
    ),
    _later(
        "every pod without a class pushes interactive work aside",
        "priority-classes",
        "pods without a priority class get 5000 by others",
        _class_of_others(5000),
    ),
    _broken("a global default between both classes", "", "", _class_of_others(10)),
    _broken("a custom kind of one version, not converted", "", "", _conversion(ready=False, versions=1)),
    _broken("a conversion webhook that is up", "", "2 webhooks", _conversion(ready=True)),
    _broken(
        "Service kube-dns selects no pod",
        "dns",
        "Service kube-system/kube-dns has no ready endpoint",
        _without_endpoint("kube-dns"),
    ),
    _later(
        "an on-demand node for work cordoned for a day",
        "work-pools",
        "1 node cordoned for 24 h",
        _cordoned_since("cpuod-0", days=1),
    ),
    _broken("a spot node with a notice", "", "", _cordoned_since("cpuspot-0", PREEMPT, hours=3)),
    _broken(
        "a spot node being taken", "", "", _cordoned_since("cpuspot-0", "Preempt Started", -_SOON, hours=3)
    ),
    _broken(
        "a node for work that Azure will move",
        "",
        "",
        _cordoned_since("cpuod-0", "Redeploy Scheduled: {}.", _SOON, hours=3),
    ),
    _later(
        "a spot node whose notice is old",
        "work-pools",
        "1 node cordoned for 3 h with no event of Azure ahead (cpuspot-0)",
        _cordoned_since("cpuspot-0", PREEMPT, timedelta(hours=-3), hours=3),
    ),
    _later(
        "a spot node that was to be taken hours ago",
        "work-pools",
        "1 node cordoned for 3 h",
        _cordoned_since("cpuspot-0", "Preempt Started", timedelta(hours=-3), hours=3),
    ),
    _later(
        "a spot node with mere advice",
        "work-pools",
        "1 node cordoned for 3 h",
        _cordoned_since("cpuspot-0", "SpotRebalanceRecommendation Advisory: {}.", hours=3),
    ),
    _broken("a spot node cordoned for minutes", "", "", _cordoned_since("cpuspot-0", minutes=10)),
    _broken(
        "a budget that is used up for now",
        "",
        "",
        _with(budgets=[c.budget("kubeflow", "istiod", healthy=1, pods=2)]),
    ),
    _broken(
        "the budgets of Knative's operator",
        "",
        "but for Knative's own (knative-serving/activator-pdb)",
        _with(budgets=[c.budget("knative-serving", "activator-pdb", healthy=1, pods=1)]),
    ),
    _broken("a budget without pods", "", "", _with(budgets=[c.budget("team", "idle", healthy=0, pods=0)])),
    _broken(
        "a profile without GPUs", "", "", _with(quotas=[c.quota("team", {"requests.nvidia.com/gpu": "0"})])
    ),
    _broken(
        "a profile's quota is used up", "", "", _with(quotas=[c.quota("team", {"pods": "9"}, {"pods": "9"})])
    ),
    _later(
        "the platform's quota is used up",
        "quotas",
        "ResourceQuota kubeflow/kf-resource-quota has no pods left",
        _with(quotas=[c.quota("kubeflow", {"pods": "99"}, {"pods": "99"})]),
    ),
    _broken(
        "a profile without memory",
        "quotas",
        "allows 0 requests.memory",
        _with(quotas=[c.quota("team", {"requests.memory": "0"})]),
    ),
    _broken(
        "the handler's pods are refused by a security standard",
        "refused-pods",
        "no pod can be created for ReplicaSet kubeflow-aks/eviction-handler-1",
        _refused(
            "ReplicaSet",
            "kubeflow-aks/eviction-handler-1",
            'pods "x" is forbidden: violates PodSecurity "restricted:latest"',
            minutes=2,
        ),
    ),
    _broken(
        "a notebook that the guard refuses",
        "refused-pods",
        "StatefulSet team/notebook",
        _refused("StatefulSet", "team/notebook", f'pods "notebook-0" is forbidden: {_RULE}', minutes=9),
    ),
    _broken(
        "a StatefulSet that the guard of its namespace refuses after an eviction",
        "refused-pods",
        "StatefulSet team/db",
        _refused(
            *("StatefulSet", "team/db", f"is forbidden: {_RULE.replace(GUARD, PROFILE_GUARD)}"), minutes=9
        ),
    ),
    _broken(
        "a team's Job beyond its quota",
        "",
        "",
        _refused("Job", "team/train", 'pods "train-x" is forbidden: exceeded quota', minutes=1),
    ),
    _broken(
        "a refusal of half an hour ago",
        "",
        "",
        _refused("Job", "kubeflow/train", f"is forbidden: {_RULE}", minutes=30),
    ),
    _broken(
        "a refusal that is over",
        "",
        "",
        _refused("Job", "kubeflow/train", f"is forbidden: {_RULE}", minutes=5, solved=True),
    ),
    _broken(
        "a refused Job that is gone",
        "",
        "",
        _refused("Job", "kubeflow/train", f"is forbidden: {_RULE}", minutes=5, now={}),
    ),
    _broken(
        "a refused Job made anew",
        "",
        "",
        _refused(
            "Job", "kubeflow/train", f"is forbidden: {_RULE}", minutes=5, now={"metadata": {"uid": "other"}}
        ),
    ),
    _broken(
        "a refused ReplicaSet that another has replaced",
        "",
        "",
        _refused(
            *("ReplicaSet", "kubeflow/web-1", f"is forbidden: {_RULE}"),
            minutes=5,
            now={"metadata": {"uid": "uid-web-1"}, "spec": {"replicas": 0}},
        ),
    ),
    _broken(
        "the handler's Deployment is new",
        "",
        "a pod of Deployment kubeflow-aks/eviction-handler is starting",
        _both(
            _edited("pods", lambda pods: pods.pop(3)),
            _live(
                "Deployment",
                "kubeflow-aks/eviction-handler",
                lambda live: live["metadata"].update(creationTimestamp=c.ago(seconds=2)),
            ),
        ),
    ),
    _broken(
        "a policy that allows a range of ports",
        "",
        "",
        _with(policies=[c.network_policy("range", {"ports": [{"port": 1, "endPort": 32767}]})]),
    ),
    _later(
        "Juju's model enforces restricted",
        "kubeflow-namespace",
        "namespace kubeflow enforces the Pod Security Standard restricted",
        _edited(
            "namespaces",
            lambda namespaces: namespaces[3]["metadata"].update(
                labels={"pod-security.kubernetes.io/enforce": "restricted"}
            ),
        ),
    ),
    _broken("a GPU node that boots", "", "1 GPU node just starting", _booting("gpuspot-0")),
)
"""As many of other kinds again, some of which must not be reported."""
