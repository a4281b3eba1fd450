"""The cluster autoscaler's priority map, generated from the pools (docs/facts/aks.md#priority-expander)."""

from collections.abc import Iterable

from program.planning.hardware import EVERY
from program.planning.pools import AgentPool, Purpose

_CATCH_ALL = 1


def priorities(pools: Iterable[AgentPool]) -> str:
    """The map as the autoscaler reads it: YAML text, from level to regexes of scale set names; highest level first.

    Spot comes before on-demand, and CPU before GPU so that CPU work starts no GPU node while a CPU pool fits. The
    autoscaler never uses a scale set that matches no level, so the lowest level matches all.
    """
    work = [pool for pool in pools if pool.purpose is Purpose.WORK]
    levels = [(kind.spot_priority, kind, True) for kind in EVERY]
    levels += [(kind.on_demand_priority, kind, False) for kind in EVERY]
    lines: list[str] = []
    for level, kind, spot in sorted(levels, key=lambda level: level[0], reverse=True):
        names = [pool.name for pool in work if (pool.hardware, pool.spot) == (kind, spot)]
        if names:
            lines += [f"{level}:", *(f"  - {scale_set_pattern(name)}" for name in names)]
    return "\n".join([*lines, f"{_CATCH_ALL}:", "  - .*", ""])


def scale_set_pattern(pool: str) -> str:
    """Regex of a pool's scale set; anchored, because the autoscaler searches anywhere in the name."""
    return f"^aks-{pool}-[0-9]+-vmss$"
