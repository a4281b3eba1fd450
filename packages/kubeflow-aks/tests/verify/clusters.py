"""Clusters as the API shows them: one that keeps every promise, and what tests change in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from aks_facts import charmed_kubeflow_releases
from components.kubeflow.prerequisites import KubeflowPrerequisites
from kubeflow_aks.clients.kubernetes.objects import name_of
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.recorder.run import record
from kubeflow_aks.verify.checks import CHECKS
from kubeflow_aks.verify.findings import CheckResult, State, run_checks
from kubeflow_aks.verify.probes import PROBES
from kubeflow_aks.verify.rights import registered_rights
from kubeflow_aks.verify.snapshot import ClusterSnapshot, Result, Right, StackObject

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
        "vmSize": "Standard_D8s_v5",
        "gpus": 0,
        "maxCount": 3,
        "labels": {"kubeflow-aks/workload": work, **spot},
        "taints": list(taints),
        "fallback": None,
        "pool": None,
        "region": "westeurope",
        "zones": [],
        "architecture": "amd64",
        "gpuModel": None,
        "allocatable": {"cpu": "7820m", "memory": "30418Mi"},
        **more,
    }


POOLS = [
    pool("general", "general"),
    pool("cpuspot", "cpu", f"{SPOT}=spot:NoSchedule", fallback="cpuod"),
    pool("cpuod", "cpu", "kubeflow-aks/fallback=true:NoSchedule"),
    pool("gpuspot", "gpu", f"{SPOT}=spot:NoSchedule", "nvidia.com/gpu=present:NoSchedule", gpus=2),
]
JUJU_STATUS: Object = {
    "applications": {
        name: {"charm-name": name, "charm-channel": charm.channel, "charm-rev": charm.revision}
        for name, charm in charmed_kubeflow_releases()["1.11-ubuntu2"].charms.items()
    }
}
"""What `juju status --format json` says of the release as it was published; real names of fields (juju/juju,
cmd/juju/status/formatted.go)."""
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
            "release": "1.11-ubuntu2",
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


@cache
def registered() -> tuple[Object, ...]:
    """The Kubernetes objects that the component registers for the pools of the contract, with all that it can make."""

    def program() -> None:
        arguments: Any = {
            "pools": POOLS,
            "return_to_spot": True,
            "network_policies": True,
            "node_prices": {"cpuspot": 0.1, "cpuod": 0.4},
        }
        KubeflowPrerequisites("kubeflow", arguments)

    resources = record("dev", program=program).resources.values()
    inputs = [resource.inputs for resource in resources if resource.type.startswith("kubernetes:")]
    return tuple(json.loads(json.dumps(inputs)))


def state() -> Object:
    """The stack's state, as `pulumi stack export` prints it."""
    resources = [
        {"urn": f"urn:pulumi:dev::aks::{obj['kind']}::{number}", "type": _token(obj), "inputs": obj}
        for number, obj in enumerate(registered())
    ]
    return {"version": 3, "deployment": {"resources": resources}}


def _token(obj: Object) -> str:
    version = obj["apiVersion"] if "/" in obj["apiVersion"] else f"core/{obj['apiVersion']}"
    return f"kubernetes:{version}:{obj['kind']}"


def live(obj: Object) -> Object:
    """A registered object as it is in the cluster."""
    copy = deepcopy(obj)
    copy["metadata"] |= {"uid": name_of(obj), "resourceVersion": "1", "creationTimestamp": ago(days=1)}
    copy["metadata"]["managedFields"] = [{"time": ago(hours=5)}]
    copy["metadata"]["annotations"] = {
        **obj["metadata"].get("annotations", {}),
        "deprecated/revision": "1",
    }
    return {**copy, "status": {"observed": True}}


def stack_objects() -> list[StackObject]:
    """All registered objects, live as they were registered."""
    return [StackObject(obj, Result(obj), Result(live(obj))) for obj in registered()]


def live_config_map(name: str) -> Object:
    """A ConfigMap of the stack."""
    [config_map] = [live(obj) for obj in registered() if obj["kind"] == "ConfigMap" and name_of(obj) == name]
    return config_map


