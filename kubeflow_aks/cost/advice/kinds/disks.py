"""Ephemeral OS disks, which cost nothing, where they fit."""

from __future__ import annotations

from collections.abc import Iterator

from kubeflow_aks.catalogue import vm_sizes
from kubeflow_aks.cost.advice.advice import Change
from kubeflow_aks.cost.advice.situation import Situation

_LEAST_GIB = 30
"""Smallest OS disk that AKS accepts (managedClusters.json, osDiskSizeGB)."""


def local_disks(situation: Situation) -> Iterator[Change]:
    """For each pool of batch work whose size has room."""
    for name, pool in situation.own_pools.items():
        size = vm_sizes().get(pool.size)
        if pool.home or not pool.disk.managed or size is None or (size.ephemeral_gib or 0) < _LEAST_GIB:
            continue
        yield Change(
            f"disks of {name}",
            f"OS disks of {name} on the nodes themselves",
            {("pools", name, "osDisk", "type"): "Ephemeral"},
        )
