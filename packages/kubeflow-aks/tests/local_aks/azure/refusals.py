"""Azure's rules by name, requests that they refuse, and what a refusal looks like."""

from typing import Any

from azure_bodies import SPOT_TAINT, Json, cluster, spot_pool, system_pool, user_pool, without

from kubeflow_aks.local_aks.azure.admission import TABLES
from kubeflow_aks.local_aks.azure.arm import ArmError
from kubeflow_aks.local_aks.azure.rules.rule import Rule

RULES: dict[str, Rule[Any]] = {rule.id: rule for table in TABLES.values() for rule in table}
UPGRADE_SURGE = {"upgradeSettings": {"maxSurge": "10%"}}
UPGRADE_UNAVAILABLE = {"upgradeSettings": {"maxUnavailable": "1"}}
RESERVED = {"capacityReservationGroupID": "group"}
DEALLOCATE = {"osDiskType": "Ephemeral", "vmSize": "Standard_D8ds_v5", "scaleSetEvictionPolicy": "Deallocate"}

NEW_POOLS: list[tuple[str, Json, str]] = [
    ("spot-user-mode", spot_pool(mode="System", count=1, minCount=1), "of mode User"),
    ("spot-scale-set", spot_pool(type="VirtualMachines"), "VirtualMachineScaleSets"),
    ("spot-max-surge", spot_pool(**UPGRADE_SURGE), "Spot pools can't set max surge"),
    ("spot-reservation", spot_pool(**RESERVED), "Spot VMs cannot use"),
    ("spot-max-unavailable", spot_pool(**UPGRADE_UNAVAILABLE), "Spot pools can't set maxUnavailable"),
    ("eviction-policy-needs-spot", user_pool(scaleSetEvictionPolicy="Delete"), "unless the scaleSetPriority"),
    ("max-price-needs-spot", user_pool(spotMaxPrice=0.5), "unless the scaleSetPriority"),
    ("max-price-value", spot_pool(spotMaxPrice=0), "0 is neither -1"),
    ("max-price-value", spot_pool(spotMaxPrice=0.123456), "0.123456 is neither -1"),
    ("spot-vm-size", spot_pool(vmSize="Standard_H8_Promo"), "Standard_H8_Promo"),
    ("label-prefix-of-aks", user_pool(nodeLabels={"kubernetes.azure.com/mine": "x"}), "preserved by aks"),
    (
        "label-prefix-of-aks",
        user_pool(nodeLabels={"kubernetes.azure.com/scalesetpriority": "spot"}),
        "scalesetpriority",
    ),
    (
        "label-prefix-of-kubernetes",
        user_pool(nodeLabels={"node-role.kubernetes.io/gpu": ""}),
        "allowed prefix",
    ),
    ("label-syntax", user_pool(nodeLabels={"team": "not valid"}), "team=not valid"),
    ("taint-syntax", user_pool(nodeTaints=["gpu=yes:Never"]), "gpu=yes:Never"),
    ("taint-prefix", user_pool(nodeTaints=[SPOT_TAINT]), "reserved prefix"),
    ("taint-repeated", user_pool(nodeTaints=["app=a:NoSchedule", "app=b:NoSchedule"]), "app=b:NoSchedule"),
    ("taint-of-system-pool", user_pool(mode="System", nodeTaints=["app=a:NoSchedule"]), "custom taints"),
    ("windows-name", user_pool(osType="Windows"), "agentPoolProfile.name is invalid"),
    ("vm-size-offered", user_pool(vmSize="Standard_D7s_v9"), "Standard_D7s_v9 is not allowed"),
    ("vm-size-offered", user_pool(vmSize="Standard_NC6s_v3"), "Standard_NC6s_v3 is not allowed"),
    ("vm-size-offered", user_pool(vmSize="Standard_A1_v2"), "Standard_A1_v2 is not allowed"),
    ("system-linux", user_pool(mode="System", osType="Windows", vmSize="Standard_D4s_v5"), "must be Linux"),
    ("system-max-unavailable", user_pool(mode="System", **UPGRADE_UNAVAILABLE), "maxUnavailable"),
    ("count", user_pool(mode="System", count=0), "agentPoolProfile.count was 0. It must be greater or equal"),
    ("count", user_pool(count=1001), "less than or equal to maxCount:1000"),
    ("count", spot_pool(count=9), "less than or equal to maxCount:4"),
    ("autoscaling", spot_pool(minCount=3, maxCount=2, count=2), "minCount 3 and maxCount 2"),
    ("autoscaling", without(spot_pool(), "maxCount"), "needs minCount and maxCount"),
    ("autoscaling", user_pool(minCount=1, maxCount=2), "need enableAutoScaling"),
    (
        "autoscaling",
        user_pool(mode="System", enableAutoScaling=True, minCount=0, maxCount=3),
        "1 <= minCount",
    ),
    ("max-pods", user_pool(maxPods=251), "251 is not between 10 and 250"),
    ("max-pods", user_pool(mode="System", maxPods=20), "20 is not between 30 and 250"),
    (
        "ephemeral-disk-fits",
        user_pool(vmSize="Standard_NC4as_T4_v3", osDiskType="Ephemeral", osDiskSizeGB=176),
        "cache size of 154618822656 bytes, but the OS disk requires 188978561024 bytes",
    ),
    ("ephemeral-disk-deallocate", spot_pool(**DEALLOCATE), "cannot be deallocated"),
    ("os-disk-size", user_pool(osDiskSizeGB=16), "16 is below"),
    ("zones", user_pool(availabilityZones=["4"]), "no zone '4'"),
    ("mig-size", user_pool(gpuInstanceProfile="MIG1g"), "no Multi-Instance GPU"),
    ("gpu-profile-size", user_pool(gpuProfile={"driver": "Install"}), "no GPU"),
    (
        "pool-version",
        user_pool(orchestratorVersion="1.35"),
        "Node pool version 1.35 and control plane version 1.34",
    ),
]
"""Rule, a pool it refuses on creation, and words of the answer."""

