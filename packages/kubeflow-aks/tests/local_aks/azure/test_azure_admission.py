"""Azure refuses what AKS refuses, in AKS's words; every rule of the tables is broken here once."""

import pytest
from azure_bodies import (
    CLUSTER_ID,
    GROUP_ID,
    LOCATION,
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
from refusals import CHANGED_CLUSTERS, CHANGED_POOLS, NEW_CLUSTERS, NEW_POOLS, RULES, refusal

from kubeflow_aks.local_aks.azure.admission import TABLES
from kubeflow_aks.local_aks.azure.arm import ArmError
from kubeflow_aks.local_aks.azure.rules.immutable import IMMUTABLE_RULES
from kubeflow_aks.local_aks.azure.rules.rule import answers
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.azure.types import SUBNET, TYPES

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
    "diagnostic-number",
    "diagnostic-sink-reused",
    "registry-premium-first",
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
    "pod-range-capacity",
    "subnet-capacity",
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
    assert all(bool(rule.source) != bool(rule.quotes) for rule in RULES.values())


def test_every_answer_is_of_a_rule() -> None:
    assert answers().keys() == RULES.keys() - {rule.id for rule in IMMUTABLE_RULES}


def test_the_quoted_rules_name_the_thread_or_issue_that_quotes_them() -> None:
    assert [rule.id for rule in RULES.values() if rule.quotes and "#" not in rule.quotes] == []


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
