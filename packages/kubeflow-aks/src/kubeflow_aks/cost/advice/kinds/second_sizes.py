"""A second VM size for a spot pool, of another series, where the first is sold out at times."""

from __future__ import annotations

from collections.abc import Iterator

from aks_facts import vm_sizes
from kubeflow_aks.cost.advice.advice import Change, Path
from kubeflow_aks.cost.advice.kinds.sizes import alike, families_beside
from kubeflow_aks.cost.advice.situation import Situation


def second_sizes(situation: Situation) -> Iterator[Change]:
    """One change for each spot pool of one size, if both are sold out independently of each other."""
    cost = situation.basis.cost
    for name, pool in situation.own_pools.items():
        size, figures = vm_sizes().get(pool.size), cost.pools.get(name)
        stated = figures.sold_out_share if figures else None
        if not (pool.spot and size and (stated or cost.sold_out_share)) or pool.sizes:
            continue
        taken = {size.family, *families_beside(situation, pool)}
        other = next((it for it in alike(size, pool, situation.bill.region) if it.family not in taken), None)
        if other is None:
            continue
        values: dict[Path, object] = {("pools", name, "vmSizes"): [pool.size, other.name]}
        if stated:  # it is the share in which the pool has no VM at all
            values["cost", "pools", name, "soldOutShare"] = round(stated**2, 6)
        yield Change(
            f"second size for {name}",
            f"a second VM size, {other.name}, for {name}",
            values,
            (f"assumes that {pool.size} and {other.name} are sold out independently of each other",),
        )
