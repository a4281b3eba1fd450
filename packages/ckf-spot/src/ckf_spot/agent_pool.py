"""One agent pool, as the pool contract describes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
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
        fallback: `pool` of the on-demand pools that replace this spot pool when spot is sold out, or None.
        pool: name that the agent pools of several VM sizes for the same work share; empty for its own name.
        region: Azure's name of the region, such as `westeurope`; empty where the contract is older than that.
        zones: numbers of the availability zones, none for nodes without zones; None: not known.
        architecture: `amd64` or `arm64`; empty: not known.
        gpu_model: vendor and model of its GPUs, such as `NVIDIA T4`; empty: none, or not known.
        allocatable: quantities of `cpu` and `memory` that AKS leaves to pods on one node; empty: not known.
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
    region: str = ""
    zones: tuple[str, ...] | None = None
    architecture: str = ""
    gpu_model: str = ""
    allocatable: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def shares_gpus(self) -> bool:
        """Whether several pods share a GPU in turn, of which the device plugin gives a container one share only."""
        return TIME_SLICES_LABEL in self.labels

    @property
    def shared_name(self) -> str:
        """The name that it shares with agent pools of other VM sizes for the same work, or its own."""
        return self.pool or self.name

    @property
    def workload(self) -> str:
        """Value of the workload label."""
        return self.labels[WORKLOAD_LABEL]
