"""The pool contract and the autoscaler's priority map, which the components make of a team's pools."""

import json
import re
from typing import Any

import pulumi
import pytest
import yaml
from hypothesis import given as arbitrary
from hypothesis import settings
from hypothesis import strategies as st

from aks_facts import vm_sizes
from ckf_spot import contract as reader
from components.pools.agent_pools import AgentPools
from components.pools.node_reservations import allocatable
from components.pools.pool_checks import MAX_SIZES, contract_mistakes
from components.pools.pool_contract import contract_text, priorities, scale_set_pattern
from components.pools.pool_specs import AgentPoolSpec, ContractPool
from kubeflow_aks.local_aks.simulation.vms import capacity
from tests.components.conftest import Cloud, value
from tests.components.sample_arguments import CONTRACT, REGULAR, SPOT_KEY, UNSAID

SPOT_TAINT = f"{SPOT_KEY}=spot:NoSchedule"
SPOT = AgentPoolSpec(
    name="batch",
    vm_size="Standard_D8ds_v5",
    priority="Spot",
    eviction_policy="Delete",
    max_count=10,
    labels={"kubeflow-aks/workload": "batch"},
    fallback="batchod",
)
FALLBACK = AgentPoolSpec(
    name="batchod", vm_size="Standard_D8s_v5", max_count=5, labels={"kubeflow-aks/workload": "batch"}
)
SLICED: AgentPoolSpec = {
    **SPOT,
    "name": "gpuspot",
    "vm_size": "Standard_NC48ads_A100_v4",
    "gpus": 2,
    "gpu_instance_profile": "MIG2g",
    "fallback": None,
}
IN_TURN: AgentPoolSpec = {**SLICED, "name": "gpushared", "gpu_instance_profile": None, "gpu_time_slices": 4}
ADD_ONS = AgentPoolSpec(name="addons", vm_size="Standard_D4s_v5", mode="System", min_count=1, max_count=3)
UNLABELLED = AgentPoolSpec(name="other", vm_size="Standard_D4s_v5", max_count=3)


@pytest.fixture(scope="module")
def pools(cloud: Cloud) -> AgentPools:
    """Pools of every kind."""
    specs = [REGULAR, SPOT, FALLBACK, SLICED, IN_TURN, ADD_ONS, UNLABELLED]
    return AgentPools(
        "kf", {"resource_group_name": "group", "cluster": cloud.managed_cluster, "pools": specs}, cloud.opts
    )


def entry(name: str, role: Any = "cpu", priority: Any = "Spot") -> ContractPool:
    """A pool of a contract."""
    labels = {"kubeflow-aks/workload": role} | ({SPOT_KEY: "spot"} if priority == "Spot" else {})
    return ContractPool(
        name=name, role=role, priority=priority, vmSize="a", gpus=0, maxCount=1, labels=labels, taints=[]
    )


def test_only_user_pools_that_work_finds_by_its_label_are_in_it(pools: AgentPools) -> None:
    assert [pool["name"] for pool in value(pools.contract)] == [
        "general",
        "batch",
        "batchod",
        "gpuspot",
        "gpushared",
    ]


def test_the_order_of_labels_changes_nothing() -> None:
    labels = {"kubeflow-aks/workload": "cpu", "team": "a"}
    pool = {"name": "batch", "labels": labels}
    assert contract_text([pool]) == contract_text([{**pool, "labels": dict(reversed(labels.items()))}])


def test_the_data_scientists_package_reads_it(pools: AgentPools) -> None:
    text = contract_text(value(pools.contract))
    assert json.loads(text)[2]["fallback"] is None
    general, batch, fallback, sliced, shared = reader.parse(text, "pools.json")
    assert (general.role, general.workload) == ("general", "platform")
    assert (batch.spot, batch.fallback, batch.max_count) == (True, fallback.name, 10)
    assert (batch.workload, batch.labels[SPOT_KEY]) == (fallback.workload, "spot")
    assert (sliced.role, sliced.gpus, [taint.key for taint in sliced.taints]) == (
        "gpu",
        6,
        [SPOT_KEY, "nvidia.com/gpu"],
    )
    assert (shared.gpus, shared.labels["kubeflow-aks/gpu-time-slices"]) == (8, "4")


