"""The pool contract: what tools in the cluster, such as `ckf_spot`, know of the pools that take work. Pure data.

The autoscaler's priority map is made of it as well (docs/facts/aks.md#priority-expander).
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..arguments.choices import PoolRole, Priority
from .conventions import MIG_SLICES, PLATFORM_WORKLOAD, WORKLOAD_LABEL

_LEVELS: Final[Mapping[tuple[PoolRole, Priority], int]] = {
    ("cpu", "Spot"): 40,
    ("gpu", "Spot"): 30,
    ("cpu", "Regular"): 20,
    ("gpu", "Regular"): 10,
}
"""Highest first: spot before on demand, and CPU before GPU, so that CPU work starts no GPU node while CPUs suffice.

Each further VM size of a pool is one level below (`pool_checks.MAX_SIZES`).
"""
_CATCH_ALL: Final = 1
_KEYS: Final = (
    "name", "role", "priority", "vmSize", "gpus", "maxCount", "labels", "taints", "fallback", "pool", "region", "zones",
    "architecture", "gpuModel", "allocatable",
)  # fmt: skip
"""Keys of each pool in the contract, in this order."""


def role(labels: Mapping[str, str], gpus: int) -> PoolRole:
    """What a pool is for, by the labels and the GPUs of a node."""
    if labels.get(WORKLOAD_LABEL) == PLATFORM_WORKLOAD:
        return "general"
    return "gpu" if gpus else "cpu"


def announced_gpus(gpus: int, profile: str | None, time_slices: int | None) -> int:
    """Amount of `nvidia.com/gpu` that a node with so many GPUs announces; slices count where they are cut or shared."""
    return gpus * (MIG_SLICES[profile] if profile else time_slices or 1)


def contract_text(pools: Sequence[Mapping[str, Any]]) -> str:
    """The contract as tools read it: a JSON list in which every key is there.

    Maps are sorted: through the engine they come in any order, and another one would be an update.
    """
    return json.dumps([{key: pool.get(key) for key in _KEYS} for pool in map(_in_order, pools)], indent=1)


def _in_order(pool: Mapping[str, Any]) -> dict[str, Any]:
    maps = ((key, pool.get(key)) for key in ("labels", "allocatable"))
    return {**pool, **{key: dict(sorted(texts.items())) for key, texts in maps if texts is not None}}


def priorities(pools: Sequence[Mapping[str, Any]]) -> str:
    """The map as the autoscaler reads it: YAML text, from level to regexes of scale set names; highest level first.

    The autoscaler never uses a scale set that matches no level, so the lowest level matches all.
    """
    levels: dict[int, list[str]] = {}
    sizes = Counter[str]()
    for pool in pools:
        if highest := _LEVELS.get((pool["role"], pool["priority"])):
            shared = pool.get("pool") or pool["name"]
            levels.setdefault(highest - sizes[shared], []).append(scale_set_pattern(pool["name"]))
            sizes[shared] += 1
    lines = [
        line
        for level in sorted(levels, reverse=True)
        for line in (f"{level}:", *(f"  - {it}" for it in levels[level]))
    ]
    return "\n".join([*lines, f"{_CATCH_ALL}:", "  - .*", ""])


def scale_set_pattern(pool: str) -> str:
    """Regex of a pool's scale set; anchored, because the autoscaler searches anywhere in the name."""
    return f"^aks-{pool}-[0-9]+-vmss$"
