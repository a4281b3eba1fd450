"""Azure VM sizes: the hardware of each size, and the series that Azure retires."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from types import MappingProxyType

from catalogue._table import rows


@dataclass(frozen=True, kw_only=True)
class VmSize:
    """One VM size; memory and disks in GiB."""

    name: str
    vcpus: int
    memory_gib: int
    gpus: int
    gpu: str | None
    """Model of each GPU, or None for a size without one."""
    temp_gib: int
    """Size of the local temporary disk, 0 where there is none."""
    cache_gib: int
    """Host cache that can hold an ephemeral OS disk, 0 where there is none."""
    mig: bool
    """Whether its GPUs can be cut into Multi-Instance GPU slices."""

    @property
    def ephemeral_gib(self) -> int:
        """Largest ephemeral OS disk that fits on the size's local storage, 0 when it has none."""
        return max(self.temp_gib, self.cache_gib)


@dataclass(frozen=True, kw_only=True)
class RetiredVmSeries:
    """A GPU series that Azure retires."""

    series: str
    retired_on: date
    replacement: str


@cache
def vm_sizes() -> Mapping[str, VmSize]:
    """Every size of the catalogue, by name."""
    sizes = (
        VmSize(
            name=row["name"],
            vcpus=int(row["vcpus"]),
            memory_gib=int(row["memory_gib"]),
            gpus=int(row["gpus"]),
            gpu=row["gpu"] or None,
            temp_gib=int(row["temp_gib"]),
            cache_gib=int(row["cache_gib"]),
            mig=row["mig"] == "yes",
        )
        for row in rows("vm_sizes")
    )
    return MappingProxyType({size.name: size for size in sizes})


def vm_size(name: str) -> VmSize:
    """The size of that name.

    Raises:
        KeyError: the catalogue does not know the size.
    """
    return vm_sizes()[name]


def retired_series(name: str) -> RetiredVmSeries | None:
    """The retirement that covers a VM size, or None."""
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
