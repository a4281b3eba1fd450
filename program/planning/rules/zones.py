"""Rules of availability zones."""

from collections.abc import Iterator

import aks_facts
from components.arguments.mistakes import Mistake
from components.pools import pool_checks
from program.planning.rules.pools import component_problems
from program.settings import Settings


def zone_problems(settings: Settings) -> Iterator[Mistake]:
    """No zone is named twice, nor one in a region that has none (aks_facts/regions.csv).

    A region that the catalogue does not know is not judged: it may be newer.
    """
    region = aks_facts.region(settings.location)
    places = {"systemPool": settings.system_pool.zones} | {
        f"pools.{n}": p.zones for n, p in settings.pools.items()
    }
    for key, zones in places.items():
        if zones and region and not region.zones:
            yield Mistake(
                f"{key}.zones", list(zones), f"no value, because {region.name} has no availability zones"
            )
        else:
            yield from component_problems(key, pool_checks.zone_mistakes(zones))
