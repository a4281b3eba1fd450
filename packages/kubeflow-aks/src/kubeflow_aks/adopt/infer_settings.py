"""Infers the settings that come nearest to an existing cluster."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from aks_facts import charmed_kubeflow_releases, vm_sizes
from kubeflow_aks.adopt.existing import ExistingCluster, find
from kubeflow_aks.json_values import entries, is_mapping, text, texts, whole

Settings = dict[str, Any]
"""JSON types under the keys of a stack file, without the project's name."""

_OS_SKUS: Final = ("Ubuntu", "Ubuntu2204", "Ubuntu2404")
_TIERS: Final = {"free": "Free", "standard": "Standard", "paid": "Standard", "premium": "Premium"}
_NODE_CHANNELS: Final = ("NodeImage", "SecurityPatch", "Unmanaged", "None")
OUTBOUND_TYPES: Final = ("loadBalancer", "userAssignedNATGateway", "userDefinedRouting")
"""Values of `network.outboundType`; the first is the default."""
_WINDOWS: Final = ("aksManagedAutoUpgradeSchedule", "aksManagedNodeOSUpgradeSchedule")
_SPOT_KEY: Final = "kubernetes.azure.com/scalesetpriority"
_RESERVED: Final = ("kubernetes.azure.com/", "kubernetes.io/", "agentpool")
SYSTEM_TAINT: Final = "CriticalAddonsOnly=true:NoSchedule"


def cluster_settings(
    cluster: ExistingCluster, system_pool: Mapping[str, Any], *, owner: str, environment: str
) -> Settings:
    """Every setting that the cluster has a value for, pools aside; `owner` and `environment` are missing tags."""
    body = cluster.body
    tags = _tags(body, owner, environment)
    settings: Settings = {
        "location": text(find(body, "location")).replace(" ", "").lower(),
        "resourceGroup": cluster.group,
        "adopted": True,
        "names": _names(cluster),
        "tags": tags,
        "kubernetes": _kubernetes(cluster, system_pool),
        "network": _network(cluster),
        "apiAccess": _api_access(body),
        "autoscaler": _autoscaler(find(body, "autoScalerProfile")),
        "systemPool": system_pool_settings(system_pool, tags),
        "gpu": _gpu(cluster),
    }
    return {key: value for key, value in settings.items() if value != {}}


def _without_empty(**values: Any) -> Settings:
    return {key: value for key, value in values.items() if value is not None and value != ""}


def _names(cluster: ExistingCluster) -> Settings:
    identity = own_identity(cluster)
    return _without_empty(
        cluster=cluster.name,
        dnsPrefix=text(find(cluster.body, "dnsPrefix")),
        nodeResourceGroup=text(find(cluster.body, "nodeResourceGroup")),
        identity=identity and identity.rpartition("/")[2],
    )


def own_identity(cluster: ExistingCluster) -> str | None:
    """ARM id of its user-assigned identity, where that is in the cluster's group and can be imported with it."""
    identities = find(cluster.body, "identity", "userAssignedIdentities")
    ids = list(identities) if is_mapping(identities) else []
    if len(ids) != 1:
        return None
    parts = ids[0].split("/")
    group = parts[4] if len(parts) > 4 else ""  # noqa: PLR2004 - /subscriptions/<id>/resourceGroups/<group>
    return ids[0] if group.lower() == cluster.group.lower() else None


def _tags(body: Mapping[str, Any], owner: str, environment: str) -> dict[str, str]:
    """Its tags; Azure ignores the case of their names, the settings have two in lower case."""
    tags = find(body, "tags")
    others = {name: value for name, value in tags.items() if text(value)} if is_mapping(tags) else {}
    required = {"owner": owner, "environment": environment}
    for name, value in list(others.items()):
        if name.lower() in required:
            required[name.lower()] = others.pop(name) if value else required[name.lower()]
    return {**required, **others}


def _kubernetes(cluster: ExistingCluster, system_pool: Mapping[str, Any]) -> Settings:
    body = cluster.body
    version = ".".join(
        (text(find(body, "currentKubernetesVersion")) or text(find(body, "kubernetesVersion"))).split(".")[:2]
    )
    validated = {
        minor for release in charmed_kubeflow_releases().values() for minor in release.kubernetes_versions
    }
    tier = _TIERS.get(text(find(body, "sku", "tier")).lower(), "Free")
    channel = text(find(body, "autoUpgradeProfile", "upgradeChannel"))
    nodes = text(find(body, "autoUpgradeProfile", "nodeOSUpgradeChannel"))
    os_sku = text(find(system_pool, "osSKU"))
    return _without_empty(
        version=version,
        acceptUnvalidated=True if version and version not in validated else None,
        tier=tier,
        supportPlan=text(find(body, "supportPlan")) or "KubernetesOfficial",
        upgradeChannel="patch" if channel in {"patch", "stable", "rapid"} else "none",
        nodeOsUpgradeChannel=nodes if nodes in _NODE_CHANNELS else None,
        osSku=os_sku if os_sku in _OS_SKUS else None,
        costAnalysis=True if find(body, "metricsProfile", "costAnalysis", "enabled") is True else None,
        maintenance=_window(cluster),
    )


