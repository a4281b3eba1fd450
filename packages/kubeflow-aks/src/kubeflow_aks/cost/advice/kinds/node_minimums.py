"""Fewer nodes in the pools that are always there."""

from __future__ import annotations

from collections.abc import Iterator

from kubeflow_aks.cost.advice.advice import Change
from kubeflow_aks.cost.advice.situation import Situation


def fewer_home_nodes(situation: Situation) -> Iterator[Change]:
    """One node less for each, but one in each zone; planning checks the minimum that Charmed Kubeflow and AKS need."""
    for name, pool in situation.cluster.pools.items():
        path = ("pools", name) if name in situation.own_pools else ("systemPool",)
        zones: list[str] = situation.file.get(*path, "zones") or []
        if not pool.home or pool.minimum <= max(len(zones), 1):
            continue
        yield Change(
            f"nodes of {name}",
            f"a minimum of {pool.minimum - 1} instead of {pool.minimum} nodes in {name}",
            {(*path, "minCount"): pool.minimum - 1},
            (f"the autoscaler adds nodes up to {pool.maximum} when pods need them, and each is billed",),
        )