def node(name: str, of: str, **more: Any) -> Object:
    """A ready node of a pool of the contract, or of the system pool."""
    [pool] = [entry for entry in POOLS if entry["name"] == of] or [
        {"labels": {}, "taints": ["CriticalAddonsOnly=true:NoSchedule"], "gpus": 0}
    ]
    mode = "system" if of == "system" else "user"
    labels = {"kubernetes.azure.com/agentpool": of, "kubernetes.azure.com/mode": mode, **pool["labels"]}
    return {
        "metadata": {"name": name, "labels": labels, "creationTimestamp": ago(hours=3)},
        "spec": {"taints": [taint(text) for text in pool["taints"]]},
        "status": {
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": ago(hours=3)}],
            "allocatable": {"nvidia.com/gpu": str(pool["gpus"])} if pool["gpus"] else {},
            "nodeInfo": {"kubeletVersion": "v1.34.4", "osImage": "Ubuntu 22.04.5 LTS"},
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
    made["spec"]["serviceAccountName"] = app
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
        "nodeGroups": [group("system"), *(group(entry["name"]) for entry in POOLS)],
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


def definition(name: str, *, service: str, versions: int = 2) -> Object:
    """A custom kind, converted by a service of namespace kubeflow unless its name is empty."""
    webhook = {"clientConfig": {"service": {"namespace": "kubeflow", "name": service}}}
    conversion = {"strategy": "Webhook", "webhook": webhook} if service else {"strategy": "None"}
    served: list[Object] = [
        {"name": f"v{number}", "served": True, "schema": {}} for number in range(1, 1 + versions)
    ]
    return {"metadata": {"name": name}, "spec": {"conversion": conversion, "versions": served}}


def budget(namespace: str, name: str, *, healthy: int, pods: int) -> Object:
    """A disruption budget that wants so many of so many pods."""
    status = {"desiredHealthy": healthy, "expectedPods": pods, "currentHealthy": pods}
    return {"metadata": {"namespace": namespace, "name": name}, "status": status}


def quota(namespace: str, hard: Object, used: Object | None = None) -> Object:
    """A quota of a namespace."""
    return {
        "metadata": {"namespace": namespace, "name": "kf-resource-quota"},
        "spec": {"hard": hard},
        "status": {"hard": hard, "used": used or {}},
    }


def refusal(kind: str, owner: str, message: str, **length: float) -> Object:
    """An event on a controller that could not create a pod; `owner`, which no event has, is that controller."""
    namespace, _, name = owner.partition("/")
    return {
        "reason": "FailedCreate",
        "message": message,
        "lastTimestamp": ago(**length),
        "involvedObject": {
            "apiVersion": "batch/v1" if kind == "Job" else "apps/v1",
            "kind": kind,
            "namespace": namespace,
            "name": name,
            "uid": f"uid-{name}",
        },
        "owner": {"metadata": {"uid": f"uid-{name}"}},
    }


def network_policy(name: str, *egress: Object, selector: Object | None = None) -> Object:
    """A policy of direction Egress in this product's namespace; it selects all pods by default."""
    spec = {"podSelector": selector or {}, "policyTypes": ["Egress"], "egress": list(egress)}
    return {"metadata": {"namespace": "kubeflow-aks", "name": name}, "spec": spec}


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
            [node("system-0", "system"), *(node(f"{entry['name']}-0", entry["name"]) for entry in POOLS)]
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
        priority_map=Result(live_config_map("cluster-autoscaler-priority-expander")),
        autoscaler=Result(config_map(status=json.dumps(status()))),
        expander_events=Result([]),
        untriggered=Result([]),
        argo=Result(config_map(workflowDefaults=WORKFLOW_DEFAULTS)),
        limits={"general-0": Result("max_user_instances 1280\nmax_user_watches 700000\n")},
        guard={probe.name: Result(REFUSAL if probe.refused else "") for probe in PROBES},
        juju=Result({"userInfo": {"username": "system:serviceaccount:kubeflow-aks:juju"}}),
        juju_rights=Result(value=True),
        contract=Result(live_config_map("agent-pools")),
        contract_readers=Result(value=True),
        objects=Result(stack_objects()),
        rights=Result(
            [
                Right(account, attributes, Result(value=True))
                for account, attributes in registered_rights(registered())
            ]
        ),
        priority_classes=Result(
            [
                {"metadata": {"name": "kubeflow-aks-batch"}, "value": -1},
                {"metadata": {"name": "kubeflow-aks-interactive"}, "value": 1000},
            ]
        ),
        webhooks=Result([webhook("istio.io", "pods", service="istiod")]),
        endpoints={
            "kubeflow": Result([endpoints("istiod")]),
            "kube-system": Result([endpoints("kube-dns")]),
        },
        definitions=Result([definition("notebooks.kubeflow.org", service="")]),
        budgets=Result([budget("kubeflow", "istiod", healthy=1, pods=2)]),
        quotas=Result([quota("team", {"pods": "50"})]),
        refusals=Result([]),
        policies=Result(
            [
                live(obj)
                for obj in registered()
                if obj["kind"] == "NetworkPolicy" and obj["metadata"]["namespace"] == "kubeflow-aks"
            ]
        ),
        dns=Result({"metadata": {"name": "kube-dns"}}),
        charms=Result(JUJU_STATUS["applications"]),
        drivers=Result([{"metadata": {"name": f"{kind}.csi.azure.com"}} for kind in ("disk", "blob")]),
        api_services=Result([api_service("v1."), api_service("v1beta1.metrics.k8s.io")]),
    )


def with_nodes(change: Callable[[dict[str, Object]], object]) -> ClusterSnapshot:
    """The good cluster with some nodes changed, by name; None takes the node away."""
    snapshot = good()
    nodes = {entry["metadata"]["name"]: entry for entry in deepcopy(snapshot.nodes.required())}
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
    chosen = [entry for entry in CHECKS if entry.id == check]
    assert chosen, check
    return [finding.result for finding in run_checks(chosen, snapshot, of or outputs())]


def sentences(check: str, snapshot: ClusterSnapshot, state: State, of: Outputs | None = None) -> list[str]:
    """What one check tells of a state; every promise that is broken says what to do."""
    results = results_of(check, snapshot, of)
    assert all(result.action for result in results if result.state is State.FAILED)
    return [result.message for result in results if result.state is state]
