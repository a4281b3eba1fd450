"""What can be broken in the real control plane, each with the findings that were expected of it beforehand."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.objects import Object
from tests.local.demo_stack import DemoStack

Breaking = Callable[[DemoStack], AbstractContextManager[None]]

OURS: Final = ("--namespace", "kubeflow-aks")
_GENERAL: Final = "kubernetes.azure.com/agentpool=general"
_JUJUS: Final = {"model.juju.is/id": "0"}


@dataclass(frozen=True)
class Breakage:
    """Something that somebody did to a cluster, or that happened to it.

    Attributes:
        name: of the breakage.
        broken: while it is open, the cluster is broken.
        checks: those that fail, and no others.
        message: part of a finding.
    """

    name: str
    broken: Breaking
    checks: frozenset[str]
    message: str


def _broken(name: str, checks: str, message: str, broken: Breaking) -> Breakage:
    return Breakage(name, broken, frozenset(checks.split()), message)


def fresh(text: str) -> Object:
    """An object as it was before the API server had it."""
    obj = json.loads(text)
    metadata = {
        key: obj["metadata"][key]
        for key in ("name", "namespace", "labels", "annotations")
        if key in obj["metadata"]
    }
    return {
        **{key: value for key, value in obj.items() if key not in ("metadata", "status")},
        "metadata": metadata,
    }


def _changed(*what: str, **fields: Any) -> Breaking:
    """An object deleted, and made again with other fields if there are any; afterwards it is as it was."""

    @contextmanager
    def broken(demo: DemoStack) -> Generator[None]:
        before = fresh(demo.kubectl.run("get", *what, "--output", "json"))
        demo.kubectl.run("delete", *what)
        if fields:
            demo.api.create({**before, **fields}, "tests")
        try:
            yield
        finally:
            if fields:
                demo.kubectl.run("delete", *what)
            demo.api.create(before, "tests")

    return broken


def _created(*objects: Object, status: Mapping[str, object] | None = None) -> Breaking:
    """Objects that are there; the last one has a status."""

    @contextmanager
    def broken(demo: DemoStack) -> Generator[None]:
        demo.apply(*objects)
        try:
            if status is not None:
                demo.kubectl.run(*_named(objects[-1], "patch"), *_status(status))
            yield
        finally:
            for obj in reversed(objects):
                demo.kubectl.run(*_named(obj, "delete"), "--grace-period=0", "--force", "--wait")

    return broken


def _merged(*what: str, patch: Object, back: Object) -> Breaking:
    """An object changed by a merge patch, and changed back by another."""

    @contextmanager
    def broken(demo: DemoStack) -> Generator[None]:
        demo.kubectl.run("patch", *what, "--type=merge", "--patch", json.dumps(patch))
        try:
            yield
        finally:
            demo.kubectl.run("patch", *what, "--type=merge", "--patch", json.dumps(back))

    return broken


def _named(obj: Object, verb: str) -> list[str]:
    metadata = obj["metadata"]
    where = ["--namespace", metadata["namespace"]] if "namespace" in metadata else []
    return [verb, obj["kind"], metadata["name"], *where]


def _status(status: Mapping[str, object]) -> list[str]:
    return ["--subresource=status", "--type=merge", "--patch", json.dumps({"status": status})]


@contextmanager
def _cordoned(demo: DemoStack) -> Generator[None]:
    demo.kubectl.run("cordon", "--selector", _GENERAL)
    try:
        yield
    finally:
        demo.kubectl.run("uncordon", "--selector", _GENERAL)


def _condition(type_: str) -> Breaking:
    """A condition on one node of Kubeflow's own pool."""

    @contextmanager
    def broken(demo: DemoStack) -> Generator[None]:
        name = demo.nodes("general")[0]
        before = json.loads(demo.kubectl.run("get", "node", name, "--output", "json"))["status"]["conditions"]
        reported = {"type": type_, "status": "True", "reason": type_, "message": "made by a test"}
        others = [entry for entry in before if entry["type"] != type_]
        demo.kubectl.run("patch", "node", name, *_status({"conditions": [*others, reported]}))
        try:
            yield
        finally:
            demo.kubectl.run("patch", "node", name, *_status({"conditions": before}))

    return broken


