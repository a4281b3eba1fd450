"""Clusters as the API shows them: one that keeps every promise, and what tests change in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.verify.checks import CHECKS
from kubeflow_aks.verify.findings import CheckResult, State, run_checks
from kubeflow_aks.verify.probes import PROBES
from kubeflow_aks.verify.snapshot import ClusterSnapshot, Result

Object = dict[str, Any]

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
SPOT = "kubernetes.azure.com/scalesetpriority"
REFUSAL = "ValidatingAdmissionPolicy 'kubeflow-aks-keep-off-spot' with binding '…' denied request: no"
REGISTRY = "/subscriptions/0/resourceGroups/g/providers/Microsoft.ContainerRegistry/registries/Images"


def ago(**length: float) -> str:
    """A time as the API writes it."""
    return (NOW - timedelta(**length)).isoformat().replace("+00:00", "Z")


def pool(name: str, role: str, *taints: str, **more: Any) -> Object:
    """A pool of the contract."""
    work = {"general": "platform"}.get(role, role)
    spot = {SPOT: "spot"} if any(SPOT in taint for taint in taints) else {}
    return {
        "name": name,
        "role": role,
        "priority": "Spot" if spot else "Regular",
        "gpus": 0,
        "maxCount": 3,
        "labels": {"kubeflow-aks/workload": work, **spot},
        "taints": list(taints),
        "fallback": None,
        **more,
    }


POOLS = [
    pool("general", "general"),
    pool("cpuspot", "cpu", f"{SPOT}=spot:NoSchedule", fallback="cpuod"),
    pool("cpuod", "cpu", "kubeflow-aks/fallback=true:NoSchedule"),
    pool("gpuspot", "gpu", f"{SPOT}=spot:NoSchedule", "nvidia.com/gpu=present:NoSchedule", gpus=2),
]
PRIORITIES = """\
40:
  - ^aks-cpuspot-[0-9]+-vmss$
30:
  - ^aks-gpuspot-[0-9]+-vmss$
20:
  - ^aks-cpuod-[0-9]+-vmss$
1:
  - .*
"""
WORKFLOW_DEFAULTS = "spec: {templateDefaults: {retryStrategy: {limit: '0', retryPolicy: Always}}}"


def outputs(**changed: Any) -> Outputs:
    """Outputs of the stack; `clusterBasis` is changed key by key, such as `kubeflow={"guards": False}`."""
    basis: Object = {
        "stack": "dev",
        "kubernetes": {"version": "1.34", "supportPlan": "AKSLongTermSupport"},
        "autoscaler": {"maxNodeProvisionTime": "10m"},
        "apiAccess": {"privateCluster": False},
        "gpu": {"plugin": "devicePlugin"},
        "data": {"checkpoints": {"sku": "Standard_ZRS", "reclaimPolicy": "Retain"}},
        "kubeflow": {
            "release": "1.11",
            "storageClass": {"sku": "StandardSSD_ZRS", "reclaimPolicy": "Delete"},
            "guards": True,
            "evictionHandler": True,
            "returnToSpot": True,
            "argoRetries": True,
            "inotify": {"enabled": True, "maxUserInstances": 1280, "maxUserWatches": 655360},
        },
    }
    for key in basis.keys() & changed.keys():
        basis[key] = {**basis[key], **changed.pop(key)}
    values: Object = {
        "clusterBasis": basis,
        "poolContract": POOLS,
        "storageClass": "ckf-zrs",
        "checkpointClass": "checkpoints",
        "registryId": REGISTRY,
        "jujuToken": "opaque",
        "kubeconfig": "{}",
    }
    return Outputs("dev", {**values, **changed})


def node(name: str, of: str, **more: Any) -> Object:
    """A ready node of a pool of the contract, or of the system pool."""
    [found] = [each for each in POOLS if each["name"] == of] or [
        {"labels": {}, "taints": ["CriticalAddonsOnly=true:NoSchedule"], "gpus": 0}
    ]
    mode = "system" if of == "system" else "user"
    labels = {"kubernetes.azure.com/agentpool": of, "kubernetes.azure.com/mode": mode, **found["labels"]}
    return {
        "metadata": {"name": name, "labels": labels, "creationTimestamp": ago(hours=3)},
        "spec": {"taints": [taint(each) for each in found["taints"]]},
        "status": {
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": ago(hours=3)}],
            "allocatable": {"nvidia.com/gpu": str(found["gpus"])} if found["gpus"] else {},
            "nodeInfo": {"kubeletVersion": "v1.34.4"},
        },
        **more,
    }


def taint(text: str) -> Object:
    """A taint of a node from its text."""
    body, _, effect = text.rpartition(":")
    key, _, value = body.partition("=")
    return {"key": key, "value": value, "effect": effect}


def pod(namespace: str, name: str, on: str = "", **more: Any) -> Object:
    """A pod that runs on a node, or waits for one."""
    scheduled = {"type": "PodScheduled", "status": "True" if on else "False"}
    return {
        "metadata": {"namespace": namespace, "name": name, "uid": name, "creationTimestamp": ago(hours=2)},
        "spec": {"nodeName": on} if on else {},
        "status": {
            "phase": "Running" if on else "Pending",
            "conditions": [scheduled, {"type": "Ready", "status": "True"}] if on else [scheduled],
            "containerStatuses": [],
        },
        **more,
    }


def daemon(name: str, app: str, on: str) -> Object:
    """A daemon's pod of this product."""
    made = pod("kubeflow-aks", name, on)
    made["metadata"]["labels"] = {"app.kubernetes.io/name": app}
    made["metadata"]["ownerReferences"] = [{"kind": "DaemonSet"}]
    return made


