"""The work that the demo starts on behalf of users and Charmed Kubeflow: plain Kubernetes objects."""

from typing import Final

import aks_facts
from kubeflow_aks.clients.kubernetes.objects import Object
from kubeflow_aks.scenario.contract_pools import WORKLOAD_LABEL, WorkloadPools
from kubeflow_aks.scenario.workloads.stage import PLATFORM_NAMESPACE, SIMULATED, TEAM_NAMESPACE, Stage

PART: Final = "local-aks.demo/part"
"""Label of every object that the demo makes: the part it plays."""
PLATFORM: Final = "platform"
NOTEBOOK: Final = "notebook"
TASK_LABEL: Final = "batch.kubernetes.io/job-completion-index"
"""Which task of its Job a pod works on (Kubernetes, Indexed Jobs)."""
RUN_SECONDS: Final = "local-aks/run-seconds"
"""Annotation that ends a pod's simulated work (`kubeflow_aks/local_aks/control_plane/stages/pod-complete.yaml`)."""

_CHARMS: Final = ("istio-pilot", "dex-auth", "kubeflow-dashboard", "kfp-api", "katib-controller", "minio")
_TASKS_ON_A_NODE: Final = 2
_SHARE_OF_A_NODE: Final = 0.4
"""Share of a node's vCPUs: two such tasks fill what AKS leaves of them to pods, so that a third needs another node."""


def namespaces() -> list[Object]:
    """The model that Juju makes, and the profile that Kubeflow makes; the program makes neither.

    Source: docs/facts/charmed-kubeflow.md#what-juju-owns.
    """
    juju = {"app.kubernetes.io/managed-by": "juju", "model.juju.is/name": PLATFORM_NAMESPACE}
    profile = {"app.kubernetes.io/part-of": "kubeflow-profile"}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
        for name, labels in ((PLATFORM_NAMESPACE, juju), (TEAM_NAMESPACE, profile))
    ]


def platform() -> list[Object]:
    """Charms as Juju deploys them: StatefulSets without tolerations, affinity or requests.

    Source: docs/facts/charmed-kubeflow.md#charms-and-tolerations.
    """
    return [_stateful_set(charm, PLATFORM_NAMESPACE, PLATFORM, {}) for charm in _CHARMS]


def notebook() -> Object:
    """A notebook server as Kubeflow makes it; it holds a user's work, so it must not run on spot."""
    name = "notebook"
    return _stateful_set(
        name, TEAM_NAMESPACE, NOTEBOOK, {"notebook-name": name}, {"cpu": "500m", "memory": "1Gi"}
    )


def stray(lane: WorkloadPools, stage: Stage = SIMULATED) -> Object:
    """A pod of the platform, or a notebook, that requests spot nodes, as a faulty chart would."""
    namespace, labels = stage.guarded
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "minio-on-spot",
            "namespace": namespace,
            "labels": {PART: "stray", **labels},
        },
        "spec": {
            **stage.pod,
            "containers": [_task_container(lane, stage) if stage.limited else _container({})],
            "tolerations": _tolerations(lane),
        },
    }


def job(name: str, part: str, lane: WorkloadPools, tasks: int, stage: Stage = SIMULATED) -> Object:
    """A batch Job made for spot: evictions don't count, and one real failure would end its task.

    One selector covers the spot pool and its fallback; the autoscaler chooses by the program's priority map. With
    `backoffLimitPerIndex` an evicted task starts again after 10 s, whatever happened to the others; without it the
    Job controller waits 10 s for the first evicted pod and twice as long for each one more, up to 10 min, though the
    policy ignores them (Kubernetes 1.34, observed in the demo).
    """
    metadata = {"labels": {PART: part}}
    annotations = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
    ignore_evictions = {
        "action": "Ignore",
        "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": stage.namespace, **metadata},
        "spec": {
            "completions": tasks,
            "parallelism": tasks,
            "completionMode": "Indexed",
            "backoffLimitPerIndex": 0,
            "podFailurePolicy": {"rules": [ignore_evictions]},
            "template": {
                "metadata": {**metadata, "annotations": annotations},
                "spec": {
                    "restartPolicy": "Never",
                    "priorityClassName": "kubeflow-aks-batch",
                    "nodeSelector": {WORKLOAD_LABEL: lane.workload},
                    "tolerations": _tolerations(lane),
                    "terminationGracePeriodSeconds": 20,
                    **stage.pod,
                    "containers": [_task_container(lane, stage)],
                },
            },
        },
    }


def tasks_for(lane: WorkloadPools, nodes: int) -> int:
    """How many tasks fill that many nodes, or as many as the spot pools and the fallbacks can both have."""
    return min(nodes, lane.fewest) * (1 if lane.gpu else _TASKS_ON_A_NODE)


def _task_requests(lane: WorkloadPools) -> dict[str, str]:
    """What a task requests: all GPUs of a node, or not quite half of its CPU; of the smallest node in the lane."""
    sizes = [aks_facts.vm_size(pool.vm_size) for pool in lane.pools]
    if lane.gpu:
        return {"cpu": "1", "nvidia.com/gpu": str(min(size.gpus for size in sizes))}
    return {"cpu": f"{int(1000 * _SHARE_OF_A_NODE * min(size.vcpus for size in sizes))}m"}


def _tolerations(lane: WorkloadPools) -> list[Object]:
    """Tolerations of every taint in the lane, once each; by key and effect, whatever the value.

    With a value, a pod that requests a GPU could not be changed any more, not even by its Job: AKS's plugin
    ExtendedResourceToleration adds the same key without one, and PodTolerationRestriction then drops the narrower
    of the two at every update, which the API server refuses.
    """
    taints = dict.fromkeys(text for pool in lane.pools for text in pool.taints)
    split = [(text.rpartition(":")[0].partition("=")[0], text.rpartition(":")[2]) for text in taints]
    return [{"key": key, "operator": "Exists", "effect": effect} for key, effect in split]


def _stateful_set(
    name: str, namespace: str, part: str, labels: dict[str, str], requests: dict[str, str] | None = None
) -> Object:
    selector = {"app.kubernetes.io/name": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": namespace, "labels": {PART: part}},
        "spec": {
            "replicas": 1,
            "serviceName": name,
            "selector": {"matchLabels": selector},
            "template": {
                "metadata": {"labels": {**selector, **labels, PART: part}},
                "spec": {"containers": [_container(requests or {})]},
            },
        },
    }


def _task_container(lane: WorkloadPools, stage: Stage) -> Object:
    requests = {**_task_requests(lane), **stage.requests}
    limits = requests if stage.limited else _limits(requests)
    return {**stage.container, "resources": {"requests": requests, "limits": limits}}


def _container(requests: dict[str, str]) -> Object:
    return {**SIMULATED.container, "resources": {"requests": requests, "limits": _limits(requests)}}


def _limits(requests: dict[str, str]) -> dict[str, str]:
    """Extended resources need a limit that equals the request; CPU and memory need none."""
    return {name: amount for name, amount in requests.items() if "/" in name}