def test_it_has_the_labels_and_taints_that_the_nodes_have(cloud: Cloud, pools: AgentPools) -> None:
    for pool in value(pools.contract):
        body = cloud.inputs(f"kf-{pool['name']}")
        assert pool["labels"] == body["nodeLabels"]
        assert pool["taints"] == body.get("nodeTaints", [])


def test_what_is_known_later_is_in_it_as_well(cloud: Cloud) -> None:
    later = pulumi.Output.from_input
    awaited: AgentPoolSpec = {
        **SPOT,
        "vm_size": later("Standard_D8ds_v5"),
        "labels": later({"kubeflow-aks/workload": "batch"}),
        "max_count": later(10),
        "fallback": None,
    }
    made = AgentPools(
        "awaited",
        {"resource_group_name": "group", "cluster": cloud.managed_cluster, "pools": [awaited]},
        cloud.opts,
    )
    expected: dict[str, Any] = {**UNSAID, **CONTRACT[0], "fallback": None, "pool": "batch", "zones": []}
    assert value(made.contract) == [expected]


def test_what_a_size_has_is_in_it_where_the_pool_says(cloud: Cloud) -> None:
    later = pulumi.Output.from_input
    sized: AgentPoolSpec = {
        **IN_TURN,
        "gpu_model": "NVIDIA A100",
        "vcpus": 48,
        "memory_gib": 440,
        "architecture": "amd64",
        "max_pods": later(60),
        "zones": ["1", "3"],
    }
    made = AgentPools(
        "sized",
        {
            "resource_group_name": "group",
            "cluster": cloud.managed_cluster,
            "location": "westeurope",
            "pools": [sized],
        },
        cloud.opts,
    )
    [pool] = reader.parse(contract_text(value(made.contract)), "pools.json")
    assert (pool.region, pool.zones, pool.architecture) == ("westeurope", ("1", "3"), "amd64")
    assert (pool.gpu_model, pool.allocatable) == ("NVIDIA A100", {"cpu": "47420m", "memory": "449210Mi"})


@pytest.mark.parametrize("max_pods", [10, 30, 110, 250])
def test_the_simulated_nodes_leave_as_much_to_pods(max_pods: int) -> None:
    for size in vm_sizes().values():
        cpu, memory = (
            capacity.allocatable_cpu(size.vcpus),
            capacity.allocatable_memory(size.memory_gib, max_pods),
        )
        expected = {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}
        assert allocatable(size.vcpus, size.memory_gib, max_pods) == expected, size.name


MIXED = [
    entry("general", "general", "Regular"),
    entry("cpuspot"),
    entry("gpuod", "gpu", "Regular"),
    entry("gpuspot", "gpu"),
    entry("batch", "cpu", "Regular"),
    entry("cpuod", "cpu", "Regular"),
]


def test_spot_stands_above_on_demand_and_cpu_above_gpu() -> None:
    assert yaml.safe_load(priorities(MIXED)) == {
        40: ["^aks-cpuspot-[0-9]+-vmss$"],
        30: ["^aks-gpuspot-[0-9]+-vmss$"],
        20: ["^aks-batch-[0-9]+-vmss$", "^aks-cpuod-[0-9]+-vmss$"],
        10: ["^aks-gpuod-[0-9]+-vmss$"],
        1: [".*"],
    }


def test_each_further_size_of_a_pool_is_one_level_below() -> None:
    sizes: list[Any] = [
        {**entry(name), "pool": "cpuspot"} for name in ("cpuspot3f2a", "cpuspot", "cpuspot9c01")
    ]
    assert yaml.safe_load(priorities([*sizes, entry("other"), *MIXED[2:3]])) == {
        40: ["^aks-cpuspot3f2a-[0-9]+-vmss$", "^aks-other-[0-9]+-vmss$"],
        39: ["^aks-cpuspot-[0-9]+-vmss$"],
        38: ["^aks-cpuspot9c01-[0-9]+-vmss$"],
        10: ["^aks-gpuod-[0-9]+-vmss$"],
        1: [".*"],
    }


def test_as_many_sizes_as_there_may_be_stay_above_the_next_kind() -> None:
    sizes: list[Any] = [{**entry(f"p{n}"), "pool": "cpuspot"} for n in range(MAX_SIZES)]
    assert min(level for level in yaml.safe_load(priorities(sizes)) if level > 1) > 30


