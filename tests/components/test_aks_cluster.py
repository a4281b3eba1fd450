"""The AKS cluster, on its own: the requests to AKS; who reaches it is in `test_aks_cluster_access.py`."""

from typing import Any, cast

import pulumi
import pytest

from components.arguments.choices import NetworkPolicy
from components.arguments.errors import ArgumentsError
from components.cluster.aks_cluster import AksCluster
from components.cluster.aks_cluster_args import AksClusterArgs, ClusterNetworkSpec, KubernetesSpec
from tests.components.conftest import Cloud, value
from tests.components.sample_arguments import CLUSTER, GROUP_ID, SUBNET_ID

CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"
NETWORK_CONTRIBUTOR = "4d97b98b-1d4f-4787-a291-c67834d212e7"
SCHEDULES = ["aksManagedAutoUpgradeSchedule", "aksManagedNodeOSUpgradeSchedule"]


OTHER = "/subscriptions/00000000-0000-0000-0000-000000005678"


@pytest.fixture(scope="module", autouse=True)
def cluster(cloud: Cloud) -> AksCluster:
    """The cluster that tests read unless they make one of their own."""
    return AksCluster("kf", CLUSTER, cloud.opts)


def test_the_cluster_is_named_in_its_group_and_region(cloud: Cloud) -> None:
    body = cloud.inputs("kf")
    keys = ("resourceName", "resourceGroupName", "location", "dnsPrefix", "nodeResourceGroup")
    assert [body[key] for key in keys] == ["kf", "group", "westeurope", "kf", "kf-nodes"]


def test_version_support_plan_and_tier_are_as_planned(cloud: Cloud) -> None:
    body = cloud.inputs("kf")
    assert (body["kubernetesVersion"], body["supportPlan"]) == ("1.34", "AKSLongTermSupport")
    assert body["sku"] == {"name": "Base", "tier": "Premium"}


def test_upgrades_stay_within_the_tested_minor(cloud: Cloud) -> None:
    assert cloud.inputs("kf")["autoUpgradeProfile"] == {
        "upgradeChannel": "patch",
        "nodeOSUpgradeChannel": "NodeImage",
    }


def test_the_system_pool_never_states_a_version(cloud: Cloud) -> None:
    [system] = cloud.inputs("kf")["agentPoolProfiles"]
    assert "orchestratorVersion" not in system
    assert system["osSKU"] == "Ubuntu"


def test_the_cluster_has_an_identity_of_ours(cloud: Cloud) -> None:
    body = cloud.inputs("kf")
    [identity] = body["identity"]["userAssignedIdentities"]
    assert body["identity"]["type"] == "UserAssigned"
    assert identity.endswith("/kf-identity")


def test_the_identity_may_use_the_network_of_the_group(cloud: Cloud) -> None:
    body = cloud.inputs("kf-network")
    assert body["scope"] == GROUP_ID
    assert (body["principalId"], body["principalType"]) == ("kf-identity-principal", "ServicePrincipal")
    definitions = (
        f"{GROUP_ID.partition('/resourceGroups')[0]}/providers/Microsoft.Authorization/roleDefinitions"
    )
    assert body["roleDefinitionId"] == f"{definitions}/{NETWORK_CONTRIBUTOR}"


def test_the_identity_may_use_a_route_table_elsewhere(cloud: Cloud) -> None:
    table = f"{OTHER}/resourceGroups/hub/providers/Microsoft.Network/routeTables/to-firewall"

    network = ClusterNetworkSpec(outbound_type="userDefinedRouting", route_table_id=table)
    AksCluster("routed", {**CLUSTER, "network": network}, cloud.opts)
    body = cloud.inputs("routed-routes")
    assert body["scope"] == table
    assert (body["principalId"], body["principalType"]) == ("routed-identity-principal", "ServicePrincipal")
    definitions = f"{OTHER}/providers/Microsoft.Authorization/roleDefinitions"
    assert body["roleDefinitionId"] == f"{definitions}/{NETWORK_CONTRIBUTOR}"


