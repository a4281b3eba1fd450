"""The agent pools that settings make: roles, labels, taints, disks, spot fields, fallbacks."""

import pytest

from program.planning.hardware import CPU, GPU
from program.planning.pools import Purpose, agent_pools, fallback_name
from tests.program.planning.small_stack import GENERAL, GPU_SPOT, SPOT, planned, planned_pool, settings

SPOT_LABEL = "kubernetes.azure.com/scalesetpriority"
SPOT_TAINT = f"{SPOT_LABEL}=spot:NoSchedule"
GPU_TAINT = "nvidia.com/gpu=present:NoSchedule"
FALLBACK_TAINT = "kubeflow-aks/fallback=true:NoSchedule"
OWN_TAINT = "team=vision:NoSchedule"
WORKLOAD = "kubeflow-aks/workload"
FALLBACK = {"maxCount": 5}


def test_kubeflows_home_follows_the_system_pool_and_each_fallback_its_spot_pool() -> None:
    pools = {"cpuspot": {**SPOT, "fallback": FALLBACK}, "general": GENERAL}
    names = [pool.name for pool in agent_pools(settings(pools=pools))]
    assert names == ["system", "general", "cpuspot", "cpuod"]


def test_the_order_of_pools_does_not_depend_on_the_stack_file() -> None:
    pools = {"general": GENERAL, "cpuspot": {**SPOT, "fallback": FALLBACK}, "another": SPOT}
    turned = dict(reversed(pools.items()))
    assert agent_pools(settings(pools=pools)) == agent_pools(settings(pools=turned))


def test_the_standard_pools_are_a_home_and_two_spot_pools_with_fallbacks() -> None:
    kinds = [(pool.name, pool.purpose, pool.hardware, pool.spot) for pool in planned().pools]
    assert kinds == [
        ("system", Purpose.SYSTEM, CPU, False),
        ("general", Purpose.GENERAL, CPU, False),
        ("cpuspot", Purpose.WORK, CPU, True),
        ("cpuod", Purpose.WORK, CPU, False),
        ("gpuspot", Purpose.WORK, GPU, True),
        ("gpuod", Purpose.WORK, GPU, False),
    ]


def test_the_system_pool_is_regular_and_closed() -> None:
    system = planned().system_pool
    assert (system.priority, system.taints) == ("Regular", ("CriticalAddonsOnly=true:NoSchedule",))


def test_the_regular_pool_without_taints_is_kubeflows_home() -> None:
    [general] = [pool for pool in planned().pools if pool.name == "general"]
    assert (general.purpose, general.taints, general.labels) == (Purpose.GENERAL, (), {WORKLOAD: "platform"})


def test_a_tainted_regular_pool_takes_work() -> None:
    assert planned_pool("batch", GENERAL, taints=[OWN_TAINT]).purpose is Purpose.WORK


def test_a_spot_pool_carries_the_spot_label_and_taint() -> None:
    pool = planned_pool("cpuspot", SPOT)
    assert pool.labels == {WORKLOAD: "cpu", SPOT_LABEL: "spot"}
    assert pool.taints == (SPOT_TAINT,)


def test_repeating_the_spot_pair_changes_nothing() -> None:
    repeated = planned_pool("cpuspot", SPOT, labels={SPOT_LABEL: "spot"}, taints=[SPOT_TAINT])
    assert repeated == planned_pool("cpuspot", SPOT)


def test_a_gpu_size_makes_a_gpu_pool_with_nvidias_taint() -> None:
    pool = planned_pool("gpuspot", GPU_SPOT)
    assert (pool.hardware, pool.labels[WORKLOAD]) == (GPU, "gpu")
    assert pool.taints == (SPOT_TAINT, GPU_TAINT)


def test_a_regular_gpu_pool_is_tainted_as_well() -> None:
    pool = planned_pool("gpu", GPU_SPOT, priority="Regular")
    assert (pool.hardware, pool.taints) == (GPU, (GPU_TAINT,))


def test_labels_and_taints_of_a_team_are_added() -> None:
    pool = planned_pool("cpuspot", SPOT, labels={"team": "vision"}, taints=[OWN_TAINT])
    assert pool.labels == {WORKLOAD: "cpu", SPOT_LABEL: "spot", "team": "vision"}
    assert pool.taints == (SPOT_TAINT, OWN_TAINT)


