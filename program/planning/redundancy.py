"""Redundancy of disks and storage accounts for which a stack sets none: in one zone or in three."""

import aks_facts
from components.arguments import defaults
from program.settings import Settings


def disk_sku(settings: Settings) -> str:
    """Kind of disk of Kubeflow's volumes: the stack's, else one that can move between zones if the region has it.

    Source: aks_facts/regions.csv.
    """
    region = aks_facts.region(settings.location)
    local = region is not None and region.zrs_disks is False
    return settings.kubeflow.storage_class.sku or (
        in_one_zone(defaults.DISK_SKU) if local else defaults.DISK_SKU
    )


def blob_sku(sku: str | None, location: str) -> str:
    """Kind of storage account: the stack's, else zone-redundant where the region has zones.

    Zone-redundant accounts need availability zones ("Azure Storage redundancy").
    """
    return sku or (in_one_zone(defaults.BLOB_SKU) if zoneless(location) else defaults.BLOB_SKU)


def in_one_zone(sku: str) -> str:
    """The same kind of disk or account in one zone."""
    return sku.replace("ZRS", "LRS")


def zoneless(location: str) -> bool:
    """Whether a region is known to have no zones; one that the catalogue lacks may have some."""
    region = aks_facts.region(location)
    return region is not None and region.zones == 0
