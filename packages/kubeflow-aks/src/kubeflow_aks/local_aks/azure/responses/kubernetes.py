"""Bodies of managed clusters and agent pools.

Defaults follow the recording of the real provider (`azure-native-aks-recording.json`) and, for what API 2025-09-01
changed since, the AKS documentation. AKS's own choice of patch versions and node images is stood in for by fixed ones.
"""

import ipaddress
from typing import Any, Final

import aks_facts
from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import TENANT, Json
from kubeflow_aks.local_aks.azure.responses.put import Put, new_etag
from kubeflow_aks.local_aks.azure.rules.rule import SPOT_KEY, SPOT_TAINT, vm_size
from kubeflow_aks.local_aks.azure.rules.upgrades import same
from kubeflow_aks.recorder.stack_files import ENCRYPTED
from kubeflow_aks.tools.manifest import KUBERNETES_VERSION

DEFAULT_VERSION: Final = "1.34"
_PATCHES: Final = {"1.30": "1.30.10", "1.34": KUBERNETES_VERSION}
"""Patch AKS picks for a minor: the recorded one, and the one the local control plane runs."""
_NODE_IMAGE: Final = "AKSUbuntu-{ubuntu}gen2containerd-202503.21.0"
_MOST_POOLS: Final = 100
_LONGEST_GROUP: Final = 80
_DEFAULT_DISK: Final = 128
_MANAGED_DISKS: Final = ((64, 1024), (16, 512), (8, 256), (0, _DEFAULT_DISK))
"""Least vCPUs and the default managed OS disk in GB from there on (concepts-storage.md)."""
_AUTOSCALER: Final[Json] = {
    "balanceSimilarNodeGroups": "false",
    "daemonsetEvictionForEmptyNodes": False,
    "daemonsetEvictionForOccupiedNodes": True,
    "expander": "random",
    "ignoreDaemonsetsUtilization": False,
    "maxEmptyBulkDelete": "10",
    "maxGracefulTerminationSec": "600",
    "maxNodeProvisionTime": "15m",
    "maxTotalUnreadyPercentage": "45",
    "newPodScaleUpDelay": "0s",
    "okTotalUnreadyCount": "3",
    "scaleDownDelayAfterAdd": "10m",
    "scaleDownDelayAfterDelete": "10s",
    "scaleDownDelayAfterFailure": "3m",
    "scaleDownUnneededTime": "10m",
    "scaleDownUnreadyTime": "20m",
    "scaleDownUtilizationThreshold": "0.5",
    "scanInterval": "10s",
    "skipNodesWithLocalStorage": "false",
    "skipNodesWithSystemPods": "true",
}
"""Defaults of the autoscaler profile (cluster-autoscaler.md; docs/facts/aks.md#autoscaler-profile)."""


def patched(version: str) -> str:
    """The patch version AKS runs for `major.minor`; a full version is returned unchanged."""
    return version if version.count(".") > 1 else _PATCHES.get(version, f"{version}.0")


def _running(version: str, has: str | None, control_plane: str | None = None) -> str:
    """The full version for a requested one: `1.34` is no upgrade where a patch of it runs; nodes are never newer.

    Source: managedClusters.json, kubernetesVersion and orchestratorVersion.
    """
    running = (it for it in (has, control_plane) if it and same(version, it))
    return next(running, patched(version))


def node_image(os_sku: str, version: str) -> str:
    """The node image of an OS SKU on a Kubernetes version (upgrade-os-version.md)."""
    release = aks_facts.ubuntu(os_sku, version)
    return _NODE_IMAGE.format(ubuntu=release.release.replace(".", "") if release else os_sku)


def agent_pool(put: Put) -> Json:
    """Body of an agent pool."""
    cluster = put.get(arm.parent_id_of(put.id) or "") or {}
    version = _pool_version(put, cluster)
    before = (put.existing or {}).get("currentOrchestratorVersion")
    running = _running(version, before, cluster.get("currentKubernetesVersion"))
    system = put.body.get("mode") == "System"
    defaults: Json = {
        "enableAutoScaling": False,
        "enableFIPS": False,
        "enableNodePublicIP": False,
        "kubeletDiskType": "OS",
        "maxPods": _default_max_pods(arm.section(cluster, "networkProfile")),
        "mode": "User",
        "osSKU": "Ubuntu",
        "osType": "Linux",
        "powerState": {"code": "Running"},
        "scaleDownMode": "Delete",
        "upgradeSettings": {"maxSurge": "10%"} if system else {},
        **_os_disk(put.body),
        **_spot(put),
    }
    return defaults | put.answer(
        count=_count(put),
        orchestratorVersion=version,
        currentOrchestratorVersion=running,
        nodeImageVersion=node_image(put.body.get("osSKU", "Ubuntu"), running),
        provisioningState="Succeeded",
        eTag=new_etag(),
        **_spot_pair(put),
    )


