"""Rules of the region and its availability zones (aks_facts/regions.csv, aks_facts/clouds.csv)."""

import difflib
import re
from collections.abc import Iterator, Sequence

import aks_facts
from components.arguments.mistakes import Mistake
from components.pools import pool_checks
from program.planning.rules.pools import component_problems
from program.settings import Settings

_COMPASS = re.compile(r"north|south|east|west|central|\d+")
_ALIKE = 0.8
"""Share of equal letters from which on a name is taken for another one's misspelling (our choice)."""


def location_problems(settings: Settings) -> Iterator[Mistake]:
    """The name of a region as `az` takes it; one that the catalogue lacks passes unless it is a near miss.

    Azure opens regions faster than a table is renewed (regions-list.md), so a name that differs from the known ones in
    more than spelling is taken: another direction or number makes another region, another letter does not.
    """
    name = settings.location
    names = (*aks_facts.regions(), *aks_facts.clouds())
    if name in names:
        return
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    if meant := next((region for region in names if _parts(region) == _parts(plain)), None):
        yield Mistake("location", name, f"the spelling {meant}")
    elif plain != name or not name[:1].isalpha():
        yield Mistake(
            "location", name, "the name of an Azure region in lower-case letters and digits, like westeurope"
        )
    elif not _may_be_new(name) and (close := difflib.get_close_matches(name, names, n=1, cutoff=_ALIKE)):
        yield Mistake("location", name, f"an Azure region; did you mean {close[0]}?")
    elif not any(map(str.isalpha, _parts(name)[1])):  # every name of regions-list.md has a direction
        yield Mistake(
            "location",
            name,
            "the name of an Azure region, like westeurope; each has north, south, east, west or central in it",
        )


def location_warnings(settings: Settings) -> Iterator[str]:
    """A region of another cloud, that the catalogue lacks, or that Azure opens on request only (regions-list.md)."""
    name = settings.location
    region, cloud = aks_facts.region(name), aks_facts.clouds().get(name)
    if cloud:
        yield (
            f"location is {name}: a region of {cloud.name}, a cloud of its own in which nothing of this program was "
            f"tried; set azure-native:environment to {cloud.environment} and `az cloud set --name {cloud.az_cloud}`; "
            "zones, disks, VM sizes and prices are not checked"
        )
    elif region is None:
        yield (
            f"location is {name}: not in the catalogue, so zones, disks and VM sizes are not checked; "
            "check that `az account list-locations --query [].name` has it"
        )
    elif region.restricted:
        yield f"location is {name}: Azure opens this region on request only; request access before the first `up`"


def zone_problems(location: str, key: str, zones: Sequence[str]) -> Iterator[Mistake]:
    """A pool has no zone twice, nor one in a region that has none (aks_facts/regions.csv).

    A region that the catalogue does not know is not judged: it may be newer.
    """
    region = aks_facts.region(location)
    if zones and region and not region.zones:
        expected = f"no value, because {region.name} has no availability zones"
        yield Mistake(f"{key}.zones", list(zones), expected)
    else:
        yield from component_problems(key, pool_checks.zone_mistakes(zones))


def _may_be_new(name: str) -> bool:
    places = {_parts(region)[0] for region in aks_facts.regions()}
    return _parts(name)[0] in places


def _parts(name: str) -> tuple[str, tuple[str, ...]]:
    """The place in a region's name, and its directions and number in any order: `westus2` is `us` with `2`, `west`."""
    return _COMPASS.sub("", name), tuple(sorted(_COMPASS.findall(name)))