def _window(cluster: ExistingCluster) -> Settings | None:
    """The weekly window of its upgrades; the first of both kinds that has one."""
    for configuration in cluster.maintenance:
        window = find(configuration, "maintenanceWindow")
        day = text(find(window, "schedule", "weekly", "dayOfWeek"))
        if find(configuration, "name") in _WINDOWS and day:
            return _without_empty(
                day=day,
                startTime=text(find(window, "startTime")),
                durationHours=whole(find(window, "durationHours")),
                utcOffset=text(find(window, "utcOffset")),
            )
    return None


def _network(cluster: ExistingCluster) -> Settings:
    profile = find(cluster.body, "networkProfile")
    policy, plane = text(find(profile, "networkPolicy")), text(find(profile, "networkDataplane"))
    outbound = text(find(profile, "outboundType"))
    return _without_empty(
        podCidr=text(find(profile, "podCidr")),
        serviceCidr=text(find(profile, "serviceCidr")),
        outboundType=outbound if outbound in OUTBOUND_TYPES else OUTBOUND_TYPES[0],
        policy="cilium" if plane == "cilium" else policy if policy in {"calico", "azure"} else None,
        subnetIds=_subnets(cluster),
    )


def _subnets(cluster: ExistingCluster) -> dict[str, str] | None:
    """The subnet of each role: of a pool that has it, or of the system pool; None in the network that AKS made."""
    modes = {"System": "", "User": ""}
    for pool in cluster.pools:
        mode, subnet = text(find(pool, "mode")) or "User", text(find(pool, "vnetSubnetID"))
        modes[mode] = modes.get(mode) or subnet
    system = modes["System"] or modes["User"]
    if not system:
        return None
    return {"system": system, **dict.fromkeys(("general", "cpu", "gpu"), modes["User"] or system)}


def _api_access(body: Mapping[str, Any]) -> Settings:
    access, entra = find(body, "apiServerAccessProfile"), find(body, "aadProfile")
    zone, no_commands = text(find(access, "privateDNSZone")), find(access, "disableRunCommand")
    return _without_empty(
        authorizedIpRanges=texts(find(access, "authorizedIPRanges")) or None,
        privateCluster=True if find(access, "enablePrivateCluster") is True else None,
        privateDnsZoneId=zone if zone.startswith("/") else None,
        subnetId=text(find(access, "subnetId")),
        runCommand=not no_commands if isinstance(no_commands, bool) else None,
        localAccounts=False if find(body, "disableLocalAccounts") is True else None,
        adminGroupObjectIds=texts(find(entra, "adminGroupObjectIDs")) or None,
    )


def _autoscaler(profile: Any) -> Settings:
    readers: dict[str, Callable[[str], Any]] = {
        "scanInterval": str,
        "maxNodeProvisionTime": str,
        "scaleDownDelayAfterAdd": str,
        "scaleDownUnneededTime": str,
        "scaleDownUtilizationThreshold": float,
        "balanceSimilarNodeGroups": _boolean,
        "skipNodesWithLocalStorage": _boolean,
        "skipNodesWithSystemPods": _boolean,
        "maxGracefulTerminationSec": int,
        "scaleDownUnreadyTime": str,
        "scaleDownDelayAfterDelete": str,
        "scaleDownDelayAfterFailure": str,
        "newPodScaleUpDelay": str,
        "maxEmptyBulkDelete": int,
        "maxTotalUnreadyPercentage": int,
        "okTotalUnreadyCount": int,
        "ignoreDaemonsetsUtilization": _boolean,
        "daemonsetEvictionForEmptyNodes": _boolean,
        "daemonsetEvictionForOccupiedNodes": _boolean,
    }
    values: Settings = {}
    for key, read in readers.items():
        value = find(profile, key)
        if isinstance(value, str | bool | int | float) and value != "":
            with suppress(ValueError):
                values[key] = read(str(value).lower())
    return values


def _gpu(cluster: ExistingCluster) -> Settings:
    """NVIDIA's GPU Operator, where a pool has no driver of AKS's."""
    drivers = {text(find(pool, "gpuProfile", "driver")) for pool in cluster.pools}
    return {"driver": "None", "plugin": "none"} if "None" in drivers else {}