def managed_cluster(put: Put) -> Json:
    """Body of a cluster; its pools are resources of their own and added when it is read."""
    location = str(put.body["location"])
    group = arm.name_of(arm.group_id_of(put.id) or "")
    version = str(
        put.body.get("kubernetesVersion") or (put.existing or {}).get("kubernetesVersion") or DEFAULT_VERSION
    )
    prefix = f"{put.body.get('dnsPrefix') or put.body.get('fqdnSubdomain')}-{put.identifier('fqdn')[:8]}"
    node_group = str(
        put.body.get("nodeResourceGroup") or f"MC_{group}_{put.name}_{location}"[:_LONGEST_GROUP]
    )
    body = put.answer(
        aadProfile=put.body.get("aadProfile") or (put.existing or {}).get("aadProfile"),
        autoScalerProfile=_autoscaler(put.body),
        autoUpgradeProfile={"nodeOSUpgradeChannel": "NodeImage"} | put.body.get("autoUpgradeProfile", {}),
        apiServerAccessProfile=_api_server_access(put.body),
        azurePortalFQDN=f"{prefix}.portal.hcp.{location}.azmk8s.io",
        currentKubernetesVersion=_running(version, (put.existing or {}).get("currentKubernetesVersion")),
        eTag=new_etag(),
        enableRBAC=put.body.get("enableRBAC", True),
        fqdn=f"{prefix}.hcp.{location}.azmk8s.io",
        identity=_identity(put),
        identityProfile={"kubeletidentity": _kubelet_identity(put, node_group)},
        kubernetesVersion=version,
        maxAgentPools=_MOST_POOLS,
        networkProfile=_network(put, node_group),
        nodeResourceGroup=node_group,
        oidcIssuerProfile=_oidc(put, version),
        powerState={"code": "Running"},
        provisioningState="Succeeded",
        resourceUID=put.identifier("uid").replace("-", "")[:24],
        securityProfile=put.body.get("securityProfile", {}),
        servicePrincipalProfile={"clientId": "msi"},
        sku={"name": "Base", "tier": "Free"} | put.body.get("sku", {}),
        storageProfile=_storage(put.body),
        supportPlan=put.body.get("supportPlan", "KubernetesOfficial"),
        workloadAutoScalerProfile=put.body.get("workloadAutoScalerProfile", {}),
    )
    body.pop("agentPoolProfiles", None)
    return body


def _default_max_pods(network: Json) -> int:
    if network.get("networkPluginMode") == "overlay":
        return 250
    return 110 if network.get("networkPlugin") == "kubenet" else 30


def _pool_version(put: Put, cluster: Json) -> str:
    """The requested version, else the pool's current one, else the cluster's."""
    before = (put.existing or {}).get("orchestratorVersion")
    return str(
        put.body.get("orchestratorVersion") or before or cluster.get("kubernetesVersion") or DEFAULT_VERSION
    )


def _os_disk(body: Json) -> Json:
    """Type and size of the OS disk: ephemeral where it fits and no type is requested (docs/facts/aks.md#os-disks)."""
    size = vm_size(str(body.get("vmSize")))
    local, vcpus = (size.ephemeral_gib or 0, size.vcpus) if size else (0, 0)
    fits = local >= (body.get("osDiskSizeGB") or _DEFAULT_DISK)
    parked = "Deallocate" in (body.get("scaleSetEvictionPolicy"), body.get("scaleDownMode"))
    kind = body.get("osDiskType") or ("Ephemeral" if fits and not parked else "Managed")
    managed = next(disk for least, disk in _MANAGED_DISKS if vcpus >= least)
    default = (local or _DEFAULT_DISK) if kind == "Ephemeral" else managed
    return {"osDiskType": kind, "osDiskSizeGB": body.get("osDiskSizeGB") or default}


def _spot(put: Put) -> Json:
    spot = put.body.get("scaleSetPriority") == "Spot"
    return {"scaleSetEvictionPolicy": "Delete", "spotMaxPrice": -1} if spot else {}


def _spot_pair(put: Put) -> Json:
    """The label and taint AKS adds when it creates a spot pool; later PUTs must repeat them (Azure/AKS#3152)."""
    if put.body.get("scaleSetPriority") != "Spot" or put.existing is not None:
        return {}
    taints: list[str] = put.body.get("nodeTaints") or []
    return {
        "nodeLabels": {SPOT_KEY: "spot"} | put.body.get("nodeLabels", {}),
        "nodeTaints": taints if SPOT_TAINT in taints else [*taints, SPOT_TAINT],
    }


def _count(put: Put) -> int:
    """Live node count: AKS ignores `count` of an autoscaled pool that exists (docs/facts/aks.md#node-count)."""
    least, most = put.body.get("minCount", 0), put.body.get("maxCount", 0)
    if not put.body.get("enableAutoScaling"):
        return int(put.body.get("count", 1))
    live = put.body.get("count", least) if put.existing is None else put.existing["count"]
    return min(max(int(live), least), most)


