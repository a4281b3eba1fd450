"""The cluster autoscaler's priority map, generated from the pools (docs/facts/aks.md#priority-expander)."""

from collections.abc import Iterable

from planning.pools import AgentPool, Role

CONFIG_MAP = "cluster-autoscaler-priority-expander"
"""Name of the ConfigMap that the autoscaler reads, in kube-system (expander/priority/readme.md)."""

_LEVELS = {(True, Role.CPU): 40, (True, Role.GPU): 30, (False, Role.CPU): 20, (False, Role.GPU): 10}
_CATCH_ALL = 1


def priorities(pools: Iterable[AgentPool]) -> str:
    """The map as the autoscaler reads it: YAML text, from level to regexes of scale set names; highest level first.

    Spot comes before on-demand, and CPU before GPU so that CPU work starts no GPU node while a CPU pool fits. The
    autoscaler never uses a scale set that matches no level, so the lowest level matches all.
    """
    pools = tuple(pools)
    lines: list[str] = []
    for (spot, role), level in _LEVELS.items():
        names = [pool.name for pool in pools if (pool.spot, pool.role) == (spot, role)]
        if names:
            lines += [f"{level}:", *(f"  - {scale_set_pattern(name)}" for name in names)]
    return "\n".join([*lines, f"{_CATCH_ALL}:", "  - .*", ""])


def scale_set_pattern(pool: str) -> str:
    """Regex of a pool's scale set; anchored, because the autoscaler searches anywhere in the name."""
    return f"^aks-{pool}-[0-9]+-vmss$"
