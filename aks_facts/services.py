"""List prices of what a cluster pays for besides VMs, and the disk tiers: `catalogue/service_prices.csv`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from types import MappingProxyType
from typing import Final

from aks_facts._table import rows
from aks_facts.vm_sizes import VmSize

_EVERYWHERE: Final = "*"
FREE_OUTBOUND_GB: Final = 100
"""Sent to the internet each month before Azure charges for it ("Azure bandwidth pricing")."""
_PREMIUM_TIERS: Final = {32: "P4", 64: "P6", 128: "P10", 256: "P15", 512: "P20", 1024: "P30"}
"""Premium SSD by its size in GiB: a disk costs as much as the next offered size (disks-types.md, "Azure managed disk
billing"). Smaller ones are left out: AKS takes no OS disk below 30 GiB.
"""
_DEFAULT_GIB: Final = ((64, 1024), (16, 512), (8, 256), (1, 128))
"""Managed OS disk that AKS gives a node, by its vCPU (concepts-storage.md, "Default OS disk sizing")."""


@dataclass(frozen=True, kw_only=True)
class Meter:
    """How Azure's price list names a service; None in `ServicePrice` where no source says.

    Attributes:
        everywhere: whether it is listed under `Global` and not under the region.
    """

    service: str
    product: str
    sku: str
    name: str
    everywhere: bool


@dataclass(frozen=True, kw_only=True)
class ServicePrice:
    """One price.

    Attributes:
        usd: for one unit.
        unit: `hour`, `day`, `month`, `GB`, `GB a month`.
        region: the one it is for; another than requested where no source has that one.
        day: as of which it holds.
        source: letter of the file's first lines.
    """

    usd: float
    unit: str
    region: str
    day: date
    source: str
    meter: Meter | None


def services() -> tuple[str, ...]:
    """Every name that has a price, in the file's order."""
    return tuple(_prices())


def service_price(name: str, region: str) -> ServicePrice:
    """What a service costs in a region, or else in the first region that the file has a price for.

    Raises:
        KeyError: the file does not have that name.
    """
    by_region = _prices()[name]
    return by_region.get(region) or by_region.get(_EVERYWHERE) or next(iter(by_region.values()))


def os_disk(size: VmSize, gib: int | None) -> str | None:
    """Name of the price of a managed OS disk.

    Args:
        size: of the VM.
        gib: the disk's size, None or 0 where the stack leaves it to AKS.

    Returns:
        None where no source has the disk: a size without premium storage, more than 1 TiB.
    """
    size_gib = gib or next(disk for vcpus, disk in _DEFAULT_GIB if size.vcpus >= vcpus)
    tier = next((name for most, name in _PREMIUM_TIERS.items() if size_gib <= most), None)
    return f"disk-{tier}" if tier and size.premium_storage is not False else None


@cache
def _prices() -> Mapping[str, Mapping[str, ServicePrice]]:
    prices: dict[str, dict[str, ServicePrice]] = {}
    for row in rows("service_prices"):
        meter = Meter(
            service=row["service"],
            product=row["product"],
            sku=row["sku"],
            name=row["meter_name"],
            everywhere=row["scope"] == "Global",
        )
        for region in row["regions"].split():
            prices.setdefault(row["meter"], {})[region] = ServicePrice(
                usd=float(row["usd"]),
                unit=row["unit"],
                region=region,
                day=date.fromisoformat(row["day"]),
                source=row["source"],
                meter=meter if meter.service else None,
            )
    return MappingProxyType(prices)