@contextmanager
def _terminating(demo: DemoStack) -> Generator[None]:
    """Juju's model, whose deletion an object holds up."""
    held = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "held", "namespace": "kubeflow", "finalizers": ["tests.example/held"]},
    }
    demo.apply(_MODEL, held)
    demo.kubectl.run("delete", "namespace", "kubeflow", "--wait=false")
    try:
        demo.kubectl.run(
            "wait", "--for=condition=NamespaceFinalizersRemaining", "namespace/kubeflow", "--timeout=240s"
        )
        yield
    finally:
        release = json.dumps({"metadata": {"finalizers": None}})
        demo.kubectl.run(
            "patch", "configmap", "held", "--namespace", "kubeflow", "--type=merge", "--patch", release
        )
        demo.kubectl.run("wait", "--for=delete", "namespace/kubeflow", "--timeout=240s")


_MODEL: Final = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {"name": "kubeflow", "annotations": _JUJUS},
}
_HOOK: Final = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "MutatingWebhookConfiguration",
    "metadata": {"name": "dead"},
    "webhooks": [
        {
            "name": "pods.example.org",
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "failurePolicy": "Fail",
            "timeoutSeconds": 1,
            "clientConfig": {"service": {"namespace": "default", "name": "gone"}},
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "default"}},
            "rules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
            ],
        }
    ],
}
_ARGO: Final = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "argo-workflow-controller-configmap", "namespace": "kubeflow"},
    "data": {"config": "{}"},
}
_CHARM: Final = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "charm-0", "namespace": "kubeflow-aks"},
    "spec": {
        "nodeSelector": {"kubernetes.azure.com/agentpool": "general"},
        "automountServiceAccountToken": False,
        "containers": [{"name": "charm", "image": "docker.io/charmedkubeflow/x:1"}],
    },
}
_API: Final = {
    "apiVersion": "apiregistration.k8s.io/v1",
    "kind": "APIService",
    "metadata": {"name": "v1.tests.example"},
    "spec": {
        "group": "tests.example",
        "version": "v1",
        "groupPriorityMinimum": 100,
        "versionPriority": 100,
        "insecureSkipTLSVerify": True,
        "service": {"namespace": "default", "name": "gone"},
    },
}

_GUARD: Final = "kubeflow-aks-keep-off-spot"
_NO_PROFILE: Final = {
    "key": "app.kubernetes.io/part-of",
    "operator": "NotIn",
    "values": ["kubeflow-profile"],
}
_TEAM: Final = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}
_NO_PODS: Final = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "kf-resource-quota", "namespace": "team"},
    "spec": {"hard": {"pods": "0"}},
}
_CONVERTED: Final = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "things.tests.example"},
    "spec": {
        "group": "tests.example",
        "names": {"kind": "Thing", "plural": "things"},
        "scope": "Namespaced",
        "conversion": {
            "strategy": "Webhook",
            "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"service": {"namespace": "default", "name": "gone"}},
            },
        },
        "versions": [
            {
                "name": name,
                "served": True,
                "storage": name == "v2",
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }
            for name in ("v1", "v2")
        ],
    },
}

