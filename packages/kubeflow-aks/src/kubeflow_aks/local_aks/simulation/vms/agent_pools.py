"""Agent pools as the local AKS reads them from the Azure stand-in."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

CNI_OVERLAY_MAX_PODS: Final = 250
"""AKS's default pods per node with Azure CNI Overlay (azure-cni-overlay.md)."""

_SLICES: Final = {"MIG1g": 7, "MIG2g": 3, "MIG3g": 2, "MIG4g": 1, "MIG7g": 1}
"""Slices that each GPU instance profile cuts a GPU into (gpu-multi-instance.md, "GPU instance profiles")."""

_TIME_SLICES: Final = "kubeflow-aks/gpu-time-slices"
"""Label of nodes whose device plugin offers each GPU to so many pods (docs/facts/aks.md#time-slices)."""

SPOT: Final = "kubernetes.azure.com/scalesetpriority"
"""Label and taint key of spot nodes, always with value `spot` (docs/facts/aks.md#spot-label-and-taint)."""


_NO_NODES: Final = ("0", "0%")


class Azure(Protocol):
    """The part of Azure that the simulation uses; implemented by `kubeflow_aks.local_aks.azure.state.AzureState`."""

    def agent_pools(self) -> list[dict[str, Any]]:
        """Every pool of every cluster, one flat wire dict each."""
        ...

    def set_count(self, cluster_id: str, pool_name: str, count: int) -> None:
        """Record a pool's number of nodes, as AKS does when its autoscaler or an eviction changes it."""
        ...

    def claim_instances(self, scale_set: str, count: int) -> Iterable[int]:
        """The indices of `count` new VMs; none that another VM of the scale set has or ever had."""
        ...

    def autoscaler_profile(self, cluster_id: str) -> dict[str, Any]:
        """The cluster's `autoScalerProfile`, with wire names and strings; empty when unset."""
        ...


def spot_by_pool(azure: Azure) -> dict[str, bool]:
    """Names of the pools, and whether each is a spot pool."""
    return {str(pool["name"]): pool.get("scaleSetPriority") == "Spot" for pool in azure.agent_pools()}


def _upgrade(pool: Mapping[str, Any]) -> Mapping[str, Any]:
    return pool.get("upgradeSettings") or {}


def spot_pools(azure: Azure) -> list[str]:
    """Names of the spot pools."""
    return [name for name, spot in spot_by_pool(azure).items() if spot]


@dataclass(frozen=True, kw_only=True)
class AgentPool:
    """One agent pool. `labels` and `taints` hold the spot pair whether or not the caller sent it."""

    name: str
    cluster_id: str
    location: str
    node_resource_group: str
    kubernetes_version: str
    vm_size: str
    mode: str
    spot: bool
    autoscaled: bool
    count: int
    min_count: int
    max_count: int
    labels: Mapping[str, str]
    taints: tuple[str, ...]
    zones: tuple[str, ...]
    max_pods: int
    os_sku: str
    os_disk_type: str
    os_disk_gb: int | None
    """OS disk in GiB, or None for AKS's default."""
    gpu_slices: int
    """Slices that each GPU is cut into; 1 is the whole GPU."""
    surges: bool
    """Whether an upgrade adds a node before it takes one: on demand, unless its settings say no."""
    time_slices: int
    """Pods that share each GPU, or slice of one; 1 is for none. Nodes take another number while they run."""
    tags: Mapping[str, str]
    """Azure tags, which AKS copies to the scale set (use-tags.md)."""

    @classmethod
    def from_wire(cls, pool: Mapping[str, Any]) -> "AgentPool":
        """Read one entry of `Azure.agent_pools()`."""
        spot = pool.get("scaleSetPriority") == "Spot"
        labels: dict[str, str] = dict(pool.get("nodeLabels") or {})
        taints: list[str] = list(pool.get("nodeTaints") or [])
        if spot:
            labels[SPOT] = "spot"
            taints = list(dict.fromkeys([*taints, f"{SPOT}=spot:NoSchedule"]))
        count = int(pool.get("count") or 0)
        autoscaled = bool(pool.get("enableAutoScaling"))
        return cls(
            name=pool["name"],
            cluster_id=pool["clusterId"],
            location=pool["location"],
            node_resource_group=pool["nodeResourceGroup"],
            kubernetes_version=pool["currentOrchestratorVersion"],
            vm_size=pool["vmSize"],
            mode=pool.get("mode") or "User",
            spot=spot,
            autoscaled=autoscaled,
            count=count,
            min_count=int(pool.get("minCount") or 0) if autoscaled else count,
            max_count=int(pool.get("maxCount") or 0) if autoscaled else count,
            labels=labels,
            taints=tuple(taints),
            zones=tuple(pool.get("availabilityZones") or ()),
            max_pods=int(pool.get("maxPods") or CNI_OVERLAY_MAX_PODS),
            os_sku=pool.get("osSKU") or "Ubuntu",
            os_disk_type=pool.get("osDiskType") or "Managed",
            os_disk_gb=int(pool["osDiskSizeGB"]) if pool.get("osDiskSizeGB") else None,
            gpu_slices=_SLICES.get(pool.get("gpuInstanceProfile") or "", 1),
            surges=not spot and _upgrade(pool).get("maxSurge") not in _NO_NODES,
            time_slices=int(labels.get(_TIME_SLICES) or 1),
            tags=dict(pool.get("tags") or {}),
        )

    @property
    def machine(self) -> tuple[object, ...]:
        """What AKS can't change on a node that exists (docs/facts/aks.md#immutable-pool-properties)."""
        return (
            self.cluster_id,
            self.location,
            self.vm_size,
            self.spot,
            self.zones,
            self.max_pods,
            self.os_disk_type,
            self.os_disk_gb,
            self.gpu_slices,
        )
