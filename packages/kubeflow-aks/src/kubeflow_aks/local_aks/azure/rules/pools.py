"""Rules of every agent pool: name, mode, counts, zones, version (docs/facts/aks.md)."""

from collections.abc import Mapping
from typing import Any, Final

import aks_facts
from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import normal_location
from kubeflow_aks.local_aks.azure.rules.rule import PoolRequest, Rule, rules, when

_MOST_NODES: Final = 1000
_MOST_PODS: Final = 250
_LEAST_PODS: Final = 10
_LEAST_PODS_OF_SYSTEM: Final = 30
_LONGEST_WINDOWS_NAME: Final = 6
_ZONES: Final = ("1", "2", "3")
_SHORTEST_DRAIN: Final = 5
_NAMES_OF_AKS: Final = ("aksmanagedap",)


def _scaled(request: PoolRequest) -> bool:
    return bool(request.body.get("enableAutoScaling"))


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
        limited = least is not None or most is not None
        return when(limited, details="minCount and maxCount need enableAutoScaling.")
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


def _upgrade(request: PoolRequest, setting: str) -> Any:
    return arm.at(request.body, f"upgradeSettings.{setting}")


def _some(nodes: str | None) -> bool:
    return nodes not in (None, "0", "0%")


def _in_place(request: PoolRequest) -> Mapping[str, object] | None:
    """Whether an upgrade could take no node at all."""
    surge, unavailable = _upgrade(request, "maxSurge"), _upgrade(request, "maxUnavailable")
    return when(surge is not None and not _some(surge) and not _some(unavailable))


def _both(request: PoolRequest) -> Mapping[str, object] | None:
    return when(_some(_upgrade(request, "maxSurge")) and _some(_upgrade(request, "maxUnavailable")))


def _zones(request: PoolRequest) -> Mapping[str, object] | None:
    unknown = [zone for zone in arm.listed(request.body, "availabilityZones") if zone not in _ZONES]
    return when(bool(unknown), zone=next(iter(unknown), ""))


def _zoneless(request: PoolRequest) -> Mapping[str, object] | None:
    region = aks_facts.region(normal_location(request.location))
    zoned = bool(arm.listed(request.body, "availabilityZones"))
    return when(zoned and region is not None and region.zones == 0, region=request.location)


def _os_sku(request: PoolRequest) -> Mapping[str, object] | None:
    sku, version = request.body.get("osSKU"), request.control_plane_version
    named = next((one for one in aks_facts.ubuntu_releases().values() if one.os_sku == sku), None)
    taken = named is None or named.first <= aks_facts.minor(version) <= named.last
    return when(not taken, sku=sku, version=version)


POOL_RULES: Final[tuple[Rule[PoolRequest], ...]] = rules(
    {
        "pool-name-of-aks": lambda r: when(r.name in _NAMES_OF_AKS, name=r.name),
        "os-sku-version": _os_sku,
        "system-linux": lambda r: when(r.system and r.body.get("osType", "Linux") != "Linux"),
        "windows-name": lambda r: when(
            r.body.get("osType") == "Windows" and len(r.name) > _LONGEST_WINDOWS_NAME
        ),
        "system-max-unavailable": lambda r: when(
            r.system and arm.at(r.body, "upgradeSettings.maxUnavailable") not in (None, "0")
        ),
        "surge-or-unavailable": _in_place,
        "surge-and-unavailable": _both,
        "drain-timeout": lambda r: when(
            0 < (minutes := _upgrade(r, "drainTimeoutInMinutes") or 0) < _SHORTEST_DRAIN, minutes=minutes
        ),
        "autoscaling": _autoscaling,
        "count": _count,
        "max-pods": _max_pods,
        "zones": _zones,
        "zones-of-region": _zoneless,
    }
)