SHARED = {**CONTRACT[0], "pool": "batch"}
FALLBACKS = [{**CONTRACT[1], "name": name, "pool": CONTRACT[1]["name"]} for name in ("od1", "od2")]
NOT_SHARED: list[tuple[list[Any], list[str]]] = [
    ([{**CONTRACT[1], "pool": "batch"}], ["pools[0].fallback", "pools[1].pool"]),
    ([{**SHARED, "name": "more", "fallback": None}, CONTRACT[1]], ["pools[1].pool"]),
    ([*({**SHARED, "name": f"p{n}"} for n in range(MAX_SIZES)), CONTRACT[1]], [f"pools[{MAX_SIZES}].pool"]),
]


@pytest.mark.parametrize(("others", "keys"), NOT_SHARED, ids=["on demand", "fallback", "many"])
def test_pools_share_a_name_only_for_the_same_work(others: list[Any], keys: list[str]) -> None:
    for fallbacks in ([CONTRACT[1]], FALLBACKS):
        assert list(contract_mistakes([SHARED, {**SHARED, "name": "more"}, *fallbacks])) == []
    assert [mistake.key for mistake in contract_mistakes([SHARED, *others])] == keys


def test_the_map_goes_from_the_highest_level_to_the_catch_all() -> None:
    lines = priorities(MIXED).splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["40:", "30:", "20:", "10:", "1:"]


def test_a_level_without_pools_is_left_out() -> None:
    assert priorities(MIXED[:1]) == priorities([]) == "1:\n  - .*\n"


NAMES = st.text("abcprst079", max_size=7).map("p".__add__)
POOLS = st.builds(
    entry, NAMES, st.sampled_from(["general", "cpu", "gpu"]), st.sampled_from(["Spot", "Regular"])
)


@settings(max_examples=50, deadline=None)
@arbitrary(st.lists(POOLS, max_size=6, unique_by=lambda pool: pool["name"]))
def test_each_pool_that_takes_work_has_its_own_pattern_and_spot_comes_first(
    pools: list[dict[str, Any]],
) -> None:
    levels: dict[int, list[str]] = yaml.safe_load(priorities(pools))
    level: dict[str, int] = {}
    for pool in pools:
        name = f"aks-{pool['name']}-12345678-vmss"
        hits = [
            number for number, patterns in levels.items() for pattern in patterns if re.search(pattern, name)
        ]
        assert len(hits) == (1 if pool["role"] == "general" else 2)
        level[pool["name"]] = hits[0]
    spot = [level[pool["name"]] for pool in pools if pool["priority"] == "Spot" and pool["role"] != "general"]
    regular = [level[pool["name"]] for pool in pools if pool["priority"] == "Regular"]
    assert min(spot, default=100) > max(regular, default=1)


@pytest.mark.parametrize(
    "name", ["aks-gpuspot-12345678-vmss", "aks-mygpu-12345678-vmss", "aks-gpu-x-vmss", "aks-gpu-1-vmss2"]
)
def test_a_pattern_is_anchored(name: str) -> None:
    assert re.search(scale_set_pattern("gpu"), name) is None


def test_a_pattern_finds_the_scale_set_aks_makes() -> None:
    assert re.search(scale_set_pattern("gpu"), "aks-gpu-12345678-vmss")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": "batch"}, "pools"),
    ({"name": "Batch"}, "pools[2].name"),
    ({"gpus": -1}, "pools[2].gpus"),
    ({"maxCount": 1001}, "pools[2].maxCount"),
    ({"labels": {}}, "pools[2].labels.kubeflow-aks/workload"),
    ({"labels": {"kubeflow-aks/workload": ""}}, "pools[2].labels.kubeflow-aks/workload"),
    ({"labels": {"kubeflow-aks/workload": "b", SPOT_KEY: "spot"}}, f"pools[2].labels.{SPOT_KEY}"),
    ({"labels": {"kubeflow-aks/workload": "my work"}}, "pools[2].labels.kubeflow-aks/workload"),
    ({"taints": ["team"]}, "pools[2].taints[0]"),
    ({"fallback": "batchod"}, "pools[2].fallback"),
]


@pytest.mark.parametrize(("fields", "key"), WRONG, ids=[key for _, key in WRONG])
def test_one_written_by_hand_is_refused_where_nothing_could_read_or_use_it(
    fields: dict[str, Any], key: str
) -> None:
    more = {**CONTRACT[1], "name": "more"}
    assert list(contract_mistakes([*CONTRACT, more])) == []
    assert [mistake.key for mistake in contract_mistakes([*CONTRACT, {**more, **fields}])] == [key]
