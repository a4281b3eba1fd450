"""The agent pools, on their own: the requests to AKS, pool by pool."""

from pathlib import Path
from typing import Any, cast

import pulumi
import pytest

from components.arguments.errors import ArgumentsError
from components.pools.agent_pools import AgentPools, AgentPoolsArgs
from components.pools.pool_specs import AgentPoolSpec, UpgradeSpec
from tests.components.conftest import Cloud, value
from tests.components.sample_arguments import REGULAR, SUBNET_ID

SPOT = AgentPoolSpec(
    name="cpuspot",
    vm_size="Standard_D8s_v5",
    priority="Spot",
    eviction_policy="Delete",
    max_count=3,
    labels={"kubeflow-aks/workload": "cpu"},
)
GPU: AgentPoolSpec = {**SPOT, "name": "gpuspot", "vm_size": "Standard_NC24ads_A100_v4", "gpus": 1}
GROUPS = "Microsoft.Compute/capacityReservationGroups"
RESERVED = f"/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/g/providers/{GROUPS}/r"
SPOT_FIELDS = ("scaleSetPriority", "scaleSetEvictionPolicy", "spotMaxPrice")


@pytest.fixture(scope="module", autouse=True)
def pools(cloud: Cloud) -> AgentPools:
    """The pools that tests read unless they make some of their own."""
    return make(cloud, "kf", REGULAR, GPU, SPOT)


def make(cloud: Cloud, name: str, *pools: AgentPoolSpec, **more: Any) -> AgentPools:
    """Makes pools of a program that has tags."""
    args = AgentPoolsArgs(
        resource_group_name="group", cluster=cloud.managed_cluster, pools=pools, tags={"owner": "ml"}
    )
    return AgentPools(name, cast(AgentPoolsArgs, {**args, **more}), cloud.opts)


def test_a_pool_is_named_as_planned_in_the_cluster_and_group(cloud: Cloud) -> None:
    body = cloud.inputs("kf-general")
    named = [body[key] for key in ("agentPoolName", "resourceName", "resourceGroupName")]
    assert named == ["general", "aks", "group"]


@pytest.mark.parametrize("pool", [REGULAR, SPOT, GPU], ids=lambda pool: pool["name"])
def test_a_pool_is_a_user_pool_of_linux_scale_sets(cloud: Cloud, pool: AgentPoolSpec) -> None:
    body = cloud.inputs(f"kf-{pool['name']}")
    kind = [body[key] for key in ("mode", "type", "osType", "osSKU")]
    assert kind == ["User", "VirtualMachineScaleSets", "Linux", "Ubuntu"]


def test_a_pool_starts_at_its_fewest_nodes_and_scales_itself(cloud: Cloud) -> None:
    body = cloud.inputs("kf-general")
    assert body["enableAutoScaling"] is True
    assert [body[key] for key in ("count", "minCount", "maxCount")] == [2, 2, 3]


def test_a_pool_runs_the_clusters_version_unless_another_is_set(cloud: Cloud) -> None:
    make(cloud, "behind", REGULAR, kubernetes_version="1.33")
    versions = [cloud.inputs(name)["orchestratorVersion"] for name in ("kf-general", "behind-general")]
    assert versions == ["1.34", "1.33"]


def test_a_pool_has_the_operating_system_that_is_set(cloud: Cloud) -> None:
    make(cloud, "noble", REGULAR, os_sku="Ubuntu2404")
    assert cloud.inputs("noble-general")["osSKU"] == "Ubuntu2404"


def test_a_pool_carries_its_labels_taints_and_tags(cloud: Cloud) -> None:
    make(cloud, "tainted", {**REGULAR, "taints": ["team=vision:NoSchedule"]})
    body = cloud.inputs("tainted-general")
    assert body["nodeLabels"] == {"kubeflow-aks/workload": "platform"}
    assert body["nodeTaints"] == ["team=vision:NoSchedule"]
    assert body["tags"] == {"owner": "ml"}


def test_a_spot_pool_always_has_akss_own_label_and_taint(cloud: Cloud) -> None:
    body = cloud.inputs("kf-cpuspot")
    assert body["nodeLabels"] == {
        "kubeflow-aks/workload": "cpu",
        "kubernetes.azure.com/scalesetpriority": "spot",
    }
    assert body["nodeTaints"] == ["kubernetes.azure.com/scalesetpriority=spot:NoSchedule"]