def test_the_identity_may_use_each_subnet_elsewhere_once(cloud: Cloud) -> None:
    spoke = f"{OTHER}/resourceGroups/spoke/providers/Microsoft.Network/virtualNetworks/spoke"
    ids: dict[str, pulumi.Input[str]] = {
        "cpu": f"{spoke}/subnets/batch",
        "gpu": f"{spoke}/subnets/BATCH",
        "system": f"{spoke}/subnets/system",
    }
    AksCluster("spoke", {**CLUSTER, "network": ClusterNetworkSpec(subnet_ids=ids)}, cloud.opts)
    rights = {name for name in cloud.names("spoke") if name.endswith(("-subnet", "-vnet", "-network"))}
    assert rights == {"spoke-network", "spoke-cpu-subnet", "spoke-system-subnet"}
    assert cloud.inputs("spoke-cpu-subnet")["scope"] == ids["cpu"]


def test_a_private_cluster_may_link_its_zone_to_the_network_of_others(cloud: Cloud) -> None:
    spoke = f"{OTHER}/resourceGroups/spoke/providers/Microsoft.Network/virtualNetworks/spoke"
    zone = f"{OTHER}/resourceGroups/hub/providers/Microsoft.Network/privateDnsZones/privatelink.westeurope.azmk8s.io"
    args: AksClusterArgs = {
        **CLUSTER,
        "network": {"subnet_ids": {"system": pulumi.Output.from_input(f"{spoke}/subnets/system")}},
        "api_access": {"private_cluster": True, "private_dns_zone_id": zone},
    }
    AksCluster("linked", args, cloud.opts)
    on_network, on_zone = cloud.inputs("linked-vnet"), cloud.inputs("linked-zone")
    assert (on_network["scope"], on_zone["scope"]) == (spoke, zone)
    assert on_zone["roleDefinitionId"].endswith("/b12aa53e-6015-4669-85d0-8515ebb3ae7f")


def test_without_a_route_table_the_identity_has_one_right(cloud: Cloud) -> None:
    assert "kf-routes" not in cloud.names("kf")


def test_there_is_exactly_one_inline_pool_and_it_is_the_system_pool(cloud: Cloud) -> None:
    [pool] = cloud.inputs("kf")["agentPoolProfiles"]
    assert (pool["name"], pool["mode"], pool["type"]) == ("system", "System", "VirtualMachineScaleSets")


def test_the_system_pool_is_regular_and_closed_to_other_pods(cloud: Cloud) -> None:
    [pool] = cloud.inputs("kf")["agentPoolProfiles"]
    assert pool["nodeTaints"] == ["CriticalAddonsOnly=true:NoSchedule"]
    assert {"scaleSetPriority", "scaleSetEvictionPolicy", "spotMaxPrice"} & set(pool) == set()


def test_the_system_pool_has_its_counts_size_disk_and_subnet(cloud: Cloud) -> None:
    [pool] = cloud.inputs("kf")["agentPoolProfiles"]
    keys = (
        "count",
        "minCount",
        "maxCount",
        "vmSize",
        "osDiskType",
        "osDiskSizeGB",
        "maxPods",
        "vnetSubnetID",
    )
    assert [pool[key] for key in keys] == [2, 2, 3, "Standard_D8s_v5", "Managed", 128, 110, SUBNET_ID]
    assert pool["enableAutoScaling"] is True


def test_the_system_pool_is_encrypted_at_the_host_where_that_is_requested(cloud: Cloud) -> None:
    AksCluster("encrypted", {**CLUSTER, "system_pool": {"encryption_at_host": True}}, cloud.opts)
    plain, encrypted = (
        body["agentPoolProfiles"][0] for body in (cloud.inputs("kf"), cloud.inputs("encrypted"))
    )
    assert "enableEncryptionAtHost" not in plain
    assert encrypted["enableEncryptionAtHost"] is True


def test_the_network_is_cni_overlay_on_azures_data_plane(cloud: Cloud) -> None:
    profile = cloud.inputs("kf")["networkProfile"]
    keys = ("networkPlugin", "networkPluginMode", "networkDataplane", "loadBalancerSku")
    assert [profile[key] for key in keys] == ["azure", "overlay", "azure", "standard"]


@pytest.mark.parametrize(
    ("policy", "sent"),
    [("none", ("azure", None)), ("calico", ("azure", "calico")), ("cilium", ("cilium", "cilium"))],
)
def test_an_engine_for_network_policies_brings_its_data_plane(
    cloud: Cloud, policy: NetworkPolicy, sent: tuple[str, str | None]
) -> None:
    args: AksClusterArgs = {
        **CLUSTER,
        "kubernetes": {"support_plan": "KubernetesOfficial"},
        "network": {"policy": policy},
    }
    AksCluster(f"with-{policy}", args, cloud.opts)
    profile = cloud.inputs(f"with-{policy}")["networkProfile"]
    assert (profile["networkDataplane"], profile.get("networkPolicy")) == sent


