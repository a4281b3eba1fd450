"""One agent pool, as the pool contract describes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

WORKLOAD_LABEL: Final = "kubeflow-aks/workload"
"""Label that a spot pool shares with its on-demand fallback."""
SPOT_LABEL: Final = "kubernetes.azure.com/scalesetpriority"
"""Label and taint of every spot node, with the value `spot`; on-demand nodes have neither (spot-node-pool.md)."""
TIME_SLICES_LABEL: Final = "kubeflow-aks/gpu-time-slices"
"""Label of nodes whose GPUs several pods share in turn, and how many."""
POOL_LABEL: Final = "kubernetes.azure.com/agentpool"
"""Label of every node: the name of its pool."""
PLATFORM_NAMESPACES: Final = re.compile(r"kubeflow|controller-.*|knative-.*")
"""Namespaces of the platform, where the cluster's guard refuses pods that tolerate spot nodes."""
GPU: Final = "nvidia.com/gpu"
"""Resource that NVIDIA's device plugin announces; also the key of the taint that keeps other work off GPU nodes."""


@dataclass(frozen=True)
class Taint:
    """A taint of a pool's nodes."""

    key: str
    value: str
    effect: str

    @classmethod
    def parse(cls, text: str) -> Taint:
        """Reads `key=value:Effect`.

        Raises:
            ValueError: it has another form.
        """
        rest, colon, effect = text.rpartition(":")
        key, _, value = rest.partition("=")
        if not (colon and key and effect):
            raise ValueError(text)
        return cls(key, value, effect)


@dataclass(frozen=True, kw_only=True)
class AgentPool:
    """One agent pool.

    Attributes:
        role: `general`, `cpu` or `gpu`.
        spot: whether Azure may take its nodes back, with 30 s notice or without.
        vm_size: Azure's name of the VM size.
        gpus: amount of `nvidia.com/gpu` on one node; slices count where GPUs are cut with MIG, or shared in turn.
        max_count: most nodes.
        fallback: name of the on-demand pool that replaces this spot pool when spot is sold out, or None.
        pool: name that the agent pools of several VM sizes for the same work share; empty for its own name.
    """

    name: str
    role: str
    spot: bool
    vm_size: str
    gpus: int
    max_count: int
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    fallback: str | None
    pool: str = ""

    @property
    def shares_gpus(self) -> bool:
        """Whether several pods share a GPU in turn, of which the device plugin gives a container one share only."""
        return TIME_SLICES_LABEL in self.labels

    @property
    def workload(self) -> str:
        """Value of the workload label."""
        return self.labels[WORKLOAD_LABEL]
