"""Azure refuses a request in its own words, and takes the nearest good one: rules at their limits."""

from typing import Any

import pytest
from azure_bodies import (
    CLUSTER_ID,
    GROUP_ID,
    LOCATION,
    TODAY,
    VNET_ID,
    Json,
    arm,
    cluster,
    put,
    put_pool,
    spot_pool,
    system_pool,
    user_pool,
    with_cluster,
    with_network,
)
from neighbours import PAIRS, Pair
from refusals import refusal

from aks_facts import vm_sizes
from kubeflow_aks.local_aks.azure import admission
from kubeflow_aks.local_aks.azure.arm import ArmError
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.rules.rule import PoolRequest
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, DIAGNOSTIC_SETTING, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.azure.types import PUBLIC_IP, REGISTRY, RESOURCE_GROUP, SUBNET, VIRTUAL_NETWORK

NEW = f"{CLUSTER_ID}2"
OVERLAY = {"networkPlugin": "azure", "networkPluginMode": "overlay"}
WIDE = OVERLAY | {"podCidr": "10.128.0.0/9"}
STANDARD = {"sku": {"name": "Base", "tier": "Standard"}}


def only_the_good_one(manager: ResourceManager, pair: Pair) -> None:
    """Azure refuses one request by a rule, changes nothing, and takes the other."""
    before = manager.get(pair.arm_id)
    with pytest.raises(ArmError) as refused:
        put(manager, pair.token, pair.arm_id, pair.bad)
    refusal(pair.rule, refused.value, pair.words)
    assert manager.get(pair.arm_id) == before
    assert put(manager, pair.token, pair.arm_id, pair.good)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.rule)
def test_of_two_neighbours_one_is_refused(azure: AzureState, pair: Pair) -> None:
    manager = with_cluster(azure)
    with_network(manager)
    only_the_good_one(manager, pair)


def network(manager: ResourceManager, space: str, *subnets: str) -> list[str]:
    """A virtual network with subnets; their ids."""
    body = {"location": LOCATION, "addressSpace": {"addressPrefixes": [space]}}
    put(manager, VIRTUAL_NETWORK, VNET_ID, body)
    ids = [f"{VNET_ID}/subnets/part{index}" for index in range(len(subnets))]
    for subnet_id, prefix in zip(ids, subnets, strict=True):
        put(manager, SUBNET, subnet_id, {"addressPrefix": prefix})
    return ids


def inside(subnet: str, **profile: Any) -> Json:
    return cluster(agentPoolProfiles=[system_pool(vnetSubnetID=subnet)], networkProfile=OVERLAY | profile)


def test_pods_keep_out_of_the_whole_virtual_network(azure: AzureState) -> None:
    manager = with_cluster(azure)
    [subnet] = network(manager, "10.240.0.0/16", "10.240.0.0/22")
    pair = Pair(
        "pod-range-in-network",
        inside(subnet, podCidr="10.240.100.0/24"),
        "NetworkProfile CIDR 10.240.100.0/24 overlaps with reserved VNET CIDR 10.240.0.0/16",
        inside(subnet, podCidr="10.241.0.0/16"),
    )
    only_the_good_one(manager, pair)


def test_services_keep_out_of_every_subnet_of_the_network(azure: AzureState) -> None:
    manager = with_cluster(azure)
    subnet, _ = network(manager, "10.20.0.0/16", "10.20.0.0/24", "10.20.128.0/24")
    pair = Pair(
        "service-range-overlap",
        inside(subnet, serviceCidr="10.20.128.0/20", dnsServiceIP="10.20.128.10"),
        "10.20.128.0/20 is conflicted with an existing subnet CIDR 10.20.128.0/24",
        inside(subnet, serviceCidr="10.20.144.0/20", dnsServiceIP="10.20.144.10"),
    )
    only_the_good_one(manager, pair)


def test_a_virtual_network_in_a_range_of_aks_takes_no_cluster(azure: AzureState) -> None:
    manager = with_cluster(azure)
    [subnet] = network(manager, "172.31.0.0/16", "172.31.1.0/24")
    with pytest.raises(ArmError) as refused:
        put(manager, MANAGED_CLUSTER, NEW, inside(subnet))
    refusal("reserved-range", refused.value, "172.31.0.0/16 overlaps with 172.31.0.0/16")


def test_the_names_of_an_own_network_become_node_labels(azure: AzureState) -> None:
    manager = with_cluster(azure)
    [subnet] = network(manager, "10.20.0.0/16", "10.20.0.0/24")
    long = f"{subnet}{'s' * 64}"
    put(manager, SUBNET, long, {"addressPrefix": "10.20.1.0/24"})
    only_the_good_one(manager, Pair("own-network-names", inside(long), "63 characters", inside(subnet)))