def test_pods_services_and_the_way_out_are_as_planned(cloud: Cloud) -> None:
    profile = cloud.inputs("kf")["networkProfile"]
    keys = ("podCidr", "serviceCidr", "dnsServiceIP", "outboundType")
    assert [profile[key] for key in keys] == ["10.244.0.0/16", "10.0.0.0/16", "10.0.0.10", "loadBalancer"]


def test_the_autoscaler_chooses_by_priority(cloud: Cloud) -> None:
    assert cloud.inputs("kf")["autoScalerProfile"]["expander"] == "priority"


def test_the_autoscaler_takes_every_value_as_text(cloud: Cloud) -> None:
    assert cloud.inputs("kf")["autoScalerProfile"] == {
        "expander": "priority",
        "scanInterval": "10s",
        "maxNodeProvisionTime": "10m",
        "scaleDownDelayAfterAdd": "10m",
        "scaleDownUnneededTime": "10m",
        "scaleDownUtilizationThreshold": "0.5",
        "balanceSimilarNodeGroups": "false",
        "skipNodesWithLocalStorage": "true",
        "skipNodesWithSystemPods": "true",
        "maxGracefulTerminationSec": "600",
    }


def test_workloads_sign_in_by_oidc_and_old_images_are_cleaned(cloud: Cloud) -> None:
    body = cloud.inputs("kf")
    assert body["oidcIssuerProfile"] == {"enabled": True}
    assert body["securityProfile"]["workloadIdentity"] == {"enabled": True}
    assert body["securityProfile"]["imageCleaner"] == {"enabled": True, "intervalHours": 168}


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_upgrades_run_in_the_maintenance_window(cloud: Cloud, schedule: str) -> None:
    body = cloud.inputs(f"kf-{schedule}")
    assert (body["configName"], body["resourceName"]) == (schedule, "kf")
    assert body["maintenanceWindow"] == {
        "durationHours": 6,
        "schedule": {"weekly": {"dayOfWeek": "Saturday", "intervalWeeks": 1}},
        "startTime": "22:00",
        "utcOffset": "+00:00",
    }


@pytest.mark.parametrize("name", ["kf", "kf-identity"])
def test_tags_reach_cluster_and_identity(cloud: Cloud, name: str) -> None:
    assert cloud.inputs(name)["tags"] == {"owner": "ml"}


def test_tags_reach_the_system_pool(cloud: Cloud) -> None:
    assert cloud.inputs("kf")["agentPoolProfiles"][0]["tags"] == {"owner": "ml"}


def test_the_cluster_tells_its_name_id_and_kubelet(cluster: AksCluster) -> None:
    assert (value(cluster.name), value(cluster.kubelet_object_id)) == ("kf", "kf-kubelet")
    assert value(cluster.cluster_id).endswith("/kf")


def test_the_clusters_dns_has_the_tenth_address_of_the_service_range(cloud: Cloud) -> None:
    AksCluster("ranged", {**CLUSTER, "network": {"service_cidr": "10.8.0.0/16"}}, cloud.opts)
    assert cloud.inputs("ranged")["networkProfile"]["dnsServiceIP"] == "10.8.0.10"


def test_the_count_of_the_system_pool_is_left_to_the_autoscaler(cloud: Cloud) -> None:
    assert list(cloud.options("kf").ignoreChanges) == [
        "agentPoolProfiles[0].count",
        "networkProfile.serviceCidrs",
    ]


def test_the_cluster_waits_for_its_right_to_the_network(cloud: Cloud) -> None:
    assert "kf-network" in {urn.rpartition("::")[2] for urn in cloud.options("kf").dependencies}


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_maintenance_window_goes_with_the_cluster(cloud: Cloud, cluster: AksCluster, schedule: str) -> None:
    urn, options = value(cluster.managed_cluster.urn), cloud.options(f"kf-{schedule}")
    assert options.deletedWith == urn


def test_protection_reaches_cluster_and_identity(cloud: Cloud) -> None:
    opts = pulumi.ResourceOptions.merge(cloud.opts, pulumi.ResourceOptions(protect=True))
    AksCluster("guarded", CLUSTER, opts)
    assert [options.protect for options in map(cloud.options, ("guarded", "guarded-identity"))] == [
        True,
        True,
    ]


