"""The AKS cluster, on its own: what AKS is asked for, and the kubeconfig."""

# pyright: reportUntypedFunctionDecorator=false, reportUnknownMemberType=false

from typing import Any

import pulumi
import pytest

from components.aks_cluster import AksCluster
from components.aks_cluster_args import (
    AksClusterArgs,
    ApiAccessArgs,
    AutoscalerArgs,
    ClusterNetworkArgs,
    KubernetesArgs,
    MaintenanceArgs,
    SshArgs,
)
from recorder.answers import KUBECONFIG
from tests.components.conftest import Cloud
from tests.components.test_agent_pools import REGULAR

GROUP_ID = "/subscriptions/1234/resourceGroups/group"
NETWORK_CONTRIBUTOR = "4d97b98b-1d4f-4787-a291-c67834d212e7"
ACCESS = ApiAccessArgs(
    authorized_ip_ranges=[],
    private_cluster=False,
    local_accounts=True,
    admin_group_object_ids=[],
    kubelogin_mode="azurecli",
)
ENTRA: ApiAccessArgs = {**ACCESS, "local_accounts": False, "admin_group_object_ids": ["ml-admins"]}
ARGS = AksClusterArgs(
    resource_group_name="group",
    resource_group_id=GROUP_ID,
    location="westeurope",
    kubernetes=KubernetesArgs(
        version="1.34",
        support_plan="AKSLongTermSupport",
        tier="Premium",
        upgrade_channel="patch",
        node_os_upgrade_channel="NodeImage",
    ),
    maintenance=MaintenanceArgs(day="Saturday", start_time="22:00", duration_hours=6, utc_offset="+00:00"),
    network=ClusterNetworkArgs(
        pod_cidr="10.244.0.0/16",
        service_cidr="10.0.0.0/16",
        dns_service_ip="10.0.0.10",
        outbound_type="loadBalancer",
    ),
    api_access=ACCESS,
    autoscaler=AutoscalerArgs(
        scan_interval="10s",
        max_node_provision_time="10m",
        scale_down_delay_after_add="10m",
        scale_down_unneeded_time="10m",
        scale_down_utilization_threshold=0.5,
        balance_similar_node_groups=False,
        skip_nodes_with_local_storage=True,
        skip_nodes_with_system_pods=True,
        max_graceful_termination_sec=600,
    ),
    system_pool={**REGULAR, "name": "system", "taints": ["CriticalAddonsOnly=true:NoSchedule"]},
    ssh=None,
    tags={"owner": "ml"},
)
SCHEDULES = ["aksManagedAutoUpgradeSchedule", "aksManagedNodeOSUpgradeSchedule"]


@pytest.fixture(scope="module", autouse=True)
def cluster(cloud: Cloud) -> AksCluster:
    """The cluster that tests read unless they make one of their own."""
    return cloud.build(lambda: AksCluster("kf", ARGS, cloud.opts))


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


@pulumi.runtime.test
def test_rbac_is_on_and_local_accounts_are_as_planned(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert (body["enableRBAC"], body["disableLocalAccounts"]) == (True, False)
        assert "aadProfile" not in body

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_entra_groups_turn_entra_sign_in_on(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["aadProfile"] == {"managed": True, "adminGroupObjectIDs": ["ml-admins"]}
        assert body["disableLocalAccounts"] is True

    AksCluster("entra", {**ARGS, "api_access": ENTRA}, cloud.opts)
    return cloud.request("entra").apply(check)


@pulumi.runtime.test
def test_an_open_api_server_sends_no_ranges(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert "authorizedIPRanges" not in body["apiServerAccessProfile"]

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_authorised_ranges_are_sent(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["apiServerAccessProfile"]["authorizedIPRanges"] == ["203.0.113.0/24"]

    ranges: ApiAccessArgs = {**ACCESS, "authorized_ip_ranges": ["203.0.113.0/24"]}
    AksCluster("fenced", {**ARGS, "api_access": ranges}, cloud.opts)
    return cloud.request("fenced").apply(check)


@pulumi.runtime.test
def test_a_private_cluster_is_known_by_its_private_name(cloud: Cloud) -> Any:
    def check(values: list[Any]) -> None:
        body, fqdn = values
        assert body["apiServerAccessProfile"]["enablePrivateCluster"] is True
        assert fqdn == "hidden-0a1b2c3d.privatelink.westeurope.azmk8s.io"

    hidden = AksCluster("hidden", {**ARGS, "api_access": {**ACCESS, "private_cluster": True}}, cloud.opts)
    return pulumi.Output.all(cloud.request("hidden"), hidden.fqdn).apply(check)


@pulumi.runtime.test
def test_a_public_cluster_is_known_by_its_public_name(cloud: Cloud, cluster: AksCluster) -> Any:
    def check(values: list[Any]) -> None:
        body, fqdn = values
        assert body["apiServerAccessProfile"]["enablePrivateCluster"] is False
        assert fqdn == "kf-0a1b2c3d.hcp.westeurope.azmk8s.io"

    return pulumi.Output.all(cloud.request("kf"), cluster.fqdn).apply(check)


@pulumi.runtime.test
def test_nodes_have_no_ssh_unless_asked_for(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert "linuxProfile" not in body

    return cloud.request("kf").apply(check)


@pulumi.runtime.test
def test_nodes_take_the_key_of_the_admin_user(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        keys = {"publicKeys": [{"keyData": "ssh-ed25519 AAAA"}]}
        assert body["linuxProfile"] == {"adminUsername": "me", "ssh": keys}

    ssh = SshArgs(admin_username="me", public_key="ssh-ed25519 AAAA")
    AksCluster("keyed", {**ARGS, "ssh": ssh}, cloud.opts)
    return cloud.request("keyed").apply(check)


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
def test_the_kubeconfig_is_that_of_the_admin(cloud: Cloud, cluster: AksCluster) -> Any:
    def check(kubeconfig: str) -> None:
        assert kubeconfig == KUBECONFIG
        assert "azure-native:containerservice:listManagedClusterAdminCredentials" in cloud.invokes

    return cluster.kubeconfig.apply(check)


@pulumi.runtime.test
def test_without_local_accounts_the_kubeconfig_is_that_of_the_user(cloud: Cloud) -> Any:
    def check(kubeconfig: str) -> None:
        assert "https://aks.example.invalid:443" in kubeconfig
        assert "azure-native:containerservice:listManagedClusterUserCredentials" in cloud.invokes

    return AksCluster("user", {**ARGS, "api_access": ENTRA}, cloud.opts).kubeconfig.apply(check)


@pytest.mark.parametrize("access", [ACCESS, ENTRA], ids=["local accounts", "Entra"])
@pulumi.runtime.test
def test_the_kubeconfig_is_a_secret(cloud: Cloud, access: ApiAccessArgs) -> Any:
    def check(secret: bool) -> None:  # noqa: FBT001 - what a future holds
        assert secret

    secretive = AksCluster(f"secret-{access['local_accounts']}", {**ARGS, "api_access": access}, cloud.opts)
    return pulumi.Output.from_input(secretive.kubeconfig.is_secret()).apply(check)


@pulumi.runtime.test
def test_the_cluster_tells_its_name_id_and_kubelet(cluster: AksCluster) -> Any:
    def check(values: list[str]) -> None:
        name, cluster_id, kubelet = values
        assert (name, kubelet) == ("kf", "kf-kubelet")
        assert cluster_id.endswith("/kf")

    return pulumi.Output.all(cluster.name, cluster.cluster_id, cluster.kubelet_object_id).apply(check)