def test_a_gpu_pool_always_has_a_taint_that_keeps_other_work_off(cloud: Cloud) -> None:
    assert cloud.inputs("kf-gpuspot")["nodeTaints"][1:] == ["nvidia.com/gpu=present:NoSchedule"]


def test_taints_that_repeat_a_pools_own_stay_as_given(cloud: Cloud) -> None:
    taints = ["team=vision:NoSchedule", "kubernetes.azure.com/scalesetpriority=spot:NoSchedule"]
    make(cloud, "repeated", {**SPOT, "taints": taints})
    assert cloud.inputs("repeated-cpuspot")["nodeTaints"] == taints


def test_a_pool_that_is_not_encrypted_at_the_host_sends_nothing_of_it(cloud: Cloud) -> None:
    # AKS takes the step from unset to false for a change.
    assert "enableEncryptionAtHost" not in cloud.inputs("kf-general")


def test_a_pool_has_its_size_disk_pods_and_subnet(cloud: Cloud) -> None:
    body = cloud.inputs("kf-general")
    keys = ("vmSize", "osDiskType", "osDiskSizeGB", "maxPods", "vnetSubnetID")
    assert [body[key] for key in keys] == ["Standard_D8s_v5", "Managed", 128, 110, SUBNET_ID]


def test_a_pool_without_zones_sends_none(cloud: Cloud) -> None:
    assert "availabilityZones" not in cloud.inputs("kf-general")


def test_a_pool_with_zones_sends_them(cloud: Cloud) -> None:
    make(cloud, "zoned", {**REGULAR, "zones": ["1", "3"]})
    assert cloud.inputs("zoned-general")["availabilityZones"] == ["1", "3"]


def test_nodes_that_are_scaled_down_are_deleted(cloud: Cloud) -> None:
    assert cloud.inputs("kf-cpuspot")["scaleDownMode"] == "Delete"


def test_a_spot_pool_sends_priority_policy_and_price(cloud: Cloud) -> None:
    body = cloud.inputs("kf-cpuspot")
    assert [body[key] for key in SPOT_FIELDS] == ["Spot", "Delete", -1]


def test_a_spot_pool_sends_no_upgrade_settings(cloud: Cloud) -> None:
    assert "upgradeSettings" not in cloud.inputs("kf-cpuspot")


def test_a_regular_pool_never_sends_priority_policy_or_price(cloud: Cloud) -> None:
    body = cloud.inputs("kf-general")
    assert [key for key in SPOT_FIELDS if key in body] == []


def test_a_regular_pool_surges_by_one_node(cloud: Cloud) -> None:
    assert cloud.inputs("kf-general")["upgradeSettings"]["maxSurge"] == "1"


@pytest.mark.parametrize(
    ("upgrade", "sent"),
    [
        ({"max_surge": "33%"}, {"maxSurge": "33%"}),
        ({"max_unavailable": "2"}, {"maxSurge": "0", "maxUnavailable": "2"}),
        (
            {"drain_timeout_minutes": 60, "node_soak_minutes": 5, "undrainable_node_behavior": "Cordon"},
            {
                "maxSurge": "1",
                "drainTimeoutInMinutes": 60,
                "nodeSoakDurationInMinutes": 5,
                "undrainableNodeBehavior": "Cordon",
            },
        ),
    ],
)
def test_how_a_pool_is_upgraded_is_sent_as_given(cloud: Cloud, upgrade: Any, sent: dict[str, Any]) -> None:
    name = f"upgraded-{len(sent)}-{sent['maxSurge']}"
    make(cloud, name, {**REGULAR, "upgrade": upgrade})
    assert cloud.inputs(f"{name}-general")["upgradeSettings"] == sent


def test_a_surge_that_is_known_later_is_judged_then(cloud: Cloud) -> None:
    upgrade: UpgradeSpec = {"max_unavailable": pulumi.Output.from_input("1")}
    make(cloud, "later", {**REGULAR, "upgrade": upgrade})
    assert cloud.inputs("later-general")["upgradeSettings"] == {"maxSurge": "0", "maxUnavailable": "1"}


def test_a_gpu_pool_sends_who_installs_the_driver(cloud: Cloud) -> None:
    make(cloud, "operator", GPU, gpu_driver="None")
    assert cloud.inputs("operator-gpuspot")["gpuProfile"] == {"driver": "None"}


