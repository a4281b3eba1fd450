"""The vCPU quota that a stack needs when every pool has its most nodes, upgrades included.

Sources: quotas.md; spot apart: spot-vms.md.
"""

from collections import Counter
from collections.abc import Iterable

from program.planning.pools import AgentPool

REGIONAL = "cores"
"""Quota of all on-demand vCPU of a region, as `az vm list-usage` names it."""
SPOT = "lowPriorityCores"
"""Quota of all spot vCPU of a region; spot takes none of a family's (spot-vms.md)."""


def vcpu_quota(pools: Iterable[AgentPool]) -> dict[str, int]:
    """The vCPU by quota: the families of on-demand pools by name, then the region's two sums."""
    needed = Counter[str]()
    for pool in pools:
        vcpus = pool.most_nodes * pool.size.quota_vcpus
        if pool.spot:
            needed[SPOT] += vcpus
        else:
            needed[pool.size.family or f"the family of {pool.size.name}"] += vcpus
            needed[REGIONAL] += vcpus
    families = sorted(needed.keys() - {REGIONAL, SPOT}, key=str.casefold)
    return {name: needed[name] for name in (*families, REGIONAL, SPOT) if needed[name]}
