"""Azure refuses what AKS refuses, in AKS's words; every rule of the tables is broken here once."""

import pytest
from azure_bodies import (
    CLUSTER_ID,
    GROUP_ID,
    LOCATION,
    SPOT_TAINT,
    Json,
    cluster,
    pool_id,
    put,
    put_pool,
    spot_pool,
    system_pool,
    user_pool,
    with_cluster,
    with_network,
    without,
)
from neighbours import PAIRS
from refusals import RULES, refusal

from local_aks.azure.admission import TABLES
from local_aks.azure.arm import ArmError
from local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState
from local_aks.azure.types import SUBNET, TYPES

UPGRADE_SURGE = {"upgradeSettings": {"maxSurge": "10%"}}
UPGRADE_UNAVAILABLE = {"upgradeSettings": {"maxUnavailable": "1"}}
DEALLOCATE = {"osDiskType": "Ephemeral", "vmSize": "Standard_D8ds_v5", "scaleSetEvictionPolicy": "Deallocate"}

NEW_POOLS: list[tuple[str, Json, str]] = [
    ("spot-user-mode", spot_pool(mode="System", count=1, minCount=1), "of mode User"),
    ("spot-scale-set", spot_pool(type="VirtualMachines"), "VirtualMachineScaleSets"),
    ("spot-max-surge", spot_pool(**UPGRADE_SURGE), "Spot pools can't set max surge"),
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
    ("taint-on-system-pool", user_pool(mode="System", nodeTaints=["app=a:NoSchedule"]), "custom taints"),
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
        "networkDataplane cilium",
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
ROLE = f"{GROUP_ID}/providers/Microsoft.Authorization/roleAssignments"
GUID = "8f6e3a52-6d56-4f0e-9a57-0d4c1f1c5f0{}"
GRANT = {"principalId": "p", "roleDefinitionId": "/roles/pull", "principalType": "ServicePrincipal"}
ELSEWHERE = {
    "service-range-overlap",
    "managed-gateway-own-network",
    "subnet-inside-network",
    "subnet-overlap",
    "prefix-in-use",
    "location-stays",
    "zones-stay",
    "role-assignment-name",
    "role-assigned-once",
    "role-assignment-stays",
    "maintenance-name",
    "storage-account-name",
    "storage-account-taken",
    "storage-account-kind",
    "storage-account-zones",
    "storage-account-sku",
    "container-name",
    "federated-audience",
    "federated-twice",
    "federated-most",
    "pools-left-behind",
    "pool-left-behind",
    "pool-upgrade",
    "pool-name-of-aks",
    "pools-number",
    "nodes-number",
    "zones-of-region",
    "nodes-number-free",
    "pod-range-room",
    "subnet-room",
    "pod-range-in-network",
    "own-network-names",
    "domain-label-taken",
    "registry-name-taken",
    "lts-stays",
}
"""Rules that tests of their own break."""


def test_every_rule_is_broken_by_a_test() -> None:
    tables = (NEW_POOLS, CHANGED_POOLS, NEW_CLUSTERS, CHANGED_CLUSTERS, PAIRS)
    assert {row[0] for table in tables for row in table} | ELSEWHERE == set(RULES)


def test_rules_have_names_of_their_own_and_sources() -> None:
    assert len(RULES) == sum(len(table) for table in TABLES.values())
    assert all(rule.source for rule in RULES.values())


def test_the_quoted_rules_name_the_thread_or_issue_that_quotes_them() -> None:
    assert [rule.id for rule in RULES.values() if rule.quoted and "#" not in rule.source] == []


@pytest.mark.parametrize(("rule", "body", "words"), NEW_POOLS)
def test_a_new_pool_is_refused(azure: AzureState, rule: str, body: Json, words: str) -> None:
    manager = with_cluster(azure)
    with pytest.raises(ArmError) as refused:
        put_pool(manager, "windowspool", body)
    refusal(rule, refused.value, words)
    assert manager.get(pool_id("windowspool")) is None


@pytest.mark.parametrize(("rule", "body", "change"), CHANGED_POOLS)
def test_a_change_of_a_pool_is_refused(azure: AzureState, rule: str, body: Json, change: Json) -> None:
    manager = with_cluster(azure)
    before = put_pool(manager, "pool", body)
    with pytest.raises(ArmError) as refused:
        put_pool(manager, "pool", body | change)
    refusal(rule, refused.value)
    assert manager.get(pool_id("pool")) == before


@pytest.mark.parametrize(("rule", "body", "words"), NEW_CLUSTERS)
def test_a_new_cluster_is_refused(azure: AzureState, rule: str, body: Json, words: str) -> None:
    manager = with_cluster(azure)
    with pytest.raises(ArmError) as refused:
        put(manager, MANAGED_CLUSTER, CLUSTER_ID + "2", body)
    refusal(rule, refused.value, words)
    assert manager.get(CLUSTER_ID + "2") is None


@pytest.mark.parametrize(("rule", "initially", "change"), CHANGED_CLUSTERS)
def test_a_change_of_a_cluster_is_refused(
    azure: AzureState, rule: str, initially: Json, change: Json
) -> None:
    manager = with_cluster(azure, **initially)
    with pytest.raises(ArmError) as refused:
        put(manager, MANAGED_CLUSTER, CLUSTER_ID, cluster(**initially) | change)
    refusal(rule, refused.value)


@pytest.mark.parametrize(
    "body",
    [
        user_pool(),
        user_pool(vmSize="standard_d2s_v3"),
        user_pool(mode="System", count=1),
        user_pool(
            vmSize="Standard_NC4as_T4_v3",
            gpuProfile={"driver": "None"},
            nodeTaints=["nvidia.com/gpu=present:NoSchedule"],
        ),
        user_pool(nodeLabels={"node.kubernetes.io/x": "y", "example.com/team": ""}),
        spot_pool(),
        spot_pool(spotMaxPrice=0.12345),
        without(spot_pool(), "nodeLabels", "nodeTaints", "spotMaxPrice", "scaleSetEvictionPolicy"),
        user_pool(vmSize="Standard_D8ds_v5", osDiskType="Ephemeral"),
    ],
)
def test_what_aks_takes_is_taken(azure: AzureState, body: Json) -> None:
    assert put_pool(with_cluster(azure), "pool", body)["provisioningState"] == "Succeeded"


def test_repeating_a_pool_changes_nothing_but_its_tag(azure: AzureState) -> None:
    manager = with_cluster(azure)
    before = put_pool(manager, "pool", spot_pool())
    after = put_pool(manager, "pool", spot_pool())
    assert without(after, "eTag") == without(before, "eTag")
    assert after["eTag"] != before["eTag"]


def test_long_term_support_takes_an_older_version(azure: AzureState) -> None:
    lts = cluster(
        kubernetesVersion="1.33", supportPlan="AKSLongTermSupport", sku={"name": "Base", "tier": "Premium"}
    )
    manager = with_cluster(azure)
    assert put(manager, MANAGED_CLUSTER, CLUSTER_ID + "2", lts)["kubernetesVersion"] == "1.33"


def test_an_existing_cluster_outlives_the_support_of_its_version(azure: AzureState) -> None:
    manager = with_cluster(azure)
    stored = azure.get(CLUSTER_ID)
    assert stored
    old = {"kubernetesVersion": "1.20", "currentKubernetesVersion": "1.20.9"}
    stored.outputs.update(old)
    azure.put(stored)
    [pool] = azure.children(CLUSTER_ID, AGENT_POOL)
    pool.outputs.update(orchestratorVersion="1.20", currentOrchestratorVersion="1.20.9")
    azure.put(pool)
    changed = cluster(kubernetesVersion="1.20", tags={"owner": "me"})
    assert put(manager, MANAGED_CLUSTER, CLUSTER_ID, changed)["tags"] == {"owner": "me"}


def test_the_default_service_range_collides_with_a_subnet_in_it(azure: AzureState) -> None:
    manager = with_cluster(azure)
    subnet = with_network(manager, "10.0.4.0/24")
    with pytest.raises(ArmError) as refused:
        put(
            manager,
            MANAGED_CLUSTER,
            CLUSTER_ID + "2",
            cluster(agentPoolProfiles=[system_pool(vnetSubnetID=subnet)]),
        )
    refusal(
        "service-range-overlap",
        refused.value,
        "10.0.0.0/16 is conflicted with an existing subnet CIDR 10.0.4.0/24",
    )


def test_a_managed_nat_gateway_needs_the_network_of_aks(azure: AzureState) -> None:
    manager = with_cluster(azure)
    body = cluster(
        agentPoolProfiles=[system_pool(vnetSubnetID=with_network(manager))],
        networkProfile={"outboundType": "managedNATGateway"},
    )
    with pytest.raises(ArmError) as refused:
        put(manager, MANAGED_CLUSTER, CLUSTER_ID + "2", body)
    refusal("managed-gateway-own-network", refused.value, "agent pool 'system' is using custom VNet")


@pytest.mark.parametrize(
    ("rule", "prefix"), [("subnet-inside-network", "192.168.0.0/24"), ("subnet-overlap", "10.20.1.128/25")]
)
def test_a_subnet_must_fit(azure: AzureState, rule: str, prefix: str) -> None:
    manager = with_cluster(azure)
    subnet = with_network(manager)
    with pytest.raises(ArmError) as refused:
        put(manager, SUBNET, subnet + "2", {"addressPrefix": prefix})
    refusal(rule, refused.value, "Subnet 'pools2' is not valid in virtual network 'vnet'")


def test_a_subnet_keeps_its_range_while_it_has_nodes(azure: AzureState) -> None:
    manager = with_cluster(azure)
    subnet = with_network(manager)
    put_pool(manager, "work", user_pool(vnetSubnetID=subnet, count=1))
    with pytest.raises(ArmError) as refused:
        put(manager, SUBNET, subnet, {"addressPrefix": "10.20.2.0/24"})
    refusal("prefix-in-use", refused.value, "IpPrefix 10.20.1.0/24 on Subnet pools")
    [pool] = [pool for pool in azure.agent_pools() if pool.get("vnetSubnetID") == subnet]
    azure.set_count(CLUSTER_ID, pool["name"], 0)
    assert put(manager, SUBNET, subnet, {"addressPrefix": "10.20.2.0/24"})


def test_a_resource_stays_where_it_is(azure: AzureState) -> None:
    manager = with_cluster(azure)
    with pytest.raises(ArmError) as refused:
        put(manager, MANAGED_CLUSTER, CLUSTER_ID, cluster(location="northeurope"))
    refusal("location-stays", refused.value, "'westeurope'")
    assert put(manager, MANAGED_CLUSTER, CLUSTER_ID, cluster(location="West Europe"))


def test_a_public_address_keeps_its_zones(azure: AzureState) -> None:
    manager = with_cluster(azure)
    token, arm_id = (
        "azure-native:network:PublicIPAddress",
        f"{GROUP_ID}/providers/Microsoft.Network/publicIPAddresses/a",
    )
    body = {"location": LOCATION, "zones": ["1"]}
    put(manager, token, arm_id, body)
    with pytest.raises(ArmError) as refused:
        put(manager, token, arm_id, body | {"zones": ["1", "2"]})
    refusal("zones-stay", refused.value, "existing availability zone constraint 1 ")


def test_a_role_assignment_is_named_by_a_guid(azure: AzureState) -> None:
    with pytest.raises(ArmError) as refused:
        put(with_cluster(azure), "azure-native:authorization:RoleAssignment", f"{ROLE}/pull", GRANT)
    refusal("role-assignment-name", refused.value, "'pull'")


def test_a_role_is_assigned_once(azure: AzureState) -> None:
    manager, token = with_cluster(azure), "azure-native:authorization:RoleAssignment"
    put(manager, token, f"{ROLE}/{GUID.format(1)}", GRANT)
    with pytest.raises(ArmError) as refused:
        put(manager, token, f"{ROLE}/{GUID.format(2)}", GRANT)
    refusal("role-assigned-once", refused.value)


def test_a_role_assignment_never_changes(azure: AzureState) -> None:
    manager, token = with_cluster(azure), "azure-native:authorization:RoleAssignment"
    put(manager, token, f"{ROLE}/{GUID.format(1)}", GRANT)
    with pytest.raises(ArmError) as refused:
        put(manager, token, f"{ROLE}/{GUID.format(1)}", GRANT | {"roleDefinitionId": "/roles/push"})
    refusal("role-assignment-stays", refused.value)


def test_maintenance_windows_have_three_names(azure: AzureState) -> None:
    manager, token = with_cluster(azure), "azure-native:containerservice:MaintenanceConfiguration"
    windows = f"{CLUSTER_ID}/maintenanceConfigurations"
    put(manager, token, f"{windows}/aksManagedAutoUpgradeSchedule", {})
    with pytest.raises(ArmError) as refused:
        put(manager, token, f"{windows}/weekends", {})
    refusal("maintenance-name", refused.value, "'weekends'")


def test_an_inline_pool_that_breaks_a_rule_refuses_its_cluster(azure: AzureState) -> None:
    manager = with_cluster(azure)
    bad = system_pool(name="bad", mode="User", nodeLabels={"kubernetes.azure.com/mine": "x"})
    with pytest.raises(ArmError) as refused:
        manager.put(TYPES[MANAGED_CLUSTER], CLUSTER_ID + "2", cluster(agentPoolProfiles=[system_pool(), bad]))
    refusal("label-prefix-of-aks", refused.value)
    assert manager.get(CLUSTER_ID + "2") is None
    assert len(azure.all(AGENT_POOL)) == 1
