"""What a data scientist runs on Kubeflow in the demo: the three workflows of Canonical's blog, and a training."""

from collections.abc import Mapping
from typing import Any, Final

from ckf_spot import Placement, Pools
from kubeflow_aks.clients.kubernetes.objects import Kind, at, items
from kubeflow_aks.scenario.contract_pools import WorkloadPools
from kubeflow_aks.scenario.workloads.kfp_compiler import ACCOUNT, Retries, Task
from kubeflow_aks.scenario.workloads.pipelines import Work, workflow
from kubeflow_aks.scenario.workloads.platform_and_jobs import PART, TEAM_NAMESPACE, Object

PIPELINES: Final = "pipelines"
TRAINING: Final = "training"
WORKFLOW: Final = Kind("argoproj.io", "v1alpha1", "Workflow")
TRAINING_JOB: Final = Kind("kubeflow.org", "v1", "PyTorchJob")
RUNS: Final = {WORKFLOW: PIPELINES, TRAINING_JOB: TRAINING}
"""Kind of a run to the part that it plays."""
WORKERS: Final = 2
OVER: Final = frozenset({"Succeeded", "Failed", "Error"})
"""States of a finished run."""
BLOG: Final = ("base-workload", "spot-workload", "spot-retries-workload")
"""The blog's workflows 01, 02 and 03."""

_RETRIES: Final = Retries(count=5, backoff=2)
"""The blog's five; its five minutes are two seconds here, to keep the demo short."""
_UNTIL_ENDED: Final = Work(3600)
"""The scenario ends a step's work itself."""


def account() -> Object:
    """The service account that a profile's pipelines run as."""
    metadata = {"name": ACCOUNT, "namespace": TEAM_NAMESPACE}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}


def workflows(pools: Pools, lane: WorkloadPools) -> list[Object]:
    """The blog's three, each of a download and a merge: anywhere, on spot only, and on spot if available."""
    group = pools[lane.workload]
    return [
        _workflow(BLOG[0]),
        _workflow(BLOG[1], group.placement(require="spot"), _RETRIES),
        _workflow(BLOG[2], group.placement(prefer="spot"), _RETRIES),
    ]


def training(pools: Pools, lane: WorkloadPools) -> Object:
    """A PyTorchJob whose master stays on demand and whose workers are on spot, on the lane's GPUs if it has some."""
    worker = {"limits": {"nvidia.com/gpu": "1"}} if lane.gpu else {"requests": {"cpu": "1"}}
    job = {
        "apiVersion": TRAINING_JOB.api_version,
        "kind": TRAINING_JOB.kind,
        "metadata": {"name": "train-model", "namespace": TEAM_NAMESPACE, "labels": {PART: TRAINING}},
        "spec": {"pytorchReplicaSpecs": {"Master": _replica(1, {}), "Worker": _replica(WORKERS, worker)}},
    }
    return pools[lane.workload].place(job, prefer="spot")


def state(run: Object) -> str:
    """The state that the controller of a workflow or training job reports; empty before its first report."""
    phase = at(run, "status", "phase")
    if phase:
        return str(phase)
    held = [entry for entry in items(at(run, "status", "conditions")) if at(entry, "status") == "True"]
    return str(at(held[-1], "type")) if held else ""


def _workflow(name: str, placement: Placement | None = None, retries: Retries | None = None) -> Object:
    tasks = (
        Task("web-downloader", placement, retries, cpu="1"),
        Task("merge-csv", placement, retries, after=("web-downloader",), cpu="1"),
    )
    return workflow(name, TEAM_NAMESPACE, [(task, _UNTIL_ENDED) for task in tasks], {PART: PIPELINES})


def _replica(count: int, resources: Mapping[str, Any]) -> Object:
    container = {
        "name": "pytorch",
        "image": "trainer",
        "command": ["python", "/app/train.py"],
        "resources": dict(resources),
    }
    metadata = {"labels": {PART: TRAINING}, "annotations": {"sidecar.istio.io/inject": "false"}}
    template = {"metadata": metadata, "spec": {"containers": [container]}}
    return {"replicas": count, "template": template}
