"""An API server of a cluster that is ready for spot work, and what `ckf-spot doctor` tells of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from ckf_spot import sources

CONTRACT: Final = sources.SAMPLE
AGENT_POOLS: Final = "/api/v1/namespaces/kubeflow-aks/configmaps/agent-pools"
ARGO: Final = "/api/v1/namespaces/kubeflow/configmaps/argo-workflow-controller-configmap"
PRIORITIES: Final = "/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-priority-expander"
CHARM: Final = "/apis/apps/v1/namespaces/kubeflow/statefulsets/kfp-api"
UPSTREAM: Final = "/apis/apps/v1/namespaces/kubeflow/deployments/ml-pipeline"
NODES: Final = "/api/v1/nodes"
TEAM: Final = "/api/v1/namespaces/team-a"
QUOTAS: Final = f"{TEAM}/resourcequotas"
CLAIMS: Final = f"{TEAM}/persistentvolumeclaims"
LIMITS: Final = f"{TEAM}/limitranges"
POD_DEFAULTS: Final = "/apis/kubeflow.org/v1alpha1/namespaces/team-a/poddefaults"
ALWAYS: Final = (
    "spec:\n  templateDefaults:\n    retryStrategy:\n      limit: '0'\n      retryPolicy: Always\n"
)
LEVELS: Final = """\
40:
  - ^aks-cpuspot-[0-9]+-vmss$
30:
  - ^aks-cpuod-[0-9]+-vmss$
20:
  - ^aks-gpuspot-[0-9]+-vmss$
10:
  - ^aks-gpuod-[0-9]+-vmss$
1:
  - .*
"""


def config_map(**data: str) -> dict[str, Any]:
    return {"kind": "ConfigMap", "metadata": {}, "data": data}


def runs(image: str) -> dict[str, Any]:
    """A controller of pods with a charm's container and this one."""
    containers = [{"name": "charm", "image": "jujusolutions/charm-base"}, {"name": "server", "image": image}]
    return {"metadata": {}, "spec": {"template": {"spec": {"containers": containers}}}}


def node(pool: str, gpus: int = 0) -> dict[str, Any]:
    labels = {"kubernetes.azure.com/agentpool": pool}
    metadata = {"name": f"aks-{pool}-12345678-vmss000000", "labels": labels}
    return {"metadata": metadata, "status": {"allocatable": {"nvidia.com/gpu": str(gpus)} if gpus else {}}}


def quota(hard: dict[str, str], used: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "kf-resource-quota"},
        "spec": {"hard": hard, **spec},
        "status": {"hard": hard, "used": used or {}},
    }


@dataclass
class Api:
    """Answers of an API server, and the requests it got.

    Attributes:
        objects: by path: an object, or the items of a list.
        refused: HTTP status by path.
    """

    objects: dict[str, Any] = field(default_factory=dict[str, Any])
    refused: dict[str, int] = field(default_factory=dict[str, int])
    requests: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def answer(self, method: str, path: str) -> tuple[int, bytes]:
        """Status and body."""
        self.requests.append((method, path))
        status = self.refused.get(path, 200 if path in self.objects else 404)
        body = self.objects.get(path) if status == 200 else {"kind": "Status", "message": f"{status}: {path}"}
        return status, json.dumps(
            {"metadata": {}, "items": body} if isinstance(body, list) else body
        ).encode()


def ready() -> dict[str, Any]:
    """Everything is as it should be."""
    return {
        AGENT_POOLS: config_map(**{"pools.json": CONTRACT.read_text(encoding="utf-8")}),
        ARGO: config_map(executor="", workflowDefaults=ALWAYS),
        PRIORITIES: config_map(priorities=LEVELS),
        CHARM: runs("docker.io/charmedkubeflow/api-server:2.15.0-5aa97b7"),
        NODES: [node("gpuspot", 1), node("cpuspot")],
        TEAM: {"metadata": {"name": "team-a"}},
        QUOTAS: [],
        CLAIMS: [],
        LIMITS: [],
    }


@dataclass(frozen=True)
class Report:
    """Lines of standard output and of standard error, and the exit code."""

    code: int
    lines: list[str]
    errors: list[str]

    def __getitem__(self, what: str) -> str:
        """The only line about something."""
        [line] = [line for line in self.lines if line[2:].startswith(f"{what}:")]
        return line


Doctor = Callable[..., Report]