BREAKAGES: Final = (
    _broken(
        "the guard's binding leaves profiles out",
        "objects",
        "spec.matchResources is set, which the stack leaves out",
        _merged(
            *("validatingadmissionpolicybinding", _GUARD),
            patch={"spec": {"matchResources": {"namespaceSelector": {"matchExpressions": [_NO_PROFILE]}}}},
            back={"spec": {"matchResources": None}},
        ),
    ),
    _broken(
        "the handler's ClusterRole without pods/eviction",
        "objects rights",
        "service account kubeflow-aks/eviction-handler may not create pods/eviction",
        _changed(
            "clusterrole",
            "kubeflow-aks-eviction-handler",
            rules=[
                {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch", "patch"]},
                {"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "delete"]},
            ],
        ),
    ),
    _broken(
        "the product's namespace injects sidecars",
        "objects",
        "metadata.labels.istio-injection is set",
        _merged(
            *("namespace", "kubeflow-aks"),
            patch={"metadata": {"labels": {"istio-injection": "enabled"}}},
            back={"metadata": {"labels": {"istio-injection": None}}},
        ),
    ),
    _broken(
        "a custom kind whose conversion webhook is gone",
        "webhooks",
        "webhook of the conversion of things.tests.example has no ready endpoint (service default/gone)",
        _created(_CONVERTED),
    ),
    _broken(
        "a profile's quota is 0",
        "quotas",
        "ResourceQuota team/kf-resource-quota allows 0 pods",
        _created(_TEAM, _NO_PODS),
    ),
    _broken(
        "ConfigMap agent-pools deleted",
        "pool-contract",
        "does not exist",
        _changed("configmap", "agent-pools", *OURS),
    ),
    _broken(
        "ConfigMap agent-pools edited",
        "pool-contract",
        "differs from the stack in pool",
        _changed("configmap", "agent-pools", *OURS, data={"pools.json": "[]"}),
    ),
    _broken(
        "RoleBinding of agent-pools deleted",
        "pool-contract objects",
        "notebooks may not read ConfigMap kubeflow-aks/agent-pools",
        _changed("rolebinding", "agent-pools-reader", *OURS),
    ),
    _broken(
        "Role of agent-pools for another ConfigMap",
        "pool-contract objects",
        "notebooks may not read ConfigMap kubeflow-aks/agent-pools",
        _changed(
            "role",
            "agent-pools-reader",
            *OURS,
            rules=[
                {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["other"], "verbs": ["get"]}
            ],
        ),
    ),
    _broken(
        "Juju's ClusterRoleBinding deleted",
        "juju-rights objects",
        "ClusterRoleBinding kubeflow-aks-juju",
        _changed("clusterrolebinding", "kubeflow-aks-juju"),
    ),
    _broken(
        "Juju's account may only read",
        "juju-rights objects",
        "ClusterRoleBinding kubeflow-aks-juju",
        _changed(
            "clusterrolebinding",
            "kubeflow-aks-juju",
            roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
        ),
    ),
    _broken(
        "a dead webhook refuses pods",
        "webhooks",
        "webhook pods.example.org has no ready endpoint (service default/gone), so the API server refuses pods",
        _created(_HOOK),
    ),
    _broken(
        "DaemonSet inotify-limits deleted",
        "daemon-sets",
        "DaemonSet kubeflow-aks/inotify-limits does not exist",
        _changed("daemonset", "inotify-limits", *OURS),
    ),
    _broken(
        "ckf-zrs with another SKU",
        "storage",
        "parameters.skuName is Standard_LRS instead of StandardSSD_ZRS",
        _changed("storageclass", "ckf-zrs", parameters={"skuName": "Standard_LRS"}),
    ),
    _broken(
        "ckf-zrs binds at once",
        "storage",
        "volumeBindingMode is Immediate instead of WaitForFirstConsumer",
        _changed("storageclass", "ckf-zrs", volumeBindingMode="Immediate"),
    ),
    _broken(
        "ckf-zrs does not expand",
        "storage",
        "allowVolumeExpansion is false instead of true",
        _changed("storageclass", "ckf-zrs", allowVolumeExpansion=False),
    ),
    _broken(
        "priority class deleted",
        "priority-classes",
        "kubeflow-aks-batch does not exist",
        _changed("priorityclass", "kubeflow-aks-batch"),
    ),
    _broken("namespace kubeflow is Terminating", "namespaces", "tests.example/held", _terminating),
    _broken(
        "a platform pod in CrashLoopBackOff",
        "platform-pods",
        "1 pod in CrashLoopBackOff (kubeflow-aks/charm-0)",
        _created(
            _CHARM,
            status={
                "containerStatuses": [
                    {
                        "name": "charm",
                        "image": "x",
                        "imageID": "",
                        "ready": False,
                        "restartCount": 9,
                        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                    }
                ]
            },
        ),
    ),
    _broken(
        "the home nodes cordoned", "home-pool", "no node of pool general takes new pods: cordoned", _cordoned
    ),
    _broken(
        "a home node under DiskPressure",
        "node-health",
        "DiskPressure: made by a test",
        _condition("DiskPressure"),
    ),
    _broken("an API without a server", "apis", "API v1.tests.example is not available", _created(_API)),
    _broken(
        "Argo without the retries",
        "argo-retries",
        "the setting kubeflow.argoRetries is off",
        _created(_MODEL, _ARGO),
    ),
)