def script_pod(app: str) -> Object:
    """A pod of this product that acts on the cluster."""
    made = pod("kubeflow-aks", f"{app}-0", "general-0")
    made["metadata"]["labels"] = {"app.kubernetes.io/name": app}
    made["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    return made


def container(image: str, waiting: Object | None = None) -> Object:
    """A container's status."""
    return {
        "image": image,
        "imageID": "" if waiting else "sha256:0",
        "state": {"waiting": waiting} if waiting else {},
    }


def group(name: str, **more: Any) -> Object:
    """A pool as the autoscaler tells of it."""
    health = {"status": "Healthy", "maxSize": 3, "nodeCounts": {"registered": {"total": 1, "ready": 1}}}
    return {
        "name": f"aks-{name}-12345678-vmss",
        "health": health,
        "scaleUp": {"status": "NoActivity"},
        **more,
    }


def status(**more: Any) -> Object:
    """The autoscaler's status as data."""
    written = (NOW - timedelta(seconds=20)).strftime("%Y-%m-%d %H:%M:%S.123456789 +0000 UTC")
    return {
        "time": written,
        "autoscalerStatus": "Running",
        "clusterWide": {"health": {"status": "Healthy"}},
        "nodeGroups": [group("system"), *(group(each["name"]) for each in POOLS)],
        **more,
    }


def storage_class(name: str, *, default: str = "", **more: Any) -> Object:
    """A storage class as the stack makes it, or AKS its own."""
    annotations = {"storageclass.kubernetes.io/is-default-class": default} if default else {}
    blob = name == "checkpoints"
    made: Object = {
        "metadata": {"name": name, "annotations": annotations},
        "provisioner": "blob.csi.azure.com" if blob else "disk.csi.azure.com",
        "parameters": {"skuName": "Standard_ZRS" if blob else "StandardSSD_ZRS"},
        "reclaimPolicy": "Retain" if blob else "Delete",
        "volumeBindingMode": "Immediate" if blob else "WaitForFirstConsumer",
        "allowVolumeExpansion": True,
    }
    if blob:
        made["parameters"]["secretNamespace"] = "kube-system"
    return {**made, **more}


def webhook(name: str, *resources: str, service: str, **more: Any) -> Object:
    """The configuration of one webhook, served by a service of namespace kubeflow."""
    return {
        "metadata": {"name": f"{name}-configuration"},
        "webhooks": [
            {
                "name": name,
                "failurePolicy": "Fail",
                "clientConfig": {"service": {"namespace": "kubeflow", "name": service}},
                "rules": [{"resources": list(resources)}],
                **more,
            }
        ],
    }


def endpoints(service: str, *, ready: bool | None = True) -> Object:
    """Where a service is served."""
    return {
        "metadata": {
            "name": f"{service}-1",
            "namespace": "kubeflow",
            "labels": {"kubernetes.io/service-name": service},
        },
        "endpoints": [{"conditions": {} if ready is None else {"ready": ready}}],
    }


def api_service(name: str, **available: str) -> Object:
    """An API and whether it is available."""
    return {
        "metadata": {"name": name},
        "status": {"conditions": [{"type": "Available", "status": "True", **available}]},
    }


def namespace(name: str, **metadata: Any) -> Object:
    """A namespace made a day ago."""
    return {"metadata": {"name": name, "creationTimestamp": ago(days=1), **metadata}}


def config_map(**data: str) -> Object:
    """A ConfigMap made a day ago."""
    return {
        "metadata": {"creationTimestamp": ago(days=1), "managedFields": [{"time": ago(hours=5)}]},
        "data": data,
    }


def good() -> ClusterSnapshot:
    """A cluster with Kubeflow in it that keeps every promise."""
    runs = pod("team", "train", "cpuspot-0")
    runs["status"]["containerStatuses"] = [container("images-a1b2c3.azurecr.io/train:1")]
    names = pod("kube-system", "coredns", "system-0")
    names["metadata"]["labels"] = {"k8s-app": "kube-dns"}
    return ClusterSnapshot(
        now=NOW,
        clock=Result(timedelta()),
        version=Result({"gitVersion": "v1.34.4"}),
        nodes=Result(
            [node("system-0", "system"), *(node(f"{each['name']}-0", each["name"]) for each in POOLS)]
        ),
        pods=Result(
            [
                pod("kubeflow", "mysql", "general-0"),
                daemon("limits", "inotify-limits", "general-0"),
                daemon("plugin", "nvidia-device-plugin", "gpuspot-0"),
                script_pod("eviction-handler"),
                runs,
                names,
                script_pod("return-to-spot"),
            ]
        ),
        namespaces=Result(
            [
                namespace("default"),
                namespace("kube-system"),
                namespace("kubeflow-aks"),
                namespace("kubeflow", annotations={"model.juju.is/id": "0"}),
            ]
        ),
        storage_classes=Result(
            [storage_class("default", default="true"), storage_class("ckf-zrs"), storage_class("checkpoints")]
        ),
        priority_map=Result(config_map(priorities=PRIORITIES)),
        autoscaler=Result(config_map(status=json.dumps(status()))),
        expander_events=Result([]),
        untriggered=Result([]),
        argo=Result(config_map(workflowDefaults=WORKFLOW_DEFAULTS)),
        limits={"general-0": Result("max_user_instances 1280\nmax_user_watches 700000\n")},
        guard={probe.name: Result(REFUSAL if probe.refused else "") for probe in PROBES},
        juju=Result({"userInfo": {"username": "system:serviceaccount:kubeflow-aks:juju"}}),
        juju_rights=Result(value=True),
        contract=Result(config_map(**{"pools.json": json.dumps(POOLS)})),
        contract_readers=Result(value=True),
        daemon_sets=Result(
            [{"metadata": {"name": name}} for name in ("inotify-limits", "nvidia-device-plugin")]
        ),
        priority_classes=Result(
            [
                {"metadata": {"name": "kubeflow-aks-batch"}, "value": -1},
                {"metadata": {"name": "kubeflow-aks-interactive"}, "value": 1000},
            ]
        ),
        webhooks=Result([webhook("istio.io", "pods", service="istiod")]),
        endpoints={"kubeflow": Result([endpoints("istiod")])},
        api_services=Result([api_service("v1."), api_service("v1beta1.metrics.k8s.io")]),
    )


def with_nodes(change: Callable[[dict[str, Object]], object]) -> ClusterSnapshot:
    """The good cluster with some nodes changed, by name; None takes the node away."""
    snapshot = good()
    nodes = {each["metadata"]["name"]: each for each in deepcopy(snapshot.nodes.required())}
    change(nodes)
    return replace(snapshot, nodes=Result(list(nodes.values())))


def with_pods(*more: Object) -> ClusterSnapshot:
    """The good cluster with more pods."""
    snapshot = good()
    return replace(snapshot, pods=Result([*snapshot.pods.required(), *more]))


def with_status(**changed: Any) -> ClusterSnapshot:
    """The good cluster with another status of the autoscaler."""
    return replace(good(), autoscaler=Result(config_map(status=json.dumps(status(**changed)))))


def results_of(check: str, snapshot: ClusterSnapshot, of: Outputs | None = None) -> list[CheckResult]:
    """What one check tells."""
    chosen = [each for each in CHECKS if each.id == check]
    assert chosen, check
    return [finding.result for finding in run_checks(chosen, snapshot, of or outputs())]


def sentences(check: str, snapshot: ClusterSnapshot, state: State, of: Outputs | None = None) -> list[str]:
    """What one check tells of a state; every promise that is broken says what to do."""
    found = results_of(check, snapshot, of)
    assert all(each.action for each in found if each.state is State.FAILED)
    return [each.message for each in found if each.state is state]
