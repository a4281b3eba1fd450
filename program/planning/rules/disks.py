"""Rules of Kubeflow's disks: whether the region has them, nodes can attach them, and pods keep them."""

from collections.abc import Iterator

import aks_facts
from components.arguments.mistakes import Mistake
from program.planning.pools import AgentPool, Purpose
from program.planning.redundancy import disk_sku, in_one_zone
from program.planning.rules.pools import candidates
from program.settings import Settings

_KEY = "kubeflow.storageClass.sku"


def disk_problems(settings: Settings) -> Iterator[Mistake]:
    """The kind of disk is sold in the region, and the nodes that host Kubeflow can attach it.

    Sources, in aks_facts: regions.csv for zone-redundant disks, vm_sizes.csv for sizes that take Premium
    disks.
    """
    sku, region = disk_sku(settings), aks_facts.region(settings.location)
    if sku.endswith("_ZRS") and region and region.zrs_disks is False:
        yield Mistake(_KEY, sku, f"{in_one_zone(sku)}, because {region.name} has no zone-redundant disks")
    for pool in candidates(settings):
        if sku.startswith("Premium") and pool.may_host and pool.size and pool.size.premium_storage is False:
            yield Mistake(
                f"{pool.key}.vmSize",
                pool.size.name,
                f"a size that takes Premium disks, because {_KEY} is {sku}; or set StandardSSD there",
            )


def disk_warnings(settings: Settings, pools: tuple[AgentPool, ...]) -> Iterator[str]:
    """Disks that may not be sold, and those that can't follow their pod (docs/facts/charmed-kubeflow.md#storage)."""
    sku, region = disk_sku(settings), aks_facts.region(settings.location)
    if sku.endswith("_ZRS") and region and region.zrs_disks is None:
        yield (
            f"{_KEY} is {sku}: it is unknown whether {region.name} has zone-redundant disks, and without them no "
            f"volume is made; check that Azure offers them there, or set {in_one_zone(sku)}"
        )
    if sku.endswith("_LRS"):
        for pool in pools:
            if pool.purpose is Purpose.GENERAL and len(pool.zones) > 1:
                yield (
                    f"{_KEY} is {sku} and pools.{pool.name} is in the zones {', '.join(pool.zones)}: a volume stays "
                    "where it was made, and its pod waits when no node is left there; "
                    f"set {sku.replace('_LRS', '_ZRS')}, or one zone"
                )