def test_a_gpu_pool_may_be_cut_into_slices(cloud: Cloud) -> None:
    make(cloud, "sliced", {**GPU, "gpu_instance_profile": "MIG2g"})
    assert cloud.inputs("sliced-gpuspot")["gpuInstanceProfile"] == "MIG2g"


def test_a_pool_has_tags_of_its_own_beside_those_of_all(cloud: Cloud) -> None:
    make(cloud, "tagged", {**REGULAR, "tags": {"site": "b"}}, tags={"owner": "ml", "site": "a"})
    assert cloud.inputs(f"tagged-{REGULAR['name']}")["tags"] == {"owner": "ml", "site": "b"}


def test_a_pool_without_gpu_sends_nothing_of_gpus(cloud: Cloud) -> None:
    assert [key for key in cloud.inputs("kf-cpuspot") if key.startswith("gpu")] == []


def test_the_component_lists_its_pools_in_order(pools: AgentPools) -> None:
    names = [value(pool.name) for pool in pools.resources]
    assert names == pools.names == ["general", "gpuspot", "cpuspot"]


def test_a_pools_count_is_left_to_the_autoscaler(cloud: Cloud) -> None:
    assert list(cloud.options("kf-cpuspot").ignoreChanges) == ["count"]


@pytest.mark.parametrize(("name", "protected"), [("general", True), ("cpuspot", False)])
def test_only_a_pool_with_protect_is_protected(cloud: Cloud, name: str, protected: bool) -> None:
    assert cloud.options(f"kf-{name}").protect is protected


def test_a_pool_waits_for_the_one_before_it(cloud: Cloud, pools: AgentPools) -> None:
    general, gpuspot, cpuspot = (value(pool.urn) for pool in pools.resources)
    dependencies = set(cloud.options("kf-cpuspot").dependencies)
    assert dependencies & {general, gpuspot, cpuspot} == {gpuspot}


def test_a_pool_is_deleted_itself_unless_the_program_says_otherwise(cloud: Cloud) -> None:
    """A cluster that is only read is in no destroy, so that what is deleted with it would stay."""
    assert not cloud.options("kf-general").deletedWith


def test_a_pool_is_deleted_before_its_replacement_takes_its_name(cloud: Cloud) -> None:
    assert cloud.options("kf-general").deleteBeforeReplace


REPLACED = {
    "zones": {**REGULAR, "zones": ["1"]},
    "pods": {**REGULAR, "max_pods": 50},
    "disk": {**REGULAR, "os_disk": {"type": "Ephemeral", "size_gib": 64}},
    "subnet": {**REGULAR, "subnet_id": f"{SUBNET_ID}2"},
    "spot": {**REGULAR, "priority": "Spot", "eviction_policy": "Delete", "max_price": 0.5},
    "gpu": {**REGULAR, "gpus": 1},
    "encryption": {**REGULAR, "encryption_at_host": True},
    "reservation": {**REGULAR, "capacity_reservation_group_id": RESERVED},
}
"""Edits of one pool that AKS refuses to make in place (Azure's API: "PropertyChangeNotAllowed")."""
MADE_IN_PLACE = {
    "counts": {**REGULAR, "min_count": 1, "max_count": 9},
    "labels": {**REGULAR, "labels": {"team": "vision"}},
    "taints": {**REGULAR, "taints": ["team=vision:NoSchedule"]},
    "upgrade": {**REGULAR, "upgrade": {"max_surge": "33%", "drain_timeout_minutes": 60}},
}
BY_THE_WAY = {"count", "nodeLabels", "nodeTaints", "upgradeSettings"}
"""What such an edit changes beside, and AKS changes in place."""


@pytest.mark.parametrize("edit", REPLACED)
def test_an_edit_that_aks_cannot_make_replaces_the_pool(cloud: Cloud, edit: str) -> None:
    changed, replacing = edited(cloud, edit, REPLACED[edit])
    assert changed - BY_THE_WAY
    assert changed - BY_THE_WAY <= replacing


@pytest.mark.parametrize("edit", MADE_IN_PLACE)
def test_an_edit_that_aks_can_make_does_not(cloud: Cloud, edit: str) -> None:
    changed, replacing = edited(cloud, edit, MADE_IN_PLACE[edit])
    assert changed
    assert changed & replacing == set()


