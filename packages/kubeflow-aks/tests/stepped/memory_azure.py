"""The pools of one cluster, kept in memory."""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

_CLUSTER: Final = (
    "/subscriptions/s/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/aks"
)


def pool(name: str, **values: Any) -> dict[str, Any]:
    """An agent pool under its wire names; autoscaled from 0 to 5 nodes by default."""
    return {
        "name": name,
        "vmSize": "Standard_D8s_v5",
        "mode": "User",
        "enableAutoScaling": True,
        "minCount": 0,
        "maxCount": 5,
        "count": 0,
        "maxPods": 110,
        "osDiskType": "Managed",
        "osDiskSizeGB": 128,
        "clusterName": "aks",
        "clusterId": _CLUSTER,
        "location": "westeurope",
        "nodeResourceGroup": "MC_rg_aks_westeurope",
        "currentOrchestratorVersion": "1.34.4",
        **values,
    }


class MemoryAzure:
    """The Azure that the simulation uses, in memory."""

    def __init__(self, pools: Sequence[dict[str, Any]], profile: Mapping[str, Any] | None = None) -> None:
        """`profile` is the cluster's `autoScalerProfile`; AKS's defaults where it is silent."""
        self.pools = list(pools)
        self.profile = dict(profile or {})
        self._instances: dict[str, Iterator[int]] = defaultdict(itertools.count)

    def agent_pools(self) -> list[dict[str, Any]]:
        """Every pool, one flat wire dict each."""
        return [dict(entry) for entry in self.pools]

    def set_count(self, cluster_id: str, pool_name: str, count: int) -> None:
        """Record a pool's number of nodes.

        Raises:
            LookupError: there is no such pool.
        """
        for entry in self.pools:
            if (entry["clusterId"], entry["name"]) == (cluster_id, pool_name):
                entry["count"] = count
                return
        raise LookupError(pool_name)

    def claim_instances(self, scale_set: str, count: int) -> list[int]:
        """The indices of `count` new VMs."""
        return [next(self._instances[scale_set]) for _ in range(count)]

    def autoscaler_profile(self, cluster_id: str) -> dict[str, Any]:
        """The profile, the same for every cluster.

        Raises:
            LookupError: no pool is of that cluster.
        """
        if all(entry["clusterId"] != cluster_id for entry in self.pools):
            raise LookupError(cluster_id)
        return self.profile
