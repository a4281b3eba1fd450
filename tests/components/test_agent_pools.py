"""The agent pools, on their own: what AKS is asked for, pool by pool."""

# pyright: reportUntypedFunctionDecorator=false, reportUnknownMemberType=false

from typing import Any

import pulumi
import pytest

from components.agent_pools import AgentPools, AgentPoolsArgs, AgentPoolSpec
from tests.components.conftest import Cloud
from tests.components.given import REGULAR

SPOT: AgentPoolSpec = {
    **REGULAR,
    "name": "cpuspot",
    "spot": True,
    "min_count": 0,
    "taints": ["kubernetes.azure.com/scalesetpriority=spot:NoSchedule"],
    "eviction_policy": "Delete",
    "max_price": -1.0,
    "protect": False,
}
GPU: AgentPoolSpec = {**SPOT, "name": "gpuspot", "vm_size": "Standard_NC24ads_A100_v4", "gpu": True}
SPOT_FIELDS = ("scaleSetPriority", "scaleSetEvictionPolicy", "spotMaxPrice")


def args(*pools: AgentPoolSpec) -> AgentPoolsArgs:
    return AgentPoolsArgs(
        resource_group_name="group",
        cluster_name="aks",
        pools=pools,
        gpu_driver="Install",
        tags={"owner": "ml"},
    )


@pytest.fixture(scope="module", autouse=True)
def pools(cloud: Cloud) -> AgentPools:
    """The pools that tests read unless they make some of their own."""
    return cloud.build(lambda: AgentPools("kf", args(REGULAR, GPU, SPOT), cloud.opts))


@pulumi.runtime.test
def test_a_pool_is_named_as_planned_in_the_cluster_and_group(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        named = [body[key] for key in ("agentPoolName", "resourceName", "resourceGroupName")]
        assert named == ["general", "aks", "group"]

    return cloud.request("kf-general").apply(check)


@pytest.mark.parametrize("pool", [REGULAR, SPOT, GPU], ids=lambda pool: pool["name"])
@pulumi.runtime.test
def test_a_pool_is_a_user_pool_of_linux_scale_sets(cloud: Cloud, pool: AgentPoolSpec) -> Any:
    def check(body: dict[str, Any]) -> None:
        kind = [body[key] for key in ("mode", "type", "osType", "osSKU")]
        assert kind == ["User", "VirtualMachineScaleSets", "Linux", "Ubuntu"]

    return cloud.request(f"kf-{pool['name']}").apply(check)


@pulumi.runtime.test
def test_a_pool_starts_at_its_fewest_nodes_and_scales_itself(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["enableAutoScaling"] is True
        assert [body[key] for key in ("count", "minCount", "maxCount")] == [2, 2, 3]

    return cloud.request("kf-general").apply(check)


@pulumi.runtime.test
def test_a_pool_carries_its_labels_taints_and_tags(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["nodeLabels"] == {"kubeflow-aks/workload": "platform"}
        assert body["nodeTaints"] == ["kubernetes.azure.com/scalesetpriority=spot:NoSchedule"]
        assert body["tags"] == {"owner": "ml"}

    return cloud.request("kf-cpuspot").apply(check)


@pulumi.runtime.test
def test_a_pool_has_its_size_disk_pods_and_subnet(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        keys = ("vmSize", "osDiskType", "osDiskSizeGB", "maxPods", "vnetSubnetID")
        assert [body[key] for key in keys] == ["Standard_D8s_v5", "Managed", 128, 110, "subnet"]

    return cloud.request("kf-general").apply(check)


@pulumi.runtime.test
def test_a_pool_without_zones_sends_none(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert "availabilityZones" not in body

    return cloud.request("kf-general").apply(check)


@pulumi.runtime.test
def test_a_pool_with_zones_sends_them(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["availabilityZones"] == ["1", "3"]

    AgentPools("zoned", args({**REGULAR, "zones": ["1", "3"]}), cloud.opts)
    return cloud.request("zoned-general").apply(check)


@pulumi.runtime.test
def test_nodes_that_are_scaled_down_are_deleted(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["scaleDownMode"] == "Delete"

    return cloud.request("kf-cpuspot").apply(check)


@pulumi.runtime.test
def test_a_spot_pool_sends_priority_policy_and_price(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert [body[key] for key in SPOT_FIELDS] == ["Spot", "Delete", -1]

    return cloud.request("kf-cpuspot").apply(check)


@pulumi.runtime.test
def test_a_spot_pool_sends_no_upgrade_settings(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert "upgradeSettings" not in body

    return cloud.request("kf-cpuspot").apply(check)


@pulumi.runtime.test
def test_a_regular_pool_never_sends_priority_policy_or_price(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert [key for key in SPOT_FIELDS if key in body] == []

    return cloud.request("kf-general").apply(check)


@pulumi.runtime.test
def test_a_regular_pool_surges_by_one_node(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["upgradeSettings"]["maxSurge"] == "1"

    return cloud.request("kf-general").apply(check)


@pulumi.runtime.test
def test_a_gpu_pool_says_who_installs_the_driver(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["gpuProfile"] == {"driver": "None"}

    AgentPools("operator", {**args(GPU), "gpu_driver": "None"}, cloud.opts)
    return cloud.request("operator-gpuspot").apply(check)


@pulumi.runtime.test
def test_a_gpu_pool_may_be_cut_into_slices(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["gpuInstanceProfile"] == "MIG2g"

    AgentPools("sliced", args({**GPU, "gpu_instance_profile": "MIG2g"}), cloud.opts)
    return cloud.request("sliced-gpuspot").apply(check)


@pulumi.runtime.test
def test_a_pool_without_gpu_says_nothing_of_gpus(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert [key for key in body if key.startswith("gpu")] == []

    return cloud.request("kf-cpuspot").apply(check)


@pulumi.runtime.test
def test_the_component_lists_its_pools_in_order(pools: AgentPools) -> Any:
    def check(names: list[str]) -> None:
        assert names == pools.names == ["general", "gpuspot", "cpuspot"]

    return pulumi.Output.all(*(pool.name for pool in pools.resources)).apply(check)