def test_a_spot_pool_is_deleted_on_eviction_and_pays_up_to_the_on_demand_price() -> None:
    pool = planned_pool("cpuspot", SPOT)
    assert (pool.eviction_policy, pool.max_price) == ("Delete", -1)


def test_a_spot_pool_keeps_the_policy_and_price_it_states() -> None:
    pool = planned_pool("cpuspot", SPOT, evictionPolicy="Deallocate", maxPrice=0.25)
    assert (pool.eviction_policy, pool.max_price) == ("Deallocate", 0.25)


def test_a_regular_pool_has_neither_policy_nor_price() -> None:
    pool = planned_pool("batch", GENERAL, taints=[OWN_TAINT])
    assert (pool.eviction_policy, pool.max_price) == (None, None)


def test_a_spot_cpu_pool_has_an_ephemeral_disk_where_one_fits() -> None:
    pool = planned_pool("cpuspot", SPOT)
    assert (pool.os_disk.type, pool.os_disk.size_gib) == ("Ephemeral", 128)


def test_an_ephemeral_disk_shrinks_to_the_size_it_lives_on() -> None:
    pool = planned_pool("cpuspot", SPOT, vmSize="Standard_D4s_v3")
    assert (pool.os_disk.type, pool.os_disk.size_gib) == ("Ephemeral", 100)


@pytest.mark.parametrize(
    "field",
    [
        {"vmSize": "Standard_D8s_v5"},
        {"evictionPolicy": "Deallocate"},
        {"osDisk": {"type": "Managed"}},
        {"osDisk": {"sizeGib": 512}},
    ],
)
def test_a_spot_cpu_pool_has_a_managed_disk_otherwise(field: dict[str, object]) -> None:
    assert planned_pool("cpuspot", SPOT, **field).os_disk.type == "Managed"


def test_a_disk_has_the_size_that_is_requested() -> None:
    assert planned_pool("cpuspot", SPOT, osDisk={"sizeGib": 256}).os_disk.size_gib == 256


@pytest.mark.parametrize(
    ("name", "pool"), [("gpuspot", GPU_SPOT), ("batch", {**GENERAL, "taints": [OWN_TAINT]})]
)
def test_other_pools_have_a_managed_disk(name: str, pool: dict[str, object]) -> None:
    planned = planned_pool(name, pool)
    assert (planned.os_disk.type, planned.os_disk.size_gib) == ("Managed", 128)


def test_a_regular_pool_may_ask_for_an_ephemeral_disk() -> None:
    batch = {"vmSize": "Standard_D4ds_v5", "taints": [OWN_TAINT], "osDisk": {"type": "Ephemeral"}}
    assert planned_pool("batch", GENERAL, **batch).os_disk.type == "Ephemeral"


def test_a_fallback_is_a_regular_pool_from_zero_with_our_own_taint() -> None:
    fallback = planned_pool("cpuod", SPOT, fallback=FALLBACK)
    assert (fallback.priority, fallback.min_count, fallback.max_count) == ("Regular", 0, 5)
    assert fallback.taints == (FALLBACK_TAINT,)
    assert (fallback.eviction_policy, fallback.max_price, fallback.fallback_of) == (None, None, "cpuspot")


def test_a_fallback_shares_the_workload_label_and_not_the_spot_label() -> None:
    fallback = planned_pool(
        "cpuod", SPOT, fallback=FALLBACK, workload="training", labels={SPOT_LABEL: "spot"}
    )
    assert fallback.labels == {WORKLOAD: "training"}


def test_a_fallback_never_repeats_the_spot_taint() -> None:
    assert planned_pool("cpuod", SPOT, fallback=FALLBACK, taints=[SPOT_TAINT]).taints == (FALLBACK_TAINT,)


def test_a_fallback_carries_the_labels_and_taints_of_the_team() -> None:
    fallback = planned_pool("cpuod", SPOT, fallback=FALLBACK, labels={"team": "vision"}, taints=[OWN_TAINT])
    assert fallback.labels["team"] == "vision"
    assert fallback.taints == (FALLBACK_TAINT, OWN_TAINT)


def test_a_gpu_fallback_carries_nvidias_taint() -> None:
    assert planned_pool("gpuod", GPU_SPOT, fallback=FALLBACK).taints == (FALLBACK_TAINT, GPU_TAINT)


