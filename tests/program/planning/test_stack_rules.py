"""Rules across pools, and the warnings."""

from typing import Any

import pytest

from program.planning.pools import agent_pools
from program.planning.rules import stack as rules
from tests.program.planning.small_stack import GENERAL, GPU_SPOT, SPOT, planned, refused, settings

OWN_TAINT = "team=vision:NoSchedule"


def home(**fields: Any) -> list[str]:
    return refused(
        rules.general_pool_problems(settings(pools={"general": {**GENERAL, **fields}, "work": SPOT}))
    )


def test_one_regular_pool_without_taints_hosts_kubeflow() -> None:
    assert home() == []


def test_a_stack_without_a_home_is_refused() -> None:
    assert refused(rules.general_pool_problems(settings(pools={"work": SPOT}))) == ["pools"]


def test_a_second_home_is_refused_and_both_are_named() -> None:
    [problem] = rules.general_pool_problems(settings(pools={"one": GENERAL, "two": GENERAL}))
    assert (problem.key, problem.value) == ("pools", ["one", "two"])


def test_a_pool_of_an_unknown_size_is_no_home_too_many() -> None:
    unknown = {"vmSize": "Standard_X1", "maxCount": 2, "maxPods": 30}
    assert refused(rules.general_pool_problems(settings(pools={"gpu": unknown, "one": GENERAL}))) == []
    assert refused(rules.general_pool_problems(settings(pools={"only": unknown}))) == ["pools.only.maxPods"]
    two = {"gpu": unknown, "one": GENERAL, "two": GENERAL}
    assert refused(rules.general_pool_problems(settings(pools=two))) == ["pools"]


def test_an_arm_pool_is_no_home_too_many() -> None:
    arm = {"vmSize": "Standard_D8ps_v5", "maxCount": 2}
    assert refused(rules.general_pool_problems(settings(pools={"arm": arm, "one": GENERAL}))) == []
    two = {"arm": arm, "one": GENERAL, "two": GENERAL}
    assert [problem.value for problem in rules.general_pool_problems(settings(pools=two))] == [["one", "two"]]


def test_a_tainted_pool_is_no_home() -> None:
    assert home(taints=[OWN_TAINT]) == ["pools"]


def test_a_gpu_pool_is_no_home() -> None:
    pools = {"general": GENERAL, "gpu": {**GPU_SPOT, "priority": "Regular"}}
    assert refused(rules.general_pool_problems(settings(pools=pools))) == []


@pytest.mark.parametrize(
    ("size", "count", "keys"),
    [
        ("Standard_D8s_v5", 2, []),
        ("Standard_D8s_v5", 1, ["pools.general.minCount"]),
        ("Standard_D16s_v5", 1, []),
        ("Standard_F16s_v2", 1, ["pools.general.minCount"]),
        ("Standard_E8s_v5", 1, ["pools.general.minCount"]),
    ],
)
def test_the_home_has_16_vcpu_and_64_gib_at_its_smallest(size: str, count: int, keys: list[str]) -> None:
    assert home(vmSize=size, minCount=count) == keys


@pytest.mark.parametrize(("gib", "keys"), [(100, []), (99, ["pools.general.osDisk.sizeGib"])])
def test_the_home_has_a_disk_of_100_gib(gib: int, keys: list[str]) -> None:
    assert home(osDisk={"sizeGib": gib}) == keys


def test_the_home_has_a_managed_disk() -> None:
    assert home(osDisk={"type": "Ephemeral"}) == ["pools.general.osDisk.type"]


@pytest.mark.parametrize(
    ("nodes", "pods", "keys"),
    [
        (1, 110, []),
        (1, 109, ["pools.general.maxPods"]),
        (2, 60, []),
        (2, 59, ["pools.general.maxPods"]),
        (3, 50, []),
        (5, 30, []),
        (4, 30, ["pools.general.maxPods"]),
    ],
)
def test_the_home_has_room_for_100_pods_beside_those_of_aks(nodes: int, pods: int, keys: list[str]) -> None:
    assert home(vmSize="Standard_D16s_v5", minCount=nodes, maxCount=nodes, maxPods=pods) == keys


def names(pools: dict[str, Any]) -> list[str]:
    return refused(rules.unique_name_problems(settings(pools=pools)))


def test_a_user_pool_is_not_named_as_the_system_pool() -> None:
    assert names({"system": SPOT}) == ["pools.system"]


def test_a_user_pool_is_not_named_as_a_fallback() -> None:
    assert names({"cpuspot": {**SPOT, "fallback": {"maxCount": 1}}, "cpuod": GENERAL}) == ["pools.cpuod"]


def test_two_fallbacks_do_not_share_a_name() -> None:
    spot = {**SPOT, "fallback": {"maxCount": 1}}
    assert names({"cpu": spot, "cpuspot": spot}) == ["pools.cpuod"]


