"""The AKS cluster, on its own: what AKS is asked for; who reaches it is in `test_aks_cluster_access.py`."""

# pyright: reportUntypedFunctionDecorator=false, reportUnknownMemberType=false

from typing import Any

import pulumi
import pytest

from components.aks_cluster import AksCluster
from tests.components.conftest import Cloud
from tests.components.given import CLUSTER, GROUP_ID

NETWORK_CONTRIBUTOR = "4d97b98b-1d4f-4787-a291-c67834d212e7"
SCHEDULES = ["aksManagedAutoUpgradeSchedule", "aksManagedNodeOSUpgradeSchedule"]


@pytest.fixture(scope="module", autouse=True)
def cluster(cloud: Cloud) -> AksCluster:
    """The cluster that tests read unless they make one of their own."""
    return cloud.build(lambda: AksCluster("kf", CLUSTER, cloud.opts))


@pulumi.runtime.test
def test_the_cluster_is_named_in_its_group_and_region(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        keys = ("resourceName", "resourceGroupName", "location", "dnsPrefix", "nodeResourceGroup")
        assert [body[key] for key in keys] == ["kf", "group", "westeurope", "kf", "kf-nodes"]

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_version_support_plan_and_tier_are_as_planned(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert (body["kubernetesVersion"], body["supportPlan"]) == ("1.34", "AKSLongTermSupport")
        assert body["sku"] == {"name": "Base", "tier": "Premium"}

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_upgrades_stay_within_the_tested_minor(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["autoUpgradeProfile"] == {"upgradeChannel": "patch", "nodeOSUpgradeChannel": "NodeImage"}

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_the_cluster_has_an_identity_of_ours(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        [identity] = body["identity"]["userAssignedIdentities"]
        assert body["identity"]["type"] == "UserAssigned"
        assert identity.endswith("/kf-identity")

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_the_identity_may_use_the_network_of_the_group(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["scope"] == GROUP_ID
        assert (body["principalId"], body["principalType"]) == ("kf-identity-principal", "ServicePrincipal")
        definitions = "/subscriptions/1234/providers/Microsoft.Authorization/roleDefinitions"
        assert body["roleDefinitionId"] == f"{definitions}/{NETWORK_CONTRIBUTOR}"

    return cloud.request("kf-network").apply(check)


@pulumi.runtime.test
def test_there_is_exactly_one_inline_pool_and_it_is_the_system_pool(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        [pool] = body["agentPoolProfiles"]
        assert (pool["name"], pool["mode"], pool["type"]) == ("system", "System", "VirtualMachineScaleSets")

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_the_system_pool_is_regular_and_closed_to_other_pods(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        [pool] = body["agentPoolProfiles"]
        assert pool["nodeTaints"] == ["CriticalAddonsOnly=true:NoSchedule"]
        assert {"scaleSetPriority", "scaleSetEvictionPolicy", "spotMaxPrice"} & set(pool) == set()

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_the_system_pool_has_its_counts_size_disk_and_subnet(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        [pool] = body["agentPoolProfiles"]
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
        assert [pool[key] for key in keys] == [2, 2, 3, "Standard_D8s_v5", "Managed", 128, 110, "subnet"]
        assert pool["enableAutoScaling"] is True

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_the_network_is_cni_overlay_on_azures_data_plane(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        profile = body["networkProfile"]
        keys = ("networkPlugin", "networkPluginMode", "networkDataplane", "loadBalancerSku")
        assert [profile[key] for key in keys] == ["azure", "overlay", "azure", "standard"]

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_pods_services_and_the_way_out_are_as_planned(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        profile = body["networkProfile"]
        keys = ("podCidr", "serviceCidr", "dnsServiceIP", "outboundType")
        assert [profile[key] for key in keys] == ["10.244.0.0/16", "10.0.0.0/16", "10.0.0.10", "loadBalancer"]

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_the_autoscaler_chooses_by_priority(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["autoScalerProfile"]["expander"] == "priority"

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_the_autoscaler_takes_every_value_as_text(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["autoScalerProfile"] == {
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

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_workloads_sign_in_by_oidc_and_old_images_are_cleaned(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["oidcIssuerProfile"] == {"enabled": True}
        assert body["securityProfile"]["workloadIdentity"] == {"enabled": True}
        assert body["securityProfile"]["imageCleaner"] == {"enabled": True, "intervalHours": 168}

    return cloud.request("kf").apply(check)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pulumi.runtime.test
def test_upgrades_run_in_the_maintenance_window(cloud: Cloud, schedule: str) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert (body["configName"], body["resourceName"]) == (schedule, "kf")
        assert body["maintenanceWindow"] == {
            "durationHours": 6,
            "schedule": {"weekly": {"dayOfWeek": "Saturday", "intervalWeeks": 1}},
            "startTime": "22:00",
            "utcOffset": "+00:00",
        }

    return cloud.request(f"kf-{schedule}").apply(check)


@pytest.mark.parametrize("name", ["kf", "kf-identity"])
@pulumi.runtime.test
def test_tags_reach_cluster_and_identity(cloud: Cloud, name: str) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["tags"] == {"owner": "ml"}

    return cloud.request(name).apply(check)


@pulumi.runtime.test
def test_tags_reach_the_system_pool(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["agentPoolProfiles"][0]["tags"] == {"owner": "ml"}

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_the_cluster_tells_its_name_id_and_kubelet(cluster: AksCluster) -> Any:
    def check(values: list[str]) -> None:
        name, cluster_id, kubelet = values
        assert (name, kubelet) == ("kf", "kf-kubelet")
        assert cluster_id.endswith("/kf")

    return pulumi.Output.all(cluster.name, cluster.cluster_id, cluster.kubelet_object_id).apply(check)