def _autoscaler(body: Json) -> Json | None:
    """The profile, which AKS returns once it is set or a pool is autoscaled."""
    scaled = any(pool.get("enableAutoScaling") for pool in arm.listed(body, "agentPoolProfiles"))
    shown = scaled or "autoScalerProfile" in body
    return _AUTOSCALER | body.get("autoScalerProfile", {}) if shown else None


def _api_server_access(body: Json) -> Json | None:
    access: Json | None = body.get("apiServerAccessProfile")
    if not access or "authorizedIPRanges" not in access:
        return access
    ranges = [
        text if ENCRYPTED in text else str(ipaddress.ip_network(text, strict=False))
        for text in access["authorizedIPRanges"]
    ]
    return access | {"authorizedIPRanges": ranges}


def _identity(put: Put) -> Json | None:
    identity: Json | None = put.body.get("identity")
    if identity is None or identity.get("type") == "None":
        return identity
    if identity["type"] == "UserAssigned":
        ids = arm.listed(identity, "userAssignedIdentities")
        return {"type": "UserAssigned", "userAssignedIdentities": {i: _principal(put, i) for i in ids}}
    return {"type": "SystemAssigned", "principalId": put.identifier("principal"), "tenantId": TENANT}


def _principal(put: Put, identity_id: str) -> Json:
    identity = put.get(identity_id) or {}
    return {key: identity[key] for key in ("clientId", "principalId") if key in identity}


def _kubelet_identity(put: Put, node_group: str) -> Json:
    identity: Json | None = arm.at(put.body, "identityProfile.kubeletidentity")
    if identity:
        principal = _principal(
            put, str(identity.get("resourceId"))
        )  # AKS's own is none of the resources here
        return identity | {
            key: principal[its_key]
            for key, its_key in (("clientId", "clientId"), ("objectId", "principalId"))
            if its_key in principal
        }
    subscription = put.id.split("/resource", 1)[0]
    managed = "providers/Microsoft.ManagedIdentity/userAssignedIdentities"
    return {
        "clientId": put.identifier("kubelet-client"),
        "objectId": put.identifier("kubelet"),
        "resourceId": f"{subscription}/resourcegroups/{node_group}/{managed}/{put.name}-agentpool",
    }


def _network(put: Put, node_group: str) -> Json:
    profile: Json = put.body.get("networkProfile", {})
    plugin = {} if "networkPlugin" in profile else {"networkPlugin": "azure", "networkPluginMode": "overlay"}
    network: Json = {
        "dnsServiceIP": "10.0.0.10",
        "ipFamilies": ["IPv4"],
        "loadBalancerSku": "standard",
        "outboundType": "loadBalancer",
        "serviceCidr": "10.0.0.0/16",
        **plugin,
        **profile,
    }
    network.setdefault("serviceCidrs", [network["serviceCidr"]])
    if network["networkPlugin"] == "azure":
        network.setdefault("networkDataplane", "azure")
    if network.get("networkPluginMode") == "overlay" or network["networkPlugin"] == "kubenet":
        network.setdefault("podCidr", "10.244.0.0/16")
        network.setdefault("podCidrs", [network["podCidr"]])
    match network["outboundType"]:
        case "loadBalancer":
            balancer = {"managedOutboundIPs": {"count": 1}} | profile.get("loadBalancerProfile", {})
            network["loadBalancerProfile"] = balancer | {"effectiveOutboundIPs": [_outbound(put, node_group)]}
        case "managedNATGateway":
            gateway = {"managedOutboundIPProfile": {"count": 1}, "idleTimeoutInMinutes": 4}
            gateway |= profile.get("natGatewayProfile", {})
            network["natGatewayProfile"] = gateway | {"effectiveOutboundIPs": [_outbound(put, node_group)]}
        case _:
            pass
    return network


def _outbound(put: Put, node_group: str) -> dict[str, Any]:
    subscription = put.id.split("/resource", 1)[0]
    address = f"providers/Microsoft.Network/publicIPAddresses/{put.identifier('outbound')}"
    return {"id": f"{subscription}/resourceGroups/{node_group}/{address}"}


def _oidc(put: Put, version: str) -> Json:
    """OIDC issuer: on by default since Kubernetes 1.34 (docs/facts/aks.md#platform-features)."""
    profile: Json = put.body.get("oidcIssuerProfile", {})
    before = arm.at(put.existing or {}, "oidcIssuerProfile.enabled")
    default = before if before is not None else int(version.split(".")[1]) >= 34  # noqa: PLR2004 - the release's number
    if not profile.get("enabled", default):
        return {"enabled": False}
    host = f"{put.body['location']}.oic.prod-aks.azure.com"
    return {"enabled": True, "issuerURL": f"https://{host}/{TENANT}/{put.identifier('oidc')}/"}


def _storage(body: Json) -> Json:
    drivers = ("diskCSIDriver", "fileCSIDriver", "snapshotController")
    return {driver: {"enabled": True} for driver in drivers} | body.get("storageProfile", {})