def test_the_system_pool_is_not_named_as_a_fallback() -> None:
    stack = settings(systemPool={"name": "cpuod"}, pools={"cpuspot": {**SPOT, "fallback": {"maxCount": 1}}})
    assert refused(rules.unique_name_problems(stack)) == ["pools.cpuod"]


def test_a_cluster_has_at_most_100_pools() -> None:
    pools = {"general": GENERAL} | {f"p{n}": {**SPOT, "maxCount": 1} for n in range(98)}
    assert refused(rules.limit_problems(settings(pools=pools))) == []
    pools["one"] = SPOT
    assert refused(rules.limit_problems(settings(pools=pools))) == ["pools"]


def test_a_cluster_has_at_most_5000_nodes() -> None:
    pools = {"general": GENERAL} | {f"p{n}": {**SPOT, "maxCount": 999} for n in range(5)}
    # 5 × 999, the general pool's 3 and the system pool's 3 are 5001
    assert refused(rules.limit_problems(settings(pools=pools))) == ["pools"]
    assert refused(rules.limit_problems(settings(pools=pools, systemPool={"maxCount": 2}))) == []


def test_pools_of_unknown_sizes_and_fallbacks_count_towards_the_limits() -> None:
    unknown = {**SPOT, "vmSize": "Standard_X1", "maxCount": 500, "fallback": {"maxCount": 500}}
    pools = {"general": GENERAL} | {f"p{n}": unknown for n in range(5)}
    [problem] = rules.limit_problems(settings(pools=pools))
    assert (problem.key, problem.value) == ("pools", 5006)


def test_one_system_node_is_warned_of() -> None:
    assert len(list(rules.system_warnings(settings(systemPool={"minCount": 1})))) == 1
    assert list(rules.system_warnings(settings())) == []


def test_an_autoscaler_that_takes_nodes_from_charms_is_warned_of() -> None:
    assert list(rules.autoscaler_warnings(settings())) == []
    [warning] = rules.autoscaler_warnings(settings(autoscaler={"skipNodesWithLocalStorage": False}))
    assert warning.startswith("autoscaler.skipNodesWithLocalStorage is false: ")


def warned(pool: dict[str, Any]) -> list[str]:
    return list(rules.eviction_warnings(agent_pools(settings(pools={"general": GENERAL, "work": pool}))))


def test_a_spot_pool_with_a_fallback_needs_no_warning() -> None:
    assert warned({**SPOT, "fallback": {"maxCount": 1}}) == []


def test_a_spot_pool_without_a_fallback_is_warned_of() -> None:
    assert warned({**SPOT}) == ["pools.work has no fallback: its work waits whenever spot is sold out"]


def test_a_spot_pool_that_shares_the_workload_of_a_fallback_is_covered() -> None:
    pools = {"general": GENERAL, "one": {**SPOT, "fallback": {"maxCount": 1}}, "two": SPOT}
    assert list(rules.eviction_warnings(agent_pools(settings(pools=pools)))) == []


@pytest.mark.parametrize(
    ("kubeflow", "pools", "reason"),
    [
        ({"onAdvisory": "cordon"}, {"work": SPOT}, ""),
        ({"evictionHandler": False}, {"work": SPOT}, ""),
        ({"evictionHandler": False, "onAdvisory": "checkpoint"}, {"work": SPOT}, ""),
        (
            {"evictionHandler": False, "onAdvisory": "cordon"},
            {"work": SPOT},
            "kubeflow.evictionHandler is false",
        ),
        ({"evictionHandler": False, "onAdvisory": "cordon"}, {}, "there is no spot pool"),
        ({"onAdvisory": "cordon"}, {}, "there is no spot pool"),
    ],
)
def test_an_answer_to_advisories_that_nobody_gives_is_warned_of(
    kubeflow: dict[str, Any], pools: dict[str, Any], reason: str
) -> None:
    warnings = planned(pools={"general": GENERAL, **pools}, kubeflow=kubeflow).warnings
    assert [warning for warning in warnings if warning.startswith("kubeflow.")] == [
        f"kubeflow.onAdvisory is cordon, which does nothing, because {reason}: leave it out"
    ] * bool(reason)


def test_spot_from_one_zone_is_warned_of() -> None:
    assert warned({**SPOT, "fallback": {"maxCount": 1}, "zones": ["2"]}) == [
        (
            "pools.work.zones is ['2']: its nodes and those of its fallback come from one zone, which is sold out "
            "sooner than the region; leave zones out, or name all that have the size"
        )
    ]
    assert warned({**SPOT, "fallback": {"maxCount": 1}, "zones": ["1", "2"]}) == []
    reserved = {"maxCount": 1, "capacityReservationGroupId": "group"}
    assert warned({**SPOT, "fallback": reserved, "zones": ["2"]}) == []  # the reservation may be there


def test_deallocation_is_warned_of() -> None:
    [warning] = warned({**SPOT, "fallback": {"maxCount": 1}, "evictionPolicy": "Deallocate"})
    assert warning.startswith(
        "pools.work.evictionPolicy is Deallocate: evicted nodes keep their quota and disk"
    )
