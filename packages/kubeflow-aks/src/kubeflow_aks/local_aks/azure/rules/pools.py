"""Rules of every agent pool: name, mode, counts, zones, version (docs/facts/aks.md)."""

from collections.abc import Mapping
from typing import Any, Final

import aks_facts
from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import normal_location
from kubeflow_aks.local_aks.azure.rules.rule import PoolRequest, Rule, invalid, when

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


POOL_RULES: Final[tuple[Rule[PoolRequest], ...]] = (
    Rule(
        id="pool-name-of-aks",
        message=invalid("agentPoolProfile.name", "'{name}' is a name of AKS's own."),
        broken=lambda r: when(r.name in _NAMES_OF_AKS, name=r.name),
        source="CHANGELOG.md, 2025-04-27",
    ),
    Rule(
        id="os-sku-version",
        message=invalid("agentPoolProfile.osSKU", "{sku} is not supported with Kubernetes {version}."),
        broken=_os_sku,
        source="upgrade-os-version.md, 2026-07-13",
    ),
    Rule(
        id="system-linux",
        message=invalid("agentPoolProfile.osType", "System agent pools osType must be Linux."),
        broken=lambda r: when(r.system and r.body.get("osType", "Linux") != "Linux"),
        source="managedClusters.json 2025-09-01, AgentPoolMode",
    ),
    Rule(
        id="windows-name",
        message="The value of parameter agentPoolProfile.name is invalid. "
        "Please see https://aka.ms/aks-naming-rules for more details.",
        broken=lambda r: when(r.body.get("osType") == "Windows" and len(r.name) > _LONGEST_WINDOWS_NAME),
        quotes="Azure/AKS#3300",
    ),
    Rule(
        id="system-max-unavailable",
        message=invalid(
            "agentPoolProfile.upgradeSettings.maxUnavailable", "System pools can't set maxUnavailable."
        ),
        broken=lambda r: when(
            r.system and arm.at(r.body, "upgradeSettings.maxUnavailable") not in (None, "0")
        ),
        source="upgrade-aks-node-pools-rolling.md (docs/facts/aks.md#upgrade-settings-of-pools)",
    ),
    Rule(
        id="surge-or-unavailable",
        message=invalid(
            "agentPoolProfile.upgradeSettings.maxSurge", "It must be above 0 when maxUnavailable is 0."
        ),
        broken=_in_place,
        source='upgrade-aks-node-pools-rolling.md, "Customize unavailable nodes"',
    ),
    Rule(
        id="surge-and-unavailable",
        message=invalid(
            "agentPoolProfile.upgradeSettings.maxUnavailable", "It must be 0 when maxSurge is above 0."
        ),
        broken=_both,
        source='upgrade-aks-node-pools-rolling.md, "MaxUnavailable fallback (preview)"',
    ),
    Rule(
        id="drain-timeout",
        message=invalid(
            "agentPoolProfile.upgradeSettings.drainTimeoutInMinutes", "{minutes} is below 5 minutes."
        ),
        broken=lambda r: when(
            0 < (minutes := _upgrade(r, "drainTimeoutInMinutes") or 0) < _SHORTEST_DRAIN, minutes=minutes
        ),
        source='upgrade-aks-node-pools-rolling.md, "Customize node drain timeout"',
    ),
    Rule(
        id="autoscaling",
        message=invalid("agentPoolProfile.enableAutoScaling", "{details}"),
        broken=_autoscaling,
        source="cluster-autoscaler.md; managedClusters.json 2025-09-01, count",
    ),
    Rule(
        id="count",
        message=invalid(
            "agentPoolProfile.count",
            "agentPoolProfile.count was {count}. It must be greater or equal to minCount:{least} and less than or "
            "equal to maxCount:{most}. If allowedMinCount was expected to be 0 but is 1: 1) The nodepool is a VMAS "
            "pool. 2) api Version is less than 2020-03-01. 3) The node is a system pool.",
        ),
        broken=_count,
        quotes="kubernetes-sigs/cluster-api-provider-azure#5947; bounds: managedClusters.json 2025-09-01, count",
    ),
    Rule(
        id="max-pods",
        message=invalid("agentPoolProfile.maxPods", "{pods} is not between {least} and {most}."),
        broken=_max_pods,
        source="quotas-skus-regions.md, use-system-pools.md (docs/facts/aks.md#names-counts-and-limits)",
    ),
    Rule(
        id="zones",
        message=invalid("agentPoolProfile.availabilityZones", "There is no zone '{zone}'."),
        broken=_zones,
        source="availability-zones.md (docs/facts/aks.md#availability-zones)",
    ),
    Rule(
        id="zones-of-region",
        code="AvailabilityZoneNotSupported",
        message="Availability zone is not supported in region {region}.",
        broken=_zoneless,
        quotes="cloud-barista/cb-spider#1246, rancher/rancher#33019; regions: catalogue",
    ),
)