def test_each_node_needs_a_24_of_the_pod_range(azure: AzureState) -> None:
    """Two system nodes and two spot nodes fill a /22; the count that matters is the largest."""
    manager = with_cluster(azure, networkProfile=OVERLAY | {"podCidr": "10.244.0.0/22"})
    with pytest.raises(ArmError) as refused:
        put_pool(manager, "work", spot_pool(maxCount=3))
    refusal(
        "pod-range-capacity",
        refused.value,
        "Pre-allocated IPs 1280 exceeds IPs available 1024 in Subnet Cidr 10.244.0.0/22, Subnet Name "
        "networkProfile.podCIDR.",
    )
    assert put_pool(manager, "work", spot_pool(maxCount=2))


def test_each_node_needs_an_address_of_its_subnet(azure: AzureState) -> None:
    """A /28 has 16 addresses, of which Azure keeps 5; a pool in another subnet takes none of them."""
    manager = with_cluster(azure, networkProfile=OVERLAY | {"podCidr": "10.244.0.0/16"})
    small, other = network(manager, "10.20.0.0/16", "10.20.0.0/28", "10.20.1.0/24")
    put_pool(manager, "elsewhere", spot_pool(vnetSubnetID=other, maxCount=200))
    put_pool(manager, "first", spot_pool(vnetSubnetID=small, maxCount=7))
    with pytest.raises(ArmError) as refused:
        put_pool(manager, "second", spot_pool(vnetSubnetID=small, maxCount=5))
    refusal("subnet-capacity", refused.value, "12 exceeds IPs available 11 in Subnet Cidr 10.20.0.0/28")
    assert put_pool(manager, "second", spot_pool(vnetSubnetID=small, maxCount=4))
    assert put_pool(manager, "first", spot_pool(vnetSubnetID=small, maxCount=6))


def test_a_cluster_of_the_free_tier_has_a_thousand_nodes_at_most(azure: AzureState) -> None:
    manager = with_cluster(azure, networkProfile=WIDE)
    with pytest.raises(ArmError) as refused:
        put_pool(manager, "work", spot_pool(maxCount=999))
    refusal("nodes-number-free", refused.value, "1001 which exceeds the limit 1000")
    assert put_pool(manager, "work", spot_pool(maxCount=998))


def test_a_cluster_has_five_thousand_nodes_at_most(azure: AzureState) -> None:
    manager = with_cluster(azure, networkProfile=WIDE, **STANDARD)
    for name in ("a", "b", "c", "d"):
        put_pool(manager, name, spot_pool(maxCount=1000))
    with pytest.raises(ArmError) as refused:
        put_pool(manager, "e", spot_pool(maxCount=999))
    refusal("nodes-number", refused.value, "5001 which exceeds the limit 5000")
    assert put_pool(manager, "e", spot_pool(maxCount=998))


def test_a_cluster_has_a_hundred_pools_at_most() -> None:
    def judge(others: int) -> None:
        pools = [system_pool(name=f"p{index}", count=0) for index in range(others)]
        admission.check(
            PoolRequest(
                name="work",
                body=user_pool(),
                existing=None,
                location=LOCATION,
                control_plane_version="1.34",
                cluster={"agentPoolProfiles": pools, **STANDARD},
                subnets={},
                today=lambda: TODAY,
            )
        )

    judge(99)
    with pytest.raises(ArmError) as refused:
        judge(100)
    refusal("pools-number", refused.value, "at most 100")


def test_a_region_without_zones_has_no_zonal_pools(azure: AzureState) -> None:
    manager = with_cluster(azure, location="westus")
    with pytest.raises(ArmError) as refused:
        put_pool(manager, "work", user_pool(availabilityZones=["1"]))
    refusal("zones-of-region", refused.value, "not supported in region westus.")
    assert put_pool(manager, "work", user_pool(availabilityZones=[]))
    put(manager, MANAGED_CLUSTER, NEW, cluster(location="westus3"))
    assert put(manager, AGENT_POOL, f"{NEW}/agentPools/work", user_pool(availabilityZones=["1"]))


def test_a_size_is_offered_until_it_retires(azure: AzureState) -> None:
    with_cluster(azure)
    size = vm_sizes()["Standard_D4s_v3"]
    assert size.retirement
    pool = user_pool(vmSize=size.name)
    with pytest.raises(ArmError) as refused:
        put_pool(arm(azure, today=lambda: size.retirement or TODAY), "work", pool)
    refusal("vm-size-offered", refused.value, "Standard_D4s_v3 is not allowed")
    assert put_pool(arm(azure), "work", pool)
    later = arm(azure, today=lambda: size.retirement or TODAY)
    assert put_pool(later, "work", pool | {"count": 2})