def _boolean(value: str) -> bool:
    if value not in {"true", "false"}:
        raise ValueError(value)
    return value == "true"


def vm_size(pool: Mapping[str, Any]) -> str:
    """Its VM size, spelt as the catalogue does where that knows it."""
    name = text(find(pool, "vmSize"))
    return next((size for size in vm_sizes() if size.lower() == name.lower()), name)


def _counts(pool: Mapping[str, Any], least: int) -> Settings:
    """Fewest and most nodes; of a pool that is not autoscaled, those that it has."""
    count = max(whole(find(pool, "count")) or 0, least)
    if find(pool, "enableAutoScaling") is not True:
        return {"minCount": count, "maxCount": max(count, 1)}
    fewest, most = whole(find(pool, "minCount")), whole(find(pool, "maxCount"))
    fewest = least if fewest is None else max(fewest, least)
    return {"minCount": fewest, "maxCount": max(count, 1) if most is None else most}


def _nodes(pool: Mapping[str, Any], tags: Mapping[str, str]) -> Settings:
    """What settings of system and user pools have in common; `tags` are those of every resource."""
    spelling = {name.lower(): name for name in tags}  # Azure ignores the case of names
    there = find(pool, "tags")
    pool_tags = {
        spelling.get(name.lower(), name): str(value)
        for name, value in (there.items() if is_mapping(there) else ())
        if value is not None
    }
    upgrade = _without_empty(
        maxSurge=text(find(pool, "upgradeSettings", "maxSurge")) or None,
        maxUnavailable=text(find(pool, "upgradeSettings", "maxUnavailable")) or None,
        drainTimeoutMinutes=whole(find(pool, "upgradeSettings", "drainTimeoutInMinutes")),
        nodeSoakMinutes=whole(find(pool, "upgradeSettings", "nodeSoakDurationInMinutes")),
        undrainableNodeBehavior=text(find(pool, "upgradeSettings", "undrainableNodeBehavior")),
    )
    return _without_empty(
        vmSize=vm_size(pool),
        maxPods=whole(find(pool, "maxPods")),
        zones=[str(zone) for zone in entries(find(pool, "availabilityZones"))] or None,
        encryptionAtHost=True if find(pool, "enableEncryptionAtHost") is True else None,
        upgrade=upgrade or None,
        tags={name: value for name, value in pool_tags.items() if tags.get(name) != value} or None,
    )


def system_pool_settings(pool: Mapping[str, Any], tags: Mapping[str, str]) -> Settings:
    """A system pool as `systemPool` states it, beside the tags of every resource."""
    return {
        "name": text(find(pool, "name")),
        **_counts(pool, 1),
        **_without_empty(
            osDiskType=text(find(pool, "osDiskType")), osDiskGib=whole(find(pool, "osDiskSizeGB"))
        ),
        **_nodes(pool, tags),
    }


def user_pool_settings(pool: Mapping[str, Any], tags: Mapping[str, str]) -> Settings:
    """A user pool as an entry of `pools` states it, beside the tags of every resource."""
    spot = text(find(pool, "scaleSetPriority")) == "Spot"
    price = find(pool, "spotMaxPrice")
    labels = find(pool, "nodeLabels")
    own_labels = {
        name: value
        for name, value in (labels.items() if is_mapping(labels) else ())
        if isinstance(value, str) and not name.startswith(_RESERVED)
    }
    nodes = _nodes(pool, tags)
    if spot:
        nodes.pop("upgrade", None)
    return {
        **_without_empty(
            priority="Spot" if spot else None,
            evictionPolicy=text(find(pool, "scaleSetEvictionPolicy")) or "Delete" if spot else None,
            maxPrice=float(price) if spot and isinstance(price, int | float) else None,
            workload=own_labels.pop("kubeflow-aks/workload", None)
            if spot or find(pool, "nodeTaints")
            else None,
            labels={name: value for name, value in own_labels.items() if name != "kubeflow-aks/workload"}
            or None,
            taints=[it for it in texts(find(pool, "nodeTaints")) if not it.startswith(f"{_SPOT_KEY}=")]
            or None,
            osDisk=_without_empty(
                type=text(find(pool, "osDiskType")), sizeGib=whole(find(pool, "osDiskSizeGB"))
            ),
            gpuInstanceProfile=text(find(pool, "gpuInstanceProfile")),
            capacityReservationGroupId=text(find(pool, "capacityReservationGroupID")),
        ),
        **_counts(pool, 0),
        **nodes,
    }
