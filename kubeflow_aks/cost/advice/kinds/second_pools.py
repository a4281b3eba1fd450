"""A second spot pool of another series, where the first is sold out at times."""

from __future__ import annotations

from collections.abc import Iterator

from kubeflow_aks.catalogue import vm_sizes
from kubeflow_aks.cost.advice.advice import Change
from kubeflow_aks.cost.advice.kinds.sizes import alike
from kubeflow_aks.cost.advice.situation import Situation

_LONGEST_NAME = 12
"""Characters of an agent pool's name (docs/facts/aks.md#names-counts-and-limits)."""


def second_spot_pools(situation: Situation) -> Iterator[Change]:
    """For each spot pool, on the assumption that both are sold out independently of each other."""
    cost = situation.basis.cost
    for name, pool in situation.own_pools.items():
        size, second = vm_sizes().get(pool.size), f"{name}2"
        own = cost.pools.get(name)
        share = own.sold_out_share if own and own.sold_out_share is not None else cost.sold_out_share
        if (
            not (pool.spot and share and size)
            or len(second) > _LONGEST_NAME
            or second in situation.cluster.pools
        ):
            continue
        settings = {
            key: value for key, value in situation.file.get("pools", name).items() if key != "fallback"
        }
        other = next(
            (it for it in alike(size, pool, situation.bill.region) if it.family != size.family), None
        )
        if other:
            yield Change(
                f"second pool for {name}",
                f"a second spot pool, {second} of {other.name}, beside {name}",
                {
                    ("pools", second): {**settings, "vmSize": other.name},
                    ("cost", "pools", name, "soldOutShare"): round(share**2, 6),
                },
                (f"assumes that {pool.size} and {other.name} are sold out independently of each other",),
            )