def test_protection_never_reaches_a_right(cloud: Cloud) -> None:
    opts = pulumi.ResourceOptions.merge(cloud.opts, pulumi.ResourceOptions(protect=True))
    AksCluster("righted", CLUSTER, opts)
    assert not cloud.options("righted-network").protect


def test_an_impossible_system_pool_is_refused_in_words() -> None:
    wrong: AksClusterArgs = {
        **CLUSTER,
        "system_pool": {"min_count": 0, "max_pods": 20},
        "network": {"service_cidr": "10.0/16"},
    }
    with pytest.raises(ArgumentsError) as refusal:
        AksCluster("refused", wrong)
    assert str(refusal.value).splitlines()[1:] == [
        "systemPool.minCount: 0 is not allowed; expected at least 1",
        "systemPool.maxPods: 20 is not allowed; expected at least 30",
        (
            "network.serviceCidr: '10.0/16' is not allowed; "
            "expected an IPv4 range in CIDR form without host bits, for instance 10.0.0.0/16"
        ),
    ]


def test_azures_own_policy_engine_is_refused_in_words() -> None:
    with pytest.raises(ArgumentsError) as refusal:
        AksCluster("refused", {**CLUSTER, "network": {"policy": "azure"}})
    assert str(refusal.value).splitlines()[1:] == [
        "network.policy: 'azure' is not allowed; expected none, calico or cilium, unless the cluster is adopted"
    ]


def test_counts_are_judged_with_the_defaults_of_those_left_out() -> None:
    with pytest.raises(ArgumentsError, match="at most maxCount, which is 3"):
        AksCluster("refused", {**CLUSTER, "system_pool": {"min_count": 5}})


@pytest.mark.parametrize("enabled", [True, False])
def test_cost_analysis_is_sent_as_given(cloud: Cloud, *, enabled: bool) -> None:
    AksCluster(f"cost-{enabled}", {**CLUSTER, "kubernetes": {"cost_analysis": enabled}}, cloud.opts)
    assert cloud.inputs(f"cost-{enabled}")["metricsProfile"] == {"costAnalysis": {"enabled": enabled}}


def test_cost_analysis_that_is_left_out_stays_as_it_is(cloud: Cloud) -> None:
    assert "metricsProfile" not in cloud.inputs("kf")


def test_the_free_tier_has_no_cost_analysis() -> None:
    free: KubernetesSpec = {"tier": "Free", "support_plan": "KubernetesOfficial", "cost_analysis": True}
    with pytest.raises(ArgumentsError, match="costAnalysis: true is not allowed; expected false, or"):
        AksCluster("refused", {**CLUSTER, "kubernetes": free})


RESERVED = f"{OTHER}/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/reserved"


def test_the_identity_may_take_nodes_from_a_capacity_reservation_group(cloud: Cloud) -> None:
    groups = {"gpus": pulumi.Output.from_input(RESERVED)}
    AksCluster("reserving", {**CLUSTER, "capacity_reservation_groups": groups}, cloud.opts)
    body = cloud.inputs("reserving-capacity-gpus")
    assert body["scope"] == RESERVED
    assert body["roleDefinitionId"].endswith(f"/{CONTRIBUTOR}")
    assert body["principalType"] == "ServicePrincipal"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"capacity_reservation_groups": {"gpus": "reserved"}},
            r"capacityReservationGroups\.gpus: 'reserved'",
        ),
        (
            {"capacity_reservation_groups": {"gpus": RESERVED}, "identity_id": "ours"},
            "no value beside identityId, whose rights are yours to give",
        ),
        (
            {"system_pool": {"upgrade": {"max_surge": "0", "max_unavailable": "1"}}},
            r"systemPool\.upgrade\.maxUnavailable: '1' is not allowed; expected no value on a system pool",
        ),
        (
            {"system_pool": {"upgrade": {"max_surge": "0"}}},
            r"systemPool\.upgrade\.maxSurge: '0' is not allowed; expected at least 1$",
        ),
    ],
)
def test_reservations_and_upgrades_are_judged(change: Any, words: str) -> None:
    with pytest.raises(ArgumentsError, match=words):
        AksCluster("refused", cast(AksClusterArgs, {**CLUSTER, **change}))
