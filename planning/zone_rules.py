"""Rules of availability zones, and of the disks that stay in one."""

from collections.abc import Iterator

from planning.pools import AgentPool, Purpose
from settings import Problem, Settings

_ANYWHERE = "no zone"


def zone_problems(settings: Settings) -> Iterator[Problem]:
    """No zone is named twice."""
    places = {"systemPool": settings.system_pool.zones} | {
        f"pools.{n}": p.zones for n, p in settings.pools.items()
    }
    for key, zones in places.items():
        if len(set(zones)) != len(zones):
            yield Problem(f"{key}.zones", list(zones), "each zone once")


def zone_warnings(settings: Settings, pools: tuple[AgentPool, ...]) -> Iterator[str]:
    """An LRS disk is attached only where it was made (docs/facts/charmed-kubeflow.md#storage)."""
    sku = settings.kubeflow.storage_class.sku
    homes = [pool for pool in pools if pool.purpose is Purpose.GENERAL]
    places = sorted({zone for pool in homes for zone in pool.zones or (_ANYWHERE,)})
    if sku.endswith("_LRS") and len(places) > 1:
        yield (
            f"kubeflow.storageClass.sku is {sku} and Kubeflow's nodes are in {_listed(places)}: a volume stays where "
            f"it was made, and its pod waits when no node is left there; set {sku.replace('_LRS', '_ZRS')}, or one zone"
        )


def _listed(places: list[str]) -> str:
    return " and ".join([", ".join(places[:-1]), places[-1]])
