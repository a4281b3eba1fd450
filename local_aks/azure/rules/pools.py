"""Rules of every agent pool: name, size, counts, disks, GPUs (docs/facts/aks.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import catalogue
from local_aks.azure import arm
from local_aks.azure.rules.rule import PoolRequest, Rule, invalid, when

_GIB: Final = 1024**3
_MOST_NODES: Final = 1000
_MOST_PODS: Final = 250
_LEAST_PODS: Final = 10
_LEAST_PODS_OF_SYSTEM: Final = 30
_SMALLEST_DISK: Final = 30
_DEFAULT_DISK: Final = 128
_LONGEST_WINDOWS_NAME: Final = 6
_ZONES: Final = ("1", "2", "3")


def _scaled(request: PoolRequest) -> bool:
    return bool(request.body.get("enableAutoScaling"))


def _unknown_size(request: PoolRequest) -> Mapping[str, object] | None:
    """The catalogue leaves out sizes that Azure has retired, so they are refused too."""
    if request.existing is not None or request.size is not None:
        return None
    offered = ",".join(sorted(name.lower() for name in catalogue.vm_sizes()))
    return {"size": request.body.get("vmSize"), "location": request.location, "offered": offered}


def _count(request: PoolRequest) -> Mapping[str, object] | None:
    least, most = (1 if request.system else 0), _MOST_NODES
    if "count" not in request.body or (request.existing is not None and _scaled(request)):
        return None
    if _scaled(request):
        least, most = max(least, request.body.get("minCount", 0)), request.body.get("maxCount", most)
    count: int = request.body["count"]
    return when(not least <= count <= most, count=count, least=least, most=most)


def _autoscaling(request: PoolRequest) -> Mapping[str, object] | None:
    least, most = request.body.get("minCount"), request.body.get("maxCount")
    if not _scaled(request):
        given = least is not None or most is not None
        return when(given, details="minCount and maxCount need enableAutoScaling.")
    if least is None or most is None:
        return {"details": "enableAutoScaling needs minCount and maxCount."}
    floor = 1 if request.system else 0
    bad = not (floor <= least <= most <= _MOST_NODES and most > 0)
    return when(
        bad,
        details=f"minCount {least} and maxCount {most} must satisfy {floor} <= minCount <= maxCount <= 1000.",
    )


def _max_pods(request: PoolRequest) -> Mapping[str, object] | None:
    pods = request.body.get("maxPods")
    least = _LEAST_PODS_OF_SYSTEM if request.system else _LEAST_PODS
    return when(pods is not None and not least <= pods <= _MOST_PODS, pods=pods, least=least, most=_MOST_PODS)


def _ephemeral_gib(body: Mapping[str, Any], size: catalogue.VmSize) -> int:
    """Size of the OS disk an ephemeral pool asks for, GiB (concepts-storage.md, March 2025)."""
    whole = max(size.ephemeral_gib, _DEFAULT_DISK)
    return int(body.get("osDiskSizeGB") or whole)


def _ephemeral_fit(request: PoolRequest) -> Mapping[str, object] | None:
    size = request.size
    if size is None or request.body.get("osDiskType") != "Ephemeral":
        return None
    disk = _ephemeral_gib(request.body, size)
    return when(disk > size.ephemeral_gib, size=size.name, cache=size.ephemeral_gib * _GIB, disk=disk * _GIB)


def _ephemeral_deallocate(request: PoolRequest) -> Mapping[str, object] | None:
    parked = "Deallocate" in (request.body.get("scaleSetEvictionPolicy"), request.body.get("scaleDownMode"))
    return when(request.body.get("osDiskType") == "Ephemeral" and parked)


def _disk_size(request: PoolRequest) -> Mapping[str, object] | None:
    disk = request.body.get("osDiskSizeGB") or _SMALLEST_DISK
    return when(disk < _SMALLEST_DISK, disk=disk, least=_SMALLEST_DISK)


def _zones(request: PoolRequest) -> Mapping[str, object] | None:
    unknown = [zone for zone in arm.listed(request.body, "availabilityZones") if zone not in _ZONES]
    return when(bool(unknown), zone=next(iter(unknown), ""))


POOL_RULES: Final[tuple[Rule[PoolRequest], ...]] = (
    Rule(
        id="system-linux",
        code="InvalidParameter",
        message=invalid("agentPoolProfile.osType", "System agent pools osType must be Linux."),
        broken=lambda r: when(r.system and r.body.get("osType", "Linux") != "Linux"),
        source="managedClusters.json 2025-09-01, AgentPoolMode",
    ),
    Rule(
        id="windows-name",
        code="InvalidParameter",
        message="The value of parameter agentPoolProfile.name is invalid. "
        "Please see https://aka.ms/aks-naming-rules for more details.",
        broken=lambda r: when(r.body.get("osType") == "Windows" and len(r.name) > _LONGEST_WINDOWS_NAME),
        source="Azure/AKS#3300",
        quoted=True,
    ),
    Rule(
        id="vm-size-offered",
        code="BadRequest",
        message="The VM size of {size} is not allowed in your subscription in location '{location}'. "
        "The available VM sizes are '{offered}'",
        broken=_unknown_size,
        source="microsoft/aspire#16283, jamesbannan/pluralsight#10; sizes: catalogue",
        quoted=True,
    ),
    Rule(
        id="system-max-unavailable",
        code="InvalidParameter",
        message=invalid(
            "agentPoolProfile.upgradeSettings.maxUnavailable", "System pools can't set maxUnavailable."
        ),
        broken=lambda r: when(
            r.system and arm.at(r.body, "upgradeSettings.maxUnavailable") not in (None, "0")
        ),
        source="upgrade-aks-node-pools-rolling.md (docs/facts/aks.md#upgrade-settings-of-pools)",
    ),
    Rule(
        id="autoscaling",
        code="InvalidParameter",
        message=invalid("agentPoolProfile.enableAutoScaling", "{details}"),
        broken=_autoscaling,
        source="cluster-autoscaler.md; managedClusters.json 2025-09-01, count",
    ),
    Rule(
        id="count",
        code="InvalidParameter",
        message=invalid(
            "agentPoolProfile.count",
            "agentPoolProfile.count was {count}. It must be greater or equal to minCount:{least} and less than or "
            "equal to maxCount:{most}. If allowedMinCount was expected to be 0 but is 1: 1) The nodepool is a VMAS "
            "pool. 2) api Version is less than 2020-03-01. 3) The node is a system pool.",
        ),
        broken=_count,
        source="kubernetes-sigs/cluster-api-provider-azure#5947; bounds: managedClusters.json 2025-09-01, count",
        quoted=True,
    ),
    Rule(
        id="max-pods",
        code="InvalidParameter",
        message=invalid("agentPoolProfile.maxPods", "{pods} is not between {least} and {most}."),
        broken=_max_pods,
        source="quotas-skus-regions.md, use-system-pools.md (docs/facts/aks.md#names-counts-and-limits)",
    ),
    Rule(
        id="ephemeral-disk-fits",
        code="VMCacheSizeTooSmall",
        message="The virtual machine size {size} has a cache size of {cache} bytes, but the OS disk requires {disk} "
        "bytes. Use a VM size with larger cache or disable ephemeral OS.",
        broken=_ephemeral_fit,
        source="Azure/AKS#2635, rancher/rancher#33679; temporary disk counts too since Azure/AKS#2672",
        quoted=True,
    ),
    Rule(
        id="ephemeral-disk-deallocate",
        code="InvalidParameter",
        message=invalid("agentPoolProfile.osDiskType", "Ephemeral OS disks cannot be deallocated."),
        broken=_ephemeral_deallocate,
        source="ephemeral-os-disks-faq.md, scale-down-mode.md (docs/facts/aks.md#os-disks)",
    ),
    Rule(
        id="os-disk-size",
        code="InvalidParameter",
        message=invalid(
            "agentPoolProfile.osDiskSizeGB", "{disk} is below the smallest OS disk of {least} GB."
        ),
        broken=_disk_size,
        source="Azure/AKS-Construction#592",
    ),
    Rule(
        id="zones",
        code="InvalidParameter",
        message=invalid("agentPoolProfile.availabilityZones", "There is no zone '{zone}'."),
        broken=_zones,
        source="availability-zones.md (docs/facts/aks.md#availability-zones)",
    ),
    Rule(
        id="mig-size",
        code="InvalidParameter",
        message=invalid("agentPoolProfile.gpuInstanceProfile", "VM size {size} has no Multi-Instance GPU."),
        broken=lambda r: when(
            "gpuInstanceProfile" in r.body and r.size is not None and not r.size.mig,
            size=r.body.get("vmSize"),
        ),
        source="gpu-multi-instance.md (docs/facts/aks.md#multi-instance-gpu)",
    ),
    Rule(
        id="gpu-profile-size",
        code="InvalidParameter",
        message=invalid("agentPoolProfile.gpuProfile", "VM size {size} has no GPU."),
        broken=lambda r: when(
            "gpuProfile" in r.body and r.size is not None and r.size.gpus == 0, size=r.body.get("vmSize")
        ),
        source="use-nvidia-gpu.md (docs/facts/aks.md#gpu-driver-and-device-plugin)",
    ),
)