def edited(cloud: Cloud, name: str, pool: Any) -> tuple[set[str], set[str]]:
    """Names of the properties that an edit of a pool changes, and of those whose change replaces it."""
    make(cloud, name, cast(AgentPoolSpec, pool))
    before, after = cloud.inputs("kf-general"), cloud.inputs(f"{name}-general")
    changed = {key for key in {*before, *after} if before.get(key) != after.get(key)}
    return changed, set(cloud.options(f"{name}-general").replaceOnChanges)


@pytest.mark.parametrize(
    ("pool", "key", "expected"),
    [
        (
            {**REGULAR, "name": "Cpu_Pool"},
            "name",
            "a name of 1 to 12 lower-case letters and digits, a letter first",
        ),
        ({**REGULAR, "priority": "Low"}, "priority", "Regular or Spot"),
        ({**REGULAR, "min_count": 4}, "minCount", "at most maxCount, which is 3"),
        ({**REGULAR, "min_count": -1}, "minCount", "at least 0"),
        ({**REGULAR, "max_count": 1001}, "maxCount", "at most 1000"),
        (
            {**SPOT, "eviction_policy": None},
            "evictionPolicy",
            "Delete or Deallocate, because priority is Spot",
        ),
        ({**REGULAR, "eviction_policy": "Delete"}, "evictionPolicy", "no value unless priority is Spot"),
        ({**REGULAR, "max_price": 0.5}, "maxPrice", "no value unless priority is Spot"),
        (
            {**SPOT, "max_price": 0.000001},
            "maxPrice",
            "-1, or a price in USD per hour above 0 with at most 5 decimals",
        ),
        (
            {**SPOT, "eviction_policy": "Deallocate", "os_disk": {"type": "Ephemeral"}},
            "evictionPolicy",
            "Delete, because an ephemeral OS disk cannot be deallocated",
        ),
        ({**REGULAR, "os_disk": {"type": "Local"}}, "osDisk.type", "Managed or Ephemeral"),
        ({**REGULAR, "os_disk": {"size_gib": 20}}, "osDisk.sizeGib", "at least 30"),
        ({**REGULAR, "max_pods": 5}, "maxPods", "at least 10"),
        ({**REGULAR, "zones": ["1", "1"]}, "zones", "each zone once"),
        (
            {**REGULAR, "gpu_instance_profile": "MIG1g"},
            "gpuInstanceProfile",
            "no value on nodes without a GPU",
        ),
        (
            {**SPOT, "capacity_reservation_group_id": RESERVED},
            "capacityReservationGroupId",
            "no value on a spot pool, for which Azure reserves no capacity",
        ),
        (
            {**REGULAR, "capacity_reservation_group_id": "reserved"},
            "capacityReservationGroupId",
            f"/subscriptions/<subscription>/resourceGroups/<group>/providers/{GROUPS}/<name>",
        ),
        (
            {**SPOT, "upgrade": {"max_surge": "2"}},
            "upgrade",
            "no value on a spot pool, which AKS upgrades without surge and drain",
        ),
        (
            {**REGULAR, "upgrade": {"max_surge": "101%"}},
            "upgrade.maxSurge",
            "a number of nodes from 0 to 1000, or a share of the pool like 33%",
        ),
        ({**REGULAR, "upgrade": {"drain_timeout_minutes": 4}}, "upgrade.drainTimeoutMinutes", "at least 5"),
        ({**REGULAR, "upgrade": {"node_soak_minutes": 31}}, "upgrade.nodeSoakMinutes", "at most 30"),
        (
            {**REGULAR, "upgrade": {"undrainable_node_behavior": "Delete"}},
            "upgrade.undrainableNodeBehavior",
            "Schedule or Cordon",
        ),
        ({**REGULAR, "gpu_time_slices": 4}, "gpuTimeSlices", "no value on nodes without a GPU"),
        ({**GPU, "gpu_time_slices": 1}, "gpuTimeSlices", "at least 2"),
        ({**GPU, "gpu_time_slices": 2.5}, "gpuTimeSlices", "a whole number"),
        (
            {**GPU, "gpu_time_slices": 4, "gpu_instance_profile": "MIG1g"},
            "gpuTimeSlices",
            "no value beside gpuInstanceProfile, which cuts the GPUs",
        ),
        (
            {**GPU, "gpu_instance_profile": "MIG9g"},
            "gpuInstanceProfile",
            "MIG1g, MIG2g, MIG3g, MIG4g or MIG7g",
        ),
    ],
)
def test_an_impossible_pool_is_refused(cloud: Cloud, pool: Any, key: str, expected: str) -> None:
    with pytest.raises(ArgumentsError) as refusal:
        make(cloud, "refused", pool)
    [mistake] = refusal.value.mistakes
    assert (mistake.key, mistake.expected) == (f"pools[0].{key}", expected)


