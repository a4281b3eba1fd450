"""Rules of availability zones."""

from collections.abc import Iterator

import catalogue
from settings import Problem, Settings


def zone_problems(settings: Settings) -> Iterator[Problem]:
    """No zone is named twice, nor one in a region that has none (catalogue/regions.csv).

    A region that the catalogue does not know is not judged: it may be newer.
    """
    region = catalogue.region(settings.location)
    places = {"systemPool": settings.system_pool.zones} | {
        f"pools.{n}": p.zones for n, p in settings.pools.items()
    }
    for key, zones in places.items():
        if zones and region and not region.zones:
            yield Problem(
                f"{key}.zones", list(zones), f"no value, because {region.name} has no availability zones"
            )
        elif len(set(zones)) != len(zones):
            yield Problem(f"{key}.zones", list(zones), "each zone once")