def test_a_pool_does_not_take_a_name_of_aks(azure: AzureState) -> None:
    manager = with_cluster(azure)
    with pytest.raises(ArmError) as refused:
        put_pool(manager, "aksmanagedap", user_pool())
    refusal("pool-name-of-aks", refused.value, "'aksmanagedap'")
    assert put_pool(manager, "aksmanaged", user_pool())


def test_a_domain_name_label_is_had_once_in_a_region(azure: AzureState) -> None:
    manager = with_cluster(azure)
    addresses = f"{GROUP_ID}/providers/Microsoft.Network/publicIPAddresses"
    body = {"location": LOCATION, "dnsSettings": {"domainNameLabel": "kubeflow"}}
    put(manager, PUBLIC_IP, f"{addresses}/a", body)
    with pytest.raises(ArmError) as refused:
        put(manager, PUBLIC_IP, f"{addresses}/b", body | {"location": "West Europe"})
    refusal(
        "domain-label-taken", refused.value, "DNS record kubeflow.westeurope.cloudapp.azure.com is already"
    )
    assert put(manager, PUBLIC_IP, f"{addresses}/b", body | {"location": "northeurope"})
    assert put(manager, PUBLIC_IP, f"{addresses}/a", body)


def test_a_registry_has_its_name_for_itself(azure: AzureState) -> None:
    manager = with_cluster(azure)
    token, registries = REGISTRY, "providers/Microsoft.ContainerRegistry/registries"
    body = {"location": LOCATION, "sku": {"name": "Basic"}}
    put(manager, token, f"{GROUP_ID}/{registries}/kubeflow", body)
    put(manager, RESOURCE_GROUP, f"{GROUP_ID}2", {"location": LOCATION})
    with pytest.raises(ArmError) as refused:
        put(manager, token, f"{GROUP_ID}2/{registries}/Kubeflow", body)
    refusal("registry-name-taken", refused.value, "name kubeflow.azurecr.io is already in use")
    assert put(manager, token, f"{GROUP_ID}2/{registries}/kubeflow2", body)


def test_a_registry_becomes_premium_before_it_uses_that(azure: AzureState) -> None:
    manager = with_cluster(azure)
    images = f"{GROUP_ID}/providers/Microsoft.ContainerRegistry/registries/images"
    kept = {"policies": {"retentionPolicy": {"status": "enabled", "days": 30}}}
    premium = {"location": LOCATION, "sku": {"name": "Premium"}}
    put(manager, REGISTRY, images, premium | {"sku": {"name": "Standard"}})
    with pytest.raises(ArmError) as refused:
        put(manager, REGISTRY, images, premium | kept)
    refusal("registry-premium-first", refused.value, "change the SKU to Premium first")
    put(manager, REGISTRY, images, premium)
    assert put(manager, REGISTRY, images, premium | kept)["policies"] == kept["policies"]


def test_long_term_support_is_left_only_while_the_version_is_supported(azure: AzureState) -> None:
    premium = {"sku": {"name": "Base", "tier": "Premium"}, "supportPlan": "AKSLongTermSupport"}
    manager = with_cluster(azure, **premium, kubernetesVersion="1.33")
    left = cluster(**STANDARD, supportPlan="KubernetesOfficial", kubernetesVersion="1.33")
    with pytest.raises(ArmError) as refused:
        put(manager, MANAGED_CLUSTER, CLUSTER_ID, left)
    refusal("lts-stays", refused.value, "1.33")
    assert put(manager, MANAGED_CLUSTER, CLUSTER_ID, cluster(**premium, kubernetesVersion="1.33"))
    supported = {"kubernetesVersion": "1.34"}
    put(manager, MANAGED_CLUSTER, NEW, cluster(**premium, **supported))
    assert put(manager, MANAGED_CLUSTER, NEW, left | supported)


def test_a_registry_has_logs_of_its_own(azure: AzureState) -> None:
    manager = with_cluster(azure)
    images = f"{GROUP_ID}/providers/Microsoft.ContainerRegistry/registries/images"
    put(manager, REGISTRY, images, {"location": LOCATION, "sku": {"name": "Standard"}})
    workspace = (
        f"{GROUP_ID.replace('kubeflow', 'hub')}/providers/Microsoft.OperationalInsights/workspaces/logs"
    )

    def collected(category: str) -> Json:
        return {"workspaceId": workspace, "logs": [{"category": category, "enabled": True}]}

    only_the_good_one(
        manager,
        Pair(
            "diagnostic-category",
            collected("guard"),
            "Category 'guard' is not supported.",
            collected("ContainerRegistryLoginEvents"),
            DIAGNOSTIC_SETTING,
            f"{images}/providers/Microsoft.Insights/diagnosticSettings/logs",
        ),
    )
