"""OS disks that cost nothing or less: on the node itself where they fit, smaller in the system pool."""

from __future__ import annotations

from collections.abc import Iterator

from aks_facts import vm_sizes
from kubeflow_aks.cost.advice.advice import Change
from kubeflow_aks.cost.advice.situation import Situation

_LEAST_GIB = 30
"""Smallest OS disk that AKS accepts (managedClusters.json, osDiskSizeGB)."""
_SMALLER_GIB = 64
"""The next size that Azure bills for, below the default of 128 (disks-types.md, "Azure managed disk billing")."""


def local_disks(situation: Situation) -> Iterator[Change]:
    """One change for each pool of batch work whose size has room."""
    for name, pool in situation.own_pools.items():
        size = vm_sizes().get(pool.size)
        if pool.home or not pool.disk.managed or size is None or (size.ephemeral_gib or 0) < _LEAST_GIB:
            continue
        yield Change(
            f"disks of {name}",
            f"OS disks of {name} on the nodes themselves",
            {("pools", name, "osDisk", "type"): "Ephemeral"},
        )


def smaller_system_disk(situation: Situation) -> Iterator[Change]:
    """A separate decision, not in production: a smaller disk is slower, and all add-ons' images and logs are on it."""
    name = situation.file.get("systemPool", "name") or "system"
    pool = situation.cluster.pools.get(name)
    if pool is None or not pool.disk.managed or situation.file.get("production"):
        return
    if (pool.disk.size_gib or 0) > _SMALLER_GIB:
        yield Change(
            f"disks of {name}",
            f"OS disks of {_SMALLER_GIB} GiB instead of {pool.disk.size_gib} for {name}",
            {("systemPool", "osDiskGib"): _SMALLER_GIB},
            ("a smaller disk allows fewer operations a second; existing nodes are replaced",),
            alone=True,
        )
