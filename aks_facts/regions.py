"""Regions of Azure's public cloud, and what each has; its other clouds.

Spot is sold in all regions of the public cloud (spot-vms.md, "Limitations").
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from aks_facts._table import rows


@dataclass(frozen=True, kw_only=True)
class Region:
    """One region."""

    name: str
    """Name that `az` takes, `westeurope`."""
    geography: str
    zones: int
    """Availability zones, 0 where there is none."""
    zrs_disks: bool | None
    """Whether managed disks can be zone-redundant; None where no source says."""
    restricted: bool
    """Whether a subscription has to ask for access."""
    server_in_subnet: bool
    """Whether an API server can be in a subnet of others (API Server VNet Integration)."""


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """A cloud of Azure beside the public one."""

    name: str
    az_cloud: str
    """Name that `az cloud set` takes."""
    environment: str
    """Value of `azure-native:environment`."""
    zone: str
    """End of the names of API servers, which is `azmk8s.io` in the public cloud."""


@cache
def regions() -> Mapping[str, Region]:
    """Every region of the catalogue, by name."""
    every = (
        Region(
            name=row["name"],
            geography=row["geography"],
            zones=int(row["zones"]),
            zrs_disks=row["zrs_disks"] == "yes" if row["zrs_disks"] else None,
            restricted=row["restricted"] == "yes",
            server_in_subnet=row["server_in_subnet"] == "yes",
        )
        for row in rows("regions")
    )
    return MappingProxyType({region.name: region for region in every})


def region(name: str) -> Region | None:
    """The region of that name, None where the catalogue does not know it: it may be newer."""
    return regions().get(name)


@cache
def clouds() -> Mapping[str, Cloud]:
    """The other clouds, by each of their regions."""
    by_region: dict[str, Cloud] = {}
    for row in rows("clouds"):
        regions = row.pop("regions").split()
        by_region |= dict.fromkeys(regions, Cloud(**row))
    return MappingProxyType(by_region)
