"""The cluster autoscaler's priority map, generated from the pools (issue #3, rule 7)."""

from collections.abc import Iterable

from planning.pools import AgentPool, Role

CONFIG_MAP = "cluster-autoscaler-priority-expander"
"""Name the autoscaler looks for, in kube-system (aks.md §3.2)."""

_LEVELS = {(True, Role.CPU): 40, (True, Role.GPU): 30, (False, Role.CPU): 20, (False, Role.GPU): 10}
_CATCH_ALL = 1


def priorities(pools: Iterable[AgentPool]) -> str:
    """The map as the autoscaler reads it: a YAML text, level to regexes of scale set names; highest level first.

    Spot stands above on-demand and CPU above GPU, so that CPU work never starts a GPU node while a CPU pool fits.
    A scale set that matches no level would never be used, hence the catch-all (aks.md §3.2).
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
