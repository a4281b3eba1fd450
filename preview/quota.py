"""The vCPU quota that a plan needs when every pool has its maximum number of nodes."""

from collections import Counter

from catalogue import vm_size
from preview.columns import table
from recorder.document import Pool

_SURGE = 1
"""Extra nodes of a Regular pool during upgrades; spot: none (docs/facts/aks.md#upgrade-settings-of-pools)."""


def quota_table(pools: list[Pool], width: int) -> list[str]:
    """Cores (vCPU) by VM size: on-demand quota is by VM family, spot quota is one sum for all sizes of a region."""
    on_demand, spot = Counter[str](), Counter[str]()
    for pool in pools:
        cores = vm_size(pool["vmSize"]).vcpus
        if pool["priority"] == "Spot":
            spot[pool["vmSize"]] += pool["max"] * cores
        else:
            on_demand[pool["vmSize"]] += (pool["max"] + _SURGE) * cores
    sizes = dict.fromkeys(pool["vmSize"] for pool in pools)
    rows = [(size, _cores(on_demand[size]), _cores(spot[size])) for size in sizes]
    total = ("all", _cores(on_demand.total()), _cores(spot.total()))
    lines = table([("VM size", "On demand", "Spot"), *rows, total], width)
    return [line for row in lines for line in row]


def _cores(count: int) -> str:
    return str(count) if count else "–"
