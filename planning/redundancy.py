"""Whether disks and storage accounts lie in one zone or in three, where a stack does not say it."""

import catalogue
from settings import Settings


def disk_sku(settings: Settings) -> str:
    """Kind of disk of Kubeflow's volumes: as asked, else one that can move between zones if there is one.

    Source: catalogue/regions.csv.
    """
    region = catalogue.region(settings.location)
    local = region is not None and region.zrs_disks is False
    return settings.kubeflow.storage_class.sku or ("StandardSSD_LRS" if local else "StandardSSD_ZRS")


def blob_sku(asked: str | None, location: str) -> str:
    """Kind of storage account: what the stack asks for, else spread over zones where the region has them.

    Zone-redundant accounts need availability zones ("Azure Storage redundancy").
    """
    return asked or ("Standard_LRS" if zoneless(location) else "Standard_ZRS")


def in_one_zone(sku: str) -> str:
    """The same kind of disk or account in one zone."""
    return sku.replace("ZRS", "LRS")


def zoneless(location: str) -> bool:
    """Whether a region is known to have no zones; one that the catalogue lacks may have some."""
    region = catalogue.region(location)
    return region is not None and region.zones == 0