CHANGED_POOLS: list[tuple[str, Json, Json]] = [
    ("immutable-vmSize", user_pool(), {"vmSize": "Standard_D16s_v5"}),
    ("immutable-osType", user_pool(), {"osType": "Windows"}),
    (
        "immutable-osDiskType",
        user_pool(osDiskType="Managed", vmSize="Standard_D8ds_v5"),
        {"osDiskType": "Ephemeral"},
    ),
    ("immutable-osDiskSizeGB", user_pool(osDiskSizeGB=128), {"osDiskSizeGB": 256}),
    ("immutable-kubeletDiskType", user_pool(), {"kubeletDiskType": "Temporary"}),
    ("immutable-maxPods", user_pool(maxPods=110), {"maxPods": 50}),
    ("immutable-availabilityZones", user_pool(availabilityZones=["1", "2"]), {"availabilityZones": ["1"]}),
    ("immutable-scaleSetPriority", user_pool(), {"scaleSetPriority": "Regular"}),
    ("immutable-scaleSetEvictionPolicy", spot_pool(), {"scaleSetEvictionPolicy": "Deallocate"}),
    ("immutable-spotMaxPrice", spot_pool(), {"spotMaxPrice": 0.4}),
    (
        "immutable-gpuInstanceProfile",
        user_pool(vmSize="Standard_NC24ads_A100_v4", osDiskType="Managed", gpuInstanceProfile="MIG1g"),
        {"gpuInstanceProfile": "MIG2g"},
    ),
    (
        "immutable-gpuProfile",
        user_pool(vmSize="Standard_NC4as_T4_v3", gpuProfile={"driver": "Install"}),
        {"gpuProfile": {"driver": "None"}},
    ),
    ("immutable-capacityReservationGroupID", user_pool(), RESERVED),
    ("immutable-hostGroupID", user_pool(), {"hostGroupID": "hosts"}),
    ("immutable-kubeletConfig", user_pool(), {"kubeletConfig": {"cpuManagerPolicy": "static"}}),
    ("immutable-linuxOSConfig", user_pool(), {"linuxOSConfig": {"swapFileSizeMB": 1500}}),
    ("immutable-enableEncryptionAtHost", user_pool(), {"enableEncryptionAtHost": True}),
    ("immutable-enableFIPS", user_pool(), {"enableFIPS": True}),
    ("immutable-enableNodePublicIP", user_pool(), {"enableNodePublicIP": True}),
    ("immutable-type", user_pool(), {"type": "VirtualMachines"}),
    ("immutable-vnetSubnetID", user_pool(), {"vnetSubnetID": "elsewhere"}),
    ("immutable-podSubnetID", user_pool(), {"podSubnetID": "elsewhere"}),
    ("spot-taint-stays", spot_pool(), {"nodeTaints": ["mine=yes:NoSchedule"]}),
]
"""Rule, a pool, and a change of it that the rule refuses."""

