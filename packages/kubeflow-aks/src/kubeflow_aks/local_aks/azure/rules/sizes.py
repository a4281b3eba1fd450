"""Rules of a pool's VM size, and of the disks and GPUs that it brings (docs/facts/aks.md#vm-sizes)."""

from collections.abc import Mapping
from typing import Any, Final

import aks_facts
from kubeflow_aks.local_aks.azure.rules.rule import PoolRequest, Rule, rules, when

_GIB: Final = 1024**3
_SMALLEST_DISK: Final = 30
_DEFAULT_DISK: Final = 128


def _unknown_size(request: PoolRequest) -> Mapping[str, object] | None:
    """The catalogue leaves out sizes that are retired, or too small for AKS (quotas-skus-regions.md)."""
    size = request.size
    retired = size is not None and size.retirement is not None and size.retirement <= request.today()
    if request.existing is not None or (size is not None and not retired):
        return None
    offered = ",".join(sorted(name.lower() for name in aks_facts.vm_sizes()))
    return {"size": request.body.get("vmSize"), "location": request.location, "offered": offered}


def _ephemeral_gib(body: Mapping[str, Any], size: aks_facts.VmSize) -> int:
    """Requested size of the OS disk of an ephemeral pool, GiB (concepts-storage.md, March 2025)."""
    whole = max(size.ephemeral_gib or 0, _DEFAULT_DISK)
    return int(body.get("osDiskSizeGB") or whole)


def _ephemeral_fit(request: PoolRequest) -> Mapping[str, object] | None:
    size = request.size
    if size is None or request.body.get("osDiskType") != "Ephemeral":
        return None
    disk, room = _ephemeral_gib(request.body, size), size.ephemeral_gib
    if room is None:  # undocumented, so Azure's answer is unknown
        return None
    return when(disk > room, size=size.name, cache=room * _GIB, disk=disk * _GIB)


def _ephemeral_deallocate(request: PoolRequest) -> Mapping[str, object] | None:
    parked = "Deallocate" in (request.body.get("scaleSetEvictionPolicy"), request.body.get("scaleDownMode"))
    return when(request.body.get("osDiskType") == "Ephemeral" and parked)


def _disk_size(request: PoolRequest) -> Mapping[str, object] | None:
    disk = request.body.get("osDiskSizeGB") or _SMALLEST_DISK
    return when(disk < _SMALLEST_DISK, disk=disk, least=_SMALLEST_DISK)


SIZE_RULES: Final[tuple[Rule[PoolRequest], ...]] = rules(
    {
        "vm-size-offered": _unknown_size,
        "ephemeral-disk-fits": _ephemeral_fit,
        "ephemeral-disk-deallocate": _ephemeral_deallocate,
        "os-disk-size": _disk_size,
        "encryption-at-host-size": lambda r: when(
            r.body.get("enableEncryptionAtHost") is True
            and r.size is not None
            and r.size.encryption_at_host is False,
            size=r.body.get("vmSize"),
        ),
        "mig-size": lambda r: when(
            "gpuInstanceProfile" in r.body and r.size is not None and not r.size.mig,
            size=r.body.get("vmSize"),
        ),
        "gpu-profile-size": lambda r: when(
            "gpuProfile" in r.body and r.size is not None and r.size.gpus == 0, size=r.body.get("vmSize")
        ),
    }
)
