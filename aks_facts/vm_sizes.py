"""Azure VM sizes: the hardware of each size, its quota family, and when Azure retires it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from types import MappingProxyType

from aks_facts._table import rows

_LARGEST_EPHEMERAL_GIB = 2040
"""Most that an ephemeral OS disk can have (ephemeral-os-disks.md, "Size limit for OS disk")."""
_FIRST_NVME_PLACEMENT = 6
"""Generation from which an ephemeral OS disk goes to NVMe (ephemeral-os-disks.md, "Placement options")."""
_GENERATION = re.compile(r".*_v(\d+)")
_CONSTRAINED = re.compile(r"Standard_[A-Z]+(\d+)-\d")


@dataclass(frozen=True, kw_only=True)
class VmSize:
    """One VM size; memory and disks in GiB. None: no source says."""

    name: str
    vcpus: int
    memory_gib: float
    """A whole number is an int."""
    family: str = ""
    """Quota family as `az vm list-usage` names it; empty where no source has it."""
    architecture: str = "x64"
    """`x64` or `arm64`."""
    gpus: int = 0
    """GPUs that a node announces; a part of a card counts as one."""
    gpu: str | None = None
    """Vendor and model of each GPU, or None for a size without one."""
    gpu_memory_gib: int | None = None
    """Memory of each GPU, or of the part of it that the size has."""
    mig: bool | None = False
    """Whether its GPUs can be cut into Multi-Instance GPU slices."""
    ephemeral_gib: int | None = None
    """Largest ephemeral OS disk that it takes, 0 where it takes none."""
    premium_storage: bool | None = None
    """Whether premium disks can be attached."""
    spot: bool | None = None
    """Whether it can be spot in any region."""
    encryption_at_host: bool | None = None
    """Whether its caches and temporary disk can be encrypted where the VM runs."""
    retirement: date | None = None
    """Day on which Azure stops its VMs, where one is announced."""

    @property
    def quota_vcpus(self) -> int:
        """Quota that one VM takes, in vCPU: a constrained size takes its parent's (constrained-vcpu.md)."""
        parent = _CONSTRAINED.match(self.name)
        return int(parent[1]) if parent else self.vcpus


@dataclass(frozen=True, kw_only=True)
class RetiredVmSeries:
    """A series that Azure has retired, so that the catalogue lacks its sizes."""

    series: str
    retired_on: date
    replacement: str


@cache
def vm_sizes() -> Mapping[str, VmSize]:
    """Every size of the catalogue, by name."""
    return MappingProxyType({row["name"]: _size(row) for row in rows("vm_sizes")})


def vm_size(name: str) -> VmSize:
    """The size of that name.

    Raises:
        KeyError: the catalogue does not know the size.
    """
    return vm_sizes()[name]


@cache
def restricted_families() -> Mapping[str, date]:
    """Quota families that new subscriptions can't deploy, each with the day since when."""
    families = {row["family"]: date.fromisoformat(row["since"]) for row in rows("restricted_vm_families")}
    return MappingProxyType(families)


def retired_series(name: str) -> RetiredVmSeries | None:
    """The retirement that covers a VM size which the catalogue lacks, or None."""
    for pattern, series in _retired():
        if pattern.fullmatch(name):
            return series
    return None


@cache
def _retired() -> tuple[tuple[re.Pattern[str], RetiredVmSeries], ...]:
    return tuple(
        (
            re.compile(row["pattern"], re.IGNORECASE),
            RetiredVmSeries(
                series=row["series"],
                retired_on=date.fromisoformat(row["retired_on"]),
                replacement=row["replacement"],
            ),
        )
        for row in rows("retired_vm_sizes")
    )


def _size(row: Mapping[str, str]) -> VmSize:
    memory, retirement = float(row["memory_gib"]), row["retirement_date"]
    return VmSize(
        name=row["name"],
        vcpus=int(row["vcpus"]),
        memory_gib=int(memory) if memory.is_integer() else memory,
        family=row["family"],
        architecture=row["architecture"],
        gpus=int(row["gpus"]),
        gpu=row["gpu_model"] or None,
        gpu_memory_gib=_number(row["gpu_memory_gib"]),
        mig=_flag(row["mig"]),
        ephemeral_gib=_ephemeral_gib(row),
        premium_storage=_flag(row["premium_storage"]),
        spot=_flag(row["spot"]),
        encryption_at_host=_flag(row["encryption_at_host"]),
        retirement=date.fromisoformat(retirement) if retirement else None,
    )


def _ephemeral_gib(row: Mapping[str, str]) -> int | None:
    """Where AKS puts an ephemeral OS disk: NVMe from v6 on, else the cache where there is one, else the temporary disk.

    Azure picks the place by the size (ephemeral-os-disks.md, "Placement options"); a cache decides even where the
    temporary disk is larger (MicrosoftDocs/azure-docs#102314: 144 GiB on NCasT4_v3, which has 176 and more).
    """
    if row["ephemeral_os"] == "no":
        return 0
    generation = _GENERATION.fullmatch(row["name"])
    nvme = generation is not None and int(generation[1]) >= _FIRST_NVME_PLACEMENT
    for column in (["nvme_gib"] if nvme else []) + ["cache_gib", "temp_gib"]:
        gib = _number(row[column])
        if gib is None:
            return None
        if gib:
            return min(gib, _LARGEST_EPHEMERAL_GIB)
    return 0


def _number(cell: str) -> int | None:
    return int(cell) if cell else None


def _flag(cell: str) -> bool | None:
    return cell == "yes" if cell else None