SYSTEM = AgentPoolSpec(name="system2", mode="System", vm_size="Standard_D8s_v5", min_count=2, max_count=3)


def test_a_second_system_pool_has_akss_taint_and_no_labels(cloud: Cloud) -> None:
    make(cloud, "core", SYSTEM)
    body = cloud.inputs("core-system2")
    assert body["mode"] == "System"
    assert body["nodeTaints"] == ["CriticalAddonsOnly=true:NoSchedule"]
    assert "nodeLabels" not in body


def test_a_system_pool_is_forgotten_and_a_user_pool_deleted(cloud: Cloud) -> None:
    make(cloud, "kept", SYSTEM, REGULAR)
    assert cloud.options("kept-system2").retainOnDelete
    assert not cloud.options("kept-general").retainOnDelete


@pytest.mark.parametrize(
    ("change", "key", "expected"),
    [
        ({"mode": "Both"}, "mode", "User or System"),
        ({"min_count": 0}, "minCount", "at least 1 in a system pool"),
        ({"max_pods": 29}, "maxPods", "at least 30 in a system pool"),
        (
            {"taints": ["team=a:NoSchedule"]},
            "taints",
            "none but CriticalAddonsOnly=true:NoSchedule, which a system pool always has",
        ),
        (
            {"priority": "Spot", "eviction_policy": "Delete"},
            "priority",
            "Regular, because a system pool is always on demand",
        ),
    ],
)
def test_an_impossible_system_pool_is_refused(cloud: Cloud, change: Any, key: str, expected: str) -> None:
    with pytest.raises(ArgumentsError) as refusal:
        make(cloud, "refused", cast(AgentPoolSpec, {**SYSTEM, **change}))
    [mistake] = refusal.value.mistakes
    assert (mistake.key, mistake.expected) == (f"pools[0].{key}", expected)


def test_a_mistake_reads_as_key_value_and_what_is_expected(cloud: Cloud) -> None:
    with pytest.raises(pulumi.RunError) as refusal:
        make(cloud, "refused", {**REGULAR, "min_count": 9}, {**SPOT, "eviction_policy": None})
    assert str(refusal.value).splitlines() == [
        "AgentPools: invalid arguments:",
        "pools[0].minCount: 9 is not allowed; expected at most maxCount, which is 3",
        "pools[1].evictionPolicy: missing; expected Delete or Deallocate, because priority is Spot",
    ]


def test_a_value_that_is_no_choice_is_refused(cloud: Cloud) -> None:
    typo = cast(Any, {**SPOT, "priority": "Sport", "eviction_policy": "Evict", "mode": "Users"})
    with pytest.raises(ArgumentsError) as refusal:
        make(cloud, "refused", typo, gpu_driver=cast(Any, "Maybe"))
    assert {(mistake.key, mistake.expected) for mistake in refusal.value.mistakes} == {
        ("pools[0].priority", "Regular or Spot"),
        ("pools[0].evictionPolicy", "Delete or Deallocate"),
        ("pools[0].mode", "User or System"),
        ("gpuDriver", "Install or None"),
    }


def test_the_page_for_other_teams_shows_what_they_read(cloud: Cloud) -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "use-the-components.md"
    with pytest.raises(ArgumentsError) as refusal:
        make(cloud, "page", {**SPOT, "eviction_policy": None}, {**REGULAR, "max_price": 0.5})
    assert f"```text\n{refusal.value}\n```" in page.read_text(encoding="utf-8")


def test_every_mistake_is_reported_at_once_and_nothing_is_registered(cloud: Cloud) -> None:
    wrong: AgentPoolSpec = {**REGULAR, "min_count": 9, "max_price": 1.0}
    with pytest.raises(ArgumentsError) as refusal:
        make(cloud, "wrong", wrong, wrong)
    keys = [mistake.key for mistake in refusal.value.mistakes]
    assert keys == [
        *("pools[0].minCount", "pools[0].maxPrice", "pools[1].minCount", "pools[1].maxPrice", "pools")
    ]
    assert cloud.names("wrong") == []
