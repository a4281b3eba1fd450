"""Redundancy of disks and storage accounts for which a stack sets none: in one zone or in three."""

from typing import Final

import aks_facts
from components.arguments.declaration import default_of
from components.kubeflow.prerequisites_args import CheckpointClassSpec, StorageClassSpec
from program.settings import Settings

_DISK: Final[str] = default_of(StorageClassSpec, "sku")
_BLOBS: Final[str] = default_of(CheckpointClassSpec, "sku")


def disk_sku(settings: Settings) -> str:
    """Kind of disk of Kubeflow's volumes: the stack's, else one that can move between zones if the region has it.

    Source: aks_facts/regions.csv.
    """
    region = aks_facts.region(settings.location)
    local = region is not None and region.zrs_disks is False
    return settings.kubeflow.storage_class.sku or (in_one_zone(_DISK) if local else _DISK)


def blob_sku(sku: str | None, location: str) -> str:
    """Kind of storage account: the stack's, else zone-redundant where the region has zones.

    Zone-redundant accounts need availability zones ("Azure Storage redundancy").
    """
    return sku or (in_one_zone(_BLOBS) if zoneless(location) else _BLOBS)


def in_one_zone(sku: str) -> str:
    """The same kind of disk or account in one zone."""
    return sku.replace("ZRS", "LRS")


def zoneless(location: str) -> bool:
    """Whether a region is known to have no zones; one that the catalogue lacks may have some."""
    region = aks_facts.region(location)
    return region is not None and region.zones == 0