ENTRA = {"aadProfile": {"managed": True, "adminGroupObjectIDs": ["group"]}}
NEW_CLUSTERS: list[tuple[str, Json, str]] = [
    ("pools-required", cluster(agentPoolProfiles=[]), "agentPoolProfiles is missing (null)"),
    (
        "system-pool-required",
        cluster(agentPoolProfiles=[system_pool(mode="User")]),
        "at least one system pool",
    ),
    ("pool-repeated", cluster(agentPoolProfiles=[system_pool(), system_pool()]), "system, system"),
    (
        "version-lts-only",
        cluster(kubernetesVersion="1.33"),
        "on version 1.33, which is only available for Long-Term",
    ),
    ("version-unsupported", cluster(kubernetesVersion="1.20"), "on version 1.20, which is not supported"),
    ("lts-needs-premium", cluster(supportPlan="AKSLongTermSupport"), "Premium tier"),
    ("dns-prefix", without(cluster(), "dnsPrefix"), "dnsPrefix is invalid"),
    (
        "private-authorised-ranges",
        cluster(
            apiServerAccessProfile={"enablePrivateCluster": True, "authorizedIPRanges": ["198.51.100.1/32"]}
        ),
        "Private cluster cannot be enabled with AuthorizedIPRanges.",
    ),
    (
        "authorised-ranges-closed",
        cluster(apiServerAccessProfile={"authorizedIPRanges": ["0.0.0.0/32", "198.51.100.1/32"]}),
        "0.0.0.0/32 is not allowed with other IP ranges",
    ),
    ("authorised-ranges-form", cluster(apiServerAccessProfile={"authorizedIPRanges": ["home"]}), "'home'"),
    (
        "authorised-ranges-number",
        cluster(apiServerAccessProfile={"authorizedIPRanges": [f"198.51.{i}.0/24" for i in range(201)]}),
        "At most 200",
    ),
    (
        "local-accounts-need-entra",
        cluster(disableLocalAccounts=True),
        "Please integrate your cluster with AAD.",
    ),
    (
        "workload-identity-needs-oidc",
        cluster(
            securityProfile={"workloadIdentity": {"enabled": True}}, oidcIssuerProfile={"enabled": False}
        ),
        "oidcIssuerProfile.enabled",
    ),
    ("user-assigned-identity", cluster(identity={"type": "UserAssigned"}), "exactly one"),
    (
        "image-cleaner-interval",
        cluster(securityProfile={"imageCleaner": {"enabled": True, "intervalHours": 12}}),
        "12 is not between 24 and 2160",
    ),
    ("autoscaler-expander", cluster(autoScalerProfile={"expander": "price"}), "'price'"),
    (
        "overlay-needs-azure-cni",
        cluster(networkProfile={"networkPlugin": "kubenet", "networkPluginMode": "overlay"}),
        "networkPlugin azure",
    ),
    (
        "cilium-policy-needs-cilium",
        cluster(networkProfile={"networkPolicy": "cilium"}),
        "requires NetworkDataplane cilium",
    ),
    (
        "cilium-needs-cilium-policy",
        cluster(networkProfile={"networkDataplane": "cilium", "networkPolicy": "calico"}),
        "requires network policy cilium",
    ),
    (
        "dns-service-address",
        cluster(networkProfile={"dnsServiceIP": "10.9.0.10"}),
        "10.9.0.10 must lie in 10.0.0.0/16",
    ),
    (
        "own-gateway-on-subnet",
        cluster(networkProfile={"outboundType": "userAssignedNATGateway"}),
        "no NAT gateway",
    ),
    (
        "own-routes-own-network",
        cluster(networkProfile={"outboundType": "userDefinedRouting"}),
        "in no virtual network of their own",
    ),
    (
        "pod-range-overlap",
        cluster(
            networkProfile={
                "networkPlugin": "azure",
                "networkPluginMode": "overlay",
                "podCidr": "10.0.128.0/17",
            }
        ),
        "10.0.128.0/17 overlaps with 10.0.0.0/16",
    ),
]
LTS = {"supportPlan": "AKSLongTermSupport", "sku": {"name": "Base", "tier": "Premium"}}
CHANGED_CLUSTERS: list[tuple[str, Json, Json]] = [
    ("pool-introduced", {}, {"agentPoolProfiles": [system_pool(), system_pool(name="second")]}),
    ("version-upgrade", {}, {"kubernetesVersion": "1.36"}),
    ("version-upgrade", {}, {"kubernetesVersion": "1.33", **LTS}),
    (
        "pool-versions-stated",
        {"autoUpgradeProfile": {"upgradeChannel": "patch"}},
        {"kubernetesVersion": "1.35"},
    ),
    ("entra-stays", ENTRA, {"aadProfile": {"managed": False}}),
    ("oidc-issuer-stays", {}, {"oidcIssuerProfile": {"enabled": False}}),
    ("private-cluster-stays", {}, {"apiServerAccessProfile": {"enablePrivateCluster": True}}),
    (
        "private-cluster-stays",
        {"apiServerAccessProfile": {"enablePrivateCluster": True}},
        {"apiServerAccessProfile": {}},
    ),
]


def refusal(rule_id: str, error: ArmError, words: str = "") -> None:
    """The error is the one of a rule, with the rule's message."""
    rule = RULES[rule_id]
    assert (error.status, error.code) == (rule.status, rule.code), error
    assert rule.message.split("{")[0] in error.message
    assert words in error.message