def test_a_fallback_has_the_size_of_its_pool_or_one_of_its_own() -> None:
    replacement = {**FALLBACK, "vmSize": "Standard_D16s_v5"}
    assert planned_pool("cpuod", SPOT, fallback=FALLBACK).vm_size == "Standard_D8ds_v5"
    assert planned_pool("cpuod", SPOT, fallback=replacement).vm_size == "Standard_D16s_v5"


def test_a_fallback_stands_in_the_same_zones_with_as_many_pods_and_the_same_slices() -> None:
    a100 = {
        "vmSize": "Standard_NC24ads_A100_v4",
        "gpuInstanceProfile": "MIG2g",
        "zones": ["1", "3"],
        "maxPods": 60,
    }
    fallback = planned_pool("gpuod", GPU_SPOT, **a100, fallback=FALLBACK)
    assert (fallback.gpu_instance_profile, fallback.zones, fallback.max_pods) == ("MIG2g", ("1", "3"), 60)


GPUS_TAG = "k8s.io_cluster-autoscaler_node-template_resources_nvidia.com_gpu"


@pytest.mark.parametrize("name", ["gpuspot", "gpuod"])
def test_a_sliced_pool_tells_the_autoscaler_how_many_slices_a_node_announces(name: str) -> None:
    a100 = {"vmSize": "Standard_NC48ads_A100_v4", "gpuInstanceProfile": "MIG2g", "fallback": FALLBACK}
    assert planned_pool(name, GPU_SPOT, **a100).tags == {GPUS_TAG: "6"}


def test_a_pool_with_whole_gpus_has_no_tags_of_its_own() -> None:
    assert planned_pool("gpuspot", GPU_SPOT).tags == {}


@pytest.mark.parametrize(
    ("spot", "fallback"), [("cpuspot", "cpuod"), ("batch", "batchod"), ("spot", "spotod")]
)
def test_the_name_of_a_fallback_is_made_from_that_of_its_pool(spot: str, fallback: str) -> None:
    assert fallback_name(spot) == fallback


def test_a_pool_of_an_unknown_size_is_left_out() -> None:
    pools = {"general": GENERAL, "work": {**SPOT, "vmSize": "Standard_X1", "fallback": FALLBACK}}
    assert [pool.name for pool in agent_pools(settings(pools=pools))] == ["system", "general"]


def test_a_plan_finds_its_system_and_general_pools() -> None:
    plan = planned()
    assert plan.system_pool.name == "system"
    assert [pool.name for pool in plan.pools if pool.purpose is Purpose.GENERAL] == ["general"]
    assert plan.user_pools == plan.pools[1:]


def test_arm_machines_take_only_work_that_says_so() -> None:
    arm = {**SPOT, "vmSize": "Standard_D8pds_v5"}
    pool, fallback = (
        planned_pool("armspot", arm, fallback=FALLBACK),
        planned_pool("armod", arm, fallback=FALLBACK),
    )
    assert pool.taints == (SPOT_TAINT, "kubeflow-aks/arch=arm64:NoSchedule")
    assert fallback.taints == (FALLBACK_TAINT, "kubeflow-aks/arch=arm64:NoSchedule")
    assert {pool.labels[WORKLOAD], fallback.labels[WORKLOAD]} == {"cpu-arm64"}
    assert (pool.hardware, pool.subnet) == (CPU, "cpu")


def test_a_fallback_of_another_architecture_still_answers_to_the_same_work() -> None:
    arm = {**SPOT, "vmSize": "Standard_D8pds_v5"}
    fallback = planned_pool("armod", arm, fallback={"maxCount": 1, "vmSize": "Standard_D8ds_v5"})
    assert (fallback.labels[WORKLOAD], fallback.taints) == ("cpu-arm64", (FALLBACK_TAINT,))


def test_a_second_system_pool_of_arm_machines_has_the_taint_of_system_pools_only() -> None:
    following = {"vmSize": "Standard_D4ps_v5", "minCount": 2, "maxCount": 3, "replaces": "system"}
    pools = {pool.name: pool for pool in planned(pools={"general": GENERAL, "next": following}).pools}
    assert pools["next"].taints == pools["system"].taints


def test_a_fallback_has_no_nodes_without_work_whatever_its_spot_pool_keeps() -> None:
    keeps = {**SPOT, "minCount": 1, "fallback": {"maxCount": 2}}
    assert planned_pool("cpuspot", keeps).min_count == 1
    assert planned_pool("cpuod", keeps).min_count == 0
